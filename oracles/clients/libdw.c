/* libdw (elfutils) as a reader for cfidiff: the CFA and the return address at single addresses.
 *
 *     cc -o libdw libdw.c -ldw -lelf
 *     cfidiff check --reader-cmd 'libdw=./libdw' FILE...
 *
 * libdw looks rows up by address and does not list records, so it answers as an unwinder is asked, file after file in
 * one process. What it gives is a DWARF expression for the CFA and for each register; PROTOCOL.md tells how an answer
 * writes them. */

#define _GNU_SOURCE
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void say_cfa(Dwarf_Frame *frame)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0) {
        printf("null");
    } else if (count == 1 && ops[0].atom == DW_OP_bregx) {
        /* What libdw makes of a register and an offset. DW_OP_breg7 comes from an expression only. */
        printf("{\"rule\":\"register_offset\",\"register\":\"0x%" PRIx64 "\"", (uint64_t) ops[0].number);
        say_signed("offset", (int64_t) ops[0].number2);
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

/* An open file. */
struct file {
    int descriptor;
    Elf *elf;
    Dwarf *dwarf;
    /* The debugger's section first where both have an address, as in libdwfl. */
    Dwarf_CFI *tables[2];
    /* How often libdw may yet be asked again. */
    uint64_t patience;
};

/* The least bytes of an FDE. */
enum { LEAST_FDE = 8 };

static int failed_with(int error, const char *words)
{
    const char *message = dwarf_errmsg(error);
    return message != NULL && strcmp(message, words) == 0;
}

/* The frame for an address. A table without a search table is read as far as an address needs. Where libdw comes to a
 * bad FDE then, the look-up fails whatever its address is, and the next one goes on behind that FDE. So it is asked
 * again, as often as the file has room for FDEs, and the answers do not depend on the order of the addresses. */
static Dwarf_Frame *frame_at(struct file *file, Dwarf_Addr address, int *error)
{
    for (int each = 0; each < 2; each++) {
        Dwarf_Frame *frame;
        while (file->tables[each] != NULL) {
            if (dwarf_cfi_addrframe(file->tables[each], address, &frame) == 0)
                return frame;
            *error = dwarf_errno();
            if (!failed_with(*error, "invalid DWARF") || file->patience == 0)
                break;
            file->patience--;
        }
    }
    return NULL;
}

static void look_up(struct file *file, Dwarf_Addr address)
{
    int error;
    Dwarf_Frame *frame = frame_at(file, address, &error);
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

/* Whether libdw knows the ABI of the file's machine: without it gives no frame. One look-up that finds an FDE tells. */
static int knows_machine(struct file *file, const Dwarf_Addr *addresses, size_t count)
{
    for (size_t each = 0; each < count; each++) {
        int error = 0;
        Dwarf_Frame *frame = frame_at(file, addresses[each], &error);
        free(frame);
        if (frame != NULL)
            return 1;
        if (failed_with(error, "unknown error"))
            return 0;
    }
    return 1;
}

/* Opens a file, or says why it cannot. */
static int open_file(const char *path, struct file *file)
{
    struct stat about;
    GElf_Ehdr header;
    file->descriptor = open(path, O_RDONLY);
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0) {
        say_why("failed", strerror(errno));
        return 0;
    }
    file->patience = (uint64_t) about.st_size / LEAST_FDE;
    file->elf = elf_begin(file->descriptor, ELF_C_READ_MMAP, NULL);
    if (file->elf == NULL || gelf_getehdr(file->elf, &header) == NULL) {
        say_why("failed", elf_errmsg(-1));
        return 0;
    }
    if (header.e_type == ET_REL) {
        say_why("unsupported", "libdw leaves relocations to libdwfl, which moves the sections");
        return 0;
    }
    file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
    file->tables[0] = file->dwarf == NULL ? NULL : dwarf_getcfi(file->dwarf);
    file->tables[1] = dwarf_getcfi_elf(file->elf);
    if (file->tables[0] == NULL && file->tables[1] == NULL) {
        say_why("failed", dwarf_errmsg(-1));
        return 0;
    }
    return 1;
}

static void close_file(struct file *file)
{
    if (file->tables[1] != NULL)
        dwarf_cfi_end(file->tables[1]);
    if (file->dwarf != NULL)
        dwarf_end(file->dwarf);
    if (file->elf != NULL)
        elf_end(file->elf);
    if (file->descriptor >= 0)
        close(file->descriptor);
}

static void answer(const char *path, const Dwarf_Addr *addresses, size_t count)
{
    struct file file = { .descriptor = -1 };
    if (open_file(path, &file)) {
        if (!knows_machine(&file, addresses, count)) {
            say_why("unsupported", "libdw has no rules of this machine's ABI");
        } else {
            for (size_t each = 0; each < count; each++)
                look_up(&file, addresses[each]);
        }
    }
    close_file(&file);
    printf("{\"type\":\"end\"}\n");
    fflush(stdout);
}

/* The unit of UTF-16 behind \u, and the text moves behind it. */
static unsigned unit(char **text)
{
    char digits[5] = "";
    strncpy(digits, *text, 4);
    *text += strlen(digits);
    return (unsigned) strtoul(digits, NULL, 16);
}

/* A code point in UTF-8. */
static char *put_utf8(char *to, unsigned point)
{
    if (point < 0x80) {
        *to++ = (char) point;
        return to;
    }
    int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    *to++ = (char) ((0xff00 >> (more + 1) & 0xff) | point >> 6 * more);
    while (more-- > 0)
        *to++ = (char) (0x80 | (point >> 6 * more & 0x3f));
    return to;
}

/* Ends the JSON string that starts here and replaces its escapes, which are never shorter than what they mean. Gives
 * what follows the string. */
static char *unescape(char *from)
{
    static const char names[] = "bfnrt", means[] = "\b\f\n\r\t";
    char *to = from;
    while (*from != '\0' && *from != '"') {
        if (*from != '\\' || from[1] == '\0') {
            *to++ = *from++;
            continue;
        }
        const char *name = strchr(names, from[1]);
        from += 2;
        if (from[-1] == 'u') {
            unsigned point = unit(&from);
            if (point >> 10 == 0x36 && from[0] == '\\' && from[1] == 'u') {
                from += 2;
                point = 0x10000 + ((point & 0x3ff) << 10) + (unit(&from) & 0x3ff);
            }
            to = put_utf8(to, point);
        } else {
            *to++ = name != NULL ? means[name - names] : from[-1];
        }
    }
    char *rest = *from == '"' ? from + 1 : from;
    *to = '\0';
    return rest;
}

/* Reads a request, {"type":"read","file":"...","addresses":["0x1149",...]}, and answers. */
static void take(char *request)
{
    char *path = strstr(request, "\"file\":");
    if ((path = path == NULL ? NULL : strchr(path + strlen("\"file\":"), '"')) == NULL) {
        say_why("failed", "the request names no file");
        printf("{\"type\":\"end\"}\n");
        fflush(stdout);
        return;
    }
    char *rest = unescape(++path);
    Dwarf_Addr *addresses = malloc(strlen(rest) / 4 * sizeof *addresses + sizeof *addresses);
    size_t count = 0;
    if (addresses == NULL)
        exit(3);
    while ((rest = strstr(rest, "\"0x")) != NULL)
        addresses[count++] = strtoull(rest + 1, &rest, 16);
    answer(path, addresses, count);
    free(addresses);
}

int main(void)
{
    elf_version(EV_CURRENT);
    printf("{\"type\":\"reader\",\"protocol\":1,\"version\":\"%s\",\"says\":[\"look-ups\"]}\n", dwfl_version(NULL));
    fflush(stdout);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0)
        take(line);
    free(line);
    return 0;
}
