/* A host that forks while its threads read encrypted databases: the child may close what it inherited. */
#include "databases.h"

#include <stdatomic.h>
#include <sys/wait.h>

enum { EPOCHS = 7, PAGE = 4096, FORKS = 1000, THREADS = 3 };

/* Pages under more keys than the cache of a file holds, so that nearly every page takes and returns a context. SQLite
 * holds no locks meanwhile: a child must not take its own ones. */
static void make_database(const office *o, mam_t *m) {
    sqlite3 *db = open_with(in_office(o, "a.db"), "mam");
    run(db, "CREATE TABLE t(a)");
    for (int i = 0; i < EPOCHS; i++) {
        run(db, "INSERT INTO t VALUES (zeroblob(20000))");
        OK(mam_rotate_keys(m, ANN));
    }
    sqlite3_close(db);
}

static atomic_bool is_over;

static void *read_pages(void *argument) {
    sqlite3 *db = argument;
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    CHECK_NUMBER(SQLITE_OK, sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file));
    CHECK_NUMBER(SQLITE_OK, file->pMethods->xFileSize(file, &size));
    while (!atomic_load(&is_over)) {
        unsigned char page[PAGE];
        for (sqlite3_int64 at = 0; at < size; at += 5 * PAGE) CHECK_NUMBER(SQLITE_OK, file->pMethods->xRead(file, page, PAGE, at));
    }
    return NULL;
}

static void a_child_closes_what_it_inherited(void **state) {
    office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    make_database(o, m);
    sqlite3 *mine = open_with(in_office(o, "a.db"), "mam"), *theirs[THREADS];
    run(mine, "SELECT sum(length(a)) FROM t");
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        theirs[i] = open_with(in_office(o, "a.db"), "mam");
        run(theirs[i], "SELECT count(*) FROM t");
        CHECK(pthread_create(&threads[i], NULL, read_pages, theirs[i]) == 0);
    }
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(120);
            bool is_refused = sqlite3_exec(mine, "SELECT count(*) FROM t", NULL, NULL, NULL) == SQLITE_IOERR;
            _exit(is_refused && sqlite3_close(mine) == SQLITE_OK ? 0 : 1);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) failed_at(__FILE__, __LINE__, "child %d ended with %#x", i, (unsigned)status);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_NUMBER(SQLITE_OK, sqlite3_close(theirs[i]));
    }
    run(mine, "INSERT INTO t VALUES (1)");
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(mine));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITHOUT_PIN(a_child_closes_what_it_inherited)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
