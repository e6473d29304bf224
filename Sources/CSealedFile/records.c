#include "internal.h"
#include <platform_memory.h>
#include <string.h>

static sealed_file_fault_t damaged(uint64_t record) {
    return (sealed_file_fault_t){.status = SEALED_FILE_DAMAGED, .offset = (int64_t)(record * PAGE)};
}

/* Open a record whose page was read. */
static sealed_file_fault_t open_page(
    sealed_file_t *file, bench_t *bench, uint64_t record, const entry_t *entry, const unsigned char *page,
    unsigned char *out) {
    unsigned char number[8];
    sealed_put(number, 8, record);
    sealed_file_fault_t fault = sealed_bench_key(file, entry->generation, bench);
    if (fault.status) return fault;
    int32_t status = sealing_keyed_open(bench->cipher, entry->nonce, number, sizeof number, page, PAGE, entry->tag, out);
    if (status == SEALING_NOT_AUTHENTIC) return damaged(record);
    return status == SEALING_OK ? GOOD : FAULT(SEALED_FILE_LIBRARY);
}

static sealed_file_fault_t read_entry(
    sealed_file_t *file, bench_t *bench, uint64_t record, const entry_t *entry, unsigned char *out) {
    unsigned char *page = bench->pages;
    sealed_file_fault_t fault =
        sealed_read_all(file->descriptor, page, PAGE, sealed_page_offset(record / RECORDS, entry->place));
    return fault.status ? fault : open_page(file, bench, record, entry, page, out);
}

sealed_file_fault_t sealed_record_locked(
    sealed_file_t *file, bench_t *bench, uint64_t record, const unsigned char *table, unsigned char *out) {
    const unsigned char *pair = table + record % RECORDS * PAIR;
    entry_t entry;
    state_t state;
    sealed_file_fault_t fault = GOOD;
    if (sealed_entry_newest(pair, &entry)) {
        fault = read_entry(file, bench, record, &entry, out);
        if (fault.status != SEALED_FILE_DAMAGED || !sealed_entry_older(pair, &entry)) return fault;
        /* The table may have reached the disk before the page did, when the power failed. */
        sealed_file_fault_t other = sealed_state_read(file, &state);
        if (other.status || !(state.flags & UNSYNCED)) return fault;
        other = read_entry(file, bench, record, &entry, out);
        return other.status ? fault : other;
    }
    /* Read after the table, so that it knows of every shrinking that cleared it. */
    if ((fault = sealed_state_read(file, &state)).status) return fault;
    if (record < state.dense) return damaged(record);
    bench->met_hole = true;
    memset(out, 0, PAGE);
    return GOOD;
}

/* What could not be read beside others that write, or is missing. Whoever waits for a lock of the file has no bench, so that
 * one is left for who holds it. */
static sealed_file_fault_t read_slowly(sealed_file_t *file, bench_t *bench, uint64_t record, unsigned char *out) {
    unsigned char table[PAGE];
    uint64_t group = record / RECORDS;
    uint32_t generation = bench->generation;
    sealed_bench_give(bench);
    pthread_mutex_lock(&file->lock);
    sealed_file_fault_t fault = sealed_bench_take(file, generation ? generation : 1, bench);
    bool has_lock = !fault.status && !(fault = sealed_lock_group(file, group)).status;
    if (has_lock) {
        /* From the disk: another program may have put an older file in its place. */
        fault = sealed_read_all(file->descriptor, table, PAGE, sealed_table_offset(group));
        if (!fault.status) fault = sealed_record_locked(file, bench, record, table, out);
        sealed_unlock_group(file, group);
    }
    pthread_mutex_unlock(&file->lock);
    return fault;
}

/* How many records from this one on have their pages one behind the other. */
static unsigned run(const unsigned char *table, unsigned index, unsigned count, entry_t *first) {
    entry_t next;
    if (!sealed_entry_newest(table + index * PAIR, first)) return 0;
    unsigned length = 1;
    while (length < count && length < BATCH && sealed_entry_newest(table + (index + length) * PAIR, &next)
           && next.place == first->place + length)
        length++;
    return length;
}

