#include "internal.h"
#include <platform_limit.h>
#include <stdlib.h>
#include <strings.h>

/* The methods of a file: whether the account is open, the lock, the form, and what there is to tell afterwards. What is no
 * content goes to the file below. */

int file_below_read(file *f, void *out, int amount, sqlite3_int64 offset) {
    return f->below->pMethods->xRead(f->below, out, amount, offset);
}
int file_below_write(file *f, const void *in, int amount, sqlite3_int64 offset) {
    return f->below->pMethods->xWrite(f->below, in, amount, offset);
}
int file_below_close(file *f) {
    int result = f->below->pMethods ? f->below->pMethods->xClose(f->below) : SQLITE_OK;
    pthread_mutex_destroy(&f->lock);
    encrypted_drop(f->access);
    f->base.pMethods = NULL;
    return result;
}
int file_below_size(file *f, sqlite3_int64 *size) { return f->below->pMethods->xFileSize(f->below, size); }

static int enter(file *f) {
    int result = encrypted_check(f->access);
    pthread_mutex_lock(&f->lock);
    /* Who closes the session takes the keys from each file under its lock: they do not come back. */
    if (atomic_load(&f->access->is_over)) result = SQLITE_IOERR_AUTH;
    if (f->records.is_temporary) return result;
    keys_renew(f);
    if (result != SQLITE_OK) keys_forget(f);
    return result;
}

/* Without a lock: what is told may be written by a function of the host. */
static void leave(file *f) {
    int32_t event = f->event;
    uint64_t page = f->event_page;
    f->event = 0;
    pthread_mutex_unlock(&f->lock);
    if (event) f->access->calls.tell(f->access->calls.context, event, f->name ? f->name : "", page);
}

static int x_close(sqlite3_file *s) {
    file *f = (file *)s;
    bool is_open = encrypted_check(f->access) == SQLITE_OK;
    pthread_mutex_lock(&f->lock);
    if (is_open && !atomic_load(&f->access->is_over)) (void)f->form->flush(f);
    keys_forget(f);
    pthread_mutex_unlock(&f->lock);
    system_forget(f);
    log_close(f);
    if (f->records.last) platform_zero(f->records.last, f->records.size);
    free(f->records.last);
    free(f->scratch);
    return file_below_close(f);
}

static int x_read(sqlite3_file *s, void *out, int amount, sqlite3_int64 offset) {
    file *f = (file *)s;
    if (amount < 0 || offset < 0) return SQLITE_IOERR_READ;
    int result = enter(f);
    if (result == SQLITE_OK) result = f->form->read(f, out, amount, offset);
    if (result != SQLITE_OK && result != SQLITE_IOERR_SHORT_READ) memset(out, 0, (size_t)amount);
    leave(f);
    return result;
}

static int x_write(sqlite3_file *s, const void *in, int amount, sqlite3_int64 offset) {
    file *f = (file *)s;
    if (amount < 0 || offset < 0 || offset > INT64_MAX - amount) return SQLITE_IOERR_WRITE;
    int result = enter(f);
    bool is_growing = platform_growing_beyond(offset + amount, &f->reach);
    if (result == SQLITE_OK) result = f->form->write(f, in, amount, offset);
    platform_growing_end(is_growing);
    leave(f);
    return result;
}

static int x_truncate(sqlite3_file *s, sqlite3_int64 size) {
    file *f = (file *)s;
    bool is_growing = platform_growing_begin();
    int result = enter(f);
    if (result == SQLITE_OK) result = f->form->truncate(f, size);
    leave(f);
    platform_growing_end(is_growing);
    return result;
}

static int x_sync(sqlite3_file *s, int flags) {
    file *f = (file *)s;
    bool is_growing = platform_growing_begin();
    int result = enter(f);
    if (result == SQLITE_OK) result = f->form->flush(f);
    leave(f);
    platform_growing_end(is_growing);
    return result == SQLITE_OK ? f->below->pMethods->xSync(f->below, flags) : result;
}

static int x_size(sqlite3_file *s, sqlite3_int64 *size) {
    file *f = (file *)s;
    int result = enter(f);
    if (result == SQLITE_OK) result = f->form->size(f, size);
    leave(f);
    return result;
}

static int x_lock(sqlite3_file *s, int level) {
    file *f = (file *)s;
    /* Nor are pages that SQLite still has read once the account is closed. */
    int result = encrypted_check(f->access);
    if (result == SQLITE_OK) result = f->below->pMethods->xLock(f->below, level);
    if (result != SQLITE_OK || f->form != &database_form) return result;
    connections_lock(f, level);
    bool is_new = false;
    if (enter(f) == SQLITE_OK) {
        f->database.is_locked = true;
        /* Whoever is going to write looks first whose salt the file has. */
        if (level == SQLITE_LOCK_RESERVED) {
            f->database.is_known = false;
            f->database.have = 0;
        }
        (void)database_identify(f);
        is_new = !f->database.is_known;
    }
    f->database.is_locked = true;
    leave(f);
    if (is_new && level == SQLITE_LOCK_SHARED) database_reserve(f);
    return SQLITE_OK;
}

static int x_unlock(sqlite3_file *s, int level) {
    file *f = (file *)s;
    if (level == SQLITE_LOCK_NONE) {
        pthread_mutex_lock(&f->lock);
        f->database.is_locked = false;
        pthread_mutex_unlock(&f->lock);
    }
    connections_lock(f, level);
    return f->below->pMethods->xUnlock(f->below, level);
}

