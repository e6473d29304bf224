/* The program is killed at its sync number KILL_AT of files whose paths contain KILL_IN. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void count(int file) {
    static int syncs;
    const char *at = getenv("KILL_AT"), *in = getenv("KILL_IN");
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (at == NULL || in == NULL || readlink(link, path, sizeof path - 1) < 0 || strstr(path, in) == NULL) return;
    if (++syncs == atoi(at)) kill(getpid(), SIGKILL);
}

int fdatasync(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    count(file);
    return real(file);
}

int fsync(int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    count(file);
    return real(file);
}
