#define _GNU_SOURCE
#include "platform_newfile.h"
#include "platform_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_special(mode_t mode) {
    if (S_ISREG(mode)) return 0;
    return S_ISDIR(mode) ? EISDIR : S_ISLNK(mode) ? ELOOP : ENXIO;
}

int platform_open_to_read(const char *path, int *descriptor, platform_file_facts_t *facts) {
    /* A pipe would wait for a writer, a terminal become ours. */
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*descriptor < 0) return errno;
    int result = platform_facts_of(*descriptor, facts);
    if (!result) result = refuse_special((mode_t)facts->mode);
    if (result) {
        close(*descriptor);
        *descriptor = -1;
    }
    return result;
}

int platform_read_on(int descriptor, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    while (*count < capacity) {
        ssize_t got = read(descriptor, (char *)bytes + *count, capacity - *count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return 0;
        *count += (size_t)got;
    }
    return 0;
}

/* A name of its own in the directory. */
static int draw(char name[64]) {
    uint64_t number;
    if (!platform_random(&number, sizeof number)) return EIO;
    snprintf(name, 64, ".mam-%016llx.new", (unsigned long long)number);
    return 0;
}

int platform_new_file_begin(int directory, uint32_t mode, platform_new_file_t *file) {
    file->name[0] = 0;
    file->descriptor = openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, (mode_t)mode);
    if (file->descriptor >= 0) return 0;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) return errno;
    int result = draw(file->name);
    if (!result) {
        file->descriptor = openat(directory, file->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, (mode_t)mode);
        if (file->descriptor < 0) result = errno;
    }
    if (result) file->name[0] = 0;
    return result;
}

int platform_new_file_write(const platform_new_file_t *file, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t written = write(file->descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        at += written;
        count -= (size_t)written;
    }
    return 0;
}

/* Give a nameless file a name that nobody has. */
static int name_it(int directory, const platform_new_file_t *file, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->descriptor);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

int platform_new_file_place(int directory, platform_new_file_t *file, const char *name) {
    if (fsync(file->descriptor)) return errno;
    struct stat there;
    int result = 0;
    bool is_there = fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && errno != ENOENT) return errno;
    if (is_there && (result = refuse_special(there.st_mode))) return result;
    if (!is_there && !file->name[0]) {
        result = name_it(directory, file, name);
        if (!result) return fsync(directory) ? errno : 0;
        if (result != EEXIST) return result;
        /* Somebody was faster: look again. */
        if (fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW)) return errno;
        if ((result = refuse_special(there.st_mode))) return result;
    }
    if (!file->name[0]) {
        char temporary[64];
        if ((result = draw(temporary)) || (result = name_it(directory, file, temporary))) return result;
        memcpy(file->name, temporary, sizeof temporary);
    }
    /* A link or a pipe that somebody puts there in this very moment is replaced, not followed. */
    if (renameat(directory, file->name, directory, name)) return errno;
    file->name[0] = 0;
    return fsync(directory) ? errno : 0;
}

void platform_new_file_end(int directory, platform_new_file_t *file) {
    if (file->name[0]) unlinkat(directory, file->name, 0);
    file->name[0] = 0;
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}
