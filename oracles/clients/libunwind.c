/* nongnu libunwind as a reader for cfidiff: the CFA and the return address at single addresses, for x86-64.
 *
 *     cc -o libunwind libunwind.c -lunwind-x86_64 -lunwind
 *     cfidiff check --reader-cmd 'libunwind=./libunwind {file} {addresses}' FILE...
 *
 * libunwind has no call that gives a row. So it steps once out of a made-up thread: each register holds a value of its own,
 * and so does each word of memory, so that what comes out tells where it came from. An expression that only adds to a
 * register, as that of a PLT, comes out as such an offset. The table is found by .eh_frame_hdr. */

#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libunwind-x86_64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Register N holds REGISTERS + N * APART, the word at address A holds A + SAVED. Offsets are less than half of APART. */
#define REGISTERS UINT64_C(0x0100000000000000)
#define APART UINT64_C(0x0001000000000000)
#define SAVED UINT64_C(0x4000000000000000)
#define REGISTER_COUNT 17
#define RIP 16

static const unsigned char *file;
static size_t size;
static uint64_t header, pc;

/* The bytes of the file that are loaded at an address, or NULL. */
static const unsigned char *loaded(uint64_t address, uint64_t bytes)
{
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *) file;
    const Elf64_Phdr *segment = (const Elf64_Phdr *) (file + elf->e_phoff);
    for (int each = 0; each < elf->e_phnum; each++) {
        uint64_t into = address - segment[each].p_vaddr, from = segment[each].p_offset + into;
        if (segment[each].p_type == PT_LOAD && into < segment[each].p_filesz && bytes <= segment[each].p_filesz - into
            && from <= size && bytes <= size - from)
            return file + from;
    }
    return NULL;
}

/* What libunwind has for those who give it a table, in no header. Its like for .debug_frame is not in every build. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *, int,
                                              void *);

static int find(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need, void *arg)
{
    const unsigned char *bytes = loaded(header, 12);
    unw_dyn_info_t table = { .start_ip = 0, .end_ip = UINT64_MAX, .format = UNW_INFO_FORMAT_REMOTE_TABLE };
    /* .eh_frame_hdr: a version, three encodings, .eh_frame's place, a count, and pairs of four bytes each. */
    if (bytes == NULL || bytes[0] != 1 || bytes[1] != 0x1b || bytes[2] != 0x03 || bytes[3] != 0x3b)
        return -UNW_ENOINFO;
    uint32_t count;
    memcpy(&count, bytes + 8, sizeof count);
    table.u.rti.segbase = header;
    table.u.rti.table_data = header + 12;
    table.u.rti.table_len = count * UINT64_C(8) / sizeof(unw_word_t);
    return UNW_OBJ(dwarf_search_unwind_table)(space, ip, &table, info, need, arg);
}

static void put(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
    (void) space, (void) info, (void) arg;
}

static int list(unw_addr_space_t space, unw_word_t *address, void *arg)
{
    (void) space, (void) address, (void) arg;
    return -UNW_ENOINFO;
}

static int memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int write, void *arg)
{
    (void) space, (void) arg;
    const unsigned char *bytes = loaded(address, sizeof *word);
    if (write)
        return -UNW_EINVAL;
    if (bytes != NULL)
        memcpy(word, bytes, sizeof *word);
    else if (address >= REGISTERS - APART / 2)
        *word = address + SAVED;
    else
        *word = 0; /* The end of a segment is read in words. */
    return 0;
}

static int reg(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write, void *arg)
{
    (void) space, (void) arg;
    if (write || number < 0 || number >= REGISTER_COUNT)
        return -UNW_EBADREG;
    *value = number == RIP ? pc : REGISTERS + (uint64_t) number * APART;
    return 0;
}

static int no_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write, void *arg)
{
    (void) space, (void) number, (void) value, (void) write, (void) arg;
    return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
    (void) space, (void) cursor, (void) arg;
    return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t address, char *name, size_t length, unw_word_t *offset, void *arg)
{
    (void) space, (void) address, (void) name, (void) length, (void) offset, (void) arg;
    return -UNW_ENOINFO;
}

static unw_accessors_t accessors = {
    .find_proc_info = find,
    .put_unwind_info = put,
    .get_dyn_info_list_addr = list,
    .access_mem = memory,
    .access_reg = reg,
    .access_fpreg = no_float,
    .resume = no_resume,
    .get_proc_name = no_name,
};

static void say_offset(int64_t offset)
{
    printf(",\"offset\":\"%s0x%" PRIx64 "\"", offset < 0 ? "-" : "", offset < 0 ? -(uint64_t) offset : (uint64_t) offset);
}

/* Which register a value was made from, if any, and what was added to it. */
static int made_from(uint64_t value, int64_t *offset)
{
    uint64_t number = (value - REGISTERS + APART / 2) / APART;
    *offset = (int64_t) (value - REGISTERS - number * APART);
    return number < REGISTER_COUNT ? (int) number : -1;
}

