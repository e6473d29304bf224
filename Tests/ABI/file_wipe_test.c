/* A wipe removes all files that the account owns, as far as they are found, and no others; it reports the rest. */
#include "databases.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define OWNER "user.mam.owner"

static const char *make_file(const office *o, const char *name) {
    const char *path = in_office(o, name);
    write_whole(path, "x", 1);
    return path;
}

static const char *owned(const office *o, mam_t *m, const char *name, const char *account) {
    const char *path = make_file(o, name);
    OK(mam_file_protect(m, path, account));
    return path;
}

/* A new file inherits the owner of its directory unless it is created with "". */
static const char *made_without_owner(const office *o, mam_t *m, const char *name) {
    mam_file_t *file = NULL;
    OK(mam_file_create(m, in_office(o, name), O_RDWR, 0600, "", &file));
    mam_file_close(file);
    return in_office(o, name);
}

static mam_t *open_with_files(const office *o) {
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    CHECK(mkdir(in_office(o, "files"), 0700) == 0);
    return m;
}

static void counts(const char *event, int known, int removed, int gone, int left) {
    CHECK_NUMBER(known, number_of(event, "/files/known"));
    CHECK_NUMBER(removed, number_of(event, "/files/removed"));
    CHECK_NUMBER(gone, number_of(event, "/files/gone"));
    CHECK_NUMBER(left, number_of(event, "/files/left"));
    CHECK_NUMBER(gone + left, count_of(event, "/files/named"));
}

