/* Another VFS above libmam's: SQLite then sees the files of that VFS. A WAL or journal still finds its database, and new
 * databases are created. */
#include "databases.h"

#define MARKER "MARKER-IN-THE-CLEAR"

/* A file of the upper VFS, followed by the file of libmam's. */
typedef struct upper {
    sqlite3_file file;
    sqlite3_file *lower;
    const char *copy;
} upper;

static bool copies_names;

static sqlite3_file *lower(sqlite3_file *f) { return ((upper *)f)->lower; }

static int x_close(sqlite3_file *f) {
    int result = lower(f)->pMethods->xClose(lower(f));
    sqlite3_free_filename(((upper *)f)->copy);
    return result;
}
static int x_read(sqlite3_file *f, void *out, int amount, sqlite3_int64 at) {
    return lower(f)->pMethods->xRead(lower(f), out, amount, at);
}
static int x_write(sqlite3_file *f, const void *in, int amount, sqlite3_int64 at) {
    return lower(f)->pMethods->xWrite(lower(f), in, amount, at);
}
static int x_truncate(sqlite3_file *f, sqlite3_int64 size) { return lower(f)->pMethods->xTruncate(lower(f), size); }
static int x_sync(sqlite3_file *f, int flags) { return lower(f)->pMethods->xSync(lower(f), flags); }
static int x_size(sqlite3_file *f, sqlite3_int64 *size) { return lower(f)->pMethods->xFileSize(lower(f), size); }
static int x_lock(sqlite3_file *f, int level) { return lower(f)->pMethods->xLock(lower(f), level); }
static int x_unlock(sqlite3_file *f, int level) { return lower(f)->pMethods->xUnlock(lower(f), level); }
static int x_reserved(sqlite3_file *f, int *out) { return lower(f)->pMethods->xCheckReservedLock(lower(f), out); }
static int x_control(sqlite3_file *f, int what, void *argument) {
    return lower(f)->pMethods->xFileControl(lower(f), what, argument);
}
static int x_sector(sqlite3_file *f) { return lower(f)->pMethods->xSectorSize(lower(f)); }
static int x_device(sqlite3_file *f) { return lower(f)->pMethods->xDeviceCharacteristics(lower(f)); }
static int x_map(sqlite3_file *f, int page, int size, int extend, void volatile **out) {
    return lower(f)->pMethods->xShmMap(lower(f), page, size, extend, out);
}
static int x_shm_lock(sqlite3_file *f, int offset, int count, int flags) {
    return lower(f)->pMethods->xShmLock(lower(f), offset, count, flags);
}
static void x_barrier(sqlite3_file *f) { lower(f)->pMethods->xShmBarrier(lower(f)); }
static int x_unmap(sqlite3_file *f, int is_removing) { return lower(f)->pMethods->xShmUnmap(lower(f), is_removing); }

static const sqlite3_io_methods methods = {
    2,         x_close,  x_read,   x_write, x_truncate, x_sync,    x_size,  x_lock, x_unlock, x_reserved,
    x_control, x_sector, x_device, x_map,   x_shm_lock, x_barrier, x_unmap, NULL,   NULL,
};

static int x_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
    sqlite3_vfs *below = v->pAppData;
    upper *u = (upper *)f;
    u->lower = (sqlite3_file *)(u + 1);
    u->copy = NULL;
    if (copies_names && flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) {
        const char *parameters[] = {"mam_encrypt", "1"};
        u->copy = sqlite3_create_filename(
            sqlite3_filename_database(name), sqlite3_filename_journal(name), sqlite3_filename_wal(name), 1, parameters);
        name = u->copy;
        if (flags & SQLITE_OPEN_MAIN_JOURNAL) name = sqlite3_filename_journal(name);
        if (flags & SQLITE_OPEN_WAL) name = sqlite3_filename_wal(name);
    }
    int result = below->xOpen(below, name, u->lower, flags, out);
    f->pMethods = u->lower->pMethods ? &methods : NULL;
    if (f->pMethods == NULL) sqlite3_free_filename(u->copy);
    return result;
}

static void register_upper(void) {
    static sqlite3_vfs above;
    sqlite3_vfs *below = sqlite3_vfs_find("mam");
    CHECK(below != NULL);
    above = *sqlite3_vfs_find(NULL);
    above.pNext = NULL;
    above.zName = "upper";
    above.szOsFile = (int)sizeof(upper) + below->szOsFile;
    above.pAppData = below;
    above.xOpen = x_open;
    CHECK_NUMBER(SQLITE_OK, sqlite3_vfs_register(&above, 0));
}

static bool has_marker(const char *path) {
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    CHECK(length > 1000);
    bool found = false;
    for (size_t i = 0; i + strlen(MARKER) <= length && !found; i++) found = memcmp(bytes + i, MARKER, strlen(MARKER)) == 0;
    free(bytes);
    return found;
}

