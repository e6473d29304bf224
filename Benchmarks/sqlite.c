/* SQLite through libmam's VFS, beside the same SQLite without it, and beside SQLCipher if it is installed.
 * usage: sqlite SETTINGS ACCOUNT FOLDER ROUNDS [SQLCIPHER]
 *
 * Each round makes a new database: ROWS rows with an index on random text, in transactions of 1000; as many lookups through
 * the index; five passes over the table; updates of random rows; VACUUM. 2 MB of page cache, a log, synchronous NORMAL. */
#include "common.h"
#include <dlfcn.h>
#include <sqlite3.h>
#include <stdint.h>
#include <unistd.h>

enum { ROWS = 200000, LOOKUPS = 200000, UPDATES = 20000, EACH = 1000, PASSES = 5, VALUE = 100 };
enum { INSERT, LOOKUP, SCAN, UPDATE, VACUUM, STEPS };
static const char *const names[] = {"insert", "lookup", "scan", "update", "vacuum", "sum"};

typedef struct library {
    int (*open)(const char *, sqlite3 **, int, const char *), (*close)(sqlite3 *);
    int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    int (*prepare)(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
    int (*step)(sqlite3_stmt *), (*reset)(sqlite3_stmt *), (*finalize)(sqlite3_stmt *);
    int (*bind_number)(sqlite3_stmt *, int, sqlite3_int64);
    int (*bind_text)(sqlite3_stmt *, int, const char *, int, void (*)(void *));
    int (*bind_blob)(sqlite3_stmt *, int, const void *, int, void (*)(void *));
    sqlite3_int64 (*number)(sqlite3_stmt *, int);
    const char *(*message)(sqlite3 *);
} library;

static library load(void *handle) {
    library l;
    struct {
        void *at;
        const char *name;
    } all[] = {
        {&l.open, "sqlite3_open_v2"},        {&l.close, "sqlite3_close"},
        {&l.exec, "sqlite3_exec"},           {&l.prepare, "sqlite3_prepare_v2"},
        {&l.step, "sqlite3_step"},           {&l.reset, "sqlite3_reset"},
        {&l.finalize, "sqlite3_finalize"},   {&l.bind_number, "sqlite3_bind_int64"},
        {&l.bind_text, "sqlite3_bind_text"}, {&l.bind_blob, "sqlite3_bind_blob"},
        {&l.number, "sqlite3_column_int64"}, {&l.message, "sqlite3_errmsg"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *symbol = dlsym(handle, all[i].name);
        if (!symbol) {
            fprintf(stderr, "no %s\n", all[i].name);
            exit(1);
        }
        memcpy(all[i].at, &symbol, sizeof symbol);
    }
    return l;
}

static uint64_t state;
static uint64_t next(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void key_of(uint64_t row, char out[17]) {
    uint64_t z = (row + 1) * 0xd6e8feb86659fd93;
    for (int i = 0; i < 16; i++, z >>= 4) out[i] = "0123456789abcdef"[z & 15];
    out[16] = 0;
}

static void expect(const library *l, sqlite3 *db, int expected, int got) {
    if (expected == got) return;
    fprintf(stderr, "sqlite: %d instead of %d: %s\n", got, expected, l->message(db));
    exit(1);
}

static void run(const library *l, sqlite3 *db, const char *sql) { expect(l, db, SQLITE_OK, l->exec(db, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepared(const library *l, sqlite3 *db, const char *sql) {
    sqlite3_stmt *s = NULL;
    expect(l, db, SQLITE_OK, l->prepare(db, sql, -1, &s, NULL));
    return s;
}

static void once(const library *l, sqlite3 *db, sqlite3_stmt *s, int expected) {
    expect(l, db, expected, l->step(s));
    l->reset(s);
}

static void work(const library *l, const char *uri, const char *before, double taken[STEPS]) {
    sqlite3 *db = NULL;
    expect(l, db, SQLITE_OK, l->open(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL));
    run(l, db, before);
    run(l, db,
        "PRAGMA journal_mode=wal; PRAGMA synchronous=normal; PRAGMA cache_size=-2000;"
        "CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT, value BLOB); CREATE INDEX by_name ON items(name)");
    char key[17];
    unsigned char value[VALUE];
    state = 7;
    for (int i = 0; i < VALUE; i++) value[i] = (unsigned char)next();

    double begin = now_ns();
    sqlite3_stmt *s = prepared(l, db, "INSERT INTO items VALUES (?,?,?)");
    for (int i = 0; i < ROWS; i++) {
        if (i % EACH == 0) run(l, db, "BEGIN");
        key_of((uint64_t)i, key);
        memcpy(value, &i, sizeof i);
        l->bind_number(s, 1, i + 1);
        l->bind_text(s, 2, key, 16, SQLITE_STATIC);
        l->bind_blob(s, 3, value, VALUE, SQLITE_STATIC);
        once(l, db, s, SQLITE_DONE);
        if (i % EACH == EACH - 1) run(l, db, "COMMIT");
    }
    l->finalize(s);
    taken[INSERT] = now_ns() - begin;

    begin = now_ns();
    s = prepared(l, db, "SELECT value FROM items WHERE name=?");
    for (int i = 0; i < LOOKUPS; i++) {
        key_of(next() % ROWS, key);
        l->bind_text(s, 1, key, 16, SQLITE_STATIC);
        once(l, db, s, SQLITE_ROW);
    }
    l->finalize(s);
    taken[LOOKUP] = now_ns() - begin;

    begin = now_ns();
    for (int i = 0; i < PASSES; i++) {
        s = prepared(l, db, "SELECT count(*), sum(length(value)), max(value) FROM items");
        expect(l, db, SQLITE_ROW, l->step(s));
        if (l->number(s, 0) != ROWS) exit(1);
        l->finalize(s);
    }
    taken[SCAN] = (now_ns() - begin) / PASSES;

    begin = now_ns();
    s = prepared(l, db, "UPDATE items SET value=? WHERE id=?");
    for (int i = 0; i < UPDATES; i++) {
        if (i % EACH == 0) run(l, db, "BEGIN");
        memcpy(value, &i, sizeof i);
        l->bind_blob(s, 1, value, VALUE, SQLITE_STATIC);
        l->bind_number(s, 2, (sqlite3_int64)(next() % ROWS) + 1);
        once(l, db, s, SQLITE_DONE);
        if (i % EACH == EACH - 1) run(l, db, "COMMIT");
    }
    l->finalize(s);
    taken[UPDATE] = now_ns() - begin;

    begin = now_ns();
    run(l, db, "VACUUM");
    taken[VACUUM] = now_ns() - begin;
    l->close(db);
}

static void clear(const char *folder) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char path[4096];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/bench.db%s", folder, endings[i]);
        unlink(path);
    }
}

int main(int count, char **words) {
    if (count < 5) return 64;
    mam_t *m = open_enrolled(words[1], words[2]);
    must(mam_sqlite_vfs_register(m, "mam", words[2]), "mam_sqlite_vfs_register");
    char plain[4096], ours[4096];
    snprintf(plain, sizeof plain, "file:%s/bench.db", words[3]);
    snprintf(ours, sizeof ours, "%s?vfs=mam&mam_encrypt=1", plain);
    library l = load(dlopen("libsqlite3.so.0", RTLD_NOW)), cipher = l;
    void *other = count > 5 ? dlopen(words[5], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
    if (other) cipher = load(other);
    for (int round = -1; round < atoi(words[4]); round++) {
        double a[STEPS], b[STEPS], c[STEPS], sum[3] = {0};
        clear(words[3]);
        work(&l, ours, "PRAGMA page_size=4096", a);
        clear(words[3]);
        work(&l, plain, "PRAGMA page_size=4096", b);
        clear(words[3]);
        if (other) work(&cipher, plain, "PRAGMA key=\"x'2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b'\"", c);
        clear(words[3]);
        if (round < 0) continue; /* to warm up */
        char name[32];
        for (int i = 0; i < STEPS; i++) {
            row(names[i], a[i], b[i]);
            sum[0] += a[i];
            sum[1] += b[i];
            if (other) sum[2] += c[i];
        }
        row(names[STEPS], sum[0], sum[1]);
        snprintf(name, sizeof name, "cipher");
        if (other) row(name, sum[0], sum[2]);
    }
    must(mam_close(m), "mam_close");
    return 0;
}
