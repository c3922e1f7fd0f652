// Delve as a reader for cfidiff: the CFA and the return address at single addresses.
//
//	go build -mod=mod -o delve-reader
//	cfidiff check --reader-cmd 'delve=./delve-reader' FILE...
//
// Delve looks rows up by address, in the FDEs of both sections taken together. It reads linked little-endian files and
// takes a file whole or not at all: what it has no words for ends in an error or a panic.
package main

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/go-delve/delve/pkg/dwarf/frame"
)

const module = "github.com/go-delve/delve"

// A line of an answer.
type line map[string]any

func hex(value uint64) string {
	return fmt.Sprintf("%#x", value)
}

func signedHex(value int64) string {
	if value < 0 {
		return "-" + hex(-uint64(value))
	}
	return hex(uint64(value))
}

func cfa(rule frame.DWRule) line {
	switch rule.Rule {
	case frame.RuleCFA:
		return line{"rule": "register_offset", "register": hex(rule.Reg), "offset": signedHex(rule.Offset)}
	case frame.RuleExpression:
		return line{"rule": "expression"}
	}
	return nil
}

// The rule of a register; nil where it has none.
func register(rule frame.DWRule, found bool) line {
	if !found {
		return nil
	}
	switch rule.Rule {
	case frame.RuleUndefined:
		return line{"rule": "undefined"}
	case frame.RuleSameVal:
		return line{"rule": "same_value"}
	case frame.RuleOffset:
		return line{"rule": "offset", "offset": signedHex(rule.Offset)}
	case frame.RuleValOffset:
		return line{"rule": "val_offset", "offset": signedHex(rule.Offset)}
	case frame.RuleRegister:
		return line{"rule": "register", "source": hex(rule.Reg)}
	case frame.RuleExpression:
		return line{"rule": "expression"}
	case frame.RuleValExpression:
		return line{"rule": "val_expression"}
	}
	return nil
}

// The error of f, a panic being one.
func try(f func() error) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	return f()
}

// The FDEs of both sections, those of the debugger's section first, as Delve puts them together.
func entries(file *elf.File) (frame.FrameDescriptionEntries, error) {
	size := 8
	if file.Class == elf.ELFCLASS32 {
		size = 4
	}
	var all frame.FrameDescriptionEntries
	for _, name := range []string{".debug_frame", ".eh_frame"} {
		section := file.Section(name)
		if section == nil || section.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := section.Data()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		address := uint64(0)
		if name == ".eh_frame" {
			address = section.Addr
		}
		err = try(func() error {
			fdes, err := frame.Parse(data, binary.LittleEndian, 0, size, address)
			all = all.Append(fdes)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

func lookUp(all frame.FrameDescriptionEntries, address uint64) line {
	answer := line{"type": "at", "address": hex(address), "cfa": nil, "return_address": nil}
	// An address without a line, or a row that Delve cannot compute, is one without a row.
	_ = try(func() error {
		fde, err := all.FDEForPC(address)
		if err != nil {
			return err
		}
		row := fde.EstablishFrame(address)
		rule, found := row.Regs[row.RetAddrReg]
		if defined := cfa(row.CFA); defined != nil {
			answer["cfa"] = defined
			if defined := register(rule, found); defined != nil {
				answer["return_address"] = defined
			}
		}
		return nil
	})
	return answer
}

func read(path string, addresses []uint64, say func(line)) {
	defer say(line{"type": "end"})
	file, err := elf.Open(path)
	if err != nil {
		say(line{"type": "failed", "why": err.Error()})
		return
	}
	defer file.Close()
	if file.Type == elf.ET_REL || file.Data != elf.ELFDATA2LSB {
		say(line{"type": "unsupported", "why": "Delve reads linked little-endian files"})
		return
	}
	all, err := entries(file)
	if err != nil {
		say(line{"type": "failed", "why": err.Error()})
		return
	}
	for _, address := range addresses {
		say(lookUp(all, address))
	}
}

// The version of Delve that was built in.
func version() string {
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, each := range built.Deps {
			if each.Path == module {
				return each.Version
			}
		}
	}
	return "unknown"
}

func main() {
	output := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(output)
	say := func(words line) {
		if lines.Encode(words) != nil {
			os.Exit(3)
		}
	}
	say(line{"type": "reader", "protocol": 1, "version": version(), "says": []string{"look-ups"}})
	output.Flush()
	requests := json.NewDecoder(os.Stdin)
	for {
		var request struct {
			File      string
			Addresses []string
		}
		if requests.Decode(&request) != nil {
			return
		}
		addresses := make([]uint64, 0, len(request.Addresses))
		for _, text := range request.Addresses {
			var address uint64
			if _, err := fmt.Sscanf(text, "0x%x", &address); err == nil {
				addresses = append(addresses, address)
			}
		}
		read(request.File, addresses, say)
		output.Flush()
	}
}
