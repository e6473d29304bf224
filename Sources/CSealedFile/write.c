#include "internal.h"
#include <errno.h>
#include <process_size_limit.h>
#include <process_memory.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RESERVATION = 1 << 16 };
#define KEY_LIMIT ((uint64_t)1 << 31) /* records under one key with random nonces; 2^32 would be too many */

/* Before records are sealed: count them in the state, which bounds the use of one key, and set UNSYNCED. */
static sealed_file_fault_t reserve_nonces_locked(sealed_file_t *file, uint64_t count) {
    if (file->writing.is_marked_unsynced && file->writing.reserved >= count) return GOOD;
    sealed_file_fault_t fault = sealed_lock_as_writer(file);
    if (!fault.status) fault = sealed_lock_length(file);
    if (fault.status) return fault;
    state_t state;
    fault = sealed_state_read(file, &state);
    if (!fault.status) {
        uint64_t more = count > RESERVATION ? count : RESERVATION;
        bool was_synced = !(state.flags & UNSYNCED);
        if (state.sealed + more > KEY_LIMIT) {
            state.key_number++;
            state.sealed = 0;
        }
        state.sealed += more;
        state.flags |= UNSYNCED;
        if (state.key_number > MAX_KEY_NUMBER) fault = FAULT(SEALED_FILE_KEYS_EXHAUSTED);
        else fault = sealed_state_commit_locked(file, &state);
        /* The flag must be on disk before the records that it covers. */
        if (!fault.status && was_synced && fdatasync(file->descriptor)) fault = sealed_fault_system();
        if (!fault.status) {
            file->writing.key_number = state.key_number;
            file->writing.reserved = more;
            file->writing.is_marked_unsynced = true;
        }
    }
    sealed_unlock_length(file);
    return fault;
}

/* Change some bytes of a record. Bytes at or behind `length` count as zeros. */
static sealed_file_fault_t write_part(
    sealed_file_t *file, workspace_t *workspace, uint64_t length, uint64_t record, size_t begin, size_t count,
    const unsigned char *bytes, table_t *table) {
    unsigned char *page = workspace->pages + PART_PAGE;
    sealed_file_fault_t fault = GOOD;
    if (record * PAGE >= length) memset(page, 0, PAGE);
    else fault = sealed_record_locked(file, workspace, record, table->pairs, page);
    if (!fault.status) {
        if (record * PAGE < length && length - record * PAGE < PAGE)
            memset(page + (length - record * PAGE), 0, PAGE - (length - record * PAGE));
        unsigned written;
        memcpy(page + begin, bytes, count);
        fault = sealed_records_write_locked(file, workspace, record, 1, page, table, &written);
    }
    process_zero(page, PAGE);
    return fault;
}

/* Whether a range lies in records that are entirely before the end. */
static bool is_inside(const state_t *state, uint64_t offset, size_t count) {
    return (offset + count + PAGE - 1) / PAGE <= state->length / PAGE;
}

/* Check that the range is still before the end. A truncation commits the new length, then waits for each group's lock
 * (await_writers), and only then cuts the file. */
static sealed_file_fault_t recheck_bounds_locked(sealed_file_t *file, bounds_t *bounds, uint64_t end) {
    if (atomic_load(sealed_length_version(file)) == bounds->version) return GOOD;
    state_t state;
    bounds->version = atomic_load(sealed_length_version(file));
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    bounds->must_lock_length = !fault.status && !is_inside(&state, end, 0);
    return fault;
}

/* Write group by group; `done` counts bytes. With `bounds` the length is not locked, and the write stops when the
 * file is truncated. */
static sealed_file_fault_t write_groups(
    sealed_file_t *file, workspace_t *workspace, uint64_t length, const unsigned char *bytes, size_t count, uint64_t offset,
    bounds_t *bounds, size_t *done) {
    table_t spare, *table;
    sealed_file_fault_t fault = GOOD;
    while (!fault.status && *done < count) {
        uint64_t record = (offset + *done) / PAGE, group = record / RECORDS, end = (group + 1) * RECORDS * PAGE;
        if ((fault = sealed_lock_group(file, group)).status) break;
        if (bounds) fault = recheck_bounds_locked(file, bounds, offset + count);
        if (fault.status || (bounds && bounds->must_lock_length)) {
            sealed_unlock_group(file, group);
            break;
        }
        bool is_pinned = !(fault = sealed_table_pin_locked(file, group, &spare, &table)).status;
        while (!fault.status && *done < count && offset + *done < end) {
            uint64_t at = offset + *done;
            size_t begin = at % PAGE, left = count - *done, step;
            record = at / PAGE;
            if (begin == 0 && left >= PAGE) {
                uint64_t whole = left / PAGE, here = (group + 1) * RECORDS - record;
                if (whole > here) whole = here;
                if (whole > BATCH) whole = BATCH;
                unsigned written;
                fault = sealed_records_write_locked(file, workspace, record, (unsigned)whole, bytes + *done, table, &written);
                step = (size_t)written * PAGE;
            } else {
                step = PAGE - begin < left ? PAGE - begin : left;
                fault = write_part(file, workspace, length, record, begin, step, bytes + *done, table);
                if (fault.status) step = 0;
            }
            *done += step;
        }
        if (is_pinned) sealed_table_unpin(table);
        sealed_unlock_group(file, group);
    }
    return fault;
}