static void owned_files_are_removed_and_others_stay(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    owned(o, m, "files/a", ANN);
    owned(o, m, "elsewhere", ANN);
    owned(o, m, "files/bob", BOB);
    owned(o, m, "files/eve", EVE);
    owned(o, m, "files/nobody", "");
    make_file(o, "files/mine");
    char *event = wipe_ann(m);
    counts(event, 2, 2, 0, 0);
    mam_free(event);
    CHECK(!is_there(in_office(o, "files/a")) && !is_there(in_office(o, "elsewhere")));
    CHECK(
        is_there(in_office(o, "files/bob")) && is_there(in_office(o, "files/eve")) && is_there(in_office(o, "files/nobody"))
        && is_there(in_office(o, "files/mine")));
    CHECK_NUMBER(3, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM files"));
    OK(mam_close(m));
}

static void nothing_owned_nothing_removed(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    make_file(o, "files/mine");
    char *event = wipe_ann(m);
    counts(event, 0, 0, 0, 0);
    mam_free(event);
    CHECK(is_there(in_office(o, "files/mine")));
    OK(mam_close(m));
}

static void moved_and_copied_files_are_found(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    CHECK(mkdir(in_office(o, "other"), 0700) == 0);
    owned(o, m, "other/known", ANN);
    owned(o, m, "files/renamed", ANN);
    owned(o, m, "files/moved", ANN);
    owned(o, m, "files/stripped", ANN);
    owned(o, m, "files/stripped and moved", ANN);
    owned(o, m, "files/copied", ANN);
    CHECK(rename(in_office(o, "files/renamed"), in_office(o, "files/renamed 2")) == 0);
    CHECK(rename(in_office(o, "files/moved"), in_office(o, "other/moved 2")) == 0);
    CHECK(removexattr(in_office(o, "files/stripped"), OWNER) == 0);
    CHECK(removexattr(in_office(o, "files/stripped and moved"), OWNER) == 0);
    CHECK(rename(in_office(o, "files/stripped and moved"), in_office(o, "other/stripped 2")) == 0);
    char *words[] = {"cp", "-a", (char *)in_office(o, "files/copied"), (char *)in_office(o, "other/copy"), NULL};
    CHECK_NUMBER(0, run_program(words, NULL, NULL, 0));
    CHECK(link(in_office(o, "files/copied"), in_office(o, "files/second")) == 0);
    char *event = wipe_ann(m);
    CHECK_NUMBER(0, number_of(event, "/files/left"));
    CHECK_NUMBER(8, number_of(event, "/files/removed"));
    mam_free(event);
    CHECK(rmdir(in_office(o, "files")) == 0 && rmdir(in_office(o, "other")) == 0);
    OK(mam_close(m));
}

static void remaining_files_are_reported(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    char label[2048];
    owned(o, m, "files/gone", ANN);
    owned(o, m, "files/replaced", ANN);
    owned(o, m, "files/disagrees", ANN);
    owned(o, m, "files/linked", ANN);
    owned(o, m, "files/bob", BOB);
    CHECK(unlink(in_office(o, "files/gone")) == 0);
    CHECK(rename(make_file(o, "files/new"), in_office(o, "files/replaced")) == 0);
    ssize_t length = getxattr(in_office(o, "files/bob"), OWNER, label, sizeof label);
    CHECK(length > 0 && setxattr(in_office(o, "files/disagrees"), OWNER, label, (size_t)length, 0) == 0);
    CHECK(mkdir(in_office(o, "unknown"), 0700) == 0);
    CHECK(link(in_office(o, "files/linked"), in_office(o, "unknown/second")) == 0);
    char *event = wipe_ann(m);
    CHECK_NUMBER(1, number_of(event, "/files/gone"));
    CHECK_NUMBER(3, number_of(event, "/files/left"));
    CHECK_NUMBER(4, count_of(event, "/files/named"));
    static const char *const names[] = {"files/gone", "files/replaced", "files/disagrees", "files/linked"};
    static const char *const reasons[] = {"gone", "replaced", "disagrees", "otherNames"};
    for (int i = 0; i < 4; i++) {
        bool is_reported = false;
        for (int j = 0; j < 4; j++) {
            char pointer[64];
            snprintf(pointer, sizeof pointer, "/files/named/%d/path", j);
            if (strcmp(text_of(event, pointer), in_office(o, names[i])) != 0) continue;
            snprintf(pointer, sizeof pointer, "/files/named/%d/reason", j);
            CHECK_TEXT(reasons[i], text_of(event, pointer));
            is_reported = true;
        }
        if (!is_reported) failed_at(__FILE__, __LINE__, "nothing is reported of %s: %s", names[i], event);
    }
    mam_free(event);
    CHECK(
        is_there(in_office(o, "files/replaced")) && is_there(in_office(o, "files/disagrees"))
        && is_there(in_office(o, "files/bob")));
    CHECK(!is_there(in_office(o, "files/linked")) && is_there(in_office(o, "unknown/second")));
    OK(mam_close(m));
}

static void a_directory_is_removed_with_its_content(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    CHECK(mkdir(in_office(o, "files/deep"), 0700) == 0 && mkdir(in_office(o, "files/deep/deeper"), 0700) == 0);
    make_file(o, "files/deep/deeper/a");
    OK(mam_file_protect(m, in_office(o, "files/deep"), ANN));
    /* Create a file later, without an explicit owner. */
    make_file(o, "files/deep/late");
    CHECK(mkdir(in_office(o, "files/deep/new"), 0700) == 0);
    make_file(o, "files/deep/new/late");
    CHECK(mkfifo(in_office(o, "files/deep/pipe"), 0600) == 0);
    CHECK(symlink(make_file(o, "outside"), in_office(o, "files/deep/link")) == 0);
    make_file(o, "files/mine");
    char *event = wipe_ann(m);
    CHECK_NUMBER(0, number_of(event, "/files/left"));
    mam_free(event);
    CHECK(!is_there(in_office(o, "files/deep")) && is_there(in_office(o, "files/mine")) && is_there(in_office(o, "outside")));
    OK(mam_close(m));
}

static void files_of_others_in_a_directory_stay(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    CHECK(mkdir(in_office(o, "files/deep"), 0700) == 0);
    make_file(o, "files/deep/a");
    OK(mam_file_protect(m, in_office(o, "files/deep"), ANN));
    owned(o, m, "files/deep/bob", BOB);
    made_without_owner(o, m, "files/deep/nobody");
    char *event = wipe_ann(m);
    CHECK_NUMBER(1, number_of(event, "/files/left"));
    CHECK_TEXT("notEmpty", text_of(event, "/files/named/0/reason"));
    mam_free(event);
    CHECK(
        !is_there(in_office(o, "files/deep/a")) && is_there(in_office(o, "files/deep/bob"))
        && is_there(in_office(o, "files/deep/nobody")));
    OK(mam_close(m));
}

/* Another program replaced a directory by a link: its target is not examined. */
static void a_link_in_the_path_is_not_followed(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    owned(o, m, "files/a", ANN);
    CHECK(rename(in_office(o, "files"), in_office(o, "kept")) == 0);
    CHECK(mkdir(in_office(o, "precious"), 0700) == 0 && symlink(in_office(o, "precious"), in_office(o, "files")) == 0);
    CHECK(link(in_office(o, "kept/a"), in_office(o, "precious/a")) == 0);
    char *event = wipe_ann(m);
    CHECK_NUMBER(0, number_of(event, "/files/removed"));
    CHECK(number_of(event, "/files/left") >= 1);
    mam_free(event);
    CHECK(is_there(in_office(o, "precious/a")) && is_there(in_office(o, "kept/a")));
    OK(mam_close(m));
}

static void removes(void *user, mam_question_t *question, const char *json) {
    (void)json;
    OK(mam_answer(user, mam_question_id(question), "{\"removed\":true}"));
}

static void the_host_removes_its_own(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    owned(o, m, "files/a", ANN);
    OK(mam_set_delegate(m, removes, m));
    char *event = wipe_ann(m);
    CHECK(truth_of(event, "/hostRemovedData"));
    CHECK_NUMBER(-1, count_of(event, "/files"));
    mam_free(event);
    CHECK(is_there(in_office(o, "files/a")));
    CHECK_NUMBER(0, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM files"));
    OK(mam_close(m));
}

/* For any number of files there are only a few events, and each step in its place. */
static void many_files_few_events(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    for (int i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "files/%d", i);
        make_file(o, name);
    }
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    int files = 0;
    long long removed = 0;
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        if (strcmp(text_of(event, "/event"), "wipeProgress") == 0 && strcmp(text_of(event, "/step"), "files") == 0) {
            CHECK(number_of(event, "/removed") >= removed);
            removed = number_of(event, "/removed");
            CHECK_NUMBER(3001, number_of(event, "/known"));
            files++;
        }
        CHECK(strcmp(text_of(event, "/event"), "eventsLost") != 0);
        mam_free(event);
    }
    CHECK(files >= 1 && files <= 21);
    CHECK_NUMBER(3001, removed);
    CHECK(!is_there(in_office(o, "files")));
    OK(mam_close(m));
}

