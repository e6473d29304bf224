#include "internal.h"
#include <stdlib.h>

/* The VFS: decides the kind of each file that is opened, and passes all other calls to the base VFS. */

static encrypted_vfs_t *of(sqlite3_vfs *v) { return v->pAppData; }
static sqlite3_vfs *base(sqlite3_vfs *v) { return of(v)->base; }

/* The encrypted database of a WAL or journal, by the address of its name, which sqlite3_filename_database derives from
 * the sidecar's name. sqlite3_database_file_object would not serve: with another VFS above this one it returns that
 * VFS's file object. If that VFS passes copies of names, an encrypted database of the same name is not found: its
 * sidecar must not become a plain file. */
static int find_database(file *sidecar, file **database) {
    const char *name = sidecar->vfs->sqlite.filename_database(sidecar->name);
    bool is_found = false, is_copied = false;
    *database = NULL;
    registry *r = registry_lock();
    for (file *f = r->databases; f && !is_found; f = f->connection.in_registry.next) {
        const bool is_encrypted = f->file.pMethods == &encrypted_methods;
        is_found = f->name == name;
        if (is_found && is_encrypted) *database = f;
        const bool is_same_name = strcmp(f->name, name) == 0;
        sidecar->refuses_writes |= f->refuses_writes && is_same_name;
        is_copied |= is_encrypted && is_same_name;
    }
    registry_unlock(r);
    return is_found || !is_copied ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* The first bytes of a file, padded with zeros. */
static int read_start(file *f, unsigned char head[PREAMBLE], sqlite3_int64 *size) {
    memset(head, 0, PREAMBLE);
    int result = base_size(f, size);
    if (result != SQLITE_OK || *size == 0) return result;
    result = base_read(f, head, PREAMBLE, 0);
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
}

/* True for a database that is encrypted, or that is new and gets encrypted: an existing plain database stays plain, and
 * is only read where new ones are encrypted. */
static bool is_database_encrypted(file *f, int flags, const unsigned char head[PREAMBLE], sqlite3_int64 size, bool encrypts) {
    f->kind = &database_kind;
    if (memcmp(head, page_magic, MAGIC) == 0) return true;
    f->refuses_writes = encrypts && memcmp(head, sqlite_magic, PLAIN_MAGIC) == 0 && !f->access->calls.writes_plain;
    if (f->refuses_writes) report_later(f, ENCRYPTED_STAYS_PLAIN, 0);
    const char *wanted = f->vfs->sqlite.uri_parameter(f->name, "mam_encrypt");
    if (wanted && strcmp(wanted, "1") == 0) encrypts = true;
    if (size == 0 && flags & SQLITE_OPEN_CREATE) report_later(f, ENCRYPTED_CREATING, 0);
    return is_zero(head, SALT) && encrypts;
}

static bool open_wal(file *f, int *result) {
    file *database;
    *result = find_database(f, &database);
    if (!database) return false;
    f->kind = &wal_kind;
    f->wal.database = database;
    database->database.wal = f;
    return true;
}

/* Without permission for new databases, existing ones open for reading only. */
static bool refuses_new(encrypted_access_t *access, int flags) {
    return flags & SQLITE_OPEN_MAIN_DB && !atomic_load(&access->allows_new);
}

/* Set the kind of an encrypted file; false for a plain one. `allows_plain`: a database that is there may be plain. */
static bool open_encrypted(file *f, int flags, bool allows_plain, int *result) {
    const int temporary = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;
    unsigned char head[PREAMBLE];
    sqlite3_int64 size;
    const bool encrypts = atomic_load(&f->access->encrypts_new);
    if (!f->name || flags & temporary) {
        records_init(f, 0, NULL);
        return true;
    }
    *result = read_start(f, head, &size);
    if (*result != SQLITE_OK) return false;
    if (refuses_new(f->access, flags) && size == 0) {
        *result = SQLITE_CANTOPEN;
        return false;
    }
    if (flags & SQLITE_OPEN_MAIN_DB) {
        bool is_encrypted = is_database_encrypted(f, flags, head, size, encrypts);
        if (!is_encrypted && size > 0 && !allows_plain) {
            report_later(f, ENCRYPTED_NOT_OPENED, 0);
            *result = SQLITE_CANTOPEN;
        }
        return is_encrypted;
    }
    if (flags & SQLITE_OPEN_WAL) return open_wal(f, result);
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) {
        file *database;
        *result = find_database(f, &database);
        f->refuses_writes = false; /* a journal that a killed transaction left is used */
        if (*result != SQLITE_OK || (!database && !preamble_matches(head, PREAMBLE_JOURNAL))) return false;
        records_init(f, PREAMBLE_JOURNAL, database);
        return true;
    }
    if (flags & SQLITE_OPEN_SUPER_JOURNAL) {
        /* Before it deletes a super-journal, SQLite opens the journals that it lists with this flag as well, to see
         * whether they still name it. */
        if (preamble_matches(head, PREAMBLE_JOURNAL)) {
            records_init(f, PREAMBLE_JOURNAL, NULL);
            f->records.is_listed = true;
            return true;
        }
        if (size ? !preamble_matches(head, PREAMBLE_SUPER_JOURNAL) : !encrypts) return false;
        records_init(f, PREAMBLE_SUPER_JOURNAL, NULL);
        return true;
    }
    return false;
}

