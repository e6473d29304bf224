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

void open_files_clear_keys(const encrypted_access_t *access) {
    for (file *f = files; f; f = f->next) {
        if (f->access != access) continue;
        pthread_mutex_lock(&f->lock);
        keys_clear(f);
        pthread_mutex_unlock(&f->lock);
    }
}