/* Ann's files of another app of the group belong to that app. */
static void another_apps_files_stay(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o), *mail = open_app(o, OTHER_APP, QUIET);
    enroll_well(mail, ANN);
    owned(o, mail, "files/mail", ANN);
    owned(o, m, "files/notes", ANN);
    char *event = wipe_ann(m);
    mam_free(event);
    CHECK(is_there(in_office(o, "files/mail")) && !is_there(in_office(o, "files/notes")));
    OK(mam_close(mail));
    OK(mam_close(m));
}

/* A copy that libmam makes itself, in a directory without known files of Ann. */
static void a_plain_copy_is_removed(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    char *info = NULL;
    CHECK(mkdir(in_office(o, "other"), 0700) == 0);
    OK(mam_file_encrypt(m, make_file(o, "files/sealed"), ANN));
    OK(mam_file_decrypt_copy(m, in_office(o, "files/sealed"), in_office(o, "other/copy")));
    OK(mam_file_info(m, in_office(o, "other/copy"), &info));
    CHECK_TEXT("both", text_of(info, "/known"));
    CHECK_TEXT(ANN_ID, text_of(info, "/accountId"));
    mam_free(info);
    char *event = wipe_ann(m);
    counts(event, 2, 2, 0, 0);
    mam_free(event);
    CHECK(!is_there(in_office(o, "files/sealed")) && !is_there(in_office(o, "other/copy")));
    OK(mam_close(m));
}

static void give(const office *o, mam_t *m, const char *name, const char *account) {
    OK(mam_file_protect(m, in_office(o, name), account));
    CHECK(removexattr(in_office(o, name), OWNER) == 0);
}

/* In a directory of Ann's, without an attribute, as on a file system that has none. */
static void the_index_alone_protects_files_of_others(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    make_file(o, "files/bob");
    CHECK(mkdir(in_office(o, "files/bobs"), 0700) == 0);
    make_file(o, "files/bobs/plan");
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    OK(mam_file_protect(m, in_office(o, "files/bobs"), BOB));
    give(o, m, "files/bob", BOB);
    CHECK(removexattr(made_without_owner(o, m, "files/nobody"), OWNER) == 0);
    give(o, m, "files/bobs", BOB);
    CHECK(removexattr(in_office(o, "files/bobs/plan"), OWNER) == 0);
    make_file(o, "files/new");
    owned(o, m, "files/old", ANN);
    CHECK(removexattr(in_office(o, "files/old"), OWNER) == 0);
    char *event = wipe_ann(m);
    counts(event, 2, 2, 0, 1); /* remaining files keep the directory */
    mam_free(event);
    CHECK(!is_there(in_office(o, "files/new")) && !is_there(in_office(o, "files/old")));
    CHECK(
        is_there(in_office(o, "files/bob")) && is_there(in_office(o, "files/nobody")) && is_there(in_office(o, "files/bobs/plan")));
    OK(mam_close(m));
}

