#include "internal.h"

/* Connections with an open database. A connection is freed after its files are closed, and closing a file waits for
 * the registry: while that is locked, the connection of a listed file may be used. */

void connections_add(file *f) {
    registry *r = registry_lock();
    f->connection.in_registry.next = r->databases;
    r->databases = f;
    registry_unlock(r);
}

void connections_remove(file *f) {
    registry *r = registry_lock();
    for (file **at = &r->databases; *at; at = &(*at)->connection.in_registry.next) {
        if (*at != f) continue;
        *at = f->connection.in_registry.next;
        break;
    }
    registry_unlock(r);
}

/* SQLite calls this once for each connection. A file with two belongs to a shared cache, and either may be freed
 * before the file. */
void connections_set_handle(file *f, sqlite3 **handle) {
    registry *r = registry_lock();
    f->connection.in_registry.is_shared = f->connection.in_registry.handle != NULL;
    f->connection.in_registry.handle = handle;
    registry_unlock(r);
}

sqlite3 *connections_handle(const file *f) {
    registry *r = registry_lock();
    sqlite3 **handle = f->connection.in_registry.handle, *connection = handle ? *handle : NULL;
    registry_unlock(r);
    return connection;
}

void connections_set_level(file *f, int level) { atomic_store_explicit(&f->connection.level, level, memory_order_relaxed); }

void connections_note_shm_lock(file *f, int offset, int flags) {
    enum { READ_LOCKS = 3 }; /* WAL_READ_LOCK(0) and up */
    struct connection *c = &f->connection;
    atomic_store_explicit(&c->has_wal, true, memory_order_relaxed);
    if (offset < READ_LOCKS || !(flags & SQLITE_SHM_SHARED)) return;
    atomic_fetch_add_explicit(&c->readers, flags & SQLITE_SHM_LOCK ? 1 : -1, memory_order_relaxed);
}

static bool is_on(const file *f, const char *parameter) {
    const char *value = f->name ? f->vfs->sqlite.uri_parameter(f->name, parameter) : NULL;
    return value && strcmp(value, "0") != 0;
}

/* With a WAL every connection holds a shared lock even outside a transaction. One that takes no locks may be in a
 * transaction. */
static bool is_in_transaction(const file *f) {
    const struct connection *c = &f->connection;
    const int level = atomic_load(&c->level);
    if (level == SQLITE_LOCK_NONE) return is_on(f, "immutable") || is_on(f, "nolock");
    return level > SQLITE_LOCK_SHARED || !atomic_load(&c->has_wal) || atomic_load(&c->readers) > 0;
}

uint32_t encrypted_interrupt(encrypted_access_t *access) {
    uint32_t count = 0;
    registry *r = registry_lock();
    for (file *f = r->databases; f; f = f->connection.in_registry.next) {
        if (f->access != access) continue;
        count += is_in_transaction(f);
        sqlite3 **handle = f->connection.in_registry.handle;
        if (handle && !f->connection.in_registry.is_shared) f->vfs->sqlite.interrupt(*handle);
    }
    registry_unlock(r);
    return count;
}
