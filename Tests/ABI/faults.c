/* Preloaded: the FAULT_ATth call of FAULT_CALL (write, pwrite, ftruncate, fsync, fdatasync, fchmod, linkat, renameat),
 * and FAULT_COUNT - 1 after it, fail with the errno FAULT_ERRNO; 0 writes half and continues. FAULT_COUNT=0 ends the
 * process there. The file FAULT_MARKER, if given, is created once a call has failed. Files of the state are left alone.
 *  */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long number(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

static int is_subject(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return path[0] == '/' && strstr(path, "/state/") == NULL && strstr(path, "authority") == NULL && strstr(path, "/log") == NULL;
}

static int fails(const char *call, int descriptor) {
    static atomic_long seen;
    const char *wanted = getenv("FAULT_CALL");
    if (wanted == NULL || strcmp(wanted, call) != 0 || !is_subject(descriptor)) return 0;
    long at = number("FAULT_AT"), now = atomic_fetch_add(&seen, 1) + 1;
    if (now == at && number("FAULT_COUNT") == 0) abort(); /* to examine the core dump */
    if (now < at || now >= at + number("FAULT_COUNT")) return 0;
    const char *marker = getenv("FAULT_MARKER");
    if (marker) close(open(marker, O_WRONLY | O_CREAT, 0600));
    return 1;
}

#define REAL(type, name)   \
    __typeof__(type) real; \
    *(void **)&real = dlsym(RTLD_NEXT, name)

static ssize_t faulty_pwrite(const char *name, int descriptor, const void *bytes, size_t length, off_t offset) {
    REAL(ssize_t(*)(int, const void *, size_t, off_t), name);
    if (!fails("pwrite", descriptor)) return real(descriptor, bytes, length, offset);
    if (number("FAULT_ERRNO") == 0) return real(descriptor, bytes, (length + 1) / 2, offset);
    errno = (int)number("FAULT_ERRNO");
    return -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return faulty_pwrite("pwrite", descriptor, bytes, length, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
    return faulty_pwrite("pwrite64", descriptor, bytes, length, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    REAL(ssize_t(*)(int, const void *, size_t), "write");
    if (!fails("write", descriptor)) return real(descriptor, bytes, length);
    if (number("FAULT_ERRNO") == 0) return real(descriptor, bytes, (length + 1) / 2);
    errno = (int)number("FAULT_ERRNO");
    return -1;
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
    REAL(int (*)(int, const char *, int, const char *, int), "linkat");
    if (!fails("linkat", to)) return real(from, old, to, new, flags);
    errno = (int)number("FAULT_ERRNO");
    return -1;
}

#define FAULTY(name, parameters, arguments, ...)                    \
    int name parameters {                                           \
        REAL(int(*) parameters, #name);                             \
        if (!fails(__VA_ARGS__, descriptor)) return real arguments; \
        errno = (int)number("FAULT_ERRNO");                         \
        return -1;                                                  \
    }

FAULTY(ftruncate, (int descriptor, off_t length), (descriptor, length), "ftruncate")
FAULTY(ftruncate64, (int descriptor, off_t length), (descriptor, length), "ftruncate")
FAULTY(fsync, (int descriptor), (descriptor), "fsync")
FAULTY(fdatasync, (int descriptor), (descriptor), "fdatasync")
FAULTY(fchmod, (int descriptor, mode_t mode), (descriptor, mode), "fchmod")
FAULTY(renameat, (int descriptor, const char *from, int other, const char *to), (descriptor, from, other, to), "renameat")
