/* An account that a launch has closed: what shows its data is refused, and what only protects goes on (docs/launch.md). */
#include "databases.h"

#include <fcntl.h>
#include <sys/stat.h>

static mam_t *m;
static const office *here;
static mam_buffer container;

static mam_status closing(mam_status status, mam_file_t **file) {
    if (status == MAM_OK) OK(mam_file_close(*file));
    return status;
}

static mam_status create(const char *path, const char *text) {
    mam_file_t *file = NULL;
    size_t count;
    mam_status status = mam_file_create(m, path, O_WRONLY, 0600, ANN, &file);
    if (status == MAM_OK) OK(mam_file_write(file, (const uint8_t *)text, strlen(text), &count));
    return closing(status, &file);
}

static mam_status open_for(const char *path, int32_t flags) {
    mam_file_t *file = NULL;
    return closing(mam_file_open(m, path, flags, &file), &file);
}

static mam_status protects(const char *path) {
    mam_buffer out = {NULL, 0};
    (void)path;
    mam_status status = mam_protect(m, ANN, (const uint8_t *)"unsaved", 7, &out);
    mam_buffer_free(&out);
    return status;
}

static mam_status unprotects(const char *path) {
    mam_buffer out = {NULL, 0};
    (void)path;
    return mam_unprotect(m, container.data, container.length, 0, &out, NULL);
}

static mam_status writes_anew(const char *path) { return create(path, "new"); }
static mam_status reads(const char *path) { return open_for(path, O_RDONLY); }
static mam_status appends(const char *path) { return open_for(path, O_WRONLY | O_APPEND); }
static mam_status truncates(const char *path) { return open_for(path, O_WRONLY | O_TRUNC); }
static mam_status reads_and_writes(const char *path) { return open_for(path, O_RDWR); }
static mam_status file_protects(const char *path) { return mam_file_protect(m, path, ANN); }
static mam_status file_verifies(const char *path) { return mam_file_verify_and_protect(m, path, ANN); }
static mam_status file_encrypts(const char *path) { return mam_file_encrypt(m, path, ANN); }
static mam_status file_decrypts(const char *path) { return mam_file_decrypt(m, path); }
static mam_status file_copies(const char *path) { return mam_file_decrypt_copy(m, path, in_office(here, "copy")); }
static mam_status file_exports(const char *path) {
    return mam_file_export(m, path, MAM_SAVE_ACCOUNT_DOCUMENT, ANN, in_office(here, "copy"));
}
static mam_status database_encrypts(const char *path) { return mam_sqlite_encrypt(m, path, ANN); }
static mam_status database_decrypts(const char *path) { return mam_sqlite_decrypt(m, path, ANN); }

static const struct {
    const char *name;
    mam_status (*call)(const char *path);
    const char *path;
    mam_status expected;
} calls[] = {
    {"protects", protects, "", MAM_OK},
    {"creates a file", writes_anew, "new", MAM_OK},
    {"replaces a file", writes_anew, "sealed", MAM_OK},
    {"appends", appends, "sealed", MAM_OK},
    {"truncates", truncates, "sealed", MAM_OK},
    {"protects a file", file_protects, "plain", MAM_OK},
    {"protects a directory", file_protects, "folder", MAM_OK},
    {"protects her plain file", file_protects, "hers", MAM_OK},
    {"verifies a directory", file_verifies, "folder", MAM_OK},
    {"encrypts a file", file_encrypts, "other", MAM_OK},
    {"unprotects", unprotects, "", MAM_ERR_LOCKED},
    {"reads", reads, "sealed", MAM_ERR_LOCKED},
    {"reads and writes", reads_and_writes, "sealed", MAM_ERR_LOCKED},
    {"decrypts", file_decrypts, "sealed", MAM_ERR_LOCKED},
    {"copies", file_copies, "sealed", MAM_ERR_LOCKED},
    {"exports", file_exports, "sealed", MAM_ERR_LOCKED},
    {"encrypts a database", database_encrypts, "plain.db", MAM_ERR_LOCKED},
    {"decrypts a database", database_decrypts, "plain.db", MAM_ERR_LOCKED},
};

static const char *plain(const char *name) {
    const char *path = in_office(here, name);
    write_whole(path, "plan", 4);
    return path;
}

static bool is_encrypted(const char *name) {
    mam_bool encrypted = 0;
    OK(mam_file_is_encrypted(m, in_office(here, name), &encrypted));
    return encrypted;
}

static void only_protection_goes_on(void **state) {
    here = *state;
    m = open_registered(here);
    container = sealed(m, ANN, "plan");
    OK(create(in_office(here, "sealed"), "plan"));
    OK(mam_file_protect(m, plain("hers"), ANN));
    OK(mam_file_decrypt(m, in_office(here, "hers"))); /* plain, and Ann's */
    plain("plain");
    plain("other");
    CHECK(mkdir(in_office(here, "folder"), 0700) == 0);
    plain("folder/deep");
    sql(in_office(here, "plain.db"), "CREATE TABLE t(a)");
    int64_t op;
    char *report = NULL;
    OK(mam_launch(m, &op));
    OK(mam_wait(m, op, SOON, &report));
    CHECK_TEXT("blocked", text_of(report, "/outcome"));
    mam_free(report);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        mam_status status = calls[i].call(in_office(here, calls[i].path));
        if (status != calls[i].expected) failed_at(__FILE__, __LINE__, "%s answers %d", calls[i].name, status);
    }
    static const char *const encrypted[] = {"new", "sealed", "plain", "hers", "other", "folder/deep"};
    for (int i = 0; i < 6; i++) CHECK(is_encrypted(encrypted[i]));
    CHECK(!is_there(in_office(here, "copy")));
    mam_buffer_free(&container);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_OFFICE(only_protection_goes_on)};
    return cmocka_run_group_tests_name("closed writes", tests, begin, NULL);
}