static sqlite3 *open_upper(const office *o, const char *name) {
    char uri[PATH_SIZE + 64];
    snprintf(uri, sizeof uri, "file:%s?vfs=upper&mam_encrypt=1", in_office(o, name));
    return open_with(uri, NULL);
}

static void run_and_close(sqlite3 *db, const char *statements) {
    run(db, statements);
    sqlite3_close(db);
}

static void a_sidecar_below_another_vfs(void **state, const char *mode, const char *sidecar) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    register_upper();
    sql(in_office(o, "a.db"), "CREATE TABLE t(a)");
    OK(mam_sqlite_encrypt(m, in_office(o, "a.db"), ANN));
    sqlite3 *db = open_upper(o, "a.db"), *other = open_upper(o, "a.db");
    char statements[200];
    snprintf(statements, sizeof statements, "PRAGMA cache_size=2; PRAGMA journal_mode=%s; PRAGMA wal_autocheckpoint=0", mode);
    run(db, statements);
    run(other, "PRAGMA cache_size=2");
    run(db,
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200) INSERT INTO t SELECT '" MARKER
        "'||hex(zeroblob(500)) FROM n");
    run(db, "BEGIN; UPDATE t SET a=a||'" MARKER "'");
    CHECK(!has_marker(in_office(o, "a.db")));
    CHECK(!has_marker(in_office(o, sidecar)));
    run(db, "ROLLBACK");
    CHECK_NUMBER(200, number(other, "SELECT count(*) FROM t WHERE length(a)=1019"));
    run(other, "UPDATE t SET a=a||'" MARKER "'");
    CHECK_NUMBER(200, number(db, "SELECT count(*) FROM t WHERE length(a)=1038"));
    run(db, "PRAGMA wal_checkpoint");
    CHECK_NUMBER(1, number(other, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"));
    sqlite3_close(db);
    sqlite3_close(other);
    sqlite3_vfs_unregister(sqlite3_vfs_find("upper"));
    OK(mam_close(m));
}

static void a_wal_finds_its_database(void **state) { a_sidecar_below_another_vfs(state, "wal", "a.db-wal"); }
static void a_journal_finds_its_database(void **state) { a_sidecar_below_another_vfs(state, "delete", "a.db-journal"); }

static void a_new_database_is_created(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    char attach[PATH_SIZE + 80];
    register_upper();
    snprintf(attach, sizeof attach, "ATTACH 'file:%s?vfs=upper&mam_encrypt=1' AS other", in_office(o, "other.db"));
    sqlite3 *db = open_upper(o, "new.db");
    run(db, attach);
    run(db, "CREATE TABLE main.t(a); CREATE TABLE other.t(a)");
    run(db, "INSERT INTO main.t VALUES ('" MARKER "'); INSERT INTO other.t SELECT a FROM main.t");
    CHECK_NUMBER(1, number(db, "PRAGMA main.mam_encrypted"));
    CHECK_NUMBER(1, number(db, "PRAGMA other.mam_encrypted"));
    CHECK_NUMBER(1, number(db, "SELECT count(*) FROM main.t JOIN other.t USING (a)"));
    sqlite3_close(db);
    CHECK(!has_marker(in_office(o, "new.db")));
    CHECK(!has_marker(in_office(o, "other.db")));
    sqlite3_vfs_unregister(sqlite3_vfs_find("upper"));
    OK(mam_close(m));
}

/* Then no WAL or journal finds its database, and none of an encrypted one may be written as a plain file. */
static void copied_names_are_refused(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    register_upper();
    run_and_close(open_upper(o, "a.db"), "CREATE TABLE t(a)");
    run_and_close(open_upper(o, "wal.db"), "PRAGMA journal_mode=wal; CREATE TABLE t(a)");
    sql(in_office(o, "plain.db"), "CREATE TABLE t(a)");
    copies_names = true;
    sqlite3 *db = open_upper(o, "a.db"), *wal = open_upper(o, "wal.db");
    CHECK_NUMBER(0, number(db, "SELECT count(*) FROM t"));
    CHECK_NUMBER(SQLITE_CANTOPEN, sqlite3_exec(db, "INSERT INTO t VALUES (1)", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_CANTOPEN, sqlite3_exec(wal, "SELECT * FROM t", NULL, NULL, NULL));
    sql(in_office(o, "plain.db"), "PRAGMA journal_mode=wal");
    sqlite3 *plain = open_upper(o, "plain.db"); /* it is only read, and so is its WAL, whatever its name's address */
    CHECK_NUMBER(0, number(plain, "SELECT count(*) FROM t"));
    CHECK_NUMBER(SQLITE_READONLY, sqlite3_exec(plain, "INSERT INTO t VALUES (1)", NULL, NULL, NULL));
    sqlite3_close(plain);
    sqlite3_close(db);
    sqlite3_close(wal);
    copies_names = false;
    sqlite3_vfs_unregister(sqlite3_vfs_find("upper"));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(a_wal_finds_its_database),
        WITHOUT_PIN(a_journal_finds_its_database),
        WITHOUT_PIN(a_new_database_is_created),
        WITHOUT_PIN(copied_names_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
