#include "internal.h"

void open_files_add(file *f) {
    registry *r = registry_lock();
    f->next_in_registry = r->files;
    r->files = f;
    registry_unlock(r);
}

void open_files_remove(file *f) {
    connections_remove(f);
    registry *r = registry_lock();
    for (file **at = &r->files; *at; at = &(*at)->next_in_registry) {
        if (*at != f) continue;
        *at = f->next_in_registry;
        break;
    }
    if (f->kind == &database_kind && f->database.wal) f->database.wal->wal.database = NULL;
    if (f->kind == &wal_kind && f->wal.database) f->wal.database->database.wal = NULL;
    registry_unlock(r);
}

/* Does not wait for a file's lock: its holder may wait for a thread that a fork delays, and a fork for the registry. */
bool open_files_clear_keys_locked(registry *r, const encrypted_access_t *access) {
    bool is_done = true;
    for (file *f = r->files; f; f = f->next_in_registry) {
        if (f->access != access) continue;
        if (pthread_mutex_trylock(&f->lock) != 0) {
            is_done = false;
            continue;
        }
        keys_clear_locked(f);
        pthread_mutex_unlock(&f->lock);
    }
    return is_done;
}