sealed_file_fault_t sealed_records_read(
    sealed_file_t *file, bench_t *bench, uint64_t dense, uint64_t from, uint64_t count, unsigned char *out) {
    unsigned char table[PAGE];
    while (count > 0) {
        uint64_t group = from / RECORDS;
        unsigned index = from % RECORDS, wanted = RECORDS - index < count ? RECORDS - index : (unsigned)count;
        sealed_file_fault_t fault = sealed_table_read(file, group, index, wanted, table + index * PAIR);
        for (unsigned done = 0; !fault.status && done < wanted;) {
            entry_t first, entry;
            unsigned length = run(table, index + done, wanted - done, &first);
            if (length == 0 && from + done >= dense) {
                bench->met_hole = true;
                memset(out + (size_t)done * PAGE, 0, PAGE);
            } else if (length == 0) fault = read_slowly(file, bench, from + done, out + (size_t)done * PAGE);
            else fault = sealed_read_all(
                file->descriptor, bench->pages, length * PAGE, sealed_page_offset(group, first.place));
            for (unsigned i = 0; !fault.status && i < length; i++, done++) {
                unsigned char *to = out + (size_t)done * PAGE;
                sealed_entry_newest(table + (index + done) * PAIR, &entry);
                fault = open_page(file, bench, from + done, &entry, bench->pages + i * PAGE, to);
                if (fault.status != SEALED_FILE_DAMAGED) continue;
                /* Perhaps its page was given to another record meanwhile. The pages are lost by this: begin anew behind. */
                fault = read_slowly(file, bench, from + done, to);
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

/* Seal a run of records into free pages one behind the other, then tell of them in the table. Nonces are drawn when they are
 * used: one that is kept in memory is used twice where that memory runs twice, in a resumed snapshot of a machine. */
static sealed_file_fault_t write_run(
    sealed_file_t *file, bench_t *bench, uint64_t from, unsigned count, unsigned place, const unsigned char *plain,
    table_t *table) {
    uint64_t group = from / RECORDS;
    unsigned index = from % RECORDS;
    unsigned char number[8], nonces[BATCH][NONCE], pairs[BATCH * PAIR], *entry = pairs;
    if (!platform_random(nonces, count * NONCE)) return FAULT(SEALED_FILE_NO_RANDOM);
    for (unsigned i = 0; i < count; i++) {
        unsigned char *page = bench->pages + i * PAGE, *pair = pairs + i * PAIR;
        sealed_put(number, 8, from + i);
        if (!sealing_keyed_seal(bench->cipher, nonces[i], number, sizeof number, plain + (size_t)i * PAGE, PAGE, page))
            return FAULT(SEALED_FILE_LIBRARY);
        memcpy(pair, table->pairs + (index + i) * PAIR, PAIR);
        entry = sealed_entry_write(
            pair, (unsigned char)(place + i), (unsigned char)bench->generation, nonces[i], page + PAGE);
    }
    file->reserved -= count;
    file->writes++;
    sealed_file_fault_t fault =
        sealed_write_all(file->descriptor, bench->pages, count * PAGE, sealed_page_offset(group, place));
    if (fault.status) return fault;
    if (count > 1) return sealed_table_write(file, table, index, count, pairs, 0, count * PAIR);
    return sealed_table_write(file, table, index, 1, pairs, (size_t)(entry - pairs), ENTRY);
}

sealed_file_fault_t sealed_records_write(
    sealed_file_t *file, bench_t *bench, uint64_t from, unsigned count, const unsigned char *plain, table_t *table,
    unsigned *written) {
    sealed_file_fault_t fault = sealed_bench_key(file, file->generation, bench);
    *written = 0;
    while (!fault.status && *written < count) {
        uint64_t free = table->free, record = from + *written;
        unsigned place = record % RECORDS, left = count - *written, length = 1;
        if (!(free >> place & 1)) place = (unsigned)__builtin_ctzll(free); /* one is: 63 records, 64 pages */
        while (length < left && length < BATCH && place + length < PLACES && (free >> (place + length) & 1)) length++;
        fault = write_run(file, bench, record, length, place, plain + (size_t)*written * PAGE, table);
        if (!fault.status) *written += length;
    }
    return fault;
}
