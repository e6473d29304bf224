/* An error of the computer names the file, the fault and the remedy. */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void says(mam_status expected, mam_status status, const char *path, const char *reason, const char *remedy) {
    const char *why = "", *message = mam_last_message();
    CHECK_NUMBER(expected, status);
    if (!is_error_clear(status, &why)) failed_at(__FILE__, __LINE__, "%s", why);
    if (!strstr(message, path) || !strstr(message, reason) || !strstr(message, remedy) || strstr(message, "errno"))
        failed_at(__FILE__, __LINE__, "\"%s\" does not say \"%s\", \"%s\" and \"%s\"", message, path, reason, remedy);
}

static void not_a_file(void **state) {
    const office *o = *state;
    static const char *const names[] = {"state.db-wal", "generation", "wipe.lock"};
    OK(mam_close(open_enrolled(o)));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = in_group(o, names[i]);
        unlink(path);
        CHECK(mkfifo(path, 0600) == 0);
        says(MAM_ERR_STORAGE, try_open(o, QUIET), names[i], "is a named pipe", "remove it");
        CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
        says(MAM_ERR_STORAGE, try_open(o, QUIET), names[i], "is a directory", "remove it");
        CHECK(rmdir(path) == 0 && symlink("/dev/null", path) == 0);
        says(MAM_ERR_STORAGE, try_open(o, QUIET), names[i], "is a symbolic link", "remove it");
        CHECK(unlink(path) == 0);
    }
    OK(try_open(o, QUIET));
}

static void not_a_directory(void **state) {
    const office *o = *state;
    char path[LONG_PATH];
    snprintf(path, sizeof path, "%s/%s", o->state, GROUP);
    CHECK(mkdir(o->state, 0700) == 0 || errno == EEXIST);
    CHECK(mkfifo(path, 0600) == 0);
    says(MAM_ERR_STORAGE, try_open(o, QUIET), path, "no directory", "move it away");
}

static void a_share_that_is_a_directory(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, "text"), out = {NULL, 0};
    mam_bool was_protected = 0;
    OK(mam_close(m));
    const char *share = only_file_in(in_group(o, "shares"));
    CHECK(unlink(share) == 0 && mkdir(share, 0700) == 0);
    m = open_quiet(o);
    mam_status status = mam_unprotect(m, container.data, container.length, 0, &out, &was_protected);
    says(MAM_ERR_KEY_UNAVAILABLE, status, share, "is a directory", "remove it");
    OK(mam_close(m));
    mam_buffer_free(&container);
}

static void opens_without_descriptors(void *argument) {
    const office *o = argument;
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    bool has_opened = false;
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(next);
    for (rlim_t more = 0; !has_opened && more < 40; more++) {
        limit.rlim_cur = (rlim_t)next + more;
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        mam_status status = try_open(o, QUIET);
        has_opened = status == MAM_OK;
        if (!has_opened) says(MAM_ERR_IO, status, "/", "too many files open", "ulimit -n");
    }
    CHECK(has_opened);
}

static void no_descriptor_left(void **state) {
    const office *o = *state;
    OK(mam_close(open_enrolled(o)));
    in_child(opens_without_descriptors, *state);
}

static void protects_without_memory(void *argument) {
    const office *o = argument;
    mam_t *m = open_quiet(o);
    mam_buffer out = {NULL, 0};
    enum { SIZE = 256 << 20 };
    uint8_t *plain = malloc(SIZE);
    CHECK(plain != NULL);
    memset(plain, 'x', SIZE);
    CHECK(setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, 1 << 20}) == 0);
    says(MAM_ERR_NO_SPACE, mam_protect(m, ANN, plain, SIZE, &out), "", "no memory for 268", "ulimit -v");
    OK(mam_protect(m, ANN, plain, 100, &out)); /* continues */
    mam_buffer_free(&out);
    OK(mam_close(m));
    free(plain);
}

static void no_memory_left(void **state) {
    const office *o = *state;
    if (IS_SANITIZED) SKIP("the sanitizer needs the memory itself");
    OK(mam_close(open_enrolled(o)));
    in_child(protects_without_memory, *state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(not_a_file),         WITH_OFFICE(not_a_directory), WITH_OFFICE(a_share_that_is_a_directory),
        WITH_OFFICE(no_descriptor_left), WITH_OFFICE(no_memory_left),
    };
    return cmocka_run_group_tests_name("reasons", tests, begin, NULL);
}
