/* Files that a wipe could not remove: the result says so, no call opens them, also not for the account that came back, and they are
 * removed once that is possible. */
#include "support.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether entries of a directory can be removed, even by root. */
static bool set_frozen(const char *directory, bool is_frozen) {
    int flags = 0, file = open(directory, O_RDONLY | O_DIRECTORY);
    if (file < 0) return false;
    bool is_set = ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;
    flags = is_frozen ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
    is_set = is_set && ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
    close(file);
    return is_set;
}

/* A file of Ann's that her policy left plain. */
static void make_plain(mam_t *m, const char *path) {
    mam_file_t *file = NULL;
    size_t count = 0;
    OK(mam_file_create(m, path, O_WRONLY, 0600, ANN, &file));
    OK(mam_file_write(file, (const uint8_t *)"plan", 4, &count));
    OK(mam_file_close(file));
    OK(mam_file_decrypt(m, path));
}

static int wipe(mam_t *m, char **status) {
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    OK(mam_wait(m, op, SOON, status));
    return (int)number_of(*status, "/code");
}

static void is_closed(mam_t *m, const office *o, const char *path) {
    mam_file_t *file = NULL;
    CHECK(is_there(path));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_file_open(m, path, O_RDONLY, &file));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_file_decrypt_copy(m, path, in_office(o, "copy")));
    CHECK(mam_file_protect(m, path, ANN) != MAM_OK);
    CHECK(mam_file_unmanage(m, path, "") != MAM_OK);
    FAILS(MAM_ERR_NOT_ENROLLED, mam_file_import(m, path, ANN, in_office(o, "copy")));
    CHECK(mam_file_export(m, path, MAM_SAVE_LOCAL_DRIVE, NULL, in_office(o, "copy")) != MAM_OK);
    CHECK(!is_there(in_office(o, "copy")));
}

static void a_file_that_stays_is_said_and_closed_and_goes_later(void **state) {
    const office *o = *state;
    office_permissive_policy(o);
    mam_t *m = open_enrolled(o);
    char work[PATH_SIZE], plan[PATH_SIZE], note[PATH_SIZE], fresh[PATH_SIZE];
    snprintf(work, sizeof work, "%s", in_office(o, "hers"));
    snprintf(plan, sizeof plan, "%s", in_office(o, "hers/plan"));
    snprintf(note, sizeof note, "%s", in_office(o, "hers/note"));
    snprintf(fresh, sizeof fresh, "%s", in_office(o, "hers/fresh"));
    CHECK(mkdir(work, 0700) == 0);
    OK(mam_file_protect(m, work, ANN));
    make_plain(m, plan);
    /* Without a label and a row of its own. */
    write_whole(note, "note", 4);
    if (!set_frozen(work, true)) {
        OK(mam_close(m));
        SKIP("no directory can be made immutable here");
    }
    char *status = NULL;
    CHECK_NUMBER(215, wipe(m, &status));
    CHECK(!truth_of(status, "/didSucceed"));
    CHECK(strstr(text_of(status, "/message"), "/hers/") != NULL);
    mam_free(status);
    char *event = next_event(m, "wipeDidComplete", SOON);
    CHECK(event != NULL);
    CHECK_NUMBER(0, number_of(event, "/files/removed"));
    /* The directory too cannot be removed. */
    CHECK_NUMBER(3, number_of(event, "/files/left"));
    CHECK_NUMBER(3, number_of(event, "/files/retried"));
    mam_free(event);
    is_closed(m, o, plan);
    is_closed(m, o, note);
    OK(mam_close(m));

    m = open_enrolled(o);
    is_closed(m, o, plan);
    is_closed(m, o, note);
    CHECK(set_frozen(work, false));
    OK(mam_file_protect(m, work, ANN));
    event = next_event(m, "warning", 0);
    CHECK(event != NULL);
    CHECK_NUMBER(2, number_of(event, "/left"));
    CHECK_TEXT("wiped", text_of(event, "/named/0/reason"));
    mam_free(event);
    is_closed(m, o, plan);
    is_closed(m, o, note);
    make_plain(m, fresh);
    OK(mam_close(m));

    m = open_quiet(o);
    finish_wipes(m);
    CHECK(!is_there(plan) && !is_there(note) && is_there(fresh));
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    CHECK_NUMBER(0, count_of(json, "/wipes"));
    mam_free(json);
    mam_file_t *file = NULL;
    OK(mam_file_open(m, fresh, O_RDONLY, &file));
    OK(mam_file_close(file));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_OFFICE(a_file_that_stays_is_said_and_closed_and_goes_later)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
