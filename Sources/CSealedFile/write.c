#include "internal.h"
#include <errno.h>
#include <platform_limit.h>
#include <platform_memory.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RESERVE = 1 << 16 };
#define WEAR ((uint64_t)1 << 31) /* records under one key: their nonces are random, and 2^32 would be too many */

/* Before records are sealed: they are counted, and the file is marked as written to. */
static sealed_file_fault_t reserve(sealed_file_t *file, uint64_t count) {
    if (file->has_marked && file->reserved >= count) return GOOD;
    sealed_file_fault_t fault = sealed_lock_writers(file);
    if (!fault.status) fault = sealed_lock_length(file);
    if (fault.status) return fault;
    state_t state;
    fault = sealed_state_read(file, &state);
    if (!fault.status) {
        uint64_t more = count > RESERVE ? count : RESERVE;
        bool was_synced = !(state.flags & UNSYNCED);
        if (state.sealed + more > WEAR) {
            state.generation++;
            state.sealed = 0;
        }
        state.sealed += more;
        state.flags |= UNSYNCED;
        if (state.generation > GENERATIONS) fault = FAULT(SEALED_FILE_WORN);
        else fault = sealed_state_commit(file, &state);
        /* On the disk before anything that it warns of. */
        if (!fault.status && was_synced && fdatasync(file->descriptor)) fault = sealed_fault_system();
        if (!fault.status) {
            file->generation = state.generation;
            file->reserved = more;
            file->has_marked = true;
        }
    }
    sealed_unlock_length(file);
    return fault;
}

/* A record some of whose bytes change. Nothing at or behind `length` is believed. */
static sealed_file_fault_t write_piece(
    sealed_file_t *file, bench_t *bench, uint64_t length, uint64_t record, size_t begin, size_t count,
    const unsigned char *bytes, table_t *table) {
    unsigned char *page = bench->pages + PIECE;
    sealed_file_fault_t fault = GOOD;
    if (record * PAGE >= length) memset(page, 0, PAGE);
    else fault = sealed_record_locked(file, bench, record, table->pairs, page);
    if (!fault.status) {
        if (record * PAGE < length && length - record * PAGE < PAGE)
            memset(page + (length - record * PAGE), 0, PAGE - (length - record * PAGE));
        unsigned written;
        memcpy(page + begin, bytes, count);
        fault = sealed_records_write(file, bench, record, 1, page, table, &written);
    }
    platform_zero(page, PAGE);
    return fault;
}

/* Whether bytes lie in records that are wholly before the end. */
static bool is_inside(const state_t *state, uint64_t offset, size_t count) {
    return (offset + count + PAGE - 1) / PAGE <= state->length / PAGE;
}

/* With a group's lock: whether what was inside still is. Who cuts the file waits for this lock before anything is cut. */
static sealed_file_fault_t look_again(sealed_file_t *file, inside_t *inside, uint64_t end) {
    if (atomic_load(sealed_length_version(file)) == inside->version) return GOOD;
    state_t state;
    inside->version = atomic_load(sealed_length_version(file));
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    inside->was_cut = !fault.status && !is_inside(&state, end, 0);
    return fault;
}

/* Everything, group by group; `done` counts bytes. `inside`: without the lock on the length, until the file is cut. */
static sealed_file_fault_t write_groups(
    sealed_file_t *file, bench_t *bench, uint64_t length, const unsigned char *bytes, size_t count, uint64_t offset,
    inside_t *inside, size_t *done) {
    table_t spare, *table;
    sealed_file_fault_t fault = GOOD;
    while (!fault.status && *done < count) {
        uint64_t record = (offset + *done) / PAGE, group = record / RECORDS, end = (group + 1) * RECORDS * PAGE;
        if ((fault = sealed_lock_group(file, group)).status) break;
        if (inside) fault = look_again(file, inside, offset + count);
        if (fault.status || (inside && inside->was_cut)) {
            sealed_unlock_group(file, group);
            break;
        }
        bool is_pinned = !(fault = sealed_table_pin(file, group, &spare, &table)).status;
        while (!fault.status && *done < count && offset + *done < end) {
            uint64_t at = offset + *done;
            size_t begin = at % PAGE, left = count - *done, step;
            record = at / PAGE;
            if (begin == 0 && left >= PAGE) {
                uint64_t whole = left / PAGE, here = (group + 1) * RECORDS - record;
                if (whole > here) whole = here;
                if (whole > BATCH) whole = BATCH;
                unsigned written;
                fault = sealed_records_write(file, bench, record, (unsigned)whole, bytes + *done, table, &written);
                step = (size_t)written * PAGE;
            } else {
                step = PAGE - begin < left ? PAGE - begin : left;
                fault = write_piece(file, bench, length, record, begin, step, bytes + *done, table);
                if (fault.status) step = 0;
            }
            *done += step;
        }
        if (is_pinned) sealed_table_unpin(table);
        sealed_unlock_group(file, group);
    }
    return fault;
}

