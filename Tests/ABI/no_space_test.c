/* Files without space: on a full disk, and under RLIMIT_FSIZE. A failing operation names the path and loses no data,
 * and succeeds once there is space. */
#define _GNU_SOURCE /* umount2 */
#include "databases.h"
#include "disks.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { SIZE = 2500000, LIMIT = 2000000, STEP = 600000, FILES = 4 };

static office *here;
static mam_t *m;
static uint8_t old[SIZE], new[SIZE];

static const char *place = "disk"; /* of the trial */

static const char *on_disk(const char *name) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return in_office(here, path);
}

/* Operations to try with little space. */
typedef struct trial {
    const char *name;
    void (*prepare)(void);
    mam_status (*run)(void);
    void (*look)(bool is_done); /* everything is there, as before or as after */
} trial;

static void is_file(const char *path, const uint8_t *content, size_t length) {
    mam_file_t *file = NULL;
    static uint8_t got[2 * SIZE];
    size_t count;
    OK(mam_file_open(m, path, O_RDONLY, &file));
    OK(mam_file_pread(file, 0, got, sizeof got, &count));
    CHECK_NUMBER(length, count);
    CHECK(memcmp(got, content, length) == 0);
    mam_file_close(file);
}

static void has_form(const char *path, bool is_sealed) {
    mam_bool encrypted;
    OK(mam_file_is_encrypted(m, path, &encrypted));
    CHECK_NUMBER(is_sealed, encrypted);
}

static void plain_file(void) { write_whole(on_disk("file"), old, SIZE); }

static void sealed_file(void) {
    plain_file();
    OK(mam_file_encrypt(m, on_disk("file"), ANN));
}

static mam_status encrypt(void) { return mam_file_encrypt(m, on_disk("file"), ANN); }
static mam_status decrypt(void) { return mam_file_decrypt(m, on_disk("file")); }

static void look_encrypted(bool is_done) {
    is_file(on_disk("file"), old, SIZE);
    has_form(on_disk("file"), is_done);
}

static void look_decrypted(bool is_done) {
    is_file(on_disk("file"), old, SIZE);
    has_form(on_disk("file"), !is_done);
}

static void sealed_and_target(void) {
    sealed_file();
    write_whole(on_disk("target"), new, 1000);
}

static mam_status copy(void) { return mam_file_decrypt_copy(m, on_disk("file"), on_disk("target")); }
static mam_status export(void) { return mam_file_export(m, on_disk("file"), MAM_SAVE_SHAREPOINT, ANN, on_disk("target")); }

static void look_copied(bool is_done) {
    is_file(on_disk("file"), old, SIZE);
    if (is_done) is_file(on_disk("target"), old, SIZE);
    else is_file(on_disk("target"), new, 1000);
}

static void look_exported(bool is_done) {
    is_file(on_disk("file"), old, SIZE);
    if (!is_done) is_file(on_disk("target"), new, 1000);
    else OK(mam_file_import(m, on_disk("target"), ANN, in_office(here, "received")));
    if (is_done) is_file(in_office(here, "received"), old, SIZE);
}

static void exported(void) {
    sealed_file();
    OK(mam_file_export(m, on_disk("file"), MAM_SAVE_SHAREPOINT, ANN, in_office(here, "exported")));
    write_whole(on_disk("target"), new, 1000);
}

static mam_status import(void) { return mam_file_import(m, in_office(here, "exported"), ANN, on_disk("target")); }

static void of_an_old_key(void) {
    sealed_file();
    OK(mam_rotate_keys(m, ANN));
}

static mam_bool changed;
static mam_status reprotect(void) { return mam_file_reprotect(m, on_disk("file"), &changed); }

static void look_reprotected(bool is_done) {
    is_file(on_disk("file"), old, SIZE);
    has_form(on_disk("file"), true);
    if (is_done) OK(mam_file_reprotect(m, on_disk("file"), &changed));
    if (is_done) CHECK_NUMBER(0, changed);
}

static void plain_directory(void) {
    char name[32];
    CHECK(mkdir(on_disk("directory"), 0700) == 0 || errno == EEXIST);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "directory/%d", i);
        write_whole(on_disk(name), old + i, SIZE / FILES);
    }
}

static mam_status protect(void) { return mam_file_protect(m, on_disk("directory"), ANN); }

static void look_protected(bool is_done) {
    char name[32];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "directory/%d", i);
        is_file(on_disk(name), old + i, SIZE / FILES);
        if (is_done) has_form(on_disk(name), true);
    }
}