/* The CFA and the caller's rip by one step. Gives whether libunwind has a row. */
static int step(unw_addr_space_t space, unw_word_t *cfa, unw_word_t *rip)
{
    unw_cursor_t cursor;
    unw_proc_info_t info;
    /* Without a table libunwind guesses, so it is asked first whether it has one. */
    if (unw_init_remote(&cursor, space, NULL) != 0 || unw_get_proc_info(&cursor, &info) != 0)
        return 0;
    return unw_step(&cursor) >= 0 && unw_get_reg(&cursor, UNW_REG_SP, cfa) == 0
        && unw_get_reg(&cursor, UNW_REG_IP, rip) == 0;
}

static void look_up(unw_addr_space_t space, uint64_t address)
{
    unw_word_t cfa, rip;
    int64_t offset;
    pc = address;
    printf("{\"type\":\"at\",\"address\":\"0x%" PRIx64 "\"", address);
    if (!step(space, &cfa, &rip)) {
        printf("}\n");
        return;
    }
    int from = made_from(cfa, &offset);
    if (from >= 0) {
        printf(",\"cfa\":{\"rule\":\"register_offset\",\"register\":\"0x%x\"", from);
        say_offset(offset);
        printf("}");
    } else {
        printf(",\"cfa\":{\"rule\":\"expression\"}");
    }
    int64_t saved_at = (int64_t) (rip - SAVED - cfa);
    from = made_from(rip, &offset);
    if (rip == 0) {
        printf(",\"return_address\":{\"rule\":\"undefined\"}");
    } else if (saved_at > -(int64_t) (APART / 2) && saved_at < (int64_t) (APART / 2)) {
        printf(",\"return_address\":{\"rule\":\"offset\"");
        say_offset(saved_at);
        printf("}");
    } else if (from >= 0 && offset == 0) {
        printf(",\"return_address\":{\"rule\":\"register\",\"source\":\"0x%x\"}", from);
    } else {
        printf(",\"return_address\":{\"rule\":\"%s\"}", rip >= SAVED ? "expression" : "val_expression");
    }
    printf("}\n");
}

/* Whether the file has a section of this name. */
static int has_section(const char *name)
{
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *) file;
    const Elf64_Shdr *section = (const Elf64_Shdr *) (file + elf->e_shoff);
    if (elf->e_shoff > size || elf->e_shnum > (size - elf->e_shoff) / sizeof *section || elf->e_shoff % 8 != 0
        || elf->e_shstrndx >= elf->e_shnum)
        return 0;
    uint64_t names = section[elf->e_shstrndx].sh_offset, length = strlen(name) + 1;
    for (int each = 0; each < elf->e_shnum; each++) {
        if (names < size && size - names >= length && section[each].sh_name <= size - names - length
            && memcmp(file + names + section[each].sh_name, name, length) == 0)
            return 1;
    }
    return 0;
}

/* Why this file cannot be read, or NULL. */
static const char *unreadable(void)
{
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *) file;
    if (size < sizeof *elf || memcmp(elf->e_ident, ELFMAG "\2\1", 6) != 0 || elf->e_machine != EM_X86_64
        || elf->e_type == ET_REL)
        return "reads linked x86-64 files only";
    if (elf->e_phoff > size || elf->e_phnum > (size - elf->e_phoff) / sizeof(Elf64_Phdr) || elf->e_phoff % 8 != 0)
        return "the program headers are outside of the file";
    if (has_section(".debug_frame"))
        return "reads no .debug_frame";
    const Elf64_Phdr *segment = (const Elf64_Phdr *) (file + elf->e_phoff);
    for (int each = 0; each < elf->e_phnum; each++) {
        if (segment[each].p_type == PT_GNU_EH_FRAME)
            header = segment[each].p_vaddr;
    }
    return header == 0 ? "finds tables by .eh_frame_hdr only" : NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE ADDRESSES\n", argv[0]);
        return 2;
    }
    FILE *addresses = fopen(argv[2], "r");
    int opened = open(argv[1], O_RDONLY);
    struct stat about;
    if (addresses == NULL || opened < 0 || fstat(opened, &about) != 0) {
        perror(addresses == NULL ? argv[2] : argv[1]);
        return 2;
    }
    size = (size_t) about.st_size;
    file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, opened, 0);
    printf("{\"type\":\"reader\",\"protocol\":1,\"version\":\"%d.%d\",\"says\":[\"look-ups\"]}\n", UNW_VERSION_MAJOR,
           UNW_VERSION_MINOR);
    const char *why = file == MAP_FAILED ? "cannot be mapped" : unreadable();
    if (why != NULL) {
        printf("{\"type\":\"unsupported\",\"why\":\"%s\"}\n", why);
    } else {
        unw_addr_space_t space = unw_create_addr_space(&accessors, 0);
        char line[64];
        unw_set_caching_policy(space, UNW_CACHE_NONE);
        while (fgets(line, sizeof line, addresses) != NULL)
            look_up(space, strtoull(line, NULL, 16));
    }
    printf("{\"type\":\"end\"}\n");
    return 0;
}
