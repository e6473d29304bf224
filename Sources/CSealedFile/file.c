#include "internal.h"
#include <process_size_limit.h>
#include <process_memory.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make_locks(sealed_file_t *file) {
    pthread_mutex_init(&file->writing.mutex, NULL);
    pthread_mutex_init(&file->verified.mutex, NULL);
    pthread_mutex_init(&file->tables.mutex, NULL);
}

sealed_file_fault_t sealed_file_open(
    int descriptor, sealed_shared_t *shared, const sealed_file_header_t *header, const sealing_key_t *key, sealed_file_t **file) {
    *file = NULL;
    sealed_file_t *opened = calloc(1, sizeof *opened);
    if (!opened) return FAULT(SEALED_FILE_NO_MEMORY);
    opened->descriptor = descriptor;
    opened->shared = shared;
    opened->hash = sealed_get_be(header->salt, 8);
    opened->verified.version = 1; /* empty */
    make_locks(opened);
    state_t state;
    sealed_file_fault_t fault = sealed_header_open(opened, header, key);
    if (!fault.status) fault = sealed_state_read(opened, &state);
    if (!fault.status) *file = opened;
    else sealed_file_abandon(opened);
    return fault;
}

/* If everything was synced and there is no other writer, clear UNSYNCED: from now on a record that does not verify
 * is damaged. Also returns an unused reservation if the key has sealed many records. */
static void mark_synced(sealed_file_t *file) {
    const uint64_t much = (uint64_t)1 << 30;
    bool is_whole = file->writing.synced_writes == file->writing.writes && sealed_lock_as_only_writer(file);
    if (sealed_lock_length(file).status) return;
    state_t state;
    if (!sealed_state_read(file, &state).status) {
        bool gives_back =
            state.sealed > much && state.key_number == file->writing.key_number && file->writing.reserved <= state.sealed;
        if (gives_back) state.sealed -= file->writing.reserved;
        bool clears = is_whole && (state.flags & UNSYNCED);
        if (clears) state.flags &= (unsigned char)~UNSYNCED;
        if (gives_back || clears) (void)sealed_state_commit_locked(file, &state);
    }
    sealed_unlock_length(file);
    sealed_unlock_as_writer(file);
}

void sealed_file_close(sealed_file_t *file) {
    if (file->writing.is_marked_unsynced) {
        bool is_blocked = process_sigxfsz_block();
        mark_synced(file);
        process_sigxfsz_unblock(is_blocked);
    }
    sealed_file_abandon(file);
}

void sealed_file_reset_locks(sealed_file_t *file) { make_locks(file); }

void sealed_file_abandon(sealed_file_t *file) {
    sealed_file_clear_keys(file);
    pthread_mutex_destroy(&file->writing.mutex);
    pthread_mutex_destroy(&file->verified.mutex);
    pthread_mutex_destroy(&file->tables.mutex);
    sealed_tables_free(file);
    free(file);
}

sealed_file_fault_t sealed_file_size(sealed_file_t *file, int64_t *size) {
    state_t state = {0};
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    *size = fault.status ? 0 : (int64_t)state.length;
    return fault;
}

sealed_file_fault_t sealed_file_sync(sealed_file_t *file, bool is_data_only) {
    pthread_mutex_lock(&file->writing.mutex);
    uint64_t writes = file->writing.writes;
    pthread_mutex_unlock(&file->writing.mutex);
    if (is_data_only ? fdatasync(file->descriptor) : fsync(file->descriptor)) return sealed_fault_system();
    pthread_mutex_lock(&file->writing.mutex);
    file->writing.synced_writes = writes;
    pthread_mutex_unlock(&file->writing.mutex);
    return GOOD;
}
