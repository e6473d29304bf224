/* files lookup SETTINGS ACCOUNT DIR ROUNDS: the owner of a file, warm, beside getxattr of its label.
 * files wipe SETTINGS ACCOUNT DIR COUNT ours|theirs: a wipe of COUNT owned files of 4 KiB, 1000 a folder, beside rm -rf of
 * as many files with the same label; the last word selects which goes first. */
#include "common.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;
enum { CALLS = 20000 };

static void fail_on(const char *what) {
    perror(what);
    exit(1);
}

static void path_of(char *path, size_t size, const char *directory, long i) {
    snprintf(path, size, "%s/%ld/%ld", directory, i / 1000, i);
}

static void make_files(const char *directory, long count) {
    static char block[4096], path[4096];
    if (mkdir(directory, 0700)) fail_on(directory);
    for (long i = 0; i < count; i++) {
        if (i % 1000 == 0) {
            snprintf(path, sizeof path, "%s/%ld", directory, i / 1000);
            if (mkdir(path, 0700)) fail_on(path);
        }
        path_of(path, sizeof path, directory, i);
        int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (file < 0 || write(file, block, sizeof block) != sizeof block || close(file)) fail_on(path);
    }
}

/* Once all of them exist, as mam_file_protect of the directory does: the attributes are stored in the same place. */
static void label_files(const char *directory, long count, const char *label, size_t length) {
    static char path[4096];
    for (long i = 0; i < count; i++) {
        path_of(path, sizeof path, directory, i);
        if (setxattr(path, "user.mam.owner", label, length, 0)) fail_on(path);
    }
}

static void lookup(mam_t *m, const char *account, const char *directory, int rounds) {
    char path[4096], label[4096], *json;
    snprintf(path, sizeof path, "%s/file", directory);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file < 0 || close(file)) fail_on(path);
    must(mam_file_protect(m, path, account), "mam_file_protect");
    usleep(300000); /* the cache does not cover a file that was just changed */
    for (int round = 0; round < rounds; round++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++) {
            must(mam_file_info(m, path, &json), "mam_file_info");
            mam_free(json);
        }
        double middle = now_ns();
        for (int i = 0; i < CALLS; i++)
            if (getxattr(path, "user.mam.owner", label, sizeof label) <= 0) fail_on("getxattr");
        row("lookup", (middle - begin) / CALLS, (now_ns() - middle) / CALLS);
    }
}

static double remove_tree(const char *directory) {
    char *words[] = {"rm", "-rf", (char *)directory, NULL};
    pid_t child;
    int status;
    double begin = now_ns();
    if (posix_spawnp(&child, "rm", NULL, NULL, words, environ) || waitpid(child, &status, 0) < 0 || status) fail_on("rm");
    return now_ns() - begin;
}

/* Pending writes of one candidate must not delay the other. */
static void settle(const char *directory) {
    int file = open(directory, O_RDONLY | O_DIRECTORY);
    if (file < 0 || syncfs(file) || close(file)) fail_on(directory);
}

static double remove_ours(mam_t *m, const char *account) {
    int64_t op;
    double begin = now_ns();
    must(mam_wipe_account(m, account, &op), "mam_wipe_account");
    finish(m, op, "wipe");
    return now_ns() - begin;
}

static void wipe(mam_t *m, const char *account, const char *directory, long count, bool is_first) {
    char ours[4096], theirs[4096], first[4200], label[4096];
    snprintf(ours, sizeof ours, "%s/ours", directory);
    snprintf(theirs, sizeof theirs, "%s/theirs", directory);
    snprintf(first, sizeof first, "%s/0/0", ours);
    make_files(ours, count);
    make_files(theirs, count);
    must(mam_file_protect(m, ours, account), "mam_file_protect");
    ssize_t length = getxattr(first, "user.mam.owner", label, sizeof label);
    if (length <= 0) fail_on(first);
    label_files(theirs, count, label, (size_t)length);
    double own = 0, peer = 0;
    for (int turn = 0; turn < 2; turn++) {
        settle(directory);
        if (is_first == (turn == 0)) own = remove_ours(m, account);
        else peer = remove_tree(theirs);
    }
    if (access(ours, F_OK) == 0) {
        fprintf(stderr, "the wipe left %s\n", ours);
        exit(1);
    }
    row("wipe", own / 1e6, peer / 1e6);
}

int main(int count, char **word) {
    if (count < 6) return 2;
    mam_t *m = open_enrolled(word[2], word[3]);
    if (strcmp(word[1], "lookup") == 0) lookup(m, word[3], word[4], atoi(word[5]));
    else wipe(m, word[3], word[4], atol(word[5]), count > 6 && strcmp(word[6], "ours") == 0);
    return mam_close(m) != MAM_OK;
}