/* Cut off the whole groups behind the end. */
static sealed_file_fault_t remove_groups(sealed_file_t *file, uint64_t groups, int64_t size) {
    sealed_file_fault_t fault = GOOD;
    if (ftruncate(file->descriptor, sealed_table_offset(groups))) fault = sealed_fault_system();
    sealed_versions_advance(file, groups, (uint64_t)size / ((GROUP_PAGES + 1) * PAGE) + 1);
    return fault;
}

/* Zero the last record behind the end. */
static sealed_file_fault_t clear_record_end(
    sealed_file_t *file, workspace_t *workspace, uint64_t record, size_t used, table_t *table) {
    entry_t entry;
    unsigned char *page = workspace->pages + CLEAN_PAGE;
    if (!sealed_entry_newest(table->pairs + record % RECORDS * PAIR, &entry)) return GOOD;
    sealed_file_fault_t fault = sealed_record_locked(file, workspace, record, table->pairs, page);
    bool is_clean = true;
    for (size_t i = used; is_clean && i < PAGE; i++) is_clean = page[i] == 0;
    if (!fault.status && !is_clean) {
        unsigned written;
        memset(page + used, 0, PAGE - used);
        fault = sealed_records_write_locked(file, workspace, record, 1, page, table, &written);
    }
    process_zero(page, PAGE);
    return fault;
}

/* Clear the entries from this record of the group on. */
static sealed_file_fault_t clear_entries(sealed_file_t *file, unsigned from, table_t *table) {
    static const unsigned char none[RECORDS * PAIR];
    size_t length = (RECORDS - from) * PAIR;
    if (memcmp(table->pairs + from * PAIR, none, length) == 0) return GOOD;
    return sealed_table_write(file, table, from, RECORDS - from, none, 0, length);
}

/* Wait for writers that started before the file was truncated. */
static sealed_file_fault_t await_writers(sealed_file_t *file, uint64_t group) {
    for (uint64_t end = group + SEALED_GROUP_LOCKS; group < end; group++) {
        sealed_file_fault_t fault = sealed_lock_group(file, group);
        if (fault.status) return fault;
        sealed_unlock_group(file, group);
    }
    return GOOD;
}

/* Clear what a killed process, or a write concurrent with a truncation, left behind the end, before an extension
 * would expose it. Steps that need no disk space come first. */
static sealed_file_fault_t clear_after_end_locked(sealed_file_t *file, workspace_t *workspace, uint64_t length) {
    uint64_t records = sealed_record_count(length), groups = records / RECORDS + (records % RECORDS != 0);
    struct stat s;
    sealed_file_fault_t fault = await_writers(file, groups);
    if (!fault.status && fstat(file->descriptor, &s)) fault = sealed_fault_system();
    if (!fault.status && s.st_size > sealed_table_offset(groups)) fault = remove_groups(file, groups, s.st_size);
    if (fault.status || (records % RECORDS == 0 && length % PAGE == 0)) return fault;
    table_t spare, *table;
    if ((fault = sealed_lock_group(file, groups - 1)).status) return fault;
    bool is_pinned = !(fault = sealed_table_pin_locked(file, groups - 1, &spare, &table)).status;
    if (!fault.status && records % RECORDS) fault = clear_entries(file, records % RECORDS, table);
    if (!fault.status && length % PAGE) fault = clear_record_end(file, workspace, records - 1, length % PAGE, table);
    if (is_pinned) sealed_table_unpin(table);
    sealed_unlock_group(file, groups - 1);
    return fault;
}

static sealed_file_fault_t write_extending(
    sealed_file_t *file, workspace_t *workspace, const unsigned char *bytes, size_t count, int64_t *offset, size_t *done) {
    sealed_file_fault_t fault = sealed_lock_length(file);
    if (fault.status) return fault;
    state_t state;
    fault = sealed_state_read(file, &state);
    if (!fault.status && *offset < 0) *offset = (int64_t)state.length;
    uint64_t at = (uint64_t)*offset;
    if (!fault.status && at > SEALED_MAX_LENGTH - count) fault = FAULT(SEALED_FILE_TOO_LONG);
    if (!fault.status && at > state.length) fault = clear_after_end_locked(file, workspace, state.length);
    if (!fault.status) fault = write_groups(file, workspace, state.length, bytes, count, at, NULL, done);
    if (*done && at + *done > state.length) {
        uint64_t records = sealed_record_count(state.length);
        if (state.dense == records && at / PAGE <= records) state.dense = sealed_record_count(at + *done);
        state.length = at + *done;
        sealed_file_fault_t committed = sealed_state_commit_locked(file, &state);
        if (committed.status) {
            *done = 0;
            fault = committed;
        }
    }
    sealed_unlock_length(file);
    return fault;
}

