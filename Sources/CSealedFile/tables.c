#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* What was read of tables, remembered as long as nobody changes them: who reads or writes at random would read the table anew
 * each time. So much of it in a process, and no more. */

enum { SLOTS = 1152, MOST = 1280 };

static _Atomic int count;

/* The place for a group's; NULL where there is none yet. */
static slot_t *slot_of(sealed_file_t *file, uint64_t group) {
    if (group < FEW) return &file->few[group]; /* most files are small */
    slot_t *many = atomic_load(&file->many);
    return many ? &many[group % SLOTS] : NULL;
}

void sealed_table_prefetch(sealed_file_t *file, uint64_t record) {
    slot_t *slot = slot_of(file, record / RECORDS);
    const table_t *table = slot ? atomic_load(slot) : NULL;
    if (!table) return;
    __builtin_prefetch(&table->version);
    __builtin_prefetch(table->pairs + record % RECORDS * PAIR);
}

/* With the lock on tables: what is remembered in a group's place, made where there is room; NULL where there is none. */
static table_t *table_of(sealed_file_t *file, uint64_t group) {
    slot_t *slot = slot_of(file, group);
    if (!slot && atomic_load(&count) < MOST) {
        atomic_store(&file->many, calloc(SLOTS, sizeof(slot_t)));
        slot = slot_of(file, group);
    }
    table_t *table = slot ? atomic_load(slot) : NULL;
    if (table || !slot) return table;
    if (atomic_fetch_add(&count, 1) < MOST) table = aligned_alloc(_Alignof(table_t), sizeof *table);
    if (table) {
        *table = (table_t){.version = 1}; /* of nothing */
        atomic_store(slot, table);
    } else {
        atomic_fetch_sub(&count, 1);
    }
    return table;
}

static void fill(table_t *table, uint64_t group, uint32_t version, const unsigned char *pairs) {
    table->group = group;
    table->version = version;
    table->free = sealed_table_free(pairs);
    memcpy(table->pairs, pairs, sizeof table->pairs);
}

static bool is_known(const table_t *table, uint64_t group, uint32_t version) {
    return table && table->group == group && table->version == version && !(version & 1);
}

sealed_file_fault_t sealed_table_read(
    sealed_file_t *file, uint64_t group, unsigned from, unsigned wanted, unsigned char *pairs) {
    unsigned char whole[RECORDS * PAIR];
    uint32_t version = atomic_load(sealed_version(file, group));
    pthread_mutex_lock(&file->tables_lock);
    slot_t *slot = slot_of(file, group);
    const table_t *known = slot ? atomic_load(slot) : NULL;
    bool is_here = is_known(known, group, version);
    if (is_here) memcpy(pairs, known->pairs + from * PAIR, wanted * PAIR);
    pthread_mutex_unlock(&file->tables_lock);
    if (is_here) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    if (fault.status) return fault;
    pthread_mutex_lock(&file->tables_lock);
    table_t *table = table_of(file, group);
    if (table && !table->is_pinned && !(version & 1)) fill(table, group, version, whole);
    pthread_mutex_unlock(&file->tables_lock);
    memcpy(pairs, whole + from * PAIR, wanted * PAIR);
    return GOOD;
}

sealed_file_fault_t sealed_table_pin(sealed_file_t *file, uint64_t group, table_t *spare, table_t **table) {
    unsigned char whole[RECORDS * PAIR];
    uint32_t version = atomic_load(sealed_version(file, group)); /* even: its lock is held */
    pthread_mutex_lock(&file->tables_lock);
    table_t *kept = table_of(file, group);
    if (kept) kept->is_pinned = true;
    pthread_mutex_unlock(&file->tables_lock);
    *table = kept ? kept : spare;
    if (!kept) spare->version = 1;
    if (is_known(kept, group, version)) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    pthread_mutex_lock(&file->tables_lock);
    if (!fault.status) fill(*table, group, version, whole);
    if (fault.status && kept) kept->is_pinned = false;
    pthread_mutex_unlock(&file->tables_lock);
    return fault;
}

void sealed_table_unpin(table_t *table) { atomic_store_explicit(&table->is_pinned, false, memory_order_release); }

sealed_file_fault_t sealed_table_write(
    sealed_file_t *file, table_t *table, unsigned from, unsigned wanted, const unsigned char *pairs, size_t begin,
    size_t length) {
    sealed_version_t *version = sealed_version(file, table->group);
    sealed_changing(version);
    sealed_file_fault_t fault = sealed_write_all(
        file->descriptor, pairs + begin, length, sealed_table_offset(table->group) + (int64_t)(from * PAIR + begin));
    sealed_changed(version);
    pthread_mutex_lock(&file->tables_lock);
    for (unsigned i = 0; i < wanted; i++) {
        entry_t entry;
        if (sealed_entry_newest(table->pairs + (from + i) * PAIR, &entry)) table->free |= (uint64_t)1 << entry.place;
        memcpy(table->pairs + (from + i) * PAIR, pairs + i * PAIR, PAIR);
    }
    for (unsigned i = 0; i < wanted; i++) {
        entry_t entry;
        if (sealed_entry_newest(pairs + i * PAIR, &entry)) table->free &= ~((uint64_t)1 << entry.place);
    }
    table->version = fault.status ? 1 : atomic_load(version);
    pthread_mutex_unlock(&file->tables_lock);
    return fault;
}

static void free_slots(slot_t *slots, unsigned wanted) {
    for (unsigned i = 0; slots && i < wanted; i++) {
        if (slots[i]) atomic_fetch_sub(&count, 1);
        free(slots[i]);
    }
}

void sealed_tables_free(sealed_file_t *file) {
    free_slots(file->few, FEW);
    free_slots(file->many, SLOTS);
    free(file->many);
}
