/* A host forks while its threads are inside SQLite, directly and through libmam. The child opens a session, simulates a
 * policy and uses its own database; none of it may wait for a lock that the fork left held. */
#include "attack.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { PATIENCE = 120 }; /* seconds, for milliseconds of work */

static office o;
static atomic_bool is_over;
static const char *const statements = "CREATE TEMP TABLE IF NOT EXISTS t(a, b); INSERT INTO t VALUES (hex(randomblob(40)), 1);"
                                      "SELECT count(*) FROM t JOIN t AS u ON t.a = u.a ORDER BY t.a; DELETE FROM t;";

static sqlite3 *open_database(const char *path, const char *system, int flags) {
    sqlite3 *db = NULL;
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    if (sqlite3_open_v2(path, &db, flags, system) != SQLITE_OK) BREAKS("%s: %s", path, sqlite3_errmsg(db));
    return db;
}

static void run(sqlite3 *db, const char *text) {
    char *error = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK) BREAKS("%s: %s", text, error);
}

/* The host's own calls: they allocate, draw random numbers and open files. */
static void allocate(void) {
    for (int i = 0; i < 1000; i++) sqlite3_free(sqlite3_mprintf("%d", i));
}

static void draw(void) {
    char bytes[8];
    sqlite3_randomness(0, NULL); /* the next call takes its seed from the file system */
    sqlite3_randomness(sizeof bytes, bytes);
}

static void work(void) {
    sqlite3 *db = open_database(":memory:", NULL, 0);
    run(db, statements);
    sqlite3_close(db);
}

static void share(const char *name) {
    sqlite3 *db = open_database(name, NULL, SQLITE_OPEN_SHAREDCACHE);
    run(db, "CREATE TABLE IF NOT EXISTS t(a); SELECT * FROM t");
    sqlite3_close(db);
}

static void own(void) { allocate(), draw(), work(), share("file:shared?mode=memory"); }

static void simulate(void) {
    char *json = NULL;
    OK(mam_policy_simulate(
        o.authority, "{\"changes\":[{\"action\":\"policy.unassign\",\"policy\":\"strict\",\"allUsers\":true}]}", &json));
    mam_free(json);
}

static void administer(void) { admin(&o, "{\"action\":\"user.list\"}"); }

/* Through libmam's VFS: files opened and closed, with a private and a shared page cache. */
static void encrypted(void) {
    char path[PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/notes.db", o.folder);
    for (int i = 0; i < 2; i++) {
        sqlite3 *db = open_database(path, "mam", i ? SQLITE_OPEN_SHAREDCACHE : 0);
        sqlite3_busy_timeout(db, PATIENCE * 1000);
        run(db, "SELECT * FROM notes");
        run(db, statements);
        sqlite3_close(db);
    }
}

/* A connection that outlived its session. */
static sqlite3 *left;
static void leftover(void) {
    if (sqlite3_exec(left, "SELECT * FROM notes", NULL, NULL, NULL) == SQLITE_OK) BREAKS("a closed session's database is read");
    sqlite3_exec(left, statements, NULL, NULL, NULL);
}

static void (*const works[])(void) = {own, simulate, encrypted, leftover, administer};
enum { WORKS = sizeof works / sizeof *works };

static void *repeat(void *number) {
    /* The child has priority, and a thread that waits for a processor holds its locks for longer. */
    setpriority(PRIO_PROCESS, (id_t)gettid(), 10);
    while (!atomic_load(&is_over)) works[(intptr_t)number]();
    return NULL;
}

/* The child's current step, for the parent. */
static const char *_Atomic *step;

static void begin(const char *what) { atomic_store(step, what); }

static void child(mam_t *inherited) {
    begin("mam_open");
    mam_t *m = session_of(&o, "");
    begin("mam_policy_simulate");
    simulate();
    begin("SQLite, a database of its own");
    allocate(), draw(), work(), share("file:other?mode=memory"); /* objects of the parent are not the child's */
    begin("mam_close of its own session");
    OK(mam_close(m));
    begin("mam_close of the parent's session");
    OK(mam_close(inherited));
    begin("_exit");
    _exit(HELD);
}

/* Taking longer is a hang, of the fork itself or of the child. */
static volatile pid_t forked;
static volatile long number;

static void hang(int signal) {
    (void)signal;
    if (forked > 0) kill(forked, SIGKILL);
    BREAKS("fork %ld hangs: %s", number, atomic_load(step));
}

static void once(mam_t *m) {
    int status = 0;
    begin("fork");
    alarm(PATIENCE);
    pid_t pid = fork();
    HOLDS(pid >= 0);
    if (pid == 0) child(m);
    forked = pid;
    HOLDS(waitpid(pid, &status, 0) == pid);
    forked = 0;
    if (status != 0) BREAKS("fork %ld: the child ended with %#x: %s", number, (unsigned)status, atomic_load(step));
}

int main(void) {
    long forks = scale(2000, 20000);
    step = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    HOLDS(step != MAP_FAILED);
    office_make(&o);
    mam_t *m = session_of(&o, "\"worker\":true"), *other = session_of(&o, "");
    enroll(m, ANN);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    OK(mam_sqlite_vfs_register(other, "other", ANN));
    char path[PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/notes.db", o.folder);
    sqlite3 *db = open_database(path, "mam", 0);
    run(db, "CREATE TABLE notes(a); INSERT INTO notes VALUES (1)");
    sqlite3_close(db);
    left = open_database(path, "other", 0);
    run(left, "SELECT * FROM notes");
    OK(mam_close(other));
    pthread_t threads[WORKS];
    for (intptr_t i = 0; i < WORKS; i++) HOLDS(pthread_create(&threads[i], NULL, repeat, (void *)i) == 0);
    signal(SIGALRM, hang);
    for (number = 1; number <= forks; number++) once(m);
    alarm(0);
    atomic_store(&is_over, true);
    for (int i = 0; i < WORKS; i++) HOLDS(pthread_join(threads[i], NULL) == 0);
    sqlite3_close(left);
    OK(mam_close(m));
    office_remove(&o);
    printf("%ld forks beside %d threads inside SQLite, no child hangs\n", forks, WORKS);
    return HELD;
}
