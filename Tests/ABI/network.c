/* Preloaded: every file is on a file system of the type NETWORK_TYPE, in hexadecimal digits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/vfs.h>

static void pretend(struct statfs *s) {
    const char *type = getenv("NETWORK_TYPE");
    if (type != NULL) s->f_type = (__typeof__(s->f_type))strtoul(type, NULL, 16);
}

int fstatfs(int descriptor, struct statfs *s) {
    int (*real)(int, struct statfs *);
    *(void **)&real = dlsym(RTLD_NEXT, "fstatfs");
    int result = real(descriptor, s);
    if (result == 0) pretend(s);
    return result;
}

int statfs(const char *path, struct statfs *s) {
    int (*real)(const char *, struct statfs *);
    *(void **)&real = dlsym(RTLD_NEXT, "statfs");
    int result = real(path, s);
    if (result == 0) pretend(s);
    return result;
}
