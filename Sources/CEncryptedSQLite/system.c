#include "internal.h"
#include <stdlib.h>

/* The file system: which form a file gets when it is opened, and everything else as the system below does it. */

static file *files; /* open encrypted ones; encrypted_registry */

static system_t *of(sqlite3_vfs *v) { return v->pAppData; }
static sqlite3_vfs *below(sqlite3_vfs *v) { return of(v)->below; }

void system_forget(file *f) {
    connections_remove(f);
    pthread_mutex_lock(&encrypted_registry);
    for (file **at = &files; *at; at = &(*at)->next) {
        if (*at != f) continue;
        *at = f->next;
        break;
    }
    if (f->form == &database_form && f->database.log) f->database.log->log.database = NULL;
    if (f->form == &log_form && f->log.database) f->log.database->database.log = NULL;
    pthread_mutex_unlock(&encrypted_registry);
}

/* Whoever uses a file of it just now is waited for: nobody does so for longer than its disk takes. */
void system_forget_keys(const encrypted_access_t *access) {
    for (file *f = files; f; f = f->next) {
        if (f->access != access) continue;
        pthread_mutex_lock(&f->lock);
        keys_forget(f);
        pthread_mutex_unlock(&f->lock);
    }
}

/* The database whose log or journal this is. SQLite keeps both names in one piece of memory, the database's first: so the
 * nearest before it is of the same connection, and open for as long as this file is. */
static file *database_of(const char *name, const char *suffix) {
    enum { PIECE = 1 << 16 };
    size_t length = strlen(name), cut = strlen(suffix);
    if (length <= cut || strcmp(name + length - cut, suffix) != 0) return NULL;
    length -= cut;
    file *nearest = NULL;
    pthread_mutex_lock(&encrypted_registry);
    for (file *f = connections_first(); f; f = f->connection.next) {
        if (f->base.pMethods != &encrypted_methods || !f->name || (uintptr_t)f->name >= (uintptr_t)name) continue;
        if ((uintptr_t)name - (uintptr_t)f->name > PIECE) continue;
        if (strncmp(f->name, name, length) != 0 || f->name[length] != 0) continue;
        if (!nearest || (uintptr_t)f->name > (uintptr_t)nearest->name) nearest = f;
    }
    pthread_mutex_unlock(&encrypted_registry);
    return nearest;
}

/* The first bytes of a file; zeros where it has fewer. */
static int peek(file *f, unsigned char head[PREAMBLE], sqlite3_int64 *size) {
    memset(head, 0, PREAMBLE);
    int result = file_below_size(f, size);
    if (result != SQLITE_OK || *size == 0) return result;
    result = file_below_read(f, head, PREAMBLE, 0);
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
}

static void become_records(file *f, unsigned char kind, const file *database) {
    struct records *r = &f->records;
    f->form = &records_form;
    r->held = -1;
    r->kind = kind;
    r->is_temporary = kind == 0;
    r->size = r->is_temporary ? 4096 : SMALLEST;
    r->per_page = r->is_temporary ? 1 : 7;
    r->stride = r->is_temporary ? 4096 + SEAL : 4096;
    r->base = r->is_temporary ? 0 : 4096;
    if (!database) return;
    r->has_salt = database->database.has_salt;
    memcpy(r->salt, database->database.salt, SALT);
}

/* A database that is encrypted, or new and to be so. */
static bool choose_database(file *f, int flags, const unsigned char head[PREAMBLE], sqlite3_int64 size, bool encrypts) {
    f->form = &database_form;
    if (memcmp(head, page_magic, MAGIC) == 0) return true;
    if (memcmp(head, page_plain, SALT) == 0 && encrypts) tell_later(f, ENCRYPTED_PLAIN, 0);
    const char *wanted = f->system->library.parameter(f->name, "mam_encrypt");
    if (wanted && strcmp(wanted, "1") == 0) encrypts = true;
    if (size == 0 && flags & SQLITE_OPEN_CREATE) tell_later(f, ENCRYPTED_CREATED, 0);
    return is_zero(head, SALT) && encrypts;
}

static bool choose_log(file *f) {
    file *database = database_of(f->name, "-wal");
    if (!database) return false;
    f->form = &log_form;
    f->log.database = database;
    database->database.log = f;
    return true;
}

/* The account has left: its databases open for reading, and no new one is made. */
static bool refuses_new(encrypted_access_t *access, int flags) {
    return flags & SQLITE_OPEN_MAIN_DB && !atomic_load(&access->takes_new);
}

/* Which form the file below is opened in; false where it is none of ours. */
static bool choose(file *f, int flags, int *result) {
    const int temporary =
        SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;
    unsigned char head[PREAMBLE];
    sqlite3_int64 size;
    const bool encrypts = atomic_load(&f->access->is_encrypting);
    if (!f->name || flags & temporary) {
        become_records(f, 0, NULL);
        return true;
    }
    *result = peek(f, head, &size);
    if (*result != SQLITE_OK) return false;
    if (refuses_new(f->access, flags) && size == 0) {
        *result = SQLITE_CANTOPEN;
        return false;
    }
    if (flags & SQLITE_OPEN_MAIN_DB) return choose_database(f, flags, head, size, encrypts);
    if (flags & SQLITE_OPEN_WAL) return choose_log(f);
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) {
        file *database = database_of(f->name, "-journal");
        if (!database && !preamble_is(head, KIND_JOURNAL)) return false;
        become_records(f, KIND_JOURNAL, database);
        return true;
    }
    if (flags & SQLITE_OPEN_SUPER_JOURNAL) {
        if (size ? !preamble_is(head, KIND_SUPER) : !encrypts) return false;
        become_records(f, KIND_SUPER, NULL);
        return true;
    }
    return false;
}

