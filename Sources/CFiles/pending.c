#define _GNU_SOURCE
#include "files_pending.h"
#include "files_directory.h"
#include "files_io.h"
#include "files_lock.h"
#include "files_temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char FOLDER[] = "pending";

static int open_folder(int state) { return openat(state, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }

int files_pending_add(int state, const char *name, const char *path, bool is_durable, int *descriptor) {
    int folder = open_folder(state), result = 0;
    if (folder < 0 && errno == ENOENT) {
        if ((result = files_make_directory_at(state, FOLDER))) return result;
        folder = open_folder(state);
    }
    if (folder < 0) return errno;
    /* Lock the record before it gets its name, so that no process mistakes it for one that was left behind. */
    result = files_create_unnamed(folder, 0600, descriptor);
    bool is_named = result == EOPNOTSUPP;
    if (is_named) result = files_create_named(folder, name, 0600, descriptor);
    if (!result && flock(*descriptor, LOCK_EX | LOCK_NB)) result = errno;
    if (!result) result = files_write(*descriptor, path, strlen(path));
    if (!result && is_durable) result = files_sync(*descriptor, false);
    if (!result && !is_named) result = files_link(*descriptor, folder, name);
    if (!result && is_durable) result = files_sync(folder, false);
    if (result && *descriptor >= 0) {
        unlinkat(folder, name, 0);
        close(*descriptor);
        *descriptor = -1;
    }
    close(folder);
    return result;
}

void files_pending_remove(int state, const char *name, int descriptor) {
    int folder = open_folder(state);
    if (folder >= 0) {
        unlinkat(folder, name, 0);
        close(folder);
    }
    files_unlock(descriptor);
}

/* Whether files_temporary_name could have created this name. */
static bool is_temporary(const char *name) {
    return strlen(name) == 25 && strncmp(name, ".mam-", 5) == 0 && strcmp(name + 21, ".new") == 0;
}

static void remove_leftover(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || !is_temporary(slash + 1)) return;
    *slash = 0;
    int directory = open(slash == path ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    /* Remove the sidecars of a database first, and the file that the record names last. */
    static const char *const endings[] = {"-journal", "-wal", "-shm", ""};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[40];
        struct stat there;
        snprintf(name, sizeof name, "%s%s", slash + 1, endings[i]);
        bool is_ours =
            fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid();
        if (is_ours) unlinkat(directory, name, 0);
    }
    close(directory);
}

static void recover_one(void *context, const char *name) {
    int folder = *(int *)context;
    int record = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (record < 0) return;
    if (flock(record, LOCK_EX | LOCK_NB) == 0) {
        char path[FILES_LONG_PATH + 1];
        size_t count = 0;
        if (files_read(record, path, FILES_LONG_PATH, &count) == 0) {
            path[count] = 0;
            remove_leftover(path);
        }
        unlinkat(folder, name, 0);
    }
    close(record);
}

void files_pending_recover(int state) {
    int folder = open_folder(state);
    if (folder < 0) return; /* usually missing */
    files_list(folder, &folder, recover_one);
    close(folder);
}
