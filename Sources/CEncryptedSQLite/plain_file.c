#include "internal.h"

/* A plain database, its WAL and its journals: calls go to the base file unchanged while the account is open. Once it
 * is closed, reads, writes and locks fail; a lock that is held can always be released.
 *
 * Where the account's new databases are encrypted, a plain one that is opened since gets nothing new: the lock with which
 * a transaction begins to write fails, and so do frames of the WAL. A hot journal is still rolled back, and a WAL moved into its database. */

static file *file_of(sqlite3_file *s) { return (file *)s; }
static sqlite3_file *base(sqlite3_file *s) { return file_of(s)->base; }

static int refuse_writing(file *f, bool is_database) {
    const char *name = is_database ? f->name : f->vfs->sqlite.filename_database(f->name);
    f->access->calls.report(f->access->calls.context, ENCRYPTED_NOT_WRITTEN, name, 0);
    return SQLITE_READONLY;
}

static bool is_database(const file *f) { return f->kind == &database_kind; }

static int x_close(sqlite3_file *s) {
    connections_remove(file_of(s));
    return base_close(file_of(s));
}

static int x_read(sqlite3_file *s, void *out, int amount, sqlite3_int64 offset) {
    int result = access_check(file_of(s)->access);
    if (result == SQLITE_OK) return base(s)->pMethods->xRead(base(s), out, amount, offset);
    memset(out, 0, amount < 0 ? 0 : (size_t)amount);
    return result;
}

static int x_write(sqlite3_file *s, const void *in, int amount, sqlite3_int64 offset) {
    int result = access_check(file_of(s)->access);
    if (result != SQLITE_OK) return result;
    file *f = file_of(s);
    /* A URI with nolock=1 takes no lock. */
    if (f->refuses_writes && (!is_database(f) || atomic_load(&f->connection.level) == SQLITE_LOCK_NONE))
        return refuse_writing(f, is_database(f));
    bool is_blocked = process_sigxfsz_block_beyond(offset + amount, &file_of(s)->size_limit);
    result = base(s)->pMethods->xWrite(base(s), in, amount, offset);
    process_sigxfsz_unblock(is_blocked);
    return result;
}

static int x_truncate(sqlite3_file *s, sqlite3_int64 size) {
    int result = access_check(file_of(s)->access);
    return result == SQLITE_OK ? base(s)->pMethods->xTruncate(base(s), size) : result;
}

static int x_sync(sqlite3_file *s, int flags) { return base(s)->pMethods->xSync(base(s), flags); }

static int x_size(sqlite3_file *s, sqlite3_int64 *size) {
    int result = access_check(file_of(s)->access);
    return result == SQLITE_OK ? base(s)->pMethods->xFileSize(base(s), size) : result;
}

static int x_lock(sqlite3_file *s, int level) {
    int result = access_check(file_of(s)->access);
    if (result == SQLITE_OK && file_of(s)->refuses_writes && level == SQLITE_LOCK_RESERVED)
        result = refuse_writing(file_of(s), true);
    if (result == SQLITE_OK) result = base(s)->pMethods->xLock(base(s), level);
    if (result == SQLITE_OK) connections_set_level(file_of(s), level);
    return result;
}

static int x_unlock(sqlite3_file *s, int level) {
    connections_set_level(file_of(s), level);
    return base(s)->pMethods->xUnlock(base(s), level);
}

static int x_check_reserved(sqlite3_file *s, int *out) {
    int result = access_check(file_of(s)->access);
    return result == SQLITE_OK ? base(s)->pMethods->xCheckReservedLock(base(s), out) : result;
}

static int x_control(sqlite3_file *s, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_PDB) connections_set_handle(file_of(s), argument);
    return base(s)->pMethods->xFileControl(base(s), operation, argument);
}
static int x_sector(sqlite3_file *s) { return base(s)->pMethods->xSectorSize(base(s)); }
static int x_characteristics(sqlite3_file *s) { return base(s)->pMethods->xDeviceCharacteristics(base(s)); }

static int x_map(sqlite3_file *s, int page, int size, int extend, void volatile **out) {
    int result = access_check(file_of(s)->access);
    return result == SQLITE_OK ? base(s)->pMethods->xShmMap(base(s), page, size, extend, out) : result;
}

static int x_shared_lock(sqlite3_file *s, int offset, int count, int flags) {
    int result = flags & SQLITE_SHM_LOCK ? access_check(file_of(s)->access) : SQLITE_OK;
    if (result == SQLITE_OK) result = base(s)->pMethods->xShmLock(base(s), offset, count, flags);
    if (result == SQLITE_OK) connections_note_shm_lock(file_of(s), offset, flags);
    return result;
}

static void x_barrier(sqlite3_file *s) { base(s)->pMethods->xShmBarrier(base(s)); }
static int x_unmap(sqlite3_file *s, int remove) { return base(s)->pMethods->xShmUnmap(base(s), remove); }

static int x_fetch(sqlite3_file *s, sqlite3_int64 offset, int amount, void **out) {
    *out = NULL;
    int result = access_check(file_of(s)->access);
    return result == SQLITE_OK ? base(s)->pMethods->xFetch(base(s), offset, amount, out) : result;
}

static int x_unfetch(sqlite3_file *s, sqlite3_int64 offset, void *page) {
    return base(s)->pMethods->xUnfetch(base(s), offset, page);
}

/* In the version of the base file's methods, so that SQLite calls none that the base lacks. */
#define METHODS(version)                                                                                                        \
    {                                                                                                                           \
        version, x_close, x_read, x_write, x_truncate, x_sync, x_size, x_lock, x_unlock, x_check_reserved, x_control, x_sector, \
            x_characteristics, x_map, x_shared_lock, x_barrier, x_unmap, x_fetch, x_unfetch,                                    \
    }
static const sqlite3_io_methods methods[] = {METHODS(1), METHODS(2), METHODS(3)};

void plain_file_init(file *f) {
    int version = f->base->pMethods->iVersion;
    f->file.pMethods = &methods[version < 1 ? 0 : version > 3 ? 2 : version - 1];
}
