#include "internal.h"

/* The connections that have a database open. A connection outlives its files: it is freed after they were closed, which waits
 * for encrypted_registry. So whoever holds that may call its SQLite for a file that is listed. */

static file *databases;

file *connections_first(void) { return databases; }

void connections_add(file *f) {
    pthread_mutex_lock(&encrypted_registry);
    f->connection.next = databases;
    databases = f;
    pthread_mutex_unlock(&encrypted_registry);
}

void connections_remove(file *f) {
    pthread_mutex_lock(&encrypted_registry);
    for (file **at = &databases; *at; at = &(*at)->connection.next) {
        if (*at != f) continue;
        *at = f->connection.next;
        break;
    }
    pthread_mutex_unlock(&encrypted_registry);
}

/* SQLite tells it once for each connection: a file of two is in a shared cache, where either may be gone before the file. */
void connections_tell(file *f, sqlite3 **handle) {
    pthread_mutex_lock(&encrypted_registry);
    f->connection.is_shared = f->connection.handle != NULL;
    f->connection.handle = handle;
    pthread_mutex_unlock(&encrypted_registry);
}

void connections_lock(file *f, int level) { atomic_store_explicit(&f->connection.level, level, memory_order_relaxed); }

void connections_lock_shared(file *f, int offset, int flags) {
    enum { READING = 3 }; /* from here on, one for each mark that readers have in the log */
    struct connection *c = &f->connection;
    atomic_store_explicit(&c->has_log, true, memory_order_relaxed);
    if (offset < READING || !(flags & SQLITE_SHM_SHARED)) return;
    atomic_fetch_add_explicit(&c->readers, flags & SQLITE_SHM_LOCK ? 1 : -1, memory_order_relaxed);
}

static bool is_on(const file *f, const char *parameter) {
    const char *value = f->name ? f->system->library.parameter(f->name, parameter) : NULL;
    return value && strcmp(value, "0") != 0;
}

/* With a log every connection keeps a shared lock, in a transaction or not. One that takes no locks may be in one. */
static bool is_in_transaction(const file *f) {
    const struct connection *c = &f->connection;
    const int level = atomic_load(&c->level);
    if (level == SQLITE_LOCK_NONE) return is_on(f, "immutable") || is_on(f, "nolock");
    return level > SQLITE_LOCK_SHARED || !atomic_load(&c->has_log) || atomic_load(&c->readers) > 0;
}

uint32_t encrypted_interrupt(encrypted_access_t *access) {
    uint32_t count = 0;
    pthread_mutex_lock(&encrypted_registry);
    for (file *f = databases; f; f = f->connection.next) {
        if (f->access != access) continue;
        count += is_in_transaction(f);
        if (f->connection.handle && !f->connection.is_shared) f->system->library.interrupt(*f->connection.handle);
    }
    pthread_mutex_unlock(&encrypted_registry);
    return count;
}
