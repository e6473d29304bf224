#include "internal.h"
#include <stdlib.h>
#include <strings.h>

/* The methods of an encrypted file: check that the account is open, lock, call the kind's operation, unlock, report.
 * Calls that do not concern content go to the base file. */

static int enter(file *f) {
    int result = access_check(f->access);
    pthread_mutex_lock(&f->lock);
    /* Closing the session clears the keys of each file under its lock, and none may be derived afterwards. */
    if (atomic_load(&f->access->is_closed)) result = SQLITE_IOERR_AUTH;
    /* A temporary file has one random key, which no rotation replaces, and without which its content is lost. It is cleared
     * when the file or the session closes. */
    if (f->kind == &records_kind && f->records.is_temporary) return result;
    keys_refresh_locked(f);
    if (result != SQLITE_OK) keys_clear_locked(f);
    return result;
}

/* Reports without the lock: the report may call a function of the host. */
static void leave(file *f) {
    int32_t event = f->report;
    uint64_t page = f->report_page;
    f->report = 0;
    pthread_mutex_unlock(&f->lock);
    if (event) f->access->calls.report(f->access->calls.context, event, f->name ? f->name : "", page);
}

bool scratch_reserve(file *f, size_t size) {
    if (f->scratch_size >= size) return true;
    unsigned char *more = realloc(f->scratch, size);
    if (!more) return false;
    f->scratch = more;
    f->scratch_size = size;
    return true;
}

void report_later(file *f, int32_t event, uint64_t page) {
    f->report = event;
    f->report_page = page;
}

static int x_close(sqlite3_file *s) {
    file *f = (file *)s;
    bool is_open = access_check(f->access) == SQLITE_OK;
    pthread_mutex_lock(&f->lock);
    if (is_open && !atomic_load(&f->access->is_closed)) (void)f->kind->flush_locked(f);
    keys_clear_locked(f);
    pthread_mutex_unlock(&f->lock);
    open_files_remove(f);
    f->kind->close(f);
    free(f->scratch);
    return base_close(f);
}

static int x_read(sqlite3_file *s, void *out, int amount, sqlite3_int64 offset) {
    file *f = (file *)s;
    if (amount < 0 || offset < 0) return SQLITE_IOERR_READ;
    int result = enter(f);
    if (result == SQLITE_OK) result = f->kind->read_locked(f, out, amount, offset);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) memset(out, 0, (size_t)amount);
    leave(f);
    return result;
}

static int x_write(sqlite3_file *s, const void *in, int amount, sqlite3_int64 offset) {
    file *f = (file *)s;
    if (amount < 0 || offset < 0 || offset > INT64_MAX - amount) return SQLITE_IOERR_WRITE;
    int result = enter(f);
    bool is_blocked = process_sigxfsz_block_beyond(offset + amount, &f->size_limit);
    if (result == SQLITE_OK) result = f->kind->write_locked(f, in, amount, offset);
    process_sigxfsz_unblock(is_blocked);
    leave(f);
    return result;
}

static int x_truncate(sqlite3_file *s, sqlite3_int64 size) {
    file *f = (file *)s;
    bool is_blocked = process_sigxfsz_block();
    int result = enter(f);
    if (result == SQLITE_OK) result = f->kind->truncate_locked(f, size);
    leave(f);
    process_sigxfsz_unblock(is_blocked);
    return result;
}

static int x_sync(sqlite3_file *s, int flags) {
    file *f = (file *)s;
    bool is_blocked = process_sigxfsz_block();
    int result = enter(f);
    if (result == SQLITE_OK) result = f->kind->flush_locked(f);
    leave(f);
    process_sigxfsz_unblock(is_blocked);
    return result == SQLITE_OK ? f->base->pMethods->xSync(f->base, flags) : result;
}

static int x_size(sqlite3_file *s, sqlite3_int64 *size) {
    file *f = (file *)s;
    int result = enter(f);
    if (result == SQLITE_OK) result = f->kind->size_locked(f, size);
    leave(f);
    return result;
}

static int x_lock(sqlite3_file *s, int level) {
    file *f = (file *)s;
    /* Without a lock SQLite does not read cached pages either once the account is closed. */
    int result = access_check(f->access);
    if (result == SQLITE_OK) result = f->base->pMethods->xLock(f->base, level);
    if (result != SQLITE_OK || f->kind != &database_kind) return result;
    connections_set_level(f, level);
    bool is_new = false;
    if (enter(f) == SQLITE_OK) {
        f->database.is_locked = true;
        /* A writer checks first whether the file has another salt by now. */
        if (level == SQLITE_LOCK_RESERVED) {
            f->database.is_identified = false;
            f->database.known_size = 0;
        }
        (void)database_identify_locked(f);
        is_new = !f->database.is_identified;
    }
    f->database.is_locked = true;
    leave(f);
    if (is_new && level == SQLITE_LOCK_SHARED) database_set_reserved_bytes(f);
    return SQLITE_OK;
}

static int x_unlock(sqlite3_file *s, int level) {
    file *f = (file *)s;
    if (level == SQLITE_LOCK_NONE && f->kind == &database_kind) {
        pthread_mutex_lock(&f->lock);
        f->database.is_locked = false;
        pthread_mutex_unlock(&f->lock);
    }
    connections_set_level(f, level);
    return f->base->pMethods->xUnlock(f->base, level);
}

