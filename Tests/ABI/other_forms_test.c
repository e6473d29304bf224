/* Files with libmam's data in another form than a file: the result of mam_file_…, and that buffers and streams do not
 * take a file for unprotected bytes. */
#include "streams.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#define TEXT "minutes of the meeting"

static office *here;
static mam_t *m;
static char path[PATH_SIZE], copy[PATH_SIZE];

static int begin_here(void **state) {
    if (set_up(state)) return -1;
    here = *state;
    m = open_enrolled(here);
    snprintf(path, sizeof path, "%s/file", here->root);
    snprintf(copy, sizeof copy, "%s/copy", here->root);
    return 0;
}

static int end_here(void **state) {
    OK(mam_close(m));
    return tear_down(state);
}

static void write_container(const char *account) {
    mam_buffer container = sealed(m, account, TEXT);
    write_whole(path, container.data, container.length);
    mam_buffer_free(&container);
    CHECK(chmod(path, 0640) == 0);
}

static bool is_encrypted(const char *file) {
    mam_bool encrypted = 7;
    OK(mam_file_is_encrypted(m, file, &encrypted));
    CHECK(encrypted == 0 || encrypted == 1);
    return encrypted;
}

static bool is_plain(const char *file) {
    size_t length;
    uint8_t *bytes = read_whole(file, &length);
    bool same = length == strlen(TEXT) && memcmp(bytes, TEXT, length) == 0;
    free(bytes);
    return same;
}

static void belongs_to(const char *file, const char *account) {
    char *json = NULL;
    OK(mam_file_info(m, file, &json));
    CHECK_TEXT(account, text_of(json, "/accountId"));
    CHECK_TEXT("both", text_of(json, "/known"));
    mam_free(json);
}

static mam_status uncopied(const char *file) {
    mam_status status = mam_file_decrypt_copy(m, file, copy);
    CHECK(access(copy, F_OK) != 0);
    return status;
}

static void says(const char *words) {
    if (strstr(mam_last_message(), words) == NULL) failed_at(__FILE__, __LINE__, "\"%s\" lacks %s", mam_last_message(), words);
}

static void a_container_is_decrypted(void **state) {
    (void)state;
    write_container(ANN);
    CHECK(is_encrypted(path));
    OK(mam_file_protect(m, path, ANN));
    CHECK(is_encrypted(path));
    OK(mam_file_decrypt_copy(m, path, copy));
    CHECK(is_plain(copy) && !is_plain(path) && !is_encrypted(copy));
    OK(mam_file_decrypt(m, path));
    CHECK(is_plain(path) && !is_encrypted(path));
    belongs_to(path, ANN_ID);
    struct stat s;
    CHECK(stat(path, &s) == 0 && (s.st_mode & 0777) == 0640);
    OK(mam_file_decrypt(m, path));
    CHECK(is_plain(path));
}

static void a_long_stream_is_decrypted(void **state) {
    (void)state;
    enum { LENGTH = 3000000 };
    uint8_t *bytes = bytes_of(LENGTH);
    sink made = {0};
    OK(protect_all(m, ANN, 0, bytes, LENGTH, 70000, &made));
    write_whole(path, made.data, made.length);
    CHECK(is_encrypted(path));
    OK(mam_rotate_keys(m, ANN));
    /* Damage between its chunks: no data is returned, and the file stays. */
    made.data[made.length / 2] ^= 1;
    write_whole(copy, made.data, made.length);
    FAILS(MAM_ERR_AUTHENTICATION, mam_file_decrypt(m, copy));
    CHECK(is_encrypted(copy));
    CHECK(unlink(copy) == 0);
    OK(mam_file_decrypt(m, path));
    size_t length;
    uint8_t *plain = read_whole(path, &length);
    CHECK(length == LENGTH && memcmp(plain, bytes, LENGTH) == 0);
    free(plain);
    free(bytes);
    sink_clear(&made);
}

