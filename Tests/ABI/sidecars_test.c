/* A wipe removes SQLite's sidecars of the account's database, by their names, and nothing of other owners. */
#include "support.h"

#include <sqlite3.h>
#include <sys/stat.h>

static const char *make_file(const office *o, const char *name, const char *text) {
    const char *path = in_office(o, name);
    write_whole(path, text, strlen(text));
    return path;
}

static sqlite3 *open_database(const office *o, const char *name, const char *vfs) {
    sqlite3 *db = NULL;
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(in_office(o, name), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs));
    return db;
}

static void make_database(const office *o, const char *name, const char *vfs) {
    sqlite3 *db = open_database(o, name, vfs);
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES ('text')", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
}

static const char *const companions[] = {
    "-wal", "-shm", "-journal", "-mj0A1B2C90F", "-mam-new", "-mam-new-wal", "-mam-new-journal",
};
enum { COMPANIONS = sizeof companions / sizeof *companions };

static void named(char name[64], const char *database, int i) { snprintf(name, 64, "%s%s", database, companions[i]); }

static void they_are_removed_with_their_database(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char name[64];
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    make_database(o, "ann.db", "mam");
    for (int i = 0; i < COMPANIONS; i++) named(name, "ann.db", i), make_file(o, name, "x");
    make_file(o, "ann.db-walrus", "x");
    make_file(o, "ann.db-mj0A1B2C80F", "x");
    char *event = wipe_ann(m);
    CHECK_NUMBER(1, number_of(event, "/files/known"));
    CHECK_NUMBER(1 + COMPANIONS, number_of(event, "/files/removed"));
    CHECK_NUMBER(0, number_of(event, "/files/left"));
    mam_free(event);
    CHECK(!is_there(in_office(o, "ann.db")));
    for (int i = 0; i < COMPANIONS; i++) named(name, "ann.db", i), CHECK(!is_there(in_office(o, name)));
    CHECK(is_there(in_office(o, "ann.db-walrus")) && is_there(in_office(o, "ann.db-mj0A1B2C80F")));
    OK(mam_close(m));
}

static void files_of_others_stay(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char name[64];
    enroll_well(m, BOB);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    OK(mam_sqlite_vfs_register(m, "bob", BOB));
    make_database(o, "bob.db", "bob");
    make_database(o, "nobody.db", "unix");
    for (int i = 0; i < COMPANIONS; i++) {
        named(name, "bob.db", i), make_file(o, name, "x");
        named(name, "nobody.db", i), make_file(o, name, "x");
        named(name, "notes", i), make_file(o, name, "x");
    }
    OK(mam_file_protect(m, make_file(o, "notes", "no database"), ANN));
    /* Named as Ann's database's, but labelled as another account's, or not a file at all. */
    make_database(o, "ann.db", "mam");
    OK(mam_file_protect(m, make_file(o, "ann.db-wal", "x"), BOB));
    CHECK(mkdir(in_office(o, "ann.db-journal"), 0700) == 0);
    CHECK(symlink(make_file(o, "outside", "x"), in_office(o, "ann.db-shm")) == 0);
    char *event = wipe_ann(m);
    CHECK_NUMBER(2, number_of(event, "/files/removed"));
    mam_free(event);
    CHECK(!is_there(in_office(o, "ann.db")) && !is_there(in_office(o, "notes")));
    CHECK(
        is_there(in_office(o, "ann.db-wal")) && is_there(in_office(o, "ann.db-journal")) && is_there(in_office(o, "ann.db-shm"))
        && is_there(in_office(o, "outside")));
    for (int i = 0; i < COMPANIONS; i++) {
        named(name, "bob.db", i), CHECK(is_there(in_office(o, name)));
        named(name, "nobody.db", i), CHECK(is_there(in_office(o, name)));
        named(name, "notes", i), CHECK(is_there(in_office(o, name)));
    }
    OK(mam_close(m));
}

static void write_and_die(void *argument) {
    const office *o = argument;
    mam_t *m = open_quiet(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    sqlite3 *db = open_database(o, "a.db", "mam");
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "PRAGMA journal_mode=wal; CREATE TABLE t(a)", NULL, NULL, NULL));
    _exit(0);
}

static void leftovers_of_a_kill_are_removed(void **state) {
    office *o = *state;
    mam_t *m = open_enrolled(o);
    for (int plain = 0; plain < 2; plain++) {
        if (plain) {
            admin(
                o,
                "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
                "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Strict\",\"appDataEncryptionType\":\"useDeviceSettings\"}}");
            enroll_well(m, ANN);
        }
        in_child(write_and_die, o);
        CHECK(is_there(in_office(o, "a.db-wal")) && is_there(in_office(o, "a.db-shm")));
        size_t length;
        uint8_t *bytes = read_whole(in_office(o, "a.db-wal"), &length);
        CHECK(plain == (memcmp(bytes, "MAM", 3) != 0));
        free(bytes);
        char *event = wipe_ann(m);
        CHECK_NUMBER(3, number_of(event, "/files/removed"));
        mam_free(event);
        CHECK(!is_there(in_office(o, "a.db")) && !is_there(in_office(o, "a.db-wal")) && !is_there(in_office(o, "a.db-shm")));
    }
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(they_are_removed_with_their_database),
        WITH_OFFICE(files_of_others_stay),
        WITH_OFFICE(leftovers_of_a_kill_are_removed),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
