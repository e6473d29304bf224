/* The status of mam_file_close. */
#define _GNU_SOURCE
#include "support.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char sealed_path[500], plain_path[500];
static volatile int close_errno, flushes;

/* libmam's close too: every close of the two files reports close_errno, as a network file system does. */
int close(int descriptor) {
    struct stat closed = {0}, subject;
    int error = 0;
    if (close_errno != 0 && fstat(descriptor, &closed) == 0)
        for (int i = 0; i < 2; i++)
            if (stat(i ? plain_path : sealed_path, &subject) == 0 && subject.st_ino == closed.st_ino
                && subject.st_dev == closed.st_dev)
                error = close_errno, flushes++;
    long result = syscall(SYS_close, descriptor);
    if (result == 0 && error == 0) return 0;
    if (error != 0) errno = error;
    return -1;
}

static int descriptors(void) {
    DIR *open = opendir("/proc/self/fd");
    CHECK(open != NULL);
    int count = 0;
    while (readdir(open) != NULL) count++;
    closedir(open);
    return count;
}

/* The two files with their content, closed. */
static mam_t *two_files(const office *o) {
    mam_t *m = open_enrolled(o);
    const char *const accounts[] = {ANN, ""};
    snprintf(sealed_path, sizeof sealed_path, "%s/sealed", o->root);
    snprintf(plain_path, sizeof plain_path, "%s/plain", o->root);
    for (int i = 0; i < 2; i++) {
        mam_file_t *file;
        size_t count;
        OK(mam_file_create(m, i ? plain_path : sealed_path, O_RDWR, 0600, accounts[i], &file));
        OK(mam_file_write(file, (const uint8_t *)"content", 7, &count));
        OK(mam_file_close(file));
    }
    return m;
}

static mam_status close_with(mam_t *m, const char *path, int32_t flags, int error) {
    mam_file_t *file;
    size_t count;
    OK(mam_file_open(m, path, flags, &file));
    if (flags != O_RDONLY) OK(mam_file_pwrite(file, 0, (const uint8_t *)"C", 1, &count));
    close_errno = error;
    mam_status status = mam_file_close(file);
    close_errno = 0;
    if (status != MAM_OK) CULPRIT("path", path);
    FAILS(MAM_ERR_CLOSED, mam_file_close(file)); /* gone whatever it returned */
    return status;
}

static void lost_writes(void **state) {
    mam_t *m = two_files(*state);
    static const struct {
        int error;
        mam_status status;
    } rows[] = {{EIO, MAM_ERR_IO}, {ENOSPC, MAM_ERR_NO_SPACE}, {EDQUOT, MAM_ERR_NO_SPACE}, {EINTR, MAM_OK}, {0, MAM_OK}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int of = 0; of < 2; of++) {
            const char *path = of ? plain_path : sealed_path;
            int before = descriptors();
            flushes = 0;
            CHECK_NUMBER(rows[i].status, close_with(m, path, O_RDWR, rows[i].error));
            CHECK(rows[i].error == 0 || flushes > 0);
            CHECK_NUMBER(before, descriptors());
            CHECK_NUMBER(MAM_OK, close_with(m, path, O_RDONLY, rows[i].error)); /* it wrote nothing */
            mam_file_t *file;
            uint8_t content[8];
            size_t count;
            OK(mam_file_open(m, path, O_RDONLY, &file));
            OK(mam_file_read(file, content, sizeof content, &count));
            CHECK(count == 7 && memcmp(content, "Content", 7) == 0);
            OK(mam_file_close(file));
        }
    OK(mam_file_close(NULL));
    OK(mam_close(m));
}

/* After the session, and in a forked child, the handle is freed. */
static void without_a_session(void **state) {
    mam_t *m = two_files(*state);
    mam_file_t *files[2];
    for (int i = 0; i < 2; i++) OK(mam_file_open(m, i ? plain_path : sealed_path, O_RDWR, &files[i]));
    pid_t child = fork();
    if (child == 0) _exit(mam_file_close(files[0]) != MAM_OK || mam_file_close(files[1]) != MAM_OK);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_NUMBER(0, status);
    OK(mam_close(m));
    for (int i = 0; i < 2; i++) {
        OK(mam_file_close(files[i]));
        FAILS(MAM_ERR_CLOSED, mam_file_close(files[i]));
    }
}

static void out_of_descriptors(void **state) {
    mam_t *m = two_files(*state);
    for (int i = 0; i < 2; i++) {
        mam_file_t *file;
        size_t count;
        OK(mam_file_open(m, i ? plain_path : sealed_path, O_RDWR, &file));
        OK(mam_file_pwrite(file, 0, (const uint8_t *)"c", 1, &count));
        struct rlimit before, none;
        CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
        none = before;
        none.rlim_cur = 0;
        CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
        mam_status closed = mam_file_close(file);
        CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
        CHECK_NUMBER(MAM_OK, closed);
    }
    OK(mam_close(m));
}

static bool is_locked_for_others(const char *path) {
    pid_t child = fork();
    if (child == 0) {
        struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int file = open(path, O_RDWR | O_CLOEXEC);
        _exit(fcntl(file, F_GETLK, &other) == 0 && other.l_type != F_UNLCK);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status) == 1;
}

/* A POSIX lock of the host's own: closing does not release it, and no call waits for it. */
static void locks_of_the_host(void **state) {
    mam_t *m = two_files(*state);
    for (int i = 0; i < 2; i++) {
        const char *path = i ? plain_path : sealed_path;
        mam_file_t *writer, *reader, *late;
        size_t count;
        uint8_t byte;
        OK(mam_file_open(m, path, O_RDWR, &writer));
        if (i) OK(mam_file_pwrite(writer, 0, (const uint8_t *)"C", 1, &count));
        int host = open(path, O_RDWR | O_CLOEXEC);
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        CHECK(host >= 0 && fcntl(host, F_SETLK, &lock) != 0); /* libmam's own is on the first byte */
        lock.l_start = 1;
        CHECK(fcntl(host, F_SETLK, &lock) == 0);
        if (i) OK(mam_file_pwrite(writer, 0, (const uint8_t *)"D", 1, &count));
        else FAILS(MAM_ERR_BUSY, mam_file_pwrite(writer, 0, (const uint8_t *)"D", 1, &count));
        mam_file_close(writer);
        CHECK(is_locked_for_others(path));
        lock.l_start = 0;
        CHECK(fcntl(host, F_SETLK, &lock) == 0);
        OK(mam_file_open(m, path, O_RDONLY, &reader));
        OK(mam_file_read(reader, &byte, 1, &count));
        OK(mam_file_close(reader));
        FAILS(MAM_ERR_BUSY, mam_file_open(m, path, O_RDWR, &late));
        CHECK(is_locked_for_others(path));
        lock.l_type = F_UNLCK;
        CHECK(fcntl(host, F_SETLK, &lock) == 0 && close(host) == 0);
        OK(mam_file_open(m, path, O_RDWR, &late));
        OK(mam_file_pwrite(late, 0, (const uint8_t *)"E", 1, &count));
        OK(mam_file_close(late));
    }
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(lost_writes),
        WITH_OFFICE(without_a_session),
        WITH_OFFICE(out_of_descriptors),
        WITH_OFFICE(locks_of_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
