#define _GNU_SOURCE
#include "process_code.h"
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int unmap_first(struct dl_phdr_info *program, size_t size, void *context) {
    (void)size, (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &program->dlpi_phdr[i];
        /* A part that can be written has values of its own, relocated addresses among them. */
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        uintptr_t begin = (program->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t end = (program->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(page - 1);
        if (begin < end) {
            madvise((void *)begin, end - begin, MADV_DONTNEED); /* NOLINT(performance-no-int-to-ptr) */
        }
    }
    return 1; /* the program comes first, and its libraries have less */
}

void process_unmap_code(void) { dl_iterate_phdr(unmap_first, NULL); }