static int x_check_reserved(sqlite3_file *s, int *out) {
    file *f = (file *)s;
    int result = access_check(f->access);
    return result == SQLITE_OK ? f->base->pMethods->xCheckReservedLock(f->base, out) : result;
}

/* PRAGMA mam_former_pages counts the pages in the file that the newest key does not seal. */
static int former_pages(file *f, char **arguments) {
    uint32_t count = 0;
    int result = enter(f);
    if (result == SQLITE_OK) result = database_former_pages_locked(f, &count);
    leave(f);
    if (result == SQLITE_OK) arguments[0] = f->vfs->sqlite.mprintf("%u", count);
    return result;
}

/* PRAGMA mam_encrypted returns 1. A new page size is refused before SQLite tries to change it. */
static int pragma(file *f, char **arguments) {
    const char *name = arguments[1], *value = arguments[2];
    if (!name) return SQLITE_NOTFOUND;
    if (strcasecmp(name, "mam_encrypted") == 0) {
        arguments[0] = f->vfs->sqlite.mprintf("1");
        return SQLITE_OK;
    }
    if (strcasecmp(name, "mam_former_pages") == 0) return former_pages(f, arguments);
    if (value && strcasecmp(name, "page_size") == 0 && f->database.is_identified) {
        uint32_t wanted = (uint32_t)strtoul(value, NULL, 10);
        if (!is_page_size(wanted) || wanted == f->database.page_size) return SQLITE_NOTFOUND;
        arguments[0] = f->vfs->sqlite.mprintf(
            "an encrypted database keeps its page size of %d bytes; VACUUM INTO makes one with another",
            (int)f->database.page_size);
        return SQLITE_ERROR;
    }
    return SQLITE_NOTFOUND;
}

static int x_control(sqlite3_file *s, int operation, void *argument) {
    file *f = (file *)s;
    const bool is_database = f->kind == &database_kind;
    switch (operation) {
    case FCNTL_ENCRYPTED_FILE: *(file **)argument = f; return SQLITE_OK;
    case SQLITE_FCNTL_PDB:
        if (is_database) connections_set_handle(f, argument);
        break;
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE: return SQLITE_OK; /* a page of zeros would not verify */
    case SQLITE_FCNTL_MMAP_SIZE: *(sqlite3_int64 *)argument = 0; return SQLITE_OK;
    case SQLITE_FCNTL_PRAGMA:
        if (is_database) {
            int result = pragma(f, argument);
            if (result != SQLITE_NOTFOUND) return result;
        }
        break;
    }
    return f->base->pMethods->xFileControl(f->base, operation, argument);
}

static int x_sector(sqlite3_file *s) {
    file *f = (file *)s;
    return f->base->pMethods->xSectorSize(f->base);
}

/* A write of SQLite's is not one write of the base file, so neither atomic writes nor safe append hold. */
static int x_characteristics(sqlite3_file *s) {
    file *f = (file *)s;
    const int kept =
        SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN | SQLITE_IOCAP_SEQUENTIAL | SQLITE_IOCAP_IMMUTABLE;
    return f->base->pMethods->xDeviceCharacteristics(f->base) & kept;
}

static int x_map(sqlite3_file *s, int page, int size, int extend, void volatile **out) {
    file *f = (file *)s;
    const sqlite3_io_methods *m = f->base->pMethods;
    int result = access_check(f->access);
    if (result != SQLITE_OK) return result;
    return m->iVersion >= 2 && m->xShmMap ? m->xShmMap(f->base, page, size, extend, out) : SQLITE_IOERR_SHMMAP;
}

/* SQLite's WAL locks show which connection may have restarted the WAL, and which one runs a checkpoint. */
static int x_shared_lock(sqlite3_file *s, int offset, int count, int flags) {
    enum { WRITE_LOCK = 0, CHECKPOINT_LOCK = 1 };
    file *f = (file *)s;
    struct database *d = &f->database;
    int result = flags & SQLITE_SHM_LOCK ? access_check(f->access) : SQLITE_OK;
    if (result == SQLITE_OK) result = f->base->pMethods->xShmLock(f->base, offset, count, flags);
    if (result == SQLITE_OK) connections_note_shm_lock(f, offset, flags);
    if (result != SQLITE_OK || f->kind != &database_kind || offset > CHECKPOINT_LOCK) return result;
    const bool is_taken = flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    pthread_mutex_lock(&f->lock);
    if (is_taken && offset == WRITE_LOCK) d->may_wal_be_restarted = true;
    if (offset + count > CHECKPOINT_LOCK) {
        d->is_checkpointing = is_taken && offset == CHECKPOINT_LOCK && count == 1;
        d->is_copying = false;
        d->known_size = 0;
    }
    pthread_mutex_unlock(&f->lock);
    return result;
}

static void x_barrier(sqlite3_file *s) {
    file *f = (file *)s;
    f->base->pMethods->xShmBarrier(f->base);
}

static int x_unmap(sqlite3_file *s, int remove) {
    file *f = (file *)s;
    return f->base->pMethods->xShmUnmap(f->base, remove);
}

/* Version 2, without xFetch: SQLite maps no page into memory. */
const sqlite3_io_methods encrypted_methods = {
    2,        x_close,           x_read, x_write,       x_truncate, x_sync,  x_size, x_lock, x_unlock, x_check_reserved, x_control,
    x_sector, x_characteristics, x_map,  x_shared_lock, x_barrier,  x_unmap, NULL,   NULL,
};