static mam_status make(void) {
    mam_file_t *file = NULL;
    mam_status status = mam_file_create(m, on_disk("new"), O_RDWR, 0600, ANN, &file);
    if (file != NULL) mam_file_close(file);
    return status;
}

static void nothing(void) {}

static void look_made(bool is_done) {
    if (is_done) is_file(on_disk("new"), NULL, 0);
    else CHECK(access(on_disk("new"), F_OK) != 0);
}

/* A partial write returns the number of bytes written. */
static size_t written;
static mam_file_t *held;

static void half_a_file(void) {
    mam_file_t *file = NULL;
    size_t count;
    OK(mam_file_create(m, on_disk("file"), O_RDWR, 0600, ANN, &file));
    OK(mam_file_pwrite(file, 0, old, SIZE / 2, &count));
    mam_file_close(file);
    written = 0;
}

static mam_status overwrite(void) {
    if (held == NULL) OK(mam_file_open(m, on_disk("file"), O_RDWR, &held));
    mam_status status = MAM_OK;
    while (status == MAM_OK && written < SIZE) {
        size_t count = 0;
        status = mam_file_pwrite(held, (int64_t)written, new + written, SIZE - written, &count);
        written += count;
    }
    return status;
}

static void look_overwritten(bool is_done) {
    static uint8_t now[SIZE];
    memcpy(now, old, SIZE / 2);
    memcpy(now, new, written);
    CHECK_NUMBER(is_done, written == SIZE);
    if (is_done && held != NULL) {
        OK(mam_file_sync(held));
        mam_file_close(held);
        held = NULL;
    }
    is_file(on_disk("file"), now, written > SIZE / 2 ? written : SIZE / 2);
}

static void plain_database(void) {
    sql(on_disk("data.db"),
        "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2500) "
        "INSERT INTO t SELECT randomblob(900) FROM n");
}

static void encrypted_database(void) {
    plain_database();
    OK(mam_sqlite_encrypt(m, on_disk("data.db"), ANN));
}

static mam_status encrypt_database(void) { return mam_sqlite_encrypt(m, on_disk("data.db"), ANN); }
static mam_status decrypt_database(void) { return mam_sqlite_decrypt(m, on_disk("data.db"), ANN); }

static bool begins_with(const char *path, const char *magic) {
    char got[4] = "";
    int file = open(path, O_RDONLY);
    CHECK(file >= 0 && read(file, got, 4) == 4);
    close(file);
    return memcmp(got, magic, 4) == 0;
}

static void sql_in_database(const char *statements) {
    char uri[PATH_SIZE + 32];
    sqlite3 *db = NULL;
    snprintf(uri, sizeof uri, "file:%s?vfs=mam", on_disk("data.db"));
    CHECK(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL) == SQLITE_OK);
    CHECK(sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static void look_database(bool is_encrypted) {
    CHECK_NUMBER(is_encrypted, begins_with(on_disk("data.db"), "MAM\3"));
    char uri[PATH_SIZE + 32];
    snprintf(uri, sizeof uri, "file:%s?vfs=mam", on_disk("data.db"));
    sqlite3 *db = NULL;
    sqlite3_stmt *rows = NULL;
    /* A full disk leaves SQLite a journal to roll back. */
    CHECK(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL) == SQLITE_OK);
    if (sqlite3_prepare_v2(db, "SELECT count(*), (SELECT integrity_check FROM pragma_integrity_check) FROM t", -1, &rows, NULL)
        != SQLITE_OK)
        failed_at(__FILE__, __LINE__, "%s (%d)", sqlite3_errmsg(db), sqlite3_extended_errcode(db));
    CHECK(sqlite3_step(rows) == SQLITE_ROW && sqlite3_column_int(rows, 0) == 2500);
    CHECK_TEXT("ok", (const char *)sqlite3_column_text(rows, 1));
    sqlite3_finalize(rows);
    sqlite3_close(db);
}

static void look_database_encrypted(bool is_done) { look_database(is_done); }
static void look_database_decrypted(bool is_done) { look_database(!is_done); }

static const trial trials[] = {
    {"encrypt", plain_file, encrypt, look_encrypted},
    {"decrypt", sealed_file, decrypt, look_decrypted},
    {"decrypt_copy", sealed_and_target, copy, look_copied},
    {"export", sealed_and_target, export, look_exported},
    {"import", exported, import, look_copied},
    {"reprotect", of_an_old_key, reprotect, look_reprotected},
    {"protect", plain_directory, protect, look_protected},
    {"create", nothing, make, look_made},
    {"pwrite", half_a_file, overwrite, look_overwritten},
    {"sqlite_encrypt", plain_database, encrypt_database, look_database_encrypted},
    {"sqlite_decrypt", encrypted_database, decrypt_database, look_database_decrypted},
};

