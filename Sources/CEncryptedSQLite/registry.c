#include "internal.h"
#include <handle.h>
#include <stdlib.h>
#include <time.h>

/* The VFS names are registered in each SQLite: in the one that this library is linked with, and in those that loaded the
 * extension. */

static const sqlite_functions linked = {
    sqlite3_vfs_find, sqlite3_vfs_register,  sqlite3_vfs_unregister, sqlite3_file_control,      NULL,
    sqlite3_mprintf,  sqlite3_uri_parameter, sqlite3_interrupt,      sqlite3_filename_database,
};

/* Weak: the system's SQLite may be older than the one that this was compiled with. */
extern const char *sqlite3_db_name(sqlite3 *, int) __attribute__((weak));

static sqlite_functions linked_functions(void) {
    sqlite_functions l = linked;
    l.db_name = sqlite3_db_name;
    return l;
}

static encrypted_vfs_t *find_locked(const registry *r, sqlite3_vfs *(*in)(const char *), const char *name) {
    for (encrypted_vfs_t *s = r->vfs_list; s; s = s->in_registry.next) {
        if (s->sqlite.vfs_find == in && strcmp(s->name, name) == 0) return s;
    }
    return NULL;
}

/* Add a name in one SQLite, over its default VFS or, if that is one of ours, over the base of that. */
static encrypted_vfs_t *add_locked(registry *r, const sqlite_functions *l, const char *name) {
    encrypted_vfs_t *s = find_locked(r, l->vfs_find, name);
    if (s) return s;
    sqlite3_vfs *base = l->vfs_find(NULL);
    for (encrypted_vfs_t *o = r->vfs_list; o; o = o->in_registry.next) {
        if (base == &o->vfs) base = o->base;
    }
    size_t length = strlen(name);
    if (!base || !(s = calloc(1, sizeof *s + length + 1))) return NULL;
    memcpy(s->name, name, length + 1);
    s->base = base;
    s->sqlite = *l;
    vfs_init(s);
    s->in_registry.next = r->vfs_list;
    r->vfs_list = s;
    return s;
}

/* Whether an open session of this process has the name; in a forked child the parent's sessions do not count. */
static bool is_taken_locked(const registry *r, const char *name) {
    for (encrypted_vfs_t *s = r->vfs_list; s; s = s->in_registry.next) {
        const encrypted_access_t *a = s->in_registry.access;
        if (!a || atomic_load(&a->is_closed) || strcmp(s->name, name) != 0) continue;
        if (handle_is_open(a->token, HANDLE_SESSION)) return true;
    }
    return false;
}

encrypted_access_t *encrypted_register(
    const char *name, uintptr_t token, const shared_words_t *words, encrypted_calls_t calls, bool *taken) {
    *taken = false;
    const sqlite_functions l = linked_functions();
    encrypted_access_t *access = calloc(1, sizeof *access);
    if (!access || sqlite3_initialize() != SQLITE_OK) {
        free(access);
        return NULL;
    }
    access->token = token;
    access->words = words;
    access->calls = calls;
    atomic_init(&access->references, 1);
    atomic_init(&access->generation, UINT64_MAX);
    sqlite3_vfs *former = sqlite3_vfs_find(name);
    registry *r = registry_lock();
    encrypted_vfs_t *s = find_locked(r, l.vfs_find, name);
    *taken = is_taken_locked(r, name) || (former && (!s || former != &s->vfs));
    if (!*taken) s = add_locked(r, &l, name);
    if (*taken || !s) {
        registry_unlock(r);
        free(access);
        return NULL;
    }
    for (encrypted_vfs_t *o = r->vfs_list; o; o = o->in_registry.next) {
        if (strcmp(o->name, name) != 0) continue;
        access_retain(access);
        if (o->in_registry.access) access_release(o->in_registry.access);
        o->in_registry.access = access;
    }
    registry_unlock(r);
    if (sqlite3_vfs_register(&s->vfs, 0) == SQLITE_OK) return access;
    encrypted_unregister(access);
    return NULL;
}

void encrypted_mark_closed(encrypted_access_t *access) { atomic_store(&access->is_closed, true); }

void encrypted_unregister(encrypted_access_t *access) {
    atomic_store(&access->is_closed, true);
    uint32_t dropped = 1;
    registry *r = registry_lock();
    while (!open_files_clear_keys_locked(r, access)) {
        registry_unlock(r);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        r = registry_lock();
    }
    for (encrypted_vfs_t *s = r->vfs_list; s; s = s->in_registry.next) {
        if (s->in_registry.access != access) continue;
        s->in_registry.access = NULL;
        dropped++;
        /* Another SQLite may be unloaded by now: there the name stays registered, and opens nothing. */
        if (s->sqlite.vfs_find == linked.vfs_find) sqlite3_vfs_unregister(&s->vfs);
    }
    registry_unlock(r);
    while (dropped-- > 0) access_release(access);
}

int32_t encrypted_extension_init(void *database, char **error, const void *given) {
    const sqlite3_api_routines *api = given;
    (void)database;
    if (!api) return SQLITE_ERROR;
    if (api->libversion_number() < 3033000) {
        if (error) *error = api->mprintf("mam: SQLite 3.33 or newer is needed, this is %s", api->libversion());
        return SQLITE_ERROR;
    }
    sqlite_functions l = {api->vfs_find, api->vfs_register,  api->vfs_unregister, api->file_control,     NULL,
                          api->mprintf,  api->uri_parameter, api->interruptx,     api->filename_database};
    if (api->libversion_number() >= 3039000) l.db_name = api->db_name;
    int32_t result = SQLITE_ERROR;
    registry *r = registry_lock();
    for (encrypted_vfs_t *o = r->vfs_list; o; o = o->in_registry.next) {
        if (o->sqlite.vfs_find != linked.vfs_find || !o->in_registry.access) continue;
        encrypted_vfs_t *s = add_locked(r, &l, o->name);
        if (!s) {
            result = SQLITE_NOMEM;
            break;
        }
        if (s != o && s->in_registry.access != o->in_registry.access) {
            if (s->in_registry.access) access_release(s->in_registry.access);
            access_retain(o->in_registry.access);
            s->in_registry.access = o->in_registry.access;
        }
        result = l.vfs_register(&s->vfs, 0);
        if (result != SQLITE_OK) break;
        result = SQLITE_OK_LOAD_PERMANENTLY;
    }
    registry_unlock(r);
    if (result == SQLITE_ERROR && error) {
        *error = api->mprintf("mam: no session has registered a file system; call mam_sqlite_vfs_register first");
    }
    return result;
}
