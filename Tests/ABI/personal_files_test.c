/* Personal files and files of other accounts in a directory that is protected, again and again, and then wiped with its
 * owner: they stay where they are, as they are. */
#include "databases.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define OWNER "user.mam.owner"
#define MINE "letters"

static mam_t *open_with_work(const office *o) {
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    CHECK(mkdir(in_office(o, "work"), 0700) == 0);
    return m;
}

static const char *make(mam_t *m, const char *path, const char *account) {
    mam_file_t *file = NULL;
    size_t count = 0;
    OK(mam_file_create(m, path, O_WRONLY, 0600, account, &file));
    OK(mam_file_write(file, (const uint8_t *)MINE, strlen(MINE), &count));
    OK(mam_file_close(file));
    return path;
}

static bool is_plain(const char *path) {
    char bytes[16] = "";
    int file = open(path, O_RDONLY);
    ssize_t count = file < 0 ? -1 : read(file, bytes, sizeof bytes);
    if (file >= 0) close(file);
    return count == (ssize_t)strlen(MINE) && memcmp(bytes, MINE, strlen(MINE)) == 0;
}

static void is_owned_by(mam_t *m, const char *path, const char *account) {
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT(account, text_of(json, "/accountId"));
    mam_free(json);
}

/* The latest protection named so many files; a NULL reason is not compared. */
static void left(mam_t *m, int count, const char *reason) {
    char *event = next_event(m, "warning", 0);
    CHECK(event != NULL);
    CHECK_NUMBER(count, number_of(event, "/left"));
    CHECK_NUMBER(count, count_of(event, "/named"));
    if (reason != NULL) CHECK_TEXT(reason, text_of(event, "/named/0/reason"));
    CHECK(strstr(text_of(event, "/message"), text_of(event, "/named/0/path")) != NULL);
    mam_free(event);
}

static void protecting_a_directory_again_leaves_personal_files(void **state) {
    const office *o = *state;
    mam_t *m = open_with_work(o);
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    const char *mine = make(m, in_office(o, "work/mine"), ""), *home = make(m, in_office(o, "work/home"), EVE);
    make(m, in_office(o, "work/plan"), ANN);
    CHECK(next_event(m, "warning", 0) == NULL);
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    left(m, 2, NULL);
    OK(mam_file_verify_and_protect(m, in_office(o, "work"), ANN));
    is_owned_by(m, mine, "");
    is_owned_by(m, home, EVE);
    CHECK(is_plain(mine) && is_plain(home));
    mam_free(wipe_ann(m));
    CHECK(is_plain(mine) && is_plain(home) && !is_there(in_office(o, "work/plan")));
    OK(mam_close(m));
}

static void the_first_protection_leaves_personal_files(void **state) {
    const office *o = *state;
    mam_t *m = open_with_work(o);
    const char *mine = make(m, in_office(o, "work/mine"), ""), *plan = in_office(o, "work/plan");
    write_whole(plan, MINE, strlen(MINE));
    OK(mam_file_verify_and_protect(m, in_office(o, "work"), ANN));
    left(m, 1, "noUser");
    is_owned_by(m, mine, "");
    is_owned_by(m, plan, ANN_ID);
    CHECK(is_plain(mine) && !is_plain(plan));
    /* Naming the file itself gives it to the account. */
    OK(mam_file_protect(m, mine, ANN));
    is_owned_by(m, mine, ANN_ID);
    OK(mam_close(m));
}

/* Made before any account came. */
static void a_personal_file_is_remembered_before_an_enrollment(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    CHECK(mkdir(in_office(o, "work"), 0700) == 0);
    const char *mine = make(m, in_office(o, "work/mine"), ""), *other = make(m, in_office(o, "work/other"), NULL);
    is_owned_by(m, mine, "");
    OK(mam_close(m));
    m = open_quiet(o);
    enroll_well(m, ANN);
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    left(m, 1, "noUser");
    is_owned_by(m, other, ANN_ID);
    mam_free(wipe_ann(m));
    CHECK(is_plain(mine) && !is_there(other));
    OK(mam_close(m));
}

/* As editors save: the new file has no label, and has the path of the former one. */
static void a_personal_file_that_was_replaced_stays(void **state) {
    const office *o = *state;
    mam_t *m = open_with_work(o);
    const char *mine = make(m, in_office(o, "work/mine"), ""), *fresh = in_office(o, "work/fresh");
    const char *renamed = in_office(o, "work/renamed");
    write_whole(fresh, MINE, strlen(MINE));
    CHECK(rename(fresh, mine) == 0);
    make(m, in_office(o, "work/before"), "");
    CHECK(rename(in_office(o, "work/before"), renamed) == 0);
    OK(mam_close(m));
    m = open_quiet(o);
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    left(m, 2, "noUser");
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    CHECK(is_plain(mine) && is_plain(renamed));
    mam_free(wipe_ann(m));
    CHECK(is_plain(mine) && is_plain(renamed));
    OK(mam_close(m));
}