/* The disk has the prepared files, and nothing of an unfinished operation. */
static void clear_disk(void) {
    DIR *folder = opendir(here->root);
    closedir(folder);
    folder = opendir(on_disk("."));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (entry->d_name[0] == '.' || strstr(entry->d_name, "mam-new") != NULL)
            failed_at(__FILE__, __LINE__, "%s was left", entry->d_name);
        if (strcmp(entry->d_name, "directory") == 0) remove_tree(on_disk("directory"));
        else CHECK(unlink(on_disk(entry->d_name)) == 0);
    }
    closedir(folder);
}

static void failed_well(const trial *t, mam_status expected, mam_status status) {
    fails_at(__FILE__, __LINE__, t->name, expected, status);
    if (strncmp(culprit("path"), on_disk(""), strlen(on_disk(""))) != 0)
        failed_at(__FILE__, __LINE__, "%s: the path reported is \"%s\"", t->name, culprit("path"));
    if (strstr(mam_last_message(), culprit("path")) == NULL)
        failed_at(__FILE__, __LINE__, "%s: the message names no path: %s", t->name, mam_last_message());
}

static bool begin_disk(office *o, const char *options) {
    here = o;
    for (size_t i = 0; i < SIZE; i++) old[i] = (uint8_t)(random_number() >> 8), new[i] = (uint8_t)~old[i];
    CHECK(mkdir(in_office(o, "disk"), 0700) == 0);
    return options == NULL || mount_small(in_office(o, "disk"), options);
}

static void open_session(void) {
    m = open_enrolled(here);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
}

static void on_a_full_disk(void **state) {
    if (!begin_disk(*state, "size=16m,mode=0700")) SKIP("no small file system can be mounted here");
    open_session();
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *t = &trials[i];
        int failures = 0;
        for (size_t spare = 0; spare < 12000000; spare += spare < 40000 ? 12000 : STEP) {
            t->prepare();
            fill(on_disk("filler"), spare);
            mam_status status = t->run();
            if (status != MAM_OK) failed_well(t, MAM_ERR_NO_SPACE, status);
            failures += status != MAM_OK;
            CHECK(unlink(on_disk("filler")) == 0);
            t->look(status == MAM_OK);
            if (status != MAM_OK) OK(t->run());
            t->look(true);
            clear_disk();
            if (status == MAM_OK && spare > 0) break;
        }
        if (failures == 0) failed_at(__FILE__, __LINE__, "%s never lacked room", t->name);
    }
    OK(mam_close(m));
    CHECK(umount2(on_disk(""), MNT_DETACH) == 0);
}

static void insert_into_a_database(int expected);

static void limit(rlim_t most) {
    struct rlimit now;
    CHECK(getrlimit(RLIMIT_FSIZE, &now) == 0);
    now.rlim_cur = most;
    CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
}

/* SIGXFSZ would end this process. */
static void limited(void *argument) {
    (void)begin_disk(argument, NULL);
    CHECK(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    open_session();
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *t = &trials[i];
        if (strcmp(t->name, "create") == 0 || strcmp(t->name, "protect") == 0) continue; /* small files */
        t->prepare();
        limit(LIMIT);
        mam_status status = t->run();
        if (status == MAM_OK) failed_at(__FILE__, __LINE__, "%s has outgrown the limit", t->name);
        failed_well(t, status, status);
        limit(RLIM_INFINITY);
        if (status != MAM_ERR_IO && status != MAM_ERR_NO_SPACE) failed_at(__FILE__, __LINE__, "%s answers %d", t->name, status);
        t->look(false);
        OK(t->run());
        t->look(true);
        clear_disk();
    }
    encrypted_database();
    limit(LIMIT + 1000000);
    insert_into_a_database(SQLITE_IOERR);
    limit(RLIM_INFINITY);
    look_database(true);
    clear_disk();
    /* Not a byte may be written, at once after a change: a wipe is refused or done, and reported. */
    OK(mam_rotate_keys(m, ANN));
    limit(0);
    int64_t op;
    mam_status status = mam_wipe_account(m, ANN, &op);
    limit(RLIM_INFINITY);
    if (status != MAM_OK) OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(signal(SIGXFSZ, SIG_DFL) == SIG_DFL);
    OK(mam_close(m));
}

