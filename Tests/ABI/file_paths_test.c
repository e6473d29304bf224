/* Paths of files whose owner is read or set: long, odd, and of objects without an owner. */
#define _GNU_SOURCE /* unshare */
#include "support.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static void owned_by_ann(mam_t *m, const char *path, const char *known) {
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    CHECK_TEXT(known, text_of(json, "/known"));
    mam_free(json);
}

static void objects_without_an_owner(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *json = NULL;
    CHECK(mkfifo(in_office(o, "pipe"), 0600) == 0);
    make_socket(in_office(o, "socket"));
    CHECK(symlink("nowhere", in_office(o, "link")) == 0);
    const char *paths[] = {in_office(o, "pipe"), in_office(o, "socket"), in_office(o, "link"), "/dev/null", "/dev/tty"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        FAILS(MAM_ERR_UNSUPPORTED, mam_file_protect(m, paths[i], ANN));
        CULPRIT("path", paths[i]);
        CHECK_NUMBER(101, original_code());
        FAILS(MAM_ERR_UNSUPPORTED, mam_file_info(m, paths[i], &json));
        CHECK(json == NULL);
    }
    OK(mam_close(m));
}

static void missing_files(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *json = NULL;
    write_whole(in_office(o, "file"), "x", 1);
    const char *paths[] = {in_office(o, "none"), in_office(o, "none/none"), in_office(o, "file/none"), "none at all"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        FAILS(MAM_ERR_NOT_FOUND, mam_file_protect(m, paths[i], ANN));
        CULPRIT("path", paths[i]);
        CHECK_NUMBER(104, original_code());
        FAILS(MAM_ERR_NOT_FOUND, mam_file_verify_and_protect(m, paths[i], ANN));
        FAILS(MAM_ERR_NOT_FOUND, mam_file_info(m, paths[i], &json));
    }
    OK(mam_close(m));
}

static void invalid_arguments(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    static char name[300], path[70000];
    char *json = NULL;
    FAILS(MAM_ERR_ARGUMENT, mam_file_protect(m, NULL, ANN));
    CHECK_NUMBER(101, original_code());
    FAILS(MAM_ERR_ARGUMENT, mam_file_info(m, "", &json));
    FAILS(MAM_ERR_ARGUMENT, mam_file_protect(m, "/", ANN));
    memset(name, 'a', sizeof name - 1);
    FAILS(MAM_ERR_ARGUMENT, mam_file_protect(m, in_office(o, name), ANN));
    memset(path, 'a', sizeof path - 1);
    FAILS(MAM_ERR_ARGUMENT, mam_file_protect(m, path, ANN));
    FAILS(MAM_ERR_ARGUMENT, mam_file_protect(m, in_office(o, "x"), " " ANN));
    OK(mam_close(m));
}

static void nothing_is_managed(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    write_whole(in_office(o, "file"), "x", 1);
    FAILS(MAM_ERR_NOT_MANAGED, mam_file_protect(m, in_office(o, "file"), ANN));
    CHECK_NUMBER(100, original_code());
    CHECK(getxattr(in_office(o, "file"), "user.mam.owner", NULL, 0) < 0);
    OK(mam_close(m));
}

static void names_are_bytes(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    static const char *const names[] = {"a\nb", " ", "\x01", "\xff\xfe", "-rf", "a\tb\"c\\d", "\xc3\xa9\xcc\x81"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = in_office(o, names[i]);
        write_whole(path, "x", 1);
        OK(mam_file_protect(m, path, ANN));
        owned_by_ann(m, path, "both");
        CHECK(removexattr(path, "user.mam.owner") == 0);
        owned_by_ann(m, path, "index");
    }
    OK(mam_close(m));
}

