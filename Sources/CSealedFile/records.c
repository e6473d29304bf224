#include "internal.h"
#include <process_memory.h>
#include <string.h>

static sealed_file_fault_t damaged(uint64_t record) {
    return (sealed_file_fault_t){.status = SEALED_FILE_DAMAGED, .offset = (int64_t)(record * PAGE)};
}

/* Open a record from its page. */
static sealed_file_fault_t open_page(
    sealed_file_t *file, workspace_t *workspace, uint64_t record, const entry_t *entry, const unsigned char *page,
    unsigned char *out) {
    unsigned char number[8];
    sealed_put_be(number, 8, record);
    sealed_file_fault_t fault = sealed_workspace_set_key(file, entry->key_number, workspace);
    if (fault.status) return fault;
    int32_t status = sealing_slot_open(workspace->cipher, entry->nonce, number, sizeof number, page, PAGE, entry->tag, out);
    if (status == SEALING_NOT_AUTHENTIC) return damaged(record);
    return status == SEALING_OK ? GOOD : FAULT(SEALED_FILE_LIBRARY);
}

static sealed_file_fault_t read_entry(
    sealed_file_t *file, workspace_t *workspace, uint64_t record, const entry_t *entry, unsigned char *out) {
    unsigned char *page = workspace->pages;
    sealed_file_fault_t fault =
        sealed_read_all(file->descriptor, page, PAGE, sealed_page_offset(record / RECORDS, entry->page_index));
    return fault.status ? fault : open_page(file, workspace, record, entry, page, out);
}

sealed_file_fault_t sealed_record_locked(
    sealed_file_t *file, workspace_t *workspace, uint64_t record, const unsigned char *table, unsigned char *out) {
    const unsigned char *pair = table + record % RECORDS * PAIR;
    entry_t entry;
    state_t state;
    if (sealed_entry_newest(pair, &entry)) {
        sealed_file_fault_t fault = read_entry(file, workspace, record, &entry, out);
        if (fault.status != SEALED_FILE_DAMAGED || !sealed_entry_older(pair, &entry)) return fault;
        /* In a power failure the table may have reached the disk before the page did. */
        sealed_file_fault_t other = sealed_state_read(file, &state);
        if (other.status || !(state.flags & UNSYNCED)) return fault;
        other = read_entry(file, workspace, record, &entry, out);
        return other.status ? fault : other;
    }
    /* Read after the table, so that it includes every truncation that cleared the entry. */
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    if (fault.status) return fault;
    if (record < state.dense) return damaged(record);
    workspace->found_hole = true;
    memset(out, 0, PAGE);
    return GOOD;
}

/* Read a record that is missing, or failed to verify without locks. The workspace is released while waiting for the
 * lock, so that one is left for the thread that holds it. */
static sealed_file_fault_t read_locked(sealed_file_t *file, workspace_t *workspace, uint64_t record, unsigned char *out) {
    unsigned char table[PAGE];
    uint64_t group = record / RECORDS;
    uint32_t key_number = workspace->key_number;
    sealed_workspace_release(workspace);
    pthread_mutex_lock(&file->writing.mutex);
    sealed_file_fault_t fault = sealed_workspace_acquire(file, key_number ? key_number : 1, workspace);
    bool has_lock = !fault.status && !(fault = sealed_lock_group(file, group)).status;
    if (has_lock) {
        /* Not from the cache: another program may have restored an older file. */
        fault = sealed_read_all(file->descriptor, table, PAGE, sealed_table_offset(group));
        if (!fault.status) fault = sealed_record_locked(file, workspace, record, table, out);
        sealed_unlock_group(file, group);
    }
    pthread_mutex_unlock(&file->writing.mutex);
    return fault;
}

/* The number of records from this one on whose pages are contiguous. */
static unsigned contiguous(const unsigned char *table, unsigned index, unsigned count, entry_t *first) {
    entry_t next;
    if (!sealed_entry_newest(table + index * PAIR, first)) return 0;
    unsigned length = 1;
    while (length < count && length < BATCH && sealed_entry_newest(table + (index + length) * PAIR, &next)
           && next.page_index == first->page_index + length)
        length++;
    return length;
}