static void with_a_limit_from_the_start(void **state) { in_child(limited, *state); }

static void update_below_the_limit(sqlite3 *db) {
    CHECK(sqlite3_exec(db, "UPDATE t SET a=randomblob(900) WHERE rowid>2400", NULL, NULL, NULL) == SQLITE_OK);
    limit(LIMIT);
    sleep_ms(50);
    CHECK((sqlite3_exec(db, "UPDATE t SET a=randomblob(900) WHERE rowid>2400", NULL, NULL, NULL) & 0xff) == SQLITE_IOERR);
    limit(RLIM_INFINITY);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    CHECK(unlink(on_disk("data.db")) == 0);
}

/* A limit below the size already written. */
static void limited_later(void *argument) {
    (void)begin_disk(argument, NULL);
    CHECK(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    open_session();
    half_a_file();
    mam_file_t *file = NULL;
    size_t count;
    OK(mam_file_encrypt(m, on_disk("file"), ANN));
    OK(mam_file_open(m, on_disk("file"), O_RDWR, &file));
    OK(mam_file_pwrite(file, SIZE / 2, new, 4096, &count));
    limit(SIZE / 4);
    sleep_ms(50);
    FAILS(MAM_ERR_IO, mam_file_pwrite(file, SIZE / 2, new, 4096, &count));
    CHECK(strstr(mam_last_message(), on_disk("file")) != NULL);
    limit(RLIM_INFINITY);
    OK(mam_file_pwrite(file, SIZE / 2, new, 4096, &count));
    mam_file_close(file);
    encrypted_database();
    update_below_the_limit(open_with(on_disk("data.db"), "mam"));
    /* At the path of the former database it would count as that one, saved by another program. */
    place = "personal";
    CHECK(mkdir(in_office(argument, place), 0700) == 0);
    plain_database();
    OK(mam_sqlite_vfs_register(m, "nobody", ""));
    update_below_the_limit(open_with(on_disk("data.db"), "nobody"));
    OK(mam_close(m));
}

static void with_a_later_limit(void **state) { in_child(limited_later, *state); }

/* The files have space, and the state has none. */
static void the_state_on_a_full_disk(void **state) {
    office *o = *state;
    if (!begin_disk(o, "size=8m,mode=0700")) SKIP("no small file system can be mounted here");
    snprintf(o->state, sizeof o->state, "%s", on_disk("state"));
    open_session();
    CHECK(mkdir(in_office(o, "files"), 0700) == 0);
    place = "files";
    int failures = 0;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *t = &trials[i];
        t->prepare();
        fill(in_office(o, "disk/filler"), 0);
        mam_status status = t->run();
        if (status != MAM_OK) {
            fails_at(__FILE__, __LINE__, t->name, MAM_ERR_NO_SPACE, status);
            CHECK(strstr(mam_last_message(), o->state) != NULL && strstr(culprit("path"), o->state) != NULL);
        }
        failures += status != MAM_OK;
        mam_status rotated = mam_rotate_keys(m, ANN);
        if (rotated != MAM_OK) FAILS(MAM_ERR_NO_SPACE, rotated);
        CHECK(unlink(in_office(o, "disk/filler")) == 0);
        OK(mam_rotate_keys(m, ANN));
        OK(t->run());
        t->look(true);
        clear_disk();
    }
    CHECK(failures > 0);
    /* The mapped WAL index, which was truncated, has no space to be extended: an error, and no SIGBUS. */
    CHECK(truncate(in_group(o, "state.db-shm"), 0) == 0);
    fill(in_office(o, "disk/filler"), 0);
    FAILS(MAM_ERR_NO_SPACE, mam_rotate_keys(m, ANN));
    CHECK(unlink(in_office(o, "disk/filler")) == 0);
    OK(mam_rotate_keys(m, ANN));
    place = "disk";
    OK(mam_close(m));
    CHECK(umount2(on_disk(""), MNT_DETACH) == 0);
}

