/* libmam's own files, the state and the authority, have no owner: no call stores in them, protects or gives them away, whatever
 * path leads there, and neither protecting a directory around them nor a wipe touches them. */
#include "databases.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define OWNER "user.mam.owner"

static const char *joined(const char *a, const char *b) {
    static char paths[8][2 * PATH_SIZE];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s%s", a, b);
    return path;
}

/* Every call that would store there, or set an owner, names the argument and what it is. */
static void is_refused(mam_t *m, const office *o, const char *path, const char *what) {
    mam_file_t *file = NULL;
    struct stat before, after;
    bool is_there = lstat(path, &before) == 0, is_file = is_there && S_ISREG(before.st_mode);
    FAILS(MAM_ERR_ARGUMENT, mam_file_protect(m, path, ANN));
    CHECK(strstr(mam_last_message(), what) != NULL);
    FAILS(MAM_ERR_ARGUMENT, mam_file_verify_and_protect(m, path, ANN));
    FAILS(MAM_ERR_ARGUMENT, mam_file_unmanage(m, path, ""));
    FAILS(MAM_ERR_ARGUMENT, mam_file_create(m, path, O_WRONLY, 0600, ANN, &file));
    FAILS(MAM_ERR_ARGUMENT, mam_file_import(m, in_office(o, "plain"), ANN, path));
    if (is_file) {
        FAILS(MAM_ERR_ARGUMENT, mam_file_open(m, path, O_WRONLY, &file));
        FAILS(MAM_ERR_ARGUMENT, mam_file_encrypt(m, path, ANN));
        FAILS(MAM_ERR_ARGUMENT, mam_sqlite_encrypt(m, path, ANN));
        FAILS(MAM_ERR_ARGUMENT, mam_file_decrypt_copy(m, in_office(o, "plain"), path));
    }
    CHECK(is_there == (lstat(path, &after) == 0));
    if (is_there) CHECK(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static mam_t *open_with_plain(const office *o) {
    mam_t *m = open_enrolled(o);
    write_whole(in_office(o, "plain"), "x", 1);
    return m;
}

static void the_state_is_refused(void **state) {
    const office *o = *state;
    mam_t *m = open_with_plain(o);
    CHECK(symlink(o->state, in_office(o, "link")) == 0);
    is_refused(m, o, o->state, "state");
    is_refused(m, o, joined(o->state, "/"), "state");
    is_refused(m, o, in_group(o, "."), "state");
    is_refused(m, o, in_group(o, "shares"), "state");
    is_refused(m, o, in_group(o, "shares/.."), "state");
    is_refused(m, o, in_group(o, "state.db"), "state");
    is_refused(m, o, in_group(o, "new"), "state");
    is_refused(m, o, in_group(o, "shares/new"), "state");
    is_refused(m, o, in_office(o, "link/" GROUP "/state.db"), "state");
    OK(mam_close(m));
}

static void the_authority_is_refused(void **state) {
    const office *o = *state;
    mam_t *m = open_with_plain(o);
    is_refused(m, o, o->authority, "authority");
    is_refused(m, o, joined(o->authority, ".key"), "keys");
    is_refused(m, o, joined(o->authority, "-journal"), "authority");
    is_refused(m, o, joined(o->authority, "-wal"), "authority");
    CHECK(link(o->authority, in_office(o, "hard")) == 0);
    is_refused(m, o, in_office(o, "hard"), "authority");
    CHECK(mkdir(in_office(o, "below"), 0700) == 0);
    is_refused(m, o, joined(in_office(o, "below/../"), strrchr(o->authority, '/') + 1), "authority");
    /* Of a link only the target counts, which this call follows. */
    CHECK(symlink(o->authority, in_office(o, "soft")) == 0);
    FAILS(MAM_ERR_ARGUMENT, mam_sqlite_encrypt(m, in_office(o, "soft"), ANN));
    OK(mam_close(m));
}

static void another_mount_leads_to_the_same_files(void **state) {
    const office *o = *state;
    mam_t *m = open_with_plain(o);
    CHECK(mkdir(in_office(o, "mount"), 0700) == 0);
    if (mount(o->root, in_office(o, "mount"), NULL, MS_BIND, NULL) != 0) {
        OK(mam_close(m));
        SKIP("mounting is not allowed here");
    }
    is_refused(m, o, joined(in_office(o, "mount"), strrchr(o->authority, '/')), "authority");
    is_refused(m, o, joined(in_office(o, "mount"), strrchr(o->state, '/')), "state");
    is_refused(m, o, joined(joined(in_office(o, "mount"), strrchr(o->state, '/')), "/" GROUP "/new"), "state");
    CHECK(umount(in_office(o, "mount")) == 0);
    OK(mam_close(m));
}

static void has_no_label(const char *path) {
    char label[512];
    CHECK(is_there(path));
    CHECK(getxattr(path, OWNER, label, sizeof label) < 0);
}

static void a_directory_around_them_leaves_them(void **state) {
    const office *o = *state;
    mam_t *m = open_with_plain(o);
    const char *work = in_office(o, "work");
    write_whole(work, "plan", 4);
    for (int i = 0; i < 2; i++) {
        OK(mam_file_protect(m, o->root, ANN));
        char *event = next_event(m, "warning", 0);
        CHECK(event != NULL);
        CHECK_NUMBER(3, number_of(event, "/left"));
        for (int j = 0; j < 3; j++) {
            char pointer[32];
            snprintf(pointer, sizeof pointer, "/named/%d/reason", j);
            CHECK_TEXT("libmam", text_of(event, pointer));
        }
        mam_free(event);
    }
    OK(mam_file_verify_and_protect(m, o->root, ANN));
    has_no_label(o->authority);
    has_no_label(joined(o->authority, ".key"));
    has_no_label(o->state);
    has_no_label(in_group(o, "state.db"));
    admin(o, "{\"action\":\"user.add\",\"upn\":\"carol@contoso.example\"}");
    CHECK_NUMBER(101, check_in(m, ANN));
    /* A label that an earlier release wrote is no reason to remove it. */
    char label[512];
    ssize_t length = getxattr(work, OWNER, label, sizeof label);
    CHECK(length > 0 && setxattr(o->authority, OWNER, label, (size_t)length, 0) == 0);
    CHECK(link(o->authority, in_office(o, "hard")) == 0);
    mam_free(wipe_ann(m));
    CHECK(!is_there(work) && is_there(o->authority) && is_there(in_office(o, "hard")) && is_there(in_group(o, "state.db")));
    CHECK(is_there(joined(o->authority, ".key")));
    admin(o, "{\"action\":\"user.add\",\"upn\":\"dave@contoso.example\"}");
    enroll_well(m, ANN);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_state_is_refused),
        WITH_OFFICE(the_authority_is_refused),
        WITH_OFFICE(another_mount_leads_to_the_same_files),
        WITH_OFFICE(a_directory_around_them_leaves_them),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