/* A directory too deep for any single path of the system. */
static void paths_longer_than_the_system_takes(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    static char path[6000];
    char part[201];
    memset(part, 'd', sizeof part - 1);
    part[200] = '\0';
    int before = open(".", O_RDONLY | O_DIRECTORY), at = open(o->root, O_RDONLY | O_DIRECTORY);
    CHECK(before >= 0 && at >= 0);
    size_t length = (size_t)snprintf(path, sizeof path, "%s", o->root);
    while (length < 5000) {
        CHECK(mkdirat(at, part, 0700) == 0);
        int below = openat(at, part, O_RDONLY | O_DIRECTORY);
        CHECK(below >= 0);
        close(at);
        at = below;
        length += (size_t)snprintf(path + length, sizeof path - length, "/%s", part);
        if (length > 3600 && length < 4090) {
            /* The longest possible path, and one byte more. */
            for (size_t wanted = 4094; wanted <= 4097; wanted++) {
                size_t name = wanted - length - 1;
                char file[300];
                if (name > 255) continue;
                memset(file, 'f', name);
                file[name] = '\0';
                int f = openat(at, file, O_CREAT | O_WRONLY, 0600);
                CHECK(f >= 0);
                close(f);
                snprintf(path + length, sizeof path - length, "/%s", file);
                CHECK_NUMBER(wanted, strlen(path));
                OK(mam_file_protect(m, path, ANN));
                owned_by_ann(m, path, "both");
                path[length] = '\0';
            }
        }
    }
    /* Without a path to the directory, the index cannot name it. */
    mam_status status = mam_file_protect(m, path, ANN);
    CHECK(status == MAM_OK || status == MAM_ERR_ARGUMENT);
    close(at);
    close(before);
    char *words[] = {"rm", "-rf", (char *)in_office(o, part), NULL};
    CHECK_NUMBER(0, run_program(words, NULL, NULL, 0));
    OK(mam_close(m));
}

/* A file system without attributes: only the index. */
static void on_a_file_system_without_attributes(void *argument) {
    const office *o = argument;
    const char *place = in_office(o, "bare");
    mam_t *m = open_enrolled(o);
    const char *path = in_office(o, "bare/a"), *after = in_office(o, "bare/b");
    int64_t op;
    write_whole(path, "x", 1);
    CHECK(setxattr(path, "user.try", "x", 1, 0) < 0 && errno == EOPNOTSUPP);
    OK(mam_file_protect(m, path, ANN));
    owned_by_ann(m, path, "index");
    CHECK(rename(path, after) == 0);
    owned_by_ann(m, after, "index");
    write_whole(in_office(o, "bare/mine"), "x", 1);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(access(after, F_OK) != 0 && access(in_office(o, "bare/mine"), F_OK) == 0);
    OK(mam_close(m));
    CHECK(umount(place) == 0);
}

static void without_attributes(void *argument) {
    const office *o = argument;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
        || mount("none", in_office(o, "bare"), "ramfs", 0, NULL) != 0) {
        print_message("[  SKIPPED ] no file system without attributes can be mounted here\n");
        return;
    }
    on_a_file_system_without_attributes(argument);
}

static void the_index_alone_is_enough(void **state) {
    CHECK(mkdir(in_office(*state, "bare"), 0700) == 0);
    in_child(without_attributes, *state);
}

/* Root may write anywhere, so another user tries. */
static void as_somebody(void *argument) {
    const office *o = argument;
    mam_t *m = open_enrolled(o);
    (void)o;
    FAILS(MAM_ERR_PERMISSION, mam_file_protect(m, "/etc/passwd", ANN));
    CULPRIT("path", "/etc/passwd");
    CHECK_NUMBER(107, original_code());
    OK(mam_close(m));
}

static void give_to_nobody_and_try(void *argument) {
    office *o = argument;
    char *words[] = {"chown", "-R", "65534:65534", o->root, NULL};
    if (run_program(words, NULL, NULL, 0) != 0 || setgid(65534) != 0 || setuid(65534) != 0) {
        print_message("[  SKIPPED ] this user cannot become another\n");
        return;
    }
    as_somebody(o);
}

static void files_without_write_permission(void **state) {
    if (geteuid() == 0) in_child(give_to_nobody_and_try, *state);
    else in_child(as_somebody, *state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(objects_without_an_owner),  WITH_OFFICE(missing_files),
        WITH_OFFICE(invalid_arguments),         WITH_OFFICE(nothing_is_managed),
        WITH_OFFICE(names_are_bytes),           WITH_OFFICE(paths_longer_than_the_system_takes),
        WITH_OFFICE(the_index_alone_is_enough), WITH_OFFICE(files_without_write_permission),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
