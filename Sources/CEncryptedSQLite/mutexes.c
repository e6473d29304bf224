#include "internal.h"

/* A mutex of SQLite that another thread holds during a fork stays locked in the child forever, so a fork acquires
 * the static ones. SQLite must not be called meanwhile: they are not recursive. In the order in which SQLite nests
 * them: opening a file looks up its name in a table, draws random numbers, for which it looks up the default VFS,
 * and allocates. */
static const int order[] = {SQLITE_MUTEX_STATIC_VFS1, SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MASTER,
                            SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_MEM};
enum { COUNT = sizeof order / sizeof *order };
static sqlite3_mutex *opening, *others[COUNT];

/* Weak: an SQLite without threads has none. */
extern sqlite3_mutex *sqlite3_mutex_alloc(int) __attribute__((weak));
extern void sqlite3_mutex_enter(sqlite3_mutex *) __attribute__((weak));
extern void sqlite3_mutex_leave(sqlite3_mutex *) __attribute__((weak));

/* Looked up at each fork, since a host may configure SQLite in between. NULL if the build or the configuration has
 * none. */
static sqlite3_mutex *acquire(int which) {
    if (!sqlite3_mutex_alloc || !sqlite3_mutex_enter || !sqlite3_mutex_leave) return NULL;
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(which);
    if (mutex) sqlite3_mutex_enter(mutex);
    return mutex;
}

static void release(sqlite3_mutex **mutex) {
    if (*mutex) sqlite3_mutex_leave(*mutex);
    *mutex = NULL;
}

static void acquire_others(void) {
    for (int i = 0; i < COUNT; i++) others[i] = acquire(order[i]);
}

static void release_others(void) {
    for (int i = COUNT - 1; i >= 0; i--) release(&others[i]);
}

/* Acquired late: this library's other fork handlers finish its own connections first, which use these mutexes. */
__attribute__((constructor(102))) static void install_others(void) {
    pthread_atfork(acquire_others, release_others, release_others);
}

/* Acquired first: with a shared cache, SQLite holds this mutex while it opens a file, and this library's VFS then
 * waits for locks that the next handlers acquire. This library's own connections share no cache and do not need it. */
static void acquire_opening(void) { opening = acquire(SQLITE_MUTEX_STATIC_OPEN); }
static void release_opening(void) { release(&opening); }

__attribute__((constructor)) static void install_opening(void) {
    pthread_atfork(acquire_opening, release_opening, release_opening);
}
