#define _GNU_SOURCE
#include "files_executable.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int files_executable_at(const char *path, files_executable_t *executable) {
    struct stat s;
    if (stat(path, &s)) return errno;
    if (!S_ISREG(s.st_mode)) return EACCES;
    *executable = (files_executable_t){s.st_ino, s.st_size, (int64_t)s.st_ctim.tv_sec * 1000000000 + s.st_ctim.tv_nsec};
    return 0;
}

int files_executable_of(int32_t pid, uint8_t *path, int32_t *length, files_executable_t *executable) {
    char link[64];
    if (pid == 0) snprintf(link, sizeof link, "/proc/self/exe");
    else snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t read = readlink(link, (char *)path, FILES_PATH_BYTES);
    if (read < 0) return errno;
    if (read >= FILES_PATH_BYTES) return ENAMETOOLONG;
    *length = (int32_t)read;
    return files_executable_at(link, executable); /* through the link: the running file, whatever the path refers to now */
}
