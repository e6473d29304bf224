#define _GNU_SOURCE
#include "files_directory.h"
#include "files_io.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int files_make_directories(const char *path) {
    char copy[PATH_MAX];
    size_t length = strnlen(path, sizeof copy);
    if (length == 0 || length >= sizeof copy) return ENAMETOOLONG;
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != 0) continue;
        char separator = copy[i];
        copy[i] = 0;
        if (mkdir(copy, 0700) && errno != EEXIST) {
            /* An existing directory in a parent that is not writable is fine. */
            struct stat s;
            int failure = errno;
            if (stat(copy, &s) || !S_ISDIR(s.st_mode)) return failure;
        }
        copy[i] = separator;
    }
    return 0;
}

int files_make_directory_at(int directory, const char *name) {
    return mkdirat(directory, name, 0700) && errno != EEXIST ? errno : 0;
}

int files_open_directory(const char *path, int *descriptor) {
    *descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *descriptor < 0 ? errno : 0;
}

int files_open_directory_at(int directory, const char *name, int *descriptor) {
    *descriptor = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return *descriptor < 0 ? errno : 0;
}

void files_close(int descriptor) { close(descriptor); }

int files_list(int directory, void *context, void (*each)(void *context, const char *name)) {
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return errno;
    DIR *entries = fdopendir(copy);
    if (!entries) {
        int result = errno;
        close(copy);
        return result;
    }
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) each(context, entry->d_name);
    closedir(entries);
    return 0;
}

int files_sync_directory(int directory) {
    int f = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f < 0) return errno;
    int result = files_sync(f, false);
    close(f);
    return result;
}