static void the_index_alone_suffices(void **state) {
    const office *o = *state;
    mam_t *m = open_with_work(o);
    const char *mine = make(m, in_office(o, "work/mine"), "");
    CHECK(removexattr(mine, OWNER) == 0);
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    left(m, 1, "noUser");
    mam_free(wipe_ann(m));
    CHECK(is_plain(mine));
    OK(mam_close(m));
}

static void files_of_another_account_stay(void **state) {
    const office *o = *state;
    office_permissive_policy(o);
    mam_t *m = open_with_work(o);
    const char *bobs = in_office(o, "work/bobs"), *folder = in_office(o, "work/folder"), *deep = in_office(o, "work/folder/x");
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    make(m, bobs, BOB);
    CHECK(mkdir(folder, 0700) == 0);
    OK(mam_file_protect(m, folder, BOB));
    make(m, deep, NULL);
    write_whole(in_office(o, "work/folder/y"), MINE, strlen(MINE));
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    left(m, 2, "otherAccount");
    is_owned_by(m, bobs, BOB_ID);
    is_owned_by(m, folder, BOB_ID);
    is_owned_by(m, in_office(o, "work/folder/y"), BOB_ID);
    mam_free(wipe_ann(m));
    CHECK(is_there(bobs) && is_there(deep) && is_there(in_office(o, "work/folder/y")));
    OK(mam_close(m));
}

/* A directory that goes to another account takes its owner's files along, and no others. */
static void a_directory_given_away_takes_its_own_files(void **state) {
    const office *o = *state;
    office_permissive_policy(o);
    mam_t *m = open_with_work(o);
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    const char *plan = make(m, in_office(o, "work/plan"), ANN), *mine = make(m, in_office(o, "work/mine"), "");
    OK(mam_file_protect(m, in_office(o, "work"), BOB));
    left(m, 1, "noUser");
    is_owned_by(m, plan, BOB_ID);
    is_owned_by(m, mine, "");
    OK(mam_close(m));
}

static void a_personal_database_stays(void **state) {
    const office *o = *state;
    mam_t *m = open_with_work(o);
    const char *path = in_office(o, "work/mine.db");
    sqlite3 *db = NULL;
    OK(mam_sqlite_vfs_register(m, "personal", ""));
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "personal"));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t (a)", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    is_owned_by(m, path, "");
    OK(mam_file_protect(m, in_office(o, "work"), ANN));
    left(m, 1, "noUser");
    mam_free(wipe_ann(m));
    CHECK(is_there(path));
    OK(mam_close(m));
}

/* It may be the account's file, saved anew by an editor: nothing releases it under this name. */
static void a_file_in_the_place_of_an_accounts_says_so(void **state) {
    const office *o = *state;
    mam_t *m = open_with_work(o);
    const char *path = make(m, in_office(o, "plan"), ANN), *renamed = in_office(o, "mine"), *other = in_office(o, "other");
    mam_file_t *file = NULL;
    char *error = NULL;
    write_whole(other, MINE, strlen(MINE));
    CHECK(unlink(path) == 0);
    write_whole(path, MINE, strlen(MINE));
    FAILS(MAM_ERR_DENIED, mam_file_create(m, path, O_WRONLY, 0600, "", &file));
    CHECK(mam_last_error_json(&error) == MAM_OK);
    CHECK_TEXT("replaced", text_of(error, "/detail/disagreement"));
    CHECK(strstr(text_of(error, "/message"), "rename it") != NULL);
    mam_free(error);
    FAILS(MAM_ERR_DENIED, mam_file_unmanage(m, path, ""));
    CHECK(strstr(mam_last_message(), "rename it") != NULL);
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, ""));
    CHECK(strstr(mam_last_message(), "rename it") != NULL);
    FAILS(MAM_ERR_DENIED, mam_file_import(m, other, "", path));
    CHECK(strstr(mam_last_message(), "rename it") != NULL);
    FAILS(MAM_ERR_DENIED, mam_file_export(m, path, MAM_SAVE_LOCAL_DRIVE, NULL, renamed));
    CHECK(strstr(mam_last_message(), "rename it") != NULL);
    FAILS(MAM_ERR_DENIED, mam_file_import(m, path, "", renamed));
    CHECK(strstr(mam_last_message(), "rename it") != NULL);
    CHECK(is_plain(path));
    CHECK(rename(path, renamed) == 0);
    OK(mam_file_protect(m, renamed, ""));
    make(m, path, "");
    mam_free(wipe_ann(m));
    CHECK(is_plain(renamed) && is_plain(path));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(protecting_a_directory_again_leaves_personal_files),
        WITH_OFFICE(the_first_protection_leaves_personal_files),
        WITH_OFFICE(a_personal_file_is_remembered_before_an_enrollment),
        WITH_OFFICE(a_personal_file_that_was_replaced_stays),
        WITH_OFFICE(the_index_alone_suffices),
        WITH_OFFICE(files_of_another_account_stay),
        WITH_OFFICE(a_directory_given_away_takes_its_own_files),
        WITH_OFFICE(a_personal_database_stays),
        WITH_OFFICE(a_file_in_the_place_of_an_accounts_says_so),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