static void a_moved_file_is_removed_once_it_was_verified(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    owned(o, m, "files/moved", ANN);
    CHECK(mkdir(in_office(o, "far"), 0700) == 0);
    CHECK(rename(in_office(o, "files/moved"), in_office(o, "far/moved")) == 0);
    OK(mam_file_verify_and_protect(m, in_office(o, "far/moved"), ANN));
    char *event = wipe_ann(m);
    counts(event, 1, 1, 0, 0);
    mam_free(event);
    CHECK(!is_there(in_office(o, "far/moved")));
    OK(mam_close(m));
}

/* Attribute and index are both on it, so either suffices. */
static void a_decrypted_database_is_removed(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    for (int is_stripped = 0; is_stripped < 2; is_stripped++) {
        const char *path = in_office(o, is_stripped ? "files/stripped" : "files/whole");
        sql(path, "CREATE TABLE t(a)");
        OK(mam_sqlite_encrypt(m, path, ANN));
        if (is_stripped) CHECK(removexattr(path, OWNER) == 0);
        OK(mam_sqlite_decrypt(m, path, ANN));
        if (is_stripped) (void)removexattr(path, OWNER);
    }
    char *event = wipe_ann(m);
    counts(event, 2, 2, 0, 0);
    mam_free(event);
    CHECK(!is_there(in_office(o, "files/whole")) && !is_there(in_office(o, "files/stripped")));
    OK(mam_close(m));
}

static void a_personal_database_in_its_directory_stays(void **state) {
    const office *o = *state;
    mam_t *m = open_with_files(o);
    const char *const names[] = {"", EVE}, *const systems[] = {"nobodys", "eves"};
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    for (int i = 0; i < 2; i++) {
        OK(mam_sqlite_vfs_register(m, systems[i], names[i]));
        sqlite3 *db = open_with(in_office(o, i ? "files/eves.db" : "files/nobodys.db"), systems[i]);
        CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL));
        CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    }
    mam_free(wipe_ann(m));
    CHECK(is_there(in_office(o, "files/nobodys.db")) && is_there(in_office(o, "files/eves.db")));
    OK(mam_close(m));
}

/* An impossible size is an error of the caller, whatever the account's condition. */
static void a_size_is_checked_first(void **state) {
    office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_file_t *file = NULL;
    uint8_t room[16] = {0};
    size_t count = 0;
    OK(mam_file_create(m, in_office(o, "held open"), O_RDWR, 0600, ANN, &file));
    mam_free(wipe_ann(m));
    CHECK(mam_file_write(file, room, sizeof room, &count) != MAM_ERR_ARGUMENT);
    FAILS(MAM_ERR_ARGUMENT, mam_file_write(file, room, SIZE_MAX, &count));
    FAILS(MAM_ERR_ARGUMENT, mam_file_pwrite(file, 0, room, SIZE_MAX, &count));
    FAILS(MAM_ERR_ARGUMENT, mam_file_read(file, room, SIZE_MAX, &count));
    FAILS(MAM_ERR_ARGUMENT, mam_file_pread(file, 0, room, SIZE_MAX, &count));
    mam_file_close(file);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(owned_files_are_removed_and_others_stay),
        WITH_OFFICE(nothing_owned_nothing_removed),
        WITH_OFFICE(moved_and_copied_files_are_found),
        WITH_OFFICE(remaining_files_are_reported),
        WITH_OFFICE(a_directory_is_removed_with_its_content),
        WITH_OFFICE(files_of_others_in_a_directory_stay),
        WITH_OFFICE(a_link_in_the_path_is_not_followed),
        WITH_OFFICE(the_host_removes_its_own),
        WITH_OFFICE(many_files_few_events),
        WITH_OFFICE(another_apps_files_stay),
        WITH_OFFICE(a_plain_copy_is_removed),
        WITH_OFFICE(the_index_alone_protects_files_of_others),
        WITH_OFFICE(a_moved_file_is_removed_once_it_was_verified),
        WITH_OFFICE(a_decrypted_database_is_removed),
        WITH_OFFICE(a_personal_database_in_its_directory_stays),
        WITH_OFFICE(a_size_is_checked_first),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