static void enlist(file *f) {
    pthread_mutex_lock(&encrypted_registry);
    f->next = files;
    files = f;
    pthread_mutex_unlock(&encrypted_registry);
}

static int x_open(sqlite3_vfs *v, const char *name, sqlite3_file *s, int flags, int *out) {
    system_t *system = of(v);
    file *f = (file *)s;
    memset(f, 0, sizeof *f);
    pthread_mutex_lock(&encrypted_registry);
    encrypted_access_t *access = system->access;
    if (access) encrypted_hold(access);
    pthread_mutex_unlock(&encrypted_registry);
    if (!access) return SQLITE_CANTOPEN;
    if (encrypted_check(access) != SQLITE_OK) {
        encrypted_drop(access);
        return SQLITE_CANTOPEN;
    }
    f->below = (sqlite3_file *)((char *)s + (sizeof(file) + 15) / 16 * 16);
    memset(f->below, 0, (size_t)system->below->szOsFile);
    f->system = system;
    f->access = access;
    f->name = name;
    f->round = atomic_load(&access->keys);
    pthread_mutex_init(&f->lock, NULL);
    if (refuses_new(access, flags)) flags = (flags & ~(SQLITE_OPEN_CREATE | SQLITE_OPEN_READWRITE)) | SQLITE_OPEN_READONLY;
    int result = system->below->xOpen(system->below, name, f->below, flags, out);
    bool is_ours = result == SQLITE_OK && choose(f, flags, &result);
    if (is_ours) {
        enlist(f);
        s->pMethods = &encrypted_methods;
    } else if (result == SQLITE_OK) {
        guard_plain(f);
    }
    if (result == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) connections_add(f);
    /* Nobody holds a lock on it yet. */
    int32_t event = f->event;
    f->event = 0;
    if (event) access->calls.tell(access->calls.context, event, name, f->event_page);
    if (result != SQLITE_OK) (void)file_below_close(f);
    return result;
}

static int x_delete(sqlite3_vfs *v, const char *name, int sync) { return below(v)->xDelete(below(v), name, sync); }
static int x_access(sqlite3_vfs *v, const char *name, int flags, int *out) {
    return below(v)->xAccess(below(v), name, flags, out);
}
static int x_full_name(sqlite3_vfs *v, const char *name, int size, char *out) {
    return below(v)->xFullPathname(below(v), name, size, out);
}
static void *x_library(sqlite3_vfs *v, const char *name) { return below(v)->xDlOpen(below(v), name); }
static void x_library_error(sqlite3_vfs *v, int size, char *out) { below(v)->xDlError(below(v), size, out); }
static void (*x_symbol(sqlite3_vfs *v, void *library, const char *name))(void) {
    return below(v)->xDlSym(below(v), library, name);
}
static void x_library_close(sqlite3_vfs *v, void *library) { below(v)->xDlClose(below(v), library); }
static int x_random(sqlite3_vfs *v, int size, char *out) { return below(v)->xRandomness(below(v), size, out); }
static int x_sleep(sqlite3_vfs *v, int microseconds) { return below(v)->xSleep(below(v), microseconds); }
static int x_time(sqlite3_vfs *v, double *out) { return below(v)->xCurrentTime(below(v), out); }
static int x_error(sqlite3_vfs *v, int size, char *out) {
    return below(v)->xGetLastError ? below(v)->xGetLastError(below(v), size, out) : 0;
}
static int x_time64(sqlite3_vfs *v, sqlite3_int64 *out) {
    sqlite3_vfs *b = below(v);
    if (b->iVersion >= 2 && b->xCurrentTimeInt64) return b->xCurrentTimeInt64(b, out);
    double days;
    int result = b->xCurrentTime(b, &days);
    *out = (sqlite3_int64)(days * 86400000.0);
    return result;
}

void system_fill(system_t *s) {
    s->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)((sizeof(file) + 15) / 16 * 16) + s->below->szOsFile,
        .mxPathname = s->below->mxPathname,
        .zName = s->name,
        .pAppData = s,
        .xOpen = x_open,
        .xDelete = x_delete,
        .xAccess = x_access,
        .xFullPathname = x_full_name,
        .xDlOpen = x_library,
        .xDlError = x_library_error,
        .xDlSym = x_symbol,
        .xDlClose = x_library_close,
        .xRandomness = x_random,
        .xSleep = x_sleep,
        .xCurrentTime = x_time,
        .xGetLastError = x_error,
        .xCurrentTimeInt64 = x_time64,
    };
}