static void a_label_is_removed(void **state) {
    (void)state;
    write_container(EVE);
    CHECK(!is_encrypted(path));
    OK(mam_file_decrypt_copy(m, path, copy));
    CHECK(is_plain(copy));
    /* For a managed account it is sealed as any file; if already sealed, it stays. */
    OK(mam_file_encrypt(m, path, ANN));
    CHECK(is_encrypted(path));
    mam_file_t *file = NULL;
    uint8_t bytes[64];
    size_t count;
    OK(mam_file_open(m, path, O_RDONLY, &file));
    OK(mam_file_read(file, bytes, sizeof bytes, &count));
    CHECK(count == strlen(TEXT) && memcmp(bytes, TEXT, count) == 0);
    mam_file_close(file);
    write_container(ANN);
    OK(mam_file_encrypt(m, path, ANN));
    belongs_to(path, ANN_ID);
    uint8_t *container = read_whole(path, &count);
    CHECK(memcmp(container, "MAM\1", 4) == 0);
    free(container);
}

static void unreadable_containers_stay(void **state) {
    (void)state;
    int64_t op;
    enroll_well(m, BOB);
    write_container(BOB);
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    write_whole(copy, "MAM\1 and no header", 18);
    mam_bool encrypted;
    FAILS(MAM_ERR_DAMAGED, mam_file_is_encrypted(m, copy, &encrypted));
    FAILS(MAM_ERR_DAMAGED, mam_file_decrypt(m, copy));
    CHECK(unlink(copy) == 0);
    bytes[length - 1] ^= 1;
    write_whole(path, bytes, length);
    FAILS(MAM_ERR_AUTHENTICATION, mam_file_decrypt(m, path));
    FAILS(MAM_ERR_AUTHENTICATION, uncopied(path));
    bytes[length - 1] ^= 1;
    write_whole(path, bytes, length);
    OK(mam_wipe_account(m, BOB, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_decrypt(m, path));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, uncopied(path));
    CHECK(is_encrypted(path));
    free(bytes);
}

static void exported_files_are_imported(void **state) {
    (void)state;
    write_container(ANN);
    const char *exported = in_office(here, "exported");
    OK(mam_file_export(m, path, MAM_SAVE_SHAREPOINT, ANN, exported));
    CHECK(is_encrypted(exported));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_decrypt(m, exported));
    says("mam_file_import");
    CULPRIT("accountId", ANN_ID);
    FAILS(MAM_ERR_UNSUPPORTED, uncopied(exported));
    says("mam_file_import");
    CHECK(is_encrypted(exported));
}

static void databases_have_their_own_calls(void **state) {
    (void)state;
    sqlite3 *db = NULL;
    const char *database = in_office(here, "a.db"), *log = in_office(here, "a.db-wal");
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "mam"));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "PRAGMA journal_mode=wal; CREATE TABLE t(a)", NULL, NULL, NULL));
    CHECK(is_encrypted(database) && is_encrypted(log));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_decrypt(m, database));
    says("mam_sqlite_decrypt");
    FAILS(MAM_ERR_UNSUPPORTED, uncopied(database));
    says("mam_sqlite_decrypt");
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_encrypt(m, database, ANN));
    FAILS(MAM_ERR_UNSUPPORTED, uncopied(log));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "INSERT INTO t VALUES (1)", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
}

static void only_databases_are_converted(void **state) {
    (void)state;
    const char *missing = in_office(here, "missing.db");
    mam_status (*const calls[])(mam_t *, const char *, const char *) = {mam_sqlite_encrypt, mam_sqlite_decrypt};
    for (int i = 0; i < 2; i++) {
        FAILS(MAM_ERR_NOT_FOUND, calls[i](m, missing, ANN));
        CULPRIT("path", missing);
        CHECK_NUMBER(104, original_code());
        FAILS(MAM_ERR_NOT_FOUND, calls[i](m, in_office(here, "nowhere/a.db"), ANN));
        write_whole(path, TEXT, strlen(TEXT));
        FAILS(MAM_ERR_STORAGE, calls[i](m, path, ANN));
        OK(mam_file_encrypt(m, path, ANN));
        FAILS(MAM_ERR_UNSUPPORTED, calls[i](m, path, ANN));
        says("mam_file_decrypt");
        CHECK(unlink(path) == 0);
        write_container(ANN);
        FAILS(MAM_ERR_UNSUPPORTED, calls[i](m, path, ANN));
        says("container");
    }
    CHECK(access(missing, F_OK) != 0);
}