/* Whole groups behind the end. */
static sealed_file_fault_t drop_groups(sealed_file_t *file, uint64_t groups, int64_t size) {
    sealed_file_fault_t fault = GOOD;
    if (ftruncate(file->descriptor, sealed_table_offset(groups))) fault = sealed_fault_system();
    sealed_versions_changed(file, groups, (uint64_t)size / ((PLACES + 1) * PAGE) + 1);
    return fault;
}

/* Zeros in the last record behind the end. */
static sealed_file_fault_t clean_record(
    sealed_file_t *file, bench_t *bench, uint64_t record, size_t used, table_t *table) {
    entry_t entry;
    unsigned char *page = bench->pages + OTHER;
    if (!sealed_entry_newest(table->pairs + record % RECORDS * PAIR, &entry)) return GOOD;
    sealed_file_fault_t fault = sealed_record_locked(file, bench, record, table->pairs, page);
    bool is_clean = true;
    for (size_t i = used; is_clean && i < PAGE; i++) is_clean = page[i] == 0;
    if (!fault.status && !is_clean) {
        unsigned written;
        memset(page + used, 0, PAGE - used);
        fault = sealed_records_write(file, bench, record, 1, page, table, &written);
    }
    platform_zero(page, PAGE);
    return fault;
}

/* No entries from this record of the group on. */
static sealed_file_fault_t clean_entries(sealed_file_t *file, unsigned from, table_t *table) {
    static const unsigned char none[RECORDS * PAIR];
    size_t length = (RECORDS - from) * PAIR;
    if (memcmp(table->pairs + from * PAIR, none, length) == 0) return GOOD;
    return sealed_table_write(file, table, from, RECORDS - from, none, 0, length);
}

/* Whoever began to write behind the end while it was further has ended. */
static sealed_file_fault_t await_writers(sealed_file_t *file, uint64_t group) {
    for (uint64_t end = group + SEALED_GROUP_LOCKS; group < end; group++) {
        sealed_file_fault_t fault = sealed_lock_group(file, group);
        if (fault.status) return fault;
        sealed_unlock_group(file, group);
    }
    return GOOD;
}

/* What lies at and behind the end, left by a killed process or by one that wrote while another cut, is cleared before an
 * extension would show it. With the lock on the length. What needs no room goes first. */
static sealed_file_fault_t clean(sealed_file_t *file, bench_t *bench, uint64_t length) {
    uint64_t records = sealed_record_count(length), groups = records / RECORDS + (records % RECORDS != 0);
    struct stat s;
    sealed_file_fault_t fault = await_writers(file, groups);
    if (!fault.status && fstat(file->descriptor, &s)) fault = sealed_fault_system();
    if (!fault.status && s.st_size > sealed_table_offset(groups)) fault = drop_groups(file, groups, s.st_size);
    if (fault.status || (records % RECORDS == 0 && length % PAGE == 0)) return fault;
    table_t spare, *table;
    if ((fault = sealed_lock_group(file, groups - 1)).status) return fault;
    bool is_pinned = !(fault = sealed_table_pin(file, groups - 1, &spare, &table)).status;
    if (!fault.status && records % RECORDS) fault = clean_entries(file, records % RECORDS, table);
    if (!fault.status && length % PAGE) fault = clean_record(file, bench, records - 1, length % PAGE, table);
    if (is_pinned) sealed_table_unpin(table);
    sealed_unlock_group(file, groups - 1);
    return fault;
}

