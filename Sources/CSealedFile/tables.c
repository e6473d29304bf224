#include "internal.h"
#include <stdlib.h>
#include <string.h>

/* What was read of tables, remembered as long as nobody changes them: who reads or writes at random would read the table anew
 * each time. So much of it in a process, and no more. */

enum { SLOTS = 1152, MOST = 1280 };

struct table {
    uint64_t group;
    uint32_t version;
    unsigned char pairs[RECORDS * PAIR];
};

static _Atomic int count;

static table_t **slot_of(sealed_file_t *file, uint64_t group) {
    if (!file->tables) file->tables = calloc(SLOTS, sizeof *file->tables);
    return file->tables ? &file->tables[group % SLOTS] : NULL;
}

static void remember(sealed_file_t *file, uint64_t group, uint32_t version, const unsigned char *pairs) {
    pthread_mutex_lock(&file->tables_lock);
    table_t **slot = slot_of(file, group);
    if (slot && !*slot) {
        if (atomic_fetch_add(&count, 1) < MOST) *slot = malloc(sizeof **slot);
        if (!*slot) atomic_fetch_sub(&count, 1);
    }
    if (slot && *slot) {
        (*slot)->group = group;
        (*slot)->version = version;
        memcpy((*slot)->pairs, pairs, sizeof (*slot)->pairs);
    }
    pthread_mutex_unlock(&file->tables_lock);
}

static bool recall(
    sealed_file_t *file, uint64_t group, uint32_t version, unsigned from, unsigned wanted, unsigned char *pairs) {
    pthread_mutex_lock(&file->tables_lock);
    table_t *table = file->tables ? file->tables[group % SLOTS] : NULL;
    bool is_known = table && table->group == group && table->version == version;
    if (is_known) memcpy(pairs, table->pairs + from * PAIR, wanted * PAIR);
    pthread_mutex_unlock(&file->tables_lock);
    return is_known;
}

sealed_file_fault_t sealed_table_read(
    sealed_file_t *file, uint64_t group, unsigned from, unsigned wanted, unsigned char *pairs) {
    unsigned char whole[RECORDS * PAIR];
    uint32_t version = atomic_load(sealed_version(file, group));
    if (!(version & 1) && recall(file, group, version, from, wanted, pairs)) return GOOD;
    sealed_file_fault_t fault = sealed_read_all(file->descriptor, whole, sizeof whole, sealed_table_offset(group));
    if (fault.status) return fault;
    if (!(version & 1)) remember(file, group, version, whole);
    memcpy(pairs, whole + from * PAIR, wanted * PAIR);
    return GOOD;
}

sealed_file_fault_t sealed_table_write(
    sealed_file_t *file, uint64_t group, const unsigned char *table, size_t from, size_t length) {
    sealed_version_t *version = sealed_version(file, group);
    sealed_changing(version);
    sealed_file_fault_t fault =
        sealed_write_all(file->descriptor, table + from, length, sealed_table_offset(group) + (int64_t)from);
    sealed_changed(version);
    if (!fault.status) remember(file, group, atomic_load(version), table);
    return fault;
}

void sealed_tables_free(sealed_file_t *file) {
    for (int i = 0; file->tables && i < SLOTS; i++) {
        if (file->tables[i]) atomic_fetch_sub(&count, 1);
        free(file->tables[i]);
    }
    free(file->tables);
    file->tables = NULL;
}