static void a_database_is_converted_for_its_account_only(void **state) {
    (void)state;
    const char *database = in_office(here, "a.db");
    sqlite3 *db = NULL;
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "mam"));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    CHECK_NUMBER(100, enroll(m, BOB));
    const char *const others[] = {BOB, "nobody@example.com"};
    for (int i = 0; i < 2; i++) {
        FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_sqlite_decrypt(m, database, others[i]));
        says("is encrypted for " ANN ", not for ");
        CULPRIT("path", database);
    }
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_sqlite_encrypt(m, database, BOB));
    OK(mam_sqlite_decrypt(m, database, ANN));
}

/* Only its app has the key: nobody could read the export. */
static void a_database_is_not_exported(void **state) {
    (void)state;
    const char *database = in_office(here, "a.db"), *exported = in_office(here, "exported");
    sqlite3 *db = NULL;
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "mam"));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, database, MAM_SAVE_SHAREPOINT, ANN, exported));
    says("SQLite");
    CHECK(access(exported, F_OK) != 0);
}

static void a_file_is_not_exported_onto_itself(void **state) {
    (void)state;
    write_container(ANN);
    FAILS(MAM_ERR_ARGUMENT, mam_file_export(m, path, MAM_SAVE_SHAREPOINT, ANN, path));
    CULPRIT("argument", "target_path");
    OK(mam_file_decrypt(m, path));
    CHECK(is_plain(path));
}

/* Sealed files and databases are neither containers nor unprotected bytes. */
static void buffers_and_streams_take_no_file(void **state) {
    (void)state;
    static const char *const magics[] = {"MAM\2", "MAM\3", "MAM\4"};
    static const char *const calls[] = {"mam_file_open", "mam_sqlite_decrypt", "SQLite"};
    static const uint32_t flags[] = {0, MAM_STRICT};
    write_whole(path, TEXT, strlen(TEXT));
    OK(mam_file_encrypt(m, path, ANN));
    size_t length, written;
    uint8_t *bytes = read_whole(path, &length), *room = malloc(length);
    for (int form = 0; form < 3; form++) {
        memcpy(bytes, magics[form], 4);
        for (int i = 0; i < 2; i++) {
            mam_buffer out = {NULL, 0};
            mam_bool was_protected = 7;
            FAILS(MAM_ERR_UNSUPPORTED, mam_unprotect(m, bytes, length, flags[i], &out, &was_protected));
            says(calls[form]);
            CHECK(out.data == NULL && was_protected == 0);
            FAILS(MAM_ERR_UNSUPPORTED, mam_unprotect(m, bytes, 4, flags[i], &out, &was_protected));
            FAILS(MAM_ERR_UNSUPPORTED, mam_unprotect_into(m, bytes, length, flags[i], room, length, &written, &was_protected));
            CHECK(written == 0);
            for (size_t piece = 1; piece < 5000; piece += 1500) {
                sink got = {0};
                FAILS(MAM_ERR_UNSUPPORTED, unprotect_all(m, flags[i], bytes, length, piece, &got, &was_protected));
                says(calls[form]);
                CHECK(got.length == 0);
                sink_clear(&got);
            }
        }
        char *json = NULL;
        FAILS(MAM_ERR_UNSUPPORTED, mam_protection_info(m, bytes, length, &json));
        says(calls[form]);
    }
    /* Other text with this beginning is unprotected. */
    mam_buffer out = {NULL, 0};
    mam_bool was_protected = 7;
    OK(mam_unprotect(m, (const uint8_t *)"MAMMAL", 6, 0, &out, &was_protected));
    CHECK(out.length == 6 && was_protected == 0);
    mam_buffer_free(&out);
    free(room);
    free(bytes);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin_here, end_here)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_container_is_decrypted),
        TEST(a_long_stream_is_decrypted),
        TEST(a_label_is_removed),
        TEST(unreadable_containers_stay),
        TEST(exported_files_are_imported),
        TEST(databases_have_their_own_calls),
        TEST(only_databases_are_converted),
        TEST(a_database_is_converted_for_its_account_only),
        TEST(a_database_is_not_exported),
        TEST(a_file_is_not_exported_onto_itself),
        TEST(buffers_and_streams_take_no_file),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