/* A host's own SQLite, whose pages and log are sealed on the way. */
static void insert_into_a_database(int expected) {
    char uri[PATH_SIZE + 32];
    sqlite3 *db = NULL;
    snprintf(uri, sizeof uri, "file:%s?vfs=mam", on_disk("data.db"));
    CHECK(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL) == SQLITE_OK);
    int result = sqlite3_exec(
        db,
        "BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<9000) "
        "INSERT INTO t SELECT randomblob(900) FROM n; COMMIT",
        NULL, NULL, NULL);
    if ((result & 0xff) != expected) failed_at(__FILE__, __LINE__, "inserting answers %d: %s", result, sqlite3_errmsg(db));
    if (!sqlite3_get_autocommit(db)) CHECK(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static void a_database_on_a_full_disk(void **state) {
    if (!begin_disk(*state, "size=16m,mode=0700")) SKIP("no small file system can be mounted here");
    open_session();
    for (int is_log = 0; is_log < 2; is_log++) {
        encrypted_database();
        if (is_log) sql_in_database("PRAGMA journal_mode=wal");
        fill(on_disk("filler"), STEP);
        insert_into_a_database(SQLITE_FULL);
        CHECK(unlink(on_disk("filler")) == 0);
        look_database(true);
        insert_into_a_database(SQLITE_OK);
        clear_disk();
    }
    OK(mam_close(m));
    CHECK(umount2(on_disk(""), MNT_DETACH) == 0);
}

/* The state and the account's files, on a disk without a free byte. */
static void a_wipe_needs_no_room(void **state) {
    office *o = *state;
    enum { OWNED = 200 };
    char name[32];
    if (!begin_disk(o, "size=8m,mode=0700")) SKIP("no small file system can be mounted here");
    snprintf(o->state, sizeof o->state, "%s", on_disk("state"));
    m = open_enrolled(o);
    enroll_well(m, BOB);
    mam_buffer anns = sealed(m, ANN, "gone"), bobs = sealed(m, BOB, "kept");
    for (int i = 0; i < OWNED; i++) {
        snprintf(name, sizeof name, i % 2 ? "%d" : "disk/%d", i);
        write_whole(in_office(o, name), old, 3000);
        OK(mam_file_protect(m, in_office(o, name), ANN));
    }
    for (int turn = 0; turn < 2; turn++) {
        if (turn == 1) { /* with an empty log, which must grow */
            enroll_well(m, ANN);
            OK(mam_close(m));
            m = open_quiet(o);
        }
        fill(on_disk("filler"), 0);
        int64_t op;
        OK(mam_wipe_account(m, ANN, &op));
        FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &anns, "gone"));
        CHECK_NUMBER(104, code_of(m, op));
        for (int i = 0; i < OWNED; i++) {
            snprintf(name, sizeof name, i % 2 ? "%d" : "disk/%d", i);
            CHECK(access(in_office(o, name), F_OK) != 0);
        }
        OK(opens_as(m, &bobs, "kept"));
        CHECK(unlink(on_disk("filler")) == 0);
    }
    mam_buffer_free(&anns);
    mam_buffer_free(&bobs);
    OK(mam_close(m));
    CHECK(umount2(on_disk(""), MNT_DETACH) == 0);
}

/* The order to wipe comes with the check-in of a program that is started on a full disk, by others again and again. */
static void an_ordered_wipe_needs_no_room(void **state) {
    office *o = *state;
    if (!begin_disk(o, "size=8m,mode=0700")) SKIP("no small file system can be mounted here");
    snprintf(o->state, sizeof o->state, "%s", on_disk("state"));
    m = open_enrolled(o);
    mam_buffer anns = sealed(m, ANN, "gone");
    write_whole(on_disk("file"), old, 3000);
    OK(mam_file_protect(m, on_disk("file"), ANN));
    OK(mam_close(m));
    for (int turn = 0; turn < 5; turn++) {
        fill(on_disk("filler"), 0);
        m = open_quiet(o);
        OK(opens_as(m, &anns, "gone"));
        OK(mam_close(m));
    }
    fill(on_disk("filler"), 0);
    admin(o, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\"}");
    m = open_quiet(o);
    CHECK_NUMBER(102, check_in(m, ANN));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &anns, "gone"));
    char *done = next_event(m, "wipeDidComplete", SOON);
    CHECK(done != NULL && access(on_disk("file"), F_OK) != 0);
    mam_free(done);
    mam_buffer_free(&anns);
    OK(mam_close(m));
    CHECK(umount2(on_disk(""), MNT_DETACH) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(with_a_limit_from_the_start),  WITHOUT_PIN(with_a_later_limit),        WITHOUT_PIN(on_a_full_disk),
        WITHOUT_PIN(the_state_on_a_full_disk),     WITHOUT_PIN(a_database_on_a_full_disk), WITHOUT_PIN(a_wipe_needs_no_room),
        WITHOUT_PIN(an_ordered_wipe_needs_no_room)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
