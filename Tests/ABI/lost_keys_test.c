/* Data of an account whose state was lost and who signed in again: each call that would protect, convert or replace it fails with
 * the key's error and leaves it, for a backup of the state opens it. */
#include "databases.h"

#include <fcntl.h>

#define TEXT "minutes of the meeting"

static mam_t *m;
static const office *here;

static mam_status encrypt_database(const char *path) { return mam_sqlite_encrypt(m, path, ANN); }
static mam_status decrypt_database(const char *path) { return mam_sqlite_decrypt(m, path, ANN); }
static mam_status encrypt_file(const char *path) { return mam_file_encrypt(m, path, ANN); }
static mam_status protect(const char *path) { return mam_file_protect(m, path, ANN); }
static mam_status verify(const char *path) { return mam_file_verify_and_protect(m, path, ANN); }
static mam_status decrypt_file(const char *path) { return mam_file_decrypt(m, path); }
static mam_status export_file(const char *path) {
    return mam_file_export(m, path, MAM_SAVE_ACCOUNT_DOCUMENT, ANN, in_office(here, "copy"));
}

static mam_status closing(mam_status status, mam_file_t **file) {
    if (status == MAM_OK) OK(mam_file_close(*file));
    return status;
}

static mam_status open_for(const char *path, int32_t flags) {
    mam_file_t *file = NULL;
    return closing(mam_file_open(m, path, flags, &file), &file);
}

static mam_status append(const char *path) { return open_for(path, O_WRONLY | O_APPEND); }
static mam_status truncate_file(const char *path) { return open_for(path, O_WRONLY | O_TRUNC); }

static mam_status replace_for(const char *path, const char *account) {
    mam_file_t *file = NULL;
    return closing(mam_file_create(m, path, O_WRONLY, 0600, account, &file), &file);
}

static mam_status replace(const char *path) { return replace_for(path, ANN); }
static mam_status replace_for_nobody(const char *path) { return replace_for(path, ""); }

static const struct {
    const char *name;
    mam_status (*call)(const char *path);
    const char *path;
} calls[] = {
    {"mam_sqlite_encrypt", encrypt_database, "tags.db"},
    {"mam_sqlite_decrypt", decrypt_database, "tags.db"},
    {"mam_file_encrypt", encrypt_file, "minutes"},
    {"mam_file_encrypt, a container", encrypt_file, "container"},
    {"mam_file_protect", protect, "minutes"},
    {"mam_file_verify_and_protect", verify, "minutes"},
    {"mam_file_decrypt", decrypt_file, "minutes"},
    {"mam_file_export", export_file, "minutes"},
    {"mam_file_open, to append", append, "minutes"},
    {"mam_file_open, truncated", truncate_file, "minutes"},
    {"mam_file_create", replace, "minutes"},
    {"mam_file_create, personal", replace_for_nobody, "minutes"},
};

static void make_data(const office *o) {
    mam_file_t *file = NULL;
    size_t count;
    OK(mam_file_create(m, in_office(o, "minutes"), O_WRONLY, 0600, ANN, &file));
    OK(mam_file_write(file, (const uint8_t *)TEXT, sizeof TEXT - 1, &count));
    OK(mam_file_close(file));
    mam_buffer container = sealed(m, ANN, TEXT);
    write_whole(in_office(o, "container"), container.data, container.length);
    mam_buffer_free(&container);
    sqlite3 *db = open_with(in_office(o, "tags.db"), "mam");
    run(db, "CREATE TABLE tags(name); INSERT INTO tags VALUES ('secret')");
    sqlite3_close(db);
    OK(mam_sqlite_encrypt(m, in_office(o, "tags.db"), ANN)); /* encrypted already, with its key: nothing to do */
}

/* Data of a registered account whose state is gone afterwards. */
static void lose_state(void) {
    m = open_registered(here);
    make_data(here);
    OK(mam_close(m));
    remove_tree(here->state);
}

static void nothing_is_replaced_without_its_key(void **state) {
    here = *state;
    lose_state();
    m = open_registered(here);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t before, after;
        const char *path = in_office(here, calls[i].path);
        uint8_t *old = read_whole(path, &before);
        mam_status status = calls[i].call(path);
        if (status != MAM_ERR_KEY_UNAVAILABLE) failed_at(__FILE__, __LINE__, "%s answers %d", calls[i].name, status);
        FAILS(MAM_ERR_KEY_UNAVAILABLE, status);
        if (strcmp(calls[i].path, "container") != 0) CHECK_TEXT(path, culprit("path"));
        uint8_t *new = read_whole(path, &after);
        if (before != after || memcmp(old, new, before) != 0) failed_at(__FILE__, __LINE__, "%s changes it", calls[i].name);
        free(old);
        free(new);
    }
    OK(mam_file_reprotect(m, in_office(here, "minutes"), NULL)); /* another app's files are no failure, and this may be one */
    CHECK(unlink(in_office(here, "minutes")) == 0);
    OK(replace(in_office(here, "minutes")));
    OK(mam_close(m));
}

/* Where nobody is managed any more, the name would be anybody's. */
static void nor_where_nobody_is_managed(void **state) {
    here = *state;
    lose_state();
    m = open_quiet(here);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, replace(in_office(here, "minutes")));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, truncate_file(in_office(here, "minutes")));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITHOUT_PIN(nothing_is_replaced_without_its_key), WITHOUT_PIN(nor_where_nobody_is_managed)};
    return cmocka_run_group_tests_name("lost keys", tests, begin, NULL);
}
