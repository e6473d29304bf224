#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* A cache of tables, valid while their versions do not change: random access would read the table each time. Its
 * size in a process is limited. */

enum { TABLE_SLOTS = 1152, MAX_TABLES = 1280 };

static _Atomic int table_count;

/* The slot of a group's table; NULL if it is not allocated yet. */
static table_slot_t *table_slot(sealed_file_t *file, uint64_t group) {
    if (group < INLINE_TABLES) return &file->tables.of_first_groups[group]; /* most files are small */
    table_slot_t *more_tables = atomic_load(&file->tables.of_others);
    return more_tables ? &more_tables[group % TABLE_SLOTS] : NULL;
}

void sealed_table_prefetch(sealed_file_t *file, uint64_t record) {
    table_slot_t *slot = table_slot(file, record / RECORDS);
    const table_t *table = slot ? atomic_load(slot) : NULL;
    if (!table) return;
    __builtin_prefetch(&table->version);
    __builtin_prefetch(table->pairs + record % RECORDS * PAIR);
}

/* The cached table of a group's slot, allocated within the limit; NULL beyond it. */
static table_t *make_table_locked(sealed_file_t *file, uint64_t group) {
    table_slot_t *slot = table_slot(file, group);
    if (!slot && atomic_load(&table_count) < MAX_TABLES) {
        atomic_store(&file->tables.of_others, calloc(TABLE_SLOTS, sizeof(table_slot_t)));
        slot = table_slot(file, group);
    }
    table_t *table = slot ? atomic_load(slot) : NULL;
    if (table || !slot) return table;
    if (atomic_fetch_add(&table_count, 1) < MAX_TABLES) table = aligned_alloc(_Alignof(table_t), sizeof *table);
    if (table) {
        *table = (table_t){.version = 1}; /* empty */
        atomic_store(slot, table);
    } else {
        atomic_fetch_sub(&table_count, 1);
    }
    return table;
}

static void fill(table_t *table, uint64_t group, uint32_t version, const unsigned char *pairs) {
    table->group = group;
    table->version = version;
    table->free = sealed_table_free(pairs);
    memcpy(table->pairs, pairs, sizeof table->pairs);
}

static bool is_current(const table_t *table, uint64_t group, uint32_t version) {
    return table && table->group == group && table->version == version && !(version & 1);
}

sealed_file_fault_t sealed_table_read(sealed_file_t *file, uint64_t group, unsigned from, unsigned count, unsigned char *pairs) {
    unsigned char whole[RECORDS * PAIR];
    uint32_t version = atomic_load(sealed_version(file, group));
    pthread_mutex_lock(&file->tables.mutex);
    table_slot_t *slot = table_slot(file, group);
    const table_t *cached = slot ? atomic_load(slot) : NULL;
    bool is_cached = is_current(cached, group, version);
    if (is_cached) memcpy(pairs, cached->pairs + from * PAIR, count * PAIR);
    pthread_mutex_unlock(&file->tables.mutex);
    if (is_cached) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    if (fault.status) return fault;
    pthread_mutex_lock(&file->tables.mutex);
    table_t *table = make_table_locked(file, group);
    if (table && !table->is_pinned && !(version & 1)) fill(table, group, version, whole);
    pthread_mutex_unlock(&file->tables.mutex);
    memcpy(pairs, whole + from * PAIR, count * PAIR);
    return GOOD;
}

sealed_file_fault_t sealed_table_pin_locked(sealed_file_t *file, uint64_t group, table_t *spare, table_t **table) {
    unsigned char whole[RECORDS * PAIR];
    uint32_t version = atomic_load(sealed_version(file, group)); /* even, because the group is locked */
    pthread_mutex_lock(&file->tables.mutex);
    table_t *cached = make_table_locked(file, group);
    if (cached) cached->is_pinned = true;
    pthread_mutex_unlock(&file->tables.mutex);
    *table = cached ? cached : spare;
    if (!cached) spare->version = 1;
    if (is_current(cached, group, version)) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    pthread_mutex_lock(&file->tables.mutex);
    if (!fault.status) fill(*table, group, version, whole);
    if (fault.status && cached) cached->is_pinned = false;
    pthread_mutex_unlock(&file->tables.mutex);
    return fault;
}

void sealed_table_unpin(table_t *table) { atomic_store_explicit(&table->is_pinned, false, memory_order_release); }

sealed_file_fault_t sealed_table_write(
    sealed_file_t *file, table_t *table, unsigned from, unsigned count, const unsigned char *pairs, size_t begin, size_t length) {
    sealed_version_t *version = sealed_version(file, table->group);
    sealed_version_begin_change(version);
    sealed_file_fault_t fault = sealed_write_all(
        file->descriptor, pairs + begin, length, sealed_table_offset(table->group) + (int64_t)(from * PAIR + begin));
    sealed_version_end_change(version);
    pthread_mutex_lock(&file->tables.mutex);
    for (unsigned i = 0; i < count; i++) {
        entry_t entry;
        if (sealed_entry_newest(table->pairs + (from + i) * PAIR, &entry)) table->free |= (uint64_t)1 << entry.page_index;
        memcpy(table->pairs + (from + i) * PAIR, pairs + i * PAIR, PAIR);
    }
    for (unsigned i = 0; i < count; i++) {
        entry_t entry;
        if (sealed_entry_newest(pairs + i * PAIR, &entry)) table->free &= ~((uint64_t)1 << entry.page_index);
    }
    table->version = fault.status ? 1 : atomic_load(version);
    pthread_mutex_unlock(&file->tables.mutex);
    return fault;
}

static void free_slots(table_slot_t *slots, unsigned count) {
    for (unsigned i = 0; slots && i < count; i++) {
        if (slots[i]) atomic_fetch_sub(&table_count, 1);
        free(slots[i]);
    }
}

void sealed_tables_free(sealed_file_t *file) {
    free_slots(file->tables.of_first_groups, INLINE_TABLES);
    free_slots(file->tables.of_others, TABLE_SLOTS);
    free(file->tables.of_others);
}