sealed_file_fault_t sealed_records_read(
    sealed_file_t *file, workspace_t *workspace, uint64_t dense, uint64_t from, uint64_t count, unsigned char *out) {
    unsigned char table[PAGE];
    while (count > 0) {
        uint64_t group = from / RECORDS;
        unsigned index = from % RECORDS, wanted = RECORDS - index < count ? RECORDS - index : (unsigned)count;
        sealed_file_fault_t fault = sealed_table_read(file, group, index, wanted, table + index * PAIR);
        for (unsigned done = 0; !fault.status && done < wanted;) {
            entry_t first, entry;
            unsigned length = contiguous(table, index + done, wanted - done, &first);
            if (length == 0 && from + done >= dense) {
                workspace->found_hole = true;
                memset(out + (size_t)done * PAGE, 0, PAGE);
            } else if (length == 0) fault = read_locked(file, workspace, from + done, out + (size_t)done * PAGE);
            else
                fault =
                    sealed_read_all(file->descriptor, workspace->pages, length * PAGE, sealed_page_offset(group, first.page_index));
            for (unsigned i = 0; !fault.status && i < length; i++, done++) {
                unsigned char *to = out + (size_t)done * PAGE;
                sealed_entry_newest(table + (index + done) * PAIR, &entry);
                fault = open_page(file, workspace, from + done, &entry, workspace->pages + i * PAGE, to);
                if (fault.status != SEALED_FILE_DAMAGED) continue;
                /* Its page may belong to another record by now. The pages in the workspace are lost; continue behind
                 * it. */
                fault = read_locked(file, workspace, from + done, to);
                length = i + 1;
            }
            if (length == 0) done++;
        }
        if (fault.status) return fault;
        from += wanted;
        out += (size_t)wanted * PAGE;
        count -= wanted;
    }
    return GOOD;
}

/* Seal a run of records into contiguous free pages, then update the table. Nonces are drawn when they are used: one
 * that was kept in memory would repeat when a snapshot of a virtual machine is resumed twice. */
static sealed_file_fault_t write_run(
    sealed_file_t *file, workspace_t *workspace, uint64_t from, unsigned count, unsigned page_index, const unsigned char *plain,
    table_t *table) {
    uint64_t group = from / RECORDS;
    unsigned index = from % RECORDS;
    unsigned char number[8], nonces[BATCH][NONCE], pairs[BATCH * PAIR], *entry = pairs;
    if (!process_random(nonces, count * NONCE)) return FAULT(SEALED_FILE_NO_RANDOM);
    for (unsigned i = 0; i < count; i++) {
        unsigned char *page = workspace->pages + i * PAGE, *pair = pairs + i * PAIR;
        sealed_put_be(number, 8, from + i);
        if (!sealing_slot_seal(workspace->cipher, nonces[i], number, sizeof number, plain + (size_t)i * PAGE, PAGE, page))
            return FAULT(SEALED_FILE_LIBRARY);
        memcpy(pair, table->pairs + (index + i) * PAIR, PAIR);
        entry =
            sealed_entry_write(pair, (unsigned char)(page_index + i), (unsigned char)workspace->key_number, nonces[i], page + PAGE);
    }
    file->writing.reserved -= count;
    file->writing.writes++;
    sealed_file_fault_t fault =
        sealed_write_all(file->descriptor, workspace->pages, count * PAGE, sealed_page_offset(group, page_index));
    if (fault.status) return fault;
    if (count > 1) return sealed_table_write(file, table, index, count, pairs, 0, count * PAIR);
    return sealed_table_write(file, table, index, 1, pairs, (size_t)(entry - pairs), ENTRY);
}

sealed_file_fault_t sealed_records_write_locked(
    sealed_file_t *file, workspace_t *workspace, uint64_t from, unsigned count, const unsigned char *plain, table_t *table,
    unsigned *written) {
    sealed_file_fault_t fault = sealed_workspace_set_key(file, file->writing.key_number, workspace);
    *written = 0;
    while (!fault.status && *written < count) {
        uint64_t free = table->free, record = from + *written;
        unsigned page_index = record % RECORDS, left = count - *written, length = 1;
        if (!(free >> page_index & 1)) page_index = (unsigned)__builtin_ctzll(free); /* there is one: 63 records, 64 pages */
        while (length < left && length < BATCH && page_index + length < GROUP_PAGES && (free >> (page_index + length) & 1))
            length++;
        fault = write_run(file, workspace, record, length, page_index, plain + (size_t)*written * PAGE, table);
        if (!fault.status) *written += length;
    }
    return fault;
}