static int x_open(sqlite3_vfs *v, const char *name, sqlite3_file *s, int flags, int *out) {
    encrypted_vfs_t *self = of(v);
    file *f = (file *)s;
    memset(f, 0, sizeof *f);
    registry *r = registry_lock();
    encrypted_access_t *access = self->in_registry.access;
    if (access) access_retain(access);
    registry_unlock(r);
    if (!access) return SQLITE_CANTOPEN;
    const bool is_database = flags & SQLITE_OPEN_MAIN_DB;
    int32_t authorization = ENCRYPTED_OPEN;
    bool is_open = (is_database ? access_check_opening(access) : access_check(access)) == SQLITE_OK;
    if (is_open && is_database && name) authorization = access->calls.authorize(access->calls.context, name);
    if (!is_open || authorization == ENCRYPTED_CLOSED) {
        access_release(access);
        return SQLITE_CANTOPEN;
    }
    f->base = (sqlite3_file *)((char *)s + (sizeof(file) + 15) / 16 * 16);
    memset(f->base, 0, (size_t)self->base->szOsFile);
    f->vfs = self;
    f->access = access;
    f->name = name;
    f->key_version = atomic_load(&access->key_version);
    pthread_mutex_init(&f->lock, NULL);
    const bool allows_new = !refuses_new(access, flags);
    if (!allows_new) flags = (flags & ~(SQLITE_OPEN_CREATE | SQLITE_OPEN_READWRITE)) | SQLITE_OPEN_READONLY;
    int result = self->base->xOpen(self->base, name, f->base, flags, out);
    bool is_encrypted = result == SQLITE_OK && open_encrypted(f, flags, authorization == ENCRYPTED_OPEN, &result);
    if (is_encrypted) {
        open_files_add(f);
        s->pMethods = &encrypted_methods;
    } else if (result == SQLITE_OK) {
        plain_file_init(f);
    }
    if (result == SQLITE_OK && is_database) connections_add(f);
    /* No lock on the file is held yet, so the report may open it. */
    int32_t event = result == SQLITE_CANTOPEN && !allows_new ? ENCRYPTED_NOT_CREATED : f->report;
    f->report = 0;
    if (event) access->calls.report(access->calls.context, event, name, f->report_page);
    if (result != SQLITE_OK) (void)base_close(f);
    return result;
}

static int x_delete(sqlite3_vfs *v, const char *name, int sync) { return base(v)->xDelete(base(v), name, sync); }
static int x_access(sqlite3_vfs *v, const char *name, int flags, int *out) { return base(v)->xAccess(base(v), name, flags, out); }
static int x_full_name(sqlite3_vfs *v, const char *name, int size, char *out) {
    return base(v)->xFullPathname(base(v), name, size, out);
}
static void *x_library(sqlite3_vfs *v, const char *name) { return base(v)->xDlOpen(base(v), name); }
static void x_library_error(sqlite3_vfs *v, int size, char *out) { base(v)->xDlError(base(v), size, out); }
static void (*x_symbol(sqlite3_vfs *v, void *library, const char *name))(void) { return base(v)->xDlSym(base(v), library, name); }
static void x_library_close(sqlite3_vfs *v, void *library) { base(v)->xDlClose(base(v), library); }
static int x_random(sqlite3_vfs *v, int size, char *out) { return base(v)->xRandomness(base(v), size, out); }
static int x_sleep(sqlite3_vfs *v, int microseconds) { return base(v)->xSleep(base(v), microseconds); }
static int x_time(sqlite3_vfs *v, double *out) { return base(v)->xCurrentTime(base(v), out); }
static int x_error(sqlite3_vfs *v, int size, char *out) {
    return base(v)->xGetLastError ? base(v)->xGetLastError(base(v), size, out) : 0;
}
static int x_time64(sqlite3_vfs *v, sqlite3_int64 *out) {
    sqlite3_vfs *b = base(v);
    if (b->iVersion >= 2 && b->xCurrentTimeInt64) return b->xCurrentTimeInt64(b, out);
    double days;
    int result = b->xCurrentTime(b, &days);
    *out = (sqlite3_int64)(days * 86400000.0);
    return result;
}

void vfs_init(encrypted_vfs_t *s) {
    s->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)((sizeof(file) + 15) / 16 * 16) + s->base->szOsFile,
        .mxPathname = s->base->mxPathname,
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