static sealed_file_fault_t write_extending(
    sealed_file_t *file, bench_t *bench, const unsigned char *bytes, size_t count, int64_t *offset, size_t *done) {
    sealed_file_fault_t fault = sealed_lock_length(file);
    if (fault.status) return fault;
    state_t state;
    fault = sealed_state_read(file, &state);
    if (!fault.status && *offset < 0) *offset = (int64_t)state.length;
    uint64_t at = (uint64_t)*offset;
    if (!fault.status && at > SEALED_MOST - count) fault = FAULT(SEALED_FILE_TOO_LONG);
    if (!fault.status && at > state.length) fault = clean(file, bench, state.length);
    if (!fault.status) fault = write_groups(file, bench, state.length, bytes, count, at, NULL, done);
    if (*done && at + *done > state.length) {
        uint64_t records = sealed_record_count(state.length);
        if (state.dense == records && at / PAGE <= records) state.dense = sealed_record_count(at + *done);
        state.length = at + *done;
        sealed_file_fault_t committed = sealed_state_commit(file, &state);
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
    bench_t bench;
    state_t state;
    if (count > SEALED_MOST || (*offset >= 0 && (uint64_t)*offset > SEALED_MOST - count)) return FAULT(SEALED_FILE_TOO_LONG);
    sealed_file_fault_t fault = reserve(file, count / PAGE + 3);
    if (fault.status) return fault;
    if ((fault = sealed_bench_take(file, file->generation, &bench)).status) return fault;
    inside_t inside = {.version = atomic_load(sealed_length_version(file)), .was_cut = true};
    fault = sealed_state_read(file, &state);
    /* It does not matter where the end is going, as long as it stays behind. */
    if (!fault.status && *offset >= 0 && is_inside(&state, (uint64_t)*offset, count)) {
        inside.was_cut = false;
        fault = write_groups(file, &bench, state.length, bytes, count, (uint64_t)*offset, &inside, done);
    }
    if (!fault.status && inside.was_cut) {
        int64_t from = *offset < 0 ? -1 : *offset + (int64_t)*done;
        size_t more = 0;
        fault = write_extending(file, &bench, bytes + *done, count - *done, &from, &more);
        if (*offset < 0) *offset = from;
        *done += more;
    }
    sealed_bench_give(&bench);
    return fault;
}

sealed_file_fault_t sealed_file_pwrite(
    sealed_file_t *file, const void *bytes, size_t length, int64_t offset, size_t *count) {
    *count = 0;
    if (length == 0) return GOOD;
    if (length > SEALED_MOST || offset < 0 || (uint64_t)offset > SEALED_MOST - length) return FAULT(SEALED_FILE_TOO_LONG);
    sealed_table_prefetch(file, (uint64_t)offset / PAGE);
    pthread_mutex_lock(&file->lock);
    bool is_growing = platform_growing_beyond(offset + (int64_t)length, &file->reach);
    sealed_file_fault_t fault = write_locked(file, bytes, length, &offset, count);
    platform_growing_end(is_growing);
    pthread_mutex_unlock(&file->lock);
    return fault;
}

sealed_file_fault_t sealed_file_append(
    sealed_file_t *file, const void *bytes, size_t length, int64_t *offset, size_t *count) {
    *count = 0;
    *offset = -1;
    if (length == 0) return sealed_file_size(file, offset);
    bool is_growing = platform_growing_begin();
    pthread_mutex_lock(&file->lock);
    sealed_file_fault_t fault = write_locked(file, bytes, length, offset, count);
    pthread_mutex_unlock(&file->lock);
    platform_growing_end(is_growing);
    return fault;
}

static sealed_file_fault_t truncate_locked(sealed_file_t *file, bench_t *bench, uint64_t size) {
    sealed_file_fault_t fault = sealed_lock_length(file);
    if (fault.status) return fault;
    state_t state;
    fault = sealed_state_read(file, &state);
    bool shrinks = size <= state.length; /* the same: what a failure has left */
    if (!fault.status && size > state.length) fault = clean(file, bench, state.length);
    if (!fault.status && size != state.length) {
        state.length = size;
        if (state.dense > sealed_record_count(size)) state.dense = sealed_record_count(size);
        fault = sealed_state_commit(file, &state);
        file->writes++;
    }
    if (!fault.status && shrinks) {
        fault = clean(file, bench, size);
        /* It is cut all the same, and cleared before it grows again. */
        if (fault.status == SEALED_FILE_SYSTEM && (fault.error == ENOSPC || fault.error == EDQUOT)) fault = GOOD;
    }
    sealed_unlock_length(file);
    return fault;
}

sealed_file_fault_t sealed_file_truncate(sealed_file_t *file, int64_t size) {
    if (size < 0 || (uint64_t)size > SEALED_MOST) return FAULT(SEALED_FILE_TOO_LONG);
    bench_t bench;
    bool is_growing = platform_growing_begin();
    pthread_mutex_lock(&file->lock);
    sealed_file_fault_t fault = reserve(file, 2);
    if (!fault.status && !(fault = sealed_bench_take(file, file->generation, &bench)).status) {
        fault = truncate_locked(file, &bench, (uint64_t)size);
        sealed_bench_give(&bench);
    }
    pthread_mutex_unlock(&file->lock);
    platform_growing_end(is_growing);
    return fault;
}
