/* Preloaded into a program that uses libmam: writes down which of libmam's functions are entered. A breakpoint at the first
 * byte of each function removes itself when it is hit.
 *
 *     ENTRIES_STARTS   a file of the functions' offsets, ascending 64-bit words
 *     ENTRIES_HIT      the file to write: the offsets that were entered
 *
 * Linked with -z initfirst, so that it comes before the constructors of libmam. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { BREAKPOINT = 0xCC, PAGE = 4096 };

static const uint64_t *starts;
static size_t count;
static unsigned char *originals, *code;
static _Atomic unsigned char *hits;
static const char *result;

static size_t find(uint64_t offset) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (starts[middle] < offset) low = middle + 1;
        else high = middle;
    }
    return low < count && starts[low] == offset ? low : SIZE_MAX;
}

static void on_breakpoint(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    greg_t *next = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    size_t i = find((uint64_t)(*next - 1) - (uint64_t)(uintptr_t)code);
    if (i == SIZE_MAX) abort();
    code[starts[i]] = originals[i];
    hits[i] = 1;
    *next -= 1;
}

static int find_libmam(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "/libmam.so")) return 0;
    code = (unsigned char *)info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        uintptr_t from = (info->dlpi_addr + segment->p_vaddr) & ~(uintptr_t)(PAGE - 1);
        uintptr_t end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (mprotect((void *)from, end - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) _exit(3);
    }
    return 1;
}

static void *map(size_t size, int descriptor) {
    int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
    void *memory = mmap(NULL, size, descriptor < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, descriptor, 0);
    if (memory == MAP_FAILED) _exit(3);
    return memory;
}

static const char *variable(char **environment, const char *name) {
    for (size_t length = strlen(name); *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
    _exit(3);
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment) {
    (void)argc, (void)argv;
    struct stat status;
    int file = open(variable(environment, "ENTRIES_STARTS"), O_RDONLY | O_CLOEXEC);
    result = variable(environment, "ENTRIES_HIT");
    if (file < 0 || fstat(file, &status) != 0) _exit(3);
    count = (size_t)status.st_size / sizeof *starts;
    starts = map((size_t)status.st_size, file);
    close(file);
    originals = map(count, -1);
    hits = map(count, -1);
    if (!dl_iterate_phdr(find_libmam, NULL)) _exit(3);
    struct sigaction action = {.sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGTRAP, &action, NULL);
    for (size_t i = 0; i < count; i++) {
        originals[i] = code[starts[i]];
        code[starts[i]] = BREAKPOINT;
    }
}

/* libmam blocks all signals in its threads; a breakpoint there would end the program. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *former) {
    static int (*next)(int, const sigset_t *, sigset_t *);
    sigset_t without;
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "pthread_sigmask");
    if (set && how != SIG_UNBLOCK) {
        without = *set;
        sigdelset(&without, SIGTRAP);
        set = &without;
    }
    return next(how, set, former);
}

__attribute__((destructor)) static void end(void) {
    int file = open(result, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (size_t i = 0; i < count; i++)
        if (hits[i] && write(file, &starts[i], sizeof *starts) != sizeof *starts) _exit(3);
    close(file);
}