static sealed_file_fault_t write_locked(
    sealed_file_t *file, const unsigned char *bytes, size_t count, int64_t *offset, size_t *done) {
    workspace_t workspace;
    state_t state;
    if (count > SEALED_MAX_LENGTH || (*offset >= 0 && (uint64_t)*offset > SEALED_MAX_LENGTH - count))
        return FAULT(SEALED_FILE_TOO_LONG);
    sealed_file_fault_t fault = reserve_nonces_locked(file, count / PAGE + 3);
    if (fault.status) return fault;
    if ((fault = sealed_workspace_acquire(file, file->writing.key_number, &workspace)).status) return fault;
    bounds_t bounds = {.version = atomic_load(sealed_length_version(file)), .must_lock_length = true};
    fault = sealed_state_read(file, &state);
    /* The length may change meanwhile, as long as the end stays behind the range. */
    if (!fault.status && *offset >= 0 && is_inside(&state, (uint64_t)*offset, count)) {
        bounds.must_lock_length = false;
        fault = write_groups(file, &workspace, state.length, bytes, count, (uint64_t)*offset, &bounds, done);
    }
    if (!fault.status && bounds.must_lock_length) {
        int64_t from = *offset < 0 ? -1 : *offset + (int64_t)*done;
        size_t more = 0;
        fault = write_extending(file, &workspace, bytes + *done, count - *done, &from, &more);
        if (*offset < 0) *offset = from;
        *done += more;
    }
    sealed_workspace_release(&workspace);
    return fault;
}

sealed_file_fault_t sealed_file_pwrite(sealed_file_t *file, const void *bytes, size_t length, int64_t offset, size_t *count) {
    *count = 0;
    if (length == 0) return GOOD;
    if (length > SEALED_MAX_LENGTH || offset < 0 || (uint64_t)offset > SEALED_MAX_LENGTH - length)
        return FAULT(SEALED_FILE_TOO_LONG);
    sealed_table_prefetch(file, (uint64_t)offset / PAGE);
    pthread_mutex_lock(&file->writing.mutex);
    /* Under the mutex, which guards size_limit; append and truncate block the signal whatever the limit. */
    bool is_blocked = process_sigxfsz_block_beyond(offset + (int64_t)length, &file->writing.size_limit);
    sealed_file_fault_t fault = write_locked(file, bytes, length, &offset, count);
    process_sigxfsz_unblock(is_blocked);
    pthread_mutex_unlock(&file->writing.mutex);
    return fault;
}

sealed_file_fault_t sealed_file_append(sealed_file_t *file, const void *bytes, size_t length, int64_t *offset, size_t *count) {
    *count = 0;
    *offset = -1;
    if (length == 0) return sealed_file_size(file, offset);
    bool is_blocked = process_sigxfsz_block();
    pthread_mutex_lock(&file->writing.mutex);
    sealed_file_fault_t fault = write_locked(file, bytes, length, offset, count);
    pthread_mutex_unlock(&file->writing.mutex);
    process_sigxfsz_unblock(is_blocked);
    return fault;
}

static sealed_file_fault_t truncate_locked(sealed_file_t *file, workspace_t *workspace, uint64_t size) {
    sealed_file_fault_t fault = sealed_lock_length(file);
    if (fault.status) return fault;
    state_t state;
    fault = sealed_state_read(file, &state);
    bool shrinks = size <= state.length; /* the same size too: clears what a failed call left */
    if (!fault.status && size > state.length) fault = clear_after_end_locked(file, workspace, state.length);
    if (!fault.status && size != state.length) {
        state.length = size;
        if (state.dense > sealed_record_count(size)) state.dense = sealed_record_count(size);
        fault = sealed_state_commit_locked(file, &state);
        file->writing.writes++;
    }
    if (!fault.status && shrinks) {
        fault = clear_after_end_locked(file, workspace, size);
        /* The file is truncated all the same, and cleared before it grows again. */
        if (fault.status == SEALED_FILE_SYSTEM && (fault.error == ENOSPC || fault.error == EDQUOT)) fault = GOOD;
    }
    sealed_unlock_length(file);
    return fault;
}

sealed_file_fault_t sealed_file_truncate(sealed_file_t *file, int64_t size) {
    if (size < 0 || (uint64_t)size > SEALED_MAX_LENGTH) return FAULT(SEALED_FILE_TOO_LONG);
    workspace_t workspace;
    bool is_blocked = process_sigxfsz_block();
    pthread_mutex_lock(&file->writing.mutex);
    sealed_file_fault_t fault = reserve_nonces_locked(file, 2);
    if (!fault.status && !(fault = sealed_workspace_acquire(file, file->writing.key_number, &workspace)).status) {
        fault = truncate_locked(file, &workspace, (uint64_t)size);
        sealed_workspace_release(&workspace);
    }
    pthread_mutex_unlock(&file->writing.mutex);
    process_sigxfsz_unblock(is_blocked);
    return fault;
}
