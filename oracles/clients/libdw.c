/* libdw (elfutils) as a reader for cfidiff: the CFA and the return address at single addresses.
 *
 *     cc -o libdw libdw.c -ldw -lelf
 *     cfidiff check --reader-cmd 'libdw=./libdw {file} {addresses}' FILE...
 *
 * libdw looks rows up by address and does not list records, so it answers as an unwinder is asked. What it gives is a
 * DWARF expression for the CFA and for each register; PROTOCOL.md tells how an answer writes them. */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_why(const char *kind, const char *why)
{
    /* The words are libdw's and the system's, without quotes. */
    printf("{\"type\":\"%s\",\"why\":\"%s\"}\n", kind, why);
}

static void say_signed(const char *field, int64_t value)
{
    if (value < 0)
        printf(",\"%s\":\"-0x%" PRIx64 "\"", field, -(uint64_t) value);
    else
        printf(",\"%s\":\"0x%" PRIx64 "\"", field, value);
}

/* The register and the offset of DW_OP_breg0 to 31 and DW_OP_bregx. */
static int is_breg(const Dwarf_Op *op, uint64_t *reg, int64_t *offset)
{
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        *reg = op->atom - DW_OP_breg0;
        *offset = (int64_t) op->number;
        return 1;
    }
    *reg = op->number;
    *offset = (int64_t) op->number2;
    return op->atom == DW_OP_bregx;
}

static void say_cfa(Dwarf_Frame *frame)
{
    Dwarf_Op *ops;
    size_t count;
    uint64_t reg;
    int64_t offset;
    if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0) {
        printf("null");
    } else if (count == 1 && is_breg(ops, &reg, &offset)) {
        printf("{\"rule\":\"register_offset\",\"register\":\"0x%" PRIx64 "\"", reg);
        say_signed("offset", offset);
        printf("}");
    } else {
        /* libdw completes an expression with operations of its own, so its contents are not told. */
        printf("{\"rule\":\"expression\"}");
    }
}

static void say_register(Dwarf_Frame *frame, int number)
{
    Dwarf_Op space[3], *ops;
    size_t count;
    if (dwarf_frame_register(frame, number, space, &ops, &count) != 0) {
        printf("null");
        return;
    }
    if (count == 0) {
        /* In the caller's space it is undefined. Else it has no rule or the rule same_value, which libdw does not tell
         * apart; no rule is what a return address mostly has then. */
        printf(ops == space ? "{\"rule\":\"undefined\"}" : "null");
        return;
    }
    int is_value = ops[count - 1].atom == DW_OP_stack_value;
    size_t rest = count - is_value;
    if (rest >= 1 && ops[0].atom == DW_OP_call_frame_cfa && rest <= 2
        && (rest == 1 || ops[1].atom == DW_OP_plus_uconst)) {
        printf("{\"rule\":\"%s\"", is_value ? "val_offset" : "offset");
        say_signed("offset", rest == 1 ? 0 : (int64_t) ops[1].number);
        printf("}");
    } else if (count == 1 && ops[0].atom == DW_OP_regx) {
        printf("{\"rule\":\"register\",\"source\":\"0x%" PRIx64 "\"}", (uint64_t) ops[0].number);
    } else if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
        printf("{\"rule\":\"register\",\"source\":\"0x%x\"}", ops[0].atom - DW_OP_reg0);
    } else {
        printf("{\"rule\":\"%s\"}", is_value ? "val_expression" : "expression");
    }
}

/* The frame for an address: the debugger's section first where both have one, as libdwfl does. */
static Dwarf_Frame *frame_at(Dwarf_CFI *cfis[2], Dwarf_Addr address)
{
    for (int each = 0; each < 2; each++) {
        Dwarf_Frame *frame;
        if (cfis[each] != NULL && dwarf_cfi_addrframe(cfis[each], address, &frame) == 0)
            return frame;
    }
    return NULL;
}

static void look_up(Dwarf_CFI *cfis[2], Dwarf_Addr address)
{
    Dwarf_Frame *frame = frame_at(cfis, address);
    printf("{\"type\":\"at\",\"address\":\"0x%" PRIx64 "\",\"cfa\":", (uint64_t) address);
    if (frame == NULL) {
        printf("null}\n");
        return;
    }
    int return_address = dwarf_frame_info(frame, NULL, NULL, NULL);
    say_cfa(frame);
    printf(",\"return_address\":");
    say_register(frame, return_address);
    printf("}\n");
    free(frame);
}

static void answer(const char *path, FILE *addresses)
{
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY);
    if (file < 0) {
        say_why("failed", strerror(errno));
        return;
    }
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    if (elf == NULL) {
        say_why("failed", elf_errmsg(-1));
        return;
    }
    GElf_Ehdr header;
    if (gelf_getehdr(elf, &header) != NULL && header.e_type == ET_REL) {
        say_why("unsupported", "libdw leaves relocations to libdwfl, which moves the sections");
        return;
    }
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    Dwarf_CFI *cfis[2] = { dwarf == NULL ? NULL : dwarf_getcfi(dwarf), dwarf_getcfi_elf(elf) };
    if (cfis[0] == NULL && cfis[1] == NULL) {
        say_why("failed", dwarf_errmsg(-1));
        return;
    }
    char line[64];
    while (fgets(line, sizeof line, addresses) != NULL)
        look_up(cfis, strtoull(line, NULL, 16));
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE ADDRESSES\n", argv[0]);
        return 2;
    }
    FILE *addresses = fopen(argv[2], "r");
    if (addresses == NULL) {
        perror(argv[2]);
        return 2;
    }
    printf("{\"type\":\"reader\",\"protocol\":1,\"version\":\"0.%d\",\"says\":[\"look-ups\"]}\n",
           _ELFUTILS_VERSION);
    answer(argv[1], addresses);
    printf("{\"type\":\"end\"}\n");
    return 0;
}
