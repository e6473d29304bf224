/* A killed conversion of a database leaves nothing, and nobody else could read its temporary file. */
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void make_database(const office *o) {
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(in_office(o, "a.db"), &db, flags, "mam"));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(1000000))", NULL, NULL, NULL));
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
}

/* The number of files beside it that are not the office's own; none may be accessible to others. */
static int left(const office *o) {
    DIR *folder = opendir(in_office(o, "."));
    int count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat s;
        if (strncmp(entry->d_name, ".mam-", 5) != 0 && strstr(entry->d_name, "a.db-") == NULL) continue;
        CHECK(lstat(in_office(o, entry->d_name), &s) == 0 && (s.st_mode & 0777) == 0600);
        count++;
    }
    closedir(folder);
    return count;
}

/* While rows are copied. */
static int die_copying(void *unused, int action, const char *a, const char *b, const char *database, const char *c) {
    (void)unused, (void)a, (void)b, (void)c;
    if (action == SQLITE_INSERT && database != NULL && strncmp(database, "vacuum", 6) == 0) raise(SIGKILL);
    return SQLITE_OK;
}

static int look_at(sqlite3 *db, char **error, const void *functions) {
    (void)error, (void)functions;
    return sqlite3_set_authorizer(db, die_copying, NULL);
}

static void die_converting(const office *o, bool decrypts) {
    mam_t *m = open_quiet(o);
    umask(022);
    sqlite3_auto_extension((void (*)(void))look_at);
    mam_status status =
        decrypts ? mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN) : mam_sqlite_encrypt(m, in_office(o, "a.db"), ANN);
    _exit((int)status);
}

static void kill_one(const office *o, bool decrypts) {
    int status;
    pid_t child = fork();
    if (child == 0) die_converting(o, decrypts);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK(left(o) > 0);
}

static void a_kill_leaves_nothing(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    make_database(o);
    for (int decrypts = 1; decrypts >= 0; decrypts--) {
        kill_one(o, decrypts);
        OK(mam_close(m));
        m = open_quiet(o);
        CHECK_NUMBER(0, left(o));
        if (decrypts) OK(mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN));
    }
    OK(mam_sqlite_encrypt(m, in_office(o, "a.db"), ANN));
    CHECK_NUMBER(0, left(o));
    OK(mam_close(m));
}

/* Whatever the database's name is by then, and although no session opens the state in between. */
static void a_kill_leaves_nothing_after_a_wipe(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    make_database(o);
    kill_one(o, true);
    CHECK(rename(in_office(o, "a.db"), in_office(o, "b.db")) == 0);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK_NUMBER(0, left(o));
    OK(mam_close(m));
}

static void a_failure_leaves_nothing(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    make_database(o);
    size_t length;
    uint8_t *bytes = read_whole(in_office(o, "a.db"), &length);
    bytes[5000] ^= 1;
    write_whole(in_office(o, "a.db"), bytes, length);
    CHECK(mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN) != MAM_OK);
    CHECK_NUMBER(0, left(o));
    bytes[100] ^= 1;
    write_whole(in_office(o, "a.db"), bytes, length);
    CHECK(mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN) != MAM_OK);
    CHECK_NUMBER(0, left(o));
    free(bytes);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(a_kill_leaves_nothing), WITH_OFFICE(a_kill_leaves_nothing_after_a_wipe), WITH_OFFICE(a_failure_leaves_nothing)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
