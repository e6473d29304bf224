#include "internal.h"
#include <platform_limit.h>
#include <platform_memory.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make_locks(sealed_file_t *file) {
    pthread_mutex_init(&file->lock, NULL);
    pthread_mutex_init(&file->keys, NULL);
    pthread_mutex_init(&file->tables_lock, NULL);
}

sealed_file_fault_t sealed_file_open(
    int descriptor, sealed_shared_t *shared, const sealed_file_header_t *header, const sealing_key_t *key,
    sealed_file_t **file) {
    *file = NULL;
    sealed_file_t *made = calloc(1, sizeof *made);
    if (!made) return FAULT(SEALED_FILE_NO_MEMORY);
    made->descriptor = descriptor;
    made->shared = shared;
    made->hash = sealed_get(header->salt, 8);
    made->state_version = 1; /* of nothing */
    make_locks(made);
    state_t state;
    sealed_file_fault_t fault = sealed_header_unlock(made, header, key);
    if (!fault.status) fault = sealed_state_read(made, &state);
    if (!fault.status) *file = made;
    else sealed_file_abandon(made);
    return fault;
}

/* What was synced last, and is written by nobody else, is whole on the disk: from here on a record that does not verify is
 * damaged. What was reserved and not used is given back where it matters. */
static void settle(sealed_file_t *file) {
    const uint64_t much = (uint64_t)1 << 30;
    bool is_whole = file->synced_writes == file->writes && sealed_lock_writers_alone(file);
    if (sealed_lock_length(file).status) return;
    state_t state;
    if (!sealed_state_read(file, &state).status) {
        bool is_worn = state.sealed > much && state.generation == file->generation && file->reserved <= state.sealed;
        if (is_worn) state.sealed -= file->reserved;
        bool clears = is_whole && (state.flags & UNSYNCED);
        if (clears) state.flags &= (unsigned char)~UNSYNCED;
        if (is_worn || clears) (void)sealed_state_commit(file, &state);
    }
    sealed_unlock_length(file);
    sealed_unlock_writers(file);
}

void sealed_file_close(sealed_file_t *file) {
    if (file->has_marked) {
        bool is_growing = platform_growing_begin();
        settle(file);
        platform_growing_end(is_growing);
    }
    sealed_file_abandon(file);
}

void sealed_file_forked(sealed_file_t *file) { make_locks(file); }

void sealed_file_abandon(sealed_file_t *file) {
    sealed_file_forget(file);
    pthread_mutex_destroy(&file->lock);
    pthread_mutex_destroy(&file->keys);
    pthread_mutex_destroy(&file->tables_lock);
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
    pthread_mutex_lock(&file->lock);
    uint64_t writes = file->writes;
    pthread_mutex_unlock(&file->lock);
    if (is_data_only ? fdatasync(file->descriptor) : fsync(file->descriptor)) return sealed_fault_system();
    pthread_mutex_lock(&file->lock);
    file->synced_writes = writes;
    pthread_mutex_unlock(&file->lock);
    return GOOD;
}

static sealed_file_fault_t read_piece(
    sealed_file_t *file, bench_t *bench, uint64_t dense, uint64_t record, size_t begin, size_t count,
    unsigned char *out) {
    unsigned char *page = bench->pages + PIECE;
    sealed_file_fault_t fault = sealed_records_read(file, bench, dense, record, 1, page);
    if (!fault.status) memcpy(out, page + begin, count);
    platform_zero(page, PAGE);
    return fault;
}

/* As it may fail within: what was read before stays, and nothing of the record that failed. */
static sealed_file_fault_t read_range(
    sealed_file_t *file, bench_t *bench, uint64_t dense, unsigned char *out, size_t length, uint64_t offset,
    size_t *done) {
    sealed_file_fault_t fault = GOOD;
    while (!fault.status && *done < length) {
        uint64_t at = offset + *done;
        size_t begin = at % PAGE, left = length - *done, step;
        if (begin == 0 && left >= PAGE) {
            step = left / PAGE > BATCH ? BATCH * PAGE : left / PAGE * PAGE;
            fault = sealed_records_read(file, bench, dense, at / PAGE, step / PAGE, out + *done);
            if (fault.status == SEALED_FILE_DAMAGED) step = (size_t)((uint64_t)fault.offset - at);
            else if (fault.status) step = 0;
            if (fault.status) memset(out + *done + step, 0, length - *done - step);
        } else {
            step = PAGE - begin < left ? PAGE - begin : left;
            fault = read_piece(file, bench, dense, at / PAGE, begin, step, out + *done);
            if (fault.status) step = 0;
        }
        *done += step;
    }
    return fault;
}

static sealed_file_fault_t read_once(
    sealed_file_t *file, void *out, size_t length, int64_t offset, size_t *count, bool *met_hole) {
    bench_t bench = {0};
    state_t state;
    *count = 0;
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    if (fault.status || (uint64_t)offset >= state.length || length == 0) return fault;
    if (length > state.length - (uint64_t)offset) length = (size_t)(state.length - (uint64_t)offset);
    if ((fault = sealed_bench_take(file, state.generation, &bench)).status) return fault;
    fault = read_range(file, &bench, state.dense, out, length, (uint64_t)offset, count);
    if (bench.cipher) sealed_bench_give(&bench);
    *met_hole = bench.met_hole;
    return fault;
}

sealed_file_fault_t sealed_file_pread(sealed_file_t *file, void *out, size_t length, int64_t offset, size_t *count) {
    sealed_file_fault_t fault = GOOD;
    sealed_table_prefetch(file, (uint64_t)offset / PAGE);
    /* Where a file was cut meanwhile there is no hole, but an end. */
    for (int turn = 0; turn < 16; turn++) {
        bool met_hole = false;
        uint32_t version = atomic_load(sealed_length_version(file));
        fault = read_once(file, out, length, offset, count, &met_hole);
        if (!met_hole || version == atomic_load(sealed_length_version(file))) break;
    }
    return fault;
}
