#define _GNU_SOURCE
#include "platform_file.h"
#include "platform_newfile.h"
#include "platform_open.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char FOLDER[] = "pending";

static int open_folder(int state) { return openat(state, FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); }

int platform_pending_note(int state, const char *name, const char *path, bool is_durable, int *descriptor) {
    int folder = open_folder(state), result = 0;
    if (folder < 0 && errno == ENOENT) {
        if ((result = platform_make_directory_at(state, FOLDER))) return result;
        folder = open_folder(state);
    }
    if (folder < 0) return errno;
    /* Locked before it shows, so that nobody takes it for one that was left behind. */
    result = platform_new_nameless(folder, 0600, descriptor);
    bool is_named = result == EOPNOTSUPP;
    if (is_named) result = platform_new_named(folder, name, 0600, descriptor);
    if (!result && flock(*descriptor, LOCK_EX | LOCK_NB)) result = errno;
    if (!result) result = platform_write_on(*descriptor, path, strlen(path));
    if (!result && is_durable) result = platform_sync(*descriptor, false);
    if (!result && !is_named) result = platform_name_file(*descriptor, folder, name);
    if (!result && is_durable) result = platform_sync(folder, false);
    if (result && *descriptor >= 0) {
        unlinkat(folder, name, 0);
        close(*descriptor);
        *descriptor = -1;
    }
    close(folder);
    return result;
}

void platform_pending_end(int state, const char *name, int descriptor) {
    int folder = open_folder(state);
    if (folder >= 0) {
        unlinkat(folder, name, 0);
        close(folder);
    }
    platform_unlock_file(descriptor);
}

/* Whether it is a name that platform_temporary made. */
static bool is_temporary(const char *name) {
    return strlen(name) == 25 && strncmp(name, ".mam-", 5) == 0 && strcmp(name + 21, ".new") == 0;
}

static void remove_left(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL || !is_temporary(slash + 1)) return;
    *slash = 0;
    int directory = open(slash == path ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    /* What SQLite has beside a database that it makes goes first: the last to go is what is looked for. */
    static const char *const endings[] = {"-journal", "-wal", "-shm", ""};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[40];
        struct stat there;
        snprintf(name, sizeof name, "%s%s", slash + 1, endings[i]);
        bool is_ours = fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(there.st_mode) &&
            there.st_uid == geteuid();
        if (is_ours) unlinkat(directory, name, 0);
    }
    close(directory);
}

static void sweep_one(void *context, const char *name) {
    int folder = *(int *)context;
    int note = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (note < 0) return;
    if (flock(note, LOCK_EX | LOCK_NB) == 0) {
        char path[PLATFORM_LONG_PATH + 1];
        size_t count = 0;
        if (platform_read_on(note, path, PLATFORM_LONG_PATH, &count) == 0) {
            path[count] = 0;
            remove_left(path);
        }
        unlinkat(folder, name, 0);
    }
    close(note);
}

void platform_pending_sweep(int state) {
    int folder = open_folder(state);
    if (folder < 0) return; /* hardly ever there */
    platform_list(folder, &folder, sweep_one);
    close(folder);
}
