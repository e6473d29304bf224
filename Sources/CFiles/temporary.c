#define _GNU_SOURCE
#include "files_temporary.h"
#include "files_entry.h"
#include "files_open.h"
#include <errno.h>
#include <fcntl.h>
#include <process_memory.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int files_create_unnamed(int directory, uint32_t mode, int *descriptor) {
    int result = files_open_unnamed(directory, NULL, mode, descriptor);
    return result == EISDIR || result == ENOENT || result == EINVAL ? EOPNOTSUPP : result;
}

int files_create_named(int directory, const char *name, uint32_t mode, int *descriptor) {
    *descriptor = openat(directory, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, (mode_t)mode);
    return *descriptor < 0 ? errno : 0;
}

int files_temporary_name(int directory, char *name, char *path) {
    uint64_t number;
    if (!process_random(&number, sizeof number)) return EIO;
    snprintf(name, FILES_TEMPORARY_NAME, ".mam-%016llx.new", (unsigned long long)number);
    int result = files_path_of(directory, path, FILES_LONG_PATH - FILES_TEMPORARY_NAME - 1);
    if (result) return result;
    size_t length = strlen(path);
    snprintf(path + length, FILES_LONG_PATH - length, "/%s", name);
    return 0;
}

int files_link(int descriptor, int directory, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

int files_check_name_free(int directory, const char *name) {
    struct stat there;
    if (fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : errno;
    if (S_ISREG(there.st_mode)) return EEXIST;
    return S_ISDIR(there.st_mode) ? EISDIR : S_ISLNK(there.st_mode) ? ELOOP : ENXIO;
}

int files_rename_at(int directory, const char *from, const char *to) {
    return renameat(directory, from, directory, to) ? errno : 0;
}
