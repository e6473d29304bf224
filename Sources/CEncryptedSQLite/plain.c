#include "internal.h"

/* A plain database, its log and its journals: what is in them goes to the file below as it is, and neither is read nor
 * written, nor a lock taken, once the account is closed. A lock that is held may always be dropped. */

static file *guarded(sqlite3_file *s) { return (file *)s; }
static sqlite3_file *under(sqlite3_file *s) { return guarded(s)->below; }

static int x_close(sqlite3_file *s) {
    connections_remove(guarded(s));
    return file_below_close(guarded(s));
}

static int x_read(sqlite3_file *s, void *out, int amount, sqlite3_int64 offset) {
    int result = encrypted_check(guarded(s)->access);
    if (result == SQLITE_OK) return under(s)->pMethods->xRead(under(s), out, amount, offset);
    memset(out, 0, amount < 0 ? 0 : (size_t)amount);
    return result;
}

static int x_write(sqlite3_file *s, const void *in, int amount, sqlite3_int64 offset) {
    int result = encrypted_check(guarded(s)->access);
    if (result != SQLITE_OK) return result;
    bool is_growing = platform_growing_beyond(offset + amount, &guarded(s)->reach);
    result = under(s)->pMethods->xWrite(under(s), in, amount, offset);
    platform_growing_end(is_growing);
    return result;
}

static int x_truncate(sqlite3_file *s, sqlite3_int64 size) {
    int result = encrypted_check(guarded(s)->access);
    return result == SQLITE_OK ? under(s)->pMethods->xTruncate(under(s), size) : result;
}

static int x_sync(sqlite3_file *s, int flags) { return under(s)->pMethods->xSync(under(s), flags); }

static int x_size(sqlite3_file *s, sqlite3_int64 *size) {
    int result = encrypted_check(guarded(s)->access);
    return result == SQLITE_OK ? under(s)->pMethods->xFileSize(under(s), size) : result;
}

static int x_lock(sqlite3_file *s, int level) {
    int result = encrypted_check(guarded(s)->access);
    if (result == SQLITE_OK) result = under(s)->pMethods->xLock(under(s), level);
    if (result == SQLITE_OK) connections_lock(guarded(s), level);
    return result;
}

static int x_unlock(sqlite3_file *s, int level) {
    connections_lock(guarded(s), level);
    return under(s)->pMethods->xUnlock(under(s), level);
}

static int x_check_reserved(sqlite3_file *s, int *out) {
    int result = encrypted_check(guarded(s)->access);
    return result == SQLITE_OK ? under(s)->pMethods->xCheckReservedLock(under(s), out) : result;
}

static int x_control(sqlite3_file *s, int operation, void *argument) {
    if (operation == SQLITE_FCNTL_PDB) connections_tell(guarded(s), argument);
    return under(s)->pMethods->xFileControl(under(s), operation, argument);
}
static int x_sector(sqlite3_file *s) { return under(s)->pMethods->xSectorSize(under(s)); }
static int x_characteristics(sqlite3_file *s) { return under(s)->pMethods->xDeviceCharacteristics(under(s)); }

static int x_map(sqlite3_file *s, int page, int size, int extend, void volatile **out) {
    int result = encrypted_check(guarded(s)->access);
    return result == SQLITE_OK ? under(s)->pMethods->xShmMap(under(s), page, size, extend, out) : result;
}

static int x_shared_lock(sqlite3_file *s, int offset, int count, int flags) {
    int result = flags & SQLITE_SHM_LOCK ? encrypted_check(guarded(s)->access) : SQLITE_OK;
    if (result == SQLITE_OK) result = under(s)->pMethods->xShmLock(under(s), offset, count, flags);
    if (result == SQLITE_OK) connections_lock_shared(guarded(s), offset, flags);
    return result;
}

static void x_barrier(sqlite3_file *s) { under(s)->pMethods->xShmBarrier(under(s)); }
static int x_unmap(sqlite3_file *s, int remove) { return under(s)->pMethods->xShmUnmap(under(s), remove); }

static int x_fetch(sqlite3_file *s, sqlite3_int64 offset, int amount, void **out) {
    *out = NULL;
    int result = encrypted_check(guarded(s)->access);
    return result == SQLITE_OK ? under(s)->pMethods->xFetch(under(s), offset, amount, out) : result;
}

static int x_unfetch(sqlite3_file *s, sqlite3_int64 offset, void *page) {
    return under(s)->pMethods->xUnfetch(under(s), offset, page);
}

/* Of the version of the file below: what that lacks is not asked of this one. */
#define METHODS(version)                                                                                              \
    {                                                                                                                 \
        version, x_close, x_read, x_write, x_truncate, x_sync, x_size, x_lock, x_unlock, x_check_reserved, x_control, \
            x_sector, x_characteristics, x_map, x_shared_lock, x_barrier, x_unmap, x_fetch, x_unfetch,                \
    }
static const sqlite3_io_methods methods[] = {METHODS(1), METHODS(2), METHODS(3)};

void guard_plain(file *f) {
    int version = f->below->pMethods->iVersion;
    f->base.pMethods = &methods[version < 1 ? 0 : version > 3 ? 2 : version - 1];
}
