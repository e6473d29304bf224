#include "internal.h"

/* A mutex of SQLite's that another thread of the parent holds at a fork is held in the child for ever. So a fork takes the
 * static ones. Nothing of SQLite may be called meanwhile: they are not recursive.
 *
 * In the order in which SQLite itself nests them: whoever opens a file looks for its name in a table, draws random numbers,
 * which asks for the default file system, and allocates. */
static const int order[] = {SQLITE_MUTEX_STATIC_VFS1, SQLITE_MUTEX_STATIC_PRNG, SQLITE_MUTEX_STATIC_MASTER,
                            SQLITE_MUTEX_STATIC_LRU,  SQLITE_MUTEX_STATIC_PMEM, SQLITE_MUTEX_STATIC_MEM};
enum { COUNT = sizeof order / sizeof *order };
static sqlite3_mutex *opening, *others[COUNT];

/* Resolved when they are there: an SQLite without threads has none. */
extern sqlite3_mutex *sqlite3_mutex_alloc(int) __attribute__((weak));
extern void sqlite3_mutex_enter(sqlite3_mutex *) __attribute__((weak));
extern void sqlite3_mutex_leave(sqlite3_mutex *) __attribute__((weak));

/* Asked for at each fork: a host may configure SQLite between two. NULL where the build or the configuration has none. */
static sqlite3_mutex *take(int which) {
    if (!sqlite3_mutex_alloc || !sqlite3_mutex_enter || !sqlite3_mutex_leave) return NULL;
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(which);
    if (mutex) sqlite3_mutex_enter(mutex);
    return mutex;
}

static void give(sqlite3_mutex **mutex) {
    if (*mutex) sqlite3_mutex_leave(*mutex);
    *mutex = NULL;
}

static void take_others(void) {
    for (int i = 0; i < COUNT; i++) others[i] = take(order[i]);
}

static void give_others(void) {
    for (int i = COUNT - 1; i >= 0; i--) give(&others[i]);
}

/* The last to be taken, once this library has ended its connections, which takes them. */
__attribute__((constructor(101))) static void install_others(void) {
    pthread_atfork(take_others, give_others, give_others);
}

/* The first to be taken: a host that shares page caches holds this one while it opens a file, and with the file system of
 * this library that waits for locks which are taken next. This library's own connections share none, and end without it. */
static void take_opening(void) { opening = take(SQLITE_MUTEX_STATIC_OPEN); }
static void give_opening(void) { give(&opening); }

__attribute__((constructor)) static void install_opening(void) {
    pthread_atfork(take_opening, give_opening, give_opening);
}
