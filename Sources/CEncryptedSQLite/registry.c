#include "internal.h"
#include <stdlib.h>

/* Names, each in every SQLite that it is registered with: the one that this library is linked with, and those that loaded
 * the extension. */

pthread_mutex_t encrypted_registry = PTHREAD_MUTEX_INITIALIZER;
static system_t *systems;

static void take(void) { pthread_mutex_lock(&encrypted_registry); }
static void give(void) { pthread_mutex_unlock(&encrypted_registry); }

/* As for the lock of contexts that stay keyed, which is never waited for with this one held. */
__attribute__((constructor(102))) static void install(void) { pthread_atfork(take, give, give); }

static const library linked = {
    sqlite3_vfs_find, sqlite3_vfs_register, sqlite3_vfs_unregister, sqlite3_file_control, NULL, sqlite3_mprintf,
    sqlite3_uri_parameter, sqlite3_interrupt,
};

/* Resolved when it is there: the SQLite of a host's system may be older than the one that this was compiled with. */
extern const char *sqlite3_db_name(sqlite3 *, int) __attribute__((weak));

static library linked_library(void) {
    library l = linked;
    l.schema = sqlite3_db_name;
    return l;
}

static system_t *find(sqlite3_vfs *(*in)(const char *), const char *name) {
    for (system_t *s = systems; s; s = s->next) {
        if (s->library.find == in && strcmp(s->name, name) == 0) return s;
    }
    return NULL;
}

/* A name in one SQLite, over its default system or, where that is one of ours, over the one below. With the lock. */
static system_t *add(const library *l, const char *name) {
    system_t *s = find(l->find, name);
    if (s) return s;
    sqlite3_vfs *under = l->find(NULL);
    for (system_t *o = systems; o; o = o->next) {
        if (under == &o->vfs) under = o->below;
    }
    size_t length = strlen(name);
    if (!under || !(s = calloc(1, sizeof *s + length + 1))) return NULL;
    memcpy(s->name, name, length + 1);
    s->below = under;
    s->library = *l;
    system_fill(s);
    s->next = systems;
    systems = s;
    return s;
}

/* By an open session of this process: in a forked child the parent's does not count. */
static bool is_taken(const char *name) {
    for (system_t *s = systems; s; s = s->next) {
        const encrypted_access_t *a = s->access;
        if (!a || atomic_load(&a->is_over) || strcmp(s->name, name) != 0) continue;
        if (platform_handle_is_open(a->token, PLATFORM_HANDLE_SESSION)) return true;
    }
    return false;
}

encrypted_access_t *encrypted_register(
    const char *name, uintptr_t token, const platform_words_t *words, encrypted_calls_t calls, bool *taken) {
    *taken = false;
    const library l = linked_library();
    encrypted_access_t *access = calloc(1, sizeof *access);
    if (!access || sqlite3_initialize() != SQLITE_OK) {
        free(access);
        return NULL;
    }
    access->token = token;
    access->words = words;
    access->calls = calls;
    atomic_init(&access->holders, 1);
    atomic_init(&access->generation, UINT64_MAX);
    sqlite3_vfs *former = sqlite3_vfs_find(name);
    pthread_mutex_lock(&encrypted_registry);
    system_t *s = find(l.find, name);
    *taken = is_taken(name) || (former && (!s || former != &s->vfs));
    if (!*taken) s = add(&l, name);
    if (*taken || !s) {
        pthread_mutex_unlock(&encrypted_registry);
        free(access);
        return NULL;
    }
    for (system_t *o = systems; o; o = o->next) {
        if (strcmp(o->name, name) != 0) continue;
        encrypted_hold(access);
        if (o->access) encrypted_drop(o->access);
        o->access = access;
    }
    pthread_mutex_unlock(&encrypted_registry);
    if (sqlite3_vfs_register(&s->vfs, 0) == SQLITE_OK) return access;
    encrypted_unregister(access);
    return NULL;
}

void encrypted_abandon(encrypted_access_t *access) { atomic_store(&access->is_over, true); }

void encrypted_unregister(encrypted_access_t *access) {
    atomic_store(&access->is_over, true);
    uint32_t dropped = 1;
    pthread_mutex_lock(&encrypted_registry);
    system_forget_keys(access);
    for (system_t *s = systems; s; s = s->next) {
        if (s->access != access) continue;
        s->access = NULL;
        dropped++;
        /* A host's own SQLite may be gone by now: there the name stays, and opens nothing. */
        if (s->library.find == linked.find) sqlite3_vfs_unregister(&s->vfs);
    }
    pthread_mutex_unlock(&encrypted_registry);
    while (dropped-- > 0) encrypted_drop(access);
}

int32_t encrypted_load(void *database, char **error, const void *given) {
    const sqlite3_api_routines *api = given;
    (void)database;
    if (!api) return SQLITE_ERROR;
    if (api->libversion_number() < 3033000) {
        if (error) *error = api->mprintf("mam: SQLite 3.33 or newer is needed, this is %s", api->libversion());
        return SQLITE_ERROR;
    }
    library l = {api->vfs_find, api->vfs_register, api->vfs_unregister, api->file_control, NULL, api->mprintf,
                 api->uri_parameter, api->interruptx};
    if (api->libversion_number() >= 3039000) l.schema = api->db_name;
    int32_t result = SQLITE_ERROR;
    pthread_mutex_lock(&encrypted_registry);
    for (system_t *o = systems; o; o = o->next) {
        if (o->library.find != linked.find || !o->access) continue;
        system_t *s = add(&l, o->name);
        if (!s) {
            result = SQLITE_NOMEM;
            break;
        }
        if (s != o && s->access != o->access) {
            if (s->access) encrypted_drop(s->access);
            encrypted_hold(o->access);
            s->access = o->access;
        }
        result = l.enter(&s->vfs, 0);
        if (result != SQLITE_OK) break;
        result = SQLITE_OK_LOAD_PERMANENTLY;
    }
    pthread_mutex_unlock(&encrypted_registry);
    if (result == SQLITE_ERROR && error) {
        *error = api->mprintf("mam: no session has registered a file system; call mam_sqlite_vfs_register first");
    }
    return result;
}
