#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* What was read of tables, remembered as long as nobody changes them: who reads or writes at random would read the table anew
 * each time. So much of it in a process, and no more. */

enum { FEW = 4, SLOTS = 1152, MOST = 1280 };

static _Atomic int count;

/* With the lock on tables: the place for a group's, made where there is room; NULL where there is none. */
static table_t *slot_of(sealed_file_t *file, uint64_t group) {
    unsigned wanted = group < FEW ? FEW : SLOTS; /* most files are small */
    if (file->slots < wanted) {
        table_t **more = calloc(wanted, sizeof *more);
        if (more && file->tables) memcpy(more, file->tables, file->slots * sizeof *more);
        if (more) {
            free(file->tables);
            file->tables = more;
            file->slots = wanted;
        }
    }
    if (!file->tables) return NULL;
    table_t **slot = &file->tables[group % file->slots];
    if (*slot) return *slot;
    if (atomic_fetch_add(&count, 1) < MOST) *slot = calloc(1, sizeof **slot);
    if (*slot) (*slot)->version = 1; /* of nothing */
    else atomic_fetch_sub(&count, 1);
    return *slot;
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
    const table_t *known = file->tables ? file->tables[group % file->slots] : NULL;
    bool is_here = is_known(known, group, version);
    if (is_here) memcpy(pairs, known->pairs + from * PAIR, wanted * PAIR);
    pthread_mutex_unlock(&file->tables_lock);
    if (is_here) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    if (fault.status) return fault;
    pthread_mutex_lock(&file->tables_lock);
    table_t *slot = slot_of(file, group);
    if (slot && !slot->is_pinned && !(version & 1)) fill(slot, group, version, whole);
    pthread_mutex_unlock(&file->tables_lock);
    memcpy(pairs, whole + from * PAIR, wanted * PAIR);
    return GOOD;
}

sealed_file_fault_t sealed_table_pin(sealed_file_t *file, uint64_t group, table_t *spare, table_t **table) {
    unsigned char whole[RECORDS * PAIR];
    uint32_t version = atomic_load(sealed_version(file, group)); /* even: its lock is held */
    pthread_mutex_lock(&file->tables_lock);
    table_t *slot = slot_of(file, group);
    if (slot) slot->is_pinned = true;
    pthread_mutex_unlock(&file->tables_lock);
    *table = slot ? slot : spare;
    if (!slot) spare->version = 1;
    if (is_known(*table, group, version)) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    pthread_mutex_lock(&file->tables_lock);
    if (!fault.status) fill(*table, group, version, whole);
    if (fault.status && slot) slot->is_pinned = false;
    pthread_mutex_unlock(&file->tables_lock);
    return fault;
}

void sealed_table_unpin(sealed_file_t *file, table_t *table) {
    pthread_mutex_lock(&file->tables_lock);
    table->is_pinned = false;
    pthread_mutex_unlock(&file->tables_lock);
}

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

void sealed_tables_free(sealed_file_t *file) {
    for (unsigned i = 0; i < file->slots; i++) {
        if (file->tables[i]) atomic_fetch_sub(&count, 1);
        free(file->tables[i]);
    }
    free(file->tables);
    file->tables = NULL;
    file->slots = 0;
}