static int x_check_reserved(sqlite3_file *s, int *out) {
    file *f = (file *)s;
    int result = encrypted_check(f->access);
    return result == SQLITE_OK ? f->below->pMethods->xCheckReservedLock(f->below, out) : result;
}

/* PRAGMA mam_former_pages counts the pages on the disk that the newest key does not seal. */
static int former_pages(file *f, char **arguments) {
    uint32_t count = 0;
    int result = enter(f);
    if (result == SQLITE_OK) result = database_former(f, &count);
    leave(f);
    if (result == SQLITE_OK) arguments[0] = f->system->library.print("%u", count);
    return result;
}

/* PRAGMA mam_encrypted says 1; a page size that does not fit what is there is refused before SQLite tries. */
static int pragma(file *f, char **arguments) {
    const char *name = arguments[1], *value = arguments[2];
    if (!name) return SQLITE_NOTFOUND;
    if (strcasecmp(name, "mam_encrypted") == 0) {
        arguments[0] = f->system->library.print("1");
        return SQLITE_OK;
    }
    if (strcasecmp(name, "mam_former_pages") == 0) return former_pages(f, arguments);
    if (value && strcasecmp(name, "page_size") == 0 && f->database.is_known) {
        uint32_t wanted = (uint32_t)strtoul(value, NULL, 10);
        if (!is_page_size(wanted) || wanted == f->database.page) return SQLITE_NOTFOUND;
        arguments[0] = f->system->library.print(
            "an encrypted database keeps its page size of %d bytes; VACUUM INTO makes one with another", (int)f->database.page);
        return SQLITE_ERROR;
    }
    return SQLITE_NOTFOUND;
}

static int x_control(sqlite3_file *s, int operation, void *argument) {
    file *f = (file *)s;
    const bool is_database = f->form == &database_form;
    switch (operation) {
    case SQLITE_FCNTL_PDB:
        if (is_database) connections_tell(f, argument);
        break;
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE: return SQLITE_OK; /* a file that is extended with zeros has damaged pages */
    case SQLITE_FCNTL_MMAP_SIZE: *(sqlite3_int64 *)argument = 0; return SQLITE_OK;
    case SQLITE_FCNTL_PRAGMA:
        if (is_database) {
            int result = pragma(f, argument);
            if (result != SQLITE_NOTFOUND) return result;
        }
        break;
    }
    return f->below->pMethods->xFileControl(f->below, operation, argument);
}

static int x_sector(sqlite3_file *s) {
    file *f = (file *)s;
    return f->below->pMethods->xSectorSize(f->below);
}

/* No write below is atomic for what is written above, nor safe to append. */
static int x_characteristics(sqlite3_file *s) {
    file *f = (file *)s;
    const int kept = SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN | SQLITE_IOCAP_SEQUENTIAL |
                     SQLITE_IOCAP_IMMUTABLE;
    return f->below->pMethods->xDeviceCharacteristics(f->below) & kept;
}

static int x_map(sqlite3_file *s, int page, int size, int extend, void volatile **out) {
    file *f = (file *)s;
    const sqlite3_io_methods *m = f->below->pMethods;
    int result = encrypted_check(f->access);
    if (result != SQLITE_OK) return result;
    return m->iVersion >= 2 && m->xShmMap ? m->xShmMap(f->below, page, size, extend, out) : SQLITE_IOERR_SHMMAP;
}

/* SQLite's locks tell who may have begun the log anew, and who copies it into the database. */
static int x_shared_lock(sqlite3_file *s, int offset, int count, int flags) {
    enum { APPENDING = 0, CHECKPOINTING = 1 };
    file *f = (file *)s;
    struct database *d = &f->database;
    int result = flags & SQLITE_SHM_LOCK ? encrypted_check(f->access) : SQLITE_OK;
    if (result == SQLITE_OK) result = f->below->pMethods->xShmLock(f->below, offset, count, flags);
    if (result == SQLITE_OK) connections_lock_shared(f, offset, flags);
    if (result != SQLITE_OK || f->form != &database_form || offset > CHECKPOINTING) return result;
    const bool is_taken = flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    pthread_mutex_lock(&f->lock);
    if (is_taken && offset == APPENDING) d->is_log_unsure = true;
    if (offset + count > CHECKPOINTING) {
        d->is_checkpointing = is_taken && offset == CHECKPOINTING && count == 1;
        d->is_passing = false;
        d->have = 0;
    }
    pthread_mutex_unlock(&f->lock);
    return result;
}

static void x_barrier(sqlite3_file *s) {
    file *f = (file *)s;
    f->below->pMethods->xShmBarrier(f->below);
}

static int x_unmap(sqlite3_file *s, int remove) {
    file *f = (file *)s;
    return f->below->pMethods->xShmUnmap(f->below, remove);
}

/* Version 2: without xFetch nothing is mapped into memory. */
const sqlite3_io_methods encrypted_methods = {
    2, x_close, x_read, x_write, x_truncate, x_sync, x_size, x_lock, x_unlock, x_check_reserved, x_control, x_sector,
    x_characteristics, x_map, x_shared_lock, x_barrier, x_unmap, NULL, NULL,
};
