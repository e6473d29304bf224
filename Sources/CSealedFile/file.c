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

static sealed_file_fault_t read_part(
    sealed_file_t *file, workspace_t *workspace, uint64_t dense, uint64_t record, size_t begin, size_t count, unsigned char *out) {
    unsigned char *page = workspace->pages + PART_PAGE;
    sealed_file_fault_t fault = sealed_records_read(file, workspace, dense, record, 1, page);
    if (!fault.status) memcpy(out, page + begin, count);
    process_zero(page, PAGE);
    return fault;
}

/* After a failure, bytes that were read before it stay in `out`, and the rest is zeros. */
static sealed_file_fault_t read_range(
    sealed_file_t *file, workspace_t *workspace, uint64_t dense, unsigned char *out, size_t length, uint64_t offset, size_t *done) {
    sealed_file_fault_t fault = GOOD;
    while (!fault.status && *done < length) {
        uint64_t at = offset + *done;
        size_t begin = at % PAGE, left = length - *done, step;
        if (begin == 0 && left >= PAGE) {
            step = left / PAGE > BATCH ? BATCH * PAGE : left / PAGE * PAGE;
            fault = sealed_records_read(file, workspace, dense, at / PAGE, step / PAGE, out + *done);
            if (fault.status == SEALED_FILE_DAMAGED) step = (size_t)((uint64_t)fault.offset - at);
            else if (fault.status) step = 0;
            if (fault.status) memset(out + *done + step, 0, length - *done - step);
        } else {
            step = PAGE - begin < left ? PAGE - begin : left;
            fault = read_part(file, workspace, dense, at / PAGE, begin, step, out + *done);
            if (fault.status) step = 0;
        }
        *done += step;
    }
    return fault;
}

static sealed_file_fault_t try_read(
    sealed_file_t *file, void *out, size_t length, int64_t offset, size_t *count, bool *found_hole) {
    workspace_t workspace = {0};
    state_t state;
    *count = 0;
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    if (fault.status || (uint64_t)offset >= state.length || length == 0) return fault;
    if (length > state.length - (uint64_t)offset) length = (size_t)(state.length - (uint64_t)offset);
    if ((fault = sealed_workspace_acquire(file, state.key_number, &workspace)).status) return fault;
    fault = read_range(file, &workspace, state.dense, out, length, (uint64_t)offset, count);
    if (workspace.cipher) sealed_workspace_release(&workspace);
    *found_hole = workspace.found_hole;
    return fault;
}

sealed_file_fault_t sealed_file_pread(sealed_file_t *file, void *out, size_t length, int64_t offset, size_t *count) {
    sealed_file_fault_t fault = GOOD;
    sealed_table_prefetch(file, (uint64_t)offset / PAGE);
    /* If the file was truncated meanwhile, the hole is its end: read again. */
    for (int attempt = 0; attempt < 16; attempt++) {
        bool found_hole = false;
        uint32_t version = atomic_load(sealed_length_version(file));
        fault = try_read(file, out, length, offset, count, &found_hole);
        if (!found_hole || version == atomic_load(sealed_length_version(file))) break;
    }
    return fault;
}
