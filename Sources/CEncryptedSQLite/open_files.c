#include "internal.h"

static file *files; /* encrypted ones; guarded by encrypted_registry */

void open_files_add(file *f) {
    pthread_mutex_lock(&encrypted_registry);
    f->next = files;
    files = f;
    pthread_mutex_unlock(&encrypted_registry);
}

void open_files_remove(file *f) {
    connections_remove(f);
    pthread_mutex_lock(&encrypted_registry);
    for (file **at = &files; *at; at = &(*at)->next) {
        if (*at != f) continue;
        *at = f->next;
        break;
    }
    if (f->kind == &database_kind && f->database.wal) f->database.wal->wal.database = NULL;
    if (f->kind == &wal_kind && f->wal.database) f->wal.database->database.wal = NULL;
    pthread_mutex_unlock(&encrypted_registry);
}

/* Does not wait for a file's lock: its holder may wait for a thread that a fork delays, and a fork for the registry. */
bool open_files_clear_keys(const encrypted_access_t *access) {
    bool is_done = true;
    for (file *f = files; f; f = f->next) {
        if (f->access != access) continue;
        if (pthread_mutex_trylock(&f->lock) != 0) {
            is_done = false;
            continue;
        }
        keys_clear(f);
        pthread_mutex_unlock(&f->lock);
    }
    return is_done;
}
