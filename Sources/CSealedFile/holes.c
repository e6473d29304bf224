#include "internal.h"
#include <errno.h>
#include <unistd.h>

/* The next group, from this one on, that has allocated blocks; false if there is none. */
static bool next_group(sealed_file_t *file, uint64_t *group) {
    off_t data = lseek(file->descriptor, sealed_table_offset(*group), SEEK_DATA);
    if (data < 0) return errno != ENXIO;
    uint64_t found = ((uint64_t)data / PAGE - 1) / (GROUP_PAGES + 1);
    if (found > *group) *group = found;
    return true;
}

sealed_file_fault_t sealed_file_next_data(sealed_file_t *file, int64_t offset, int64_t *begin, int64_t *end) {
    unsigned char table[PAGE];
    entry_t entry;
    state_t state = {0};
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    uint64_t records = sealed_record_count(state.length), record = (uint64_t)offset / PAGE, group = record / RECORDS;
    *begin = *end = (int64_t)state.length;
    if (fault.status || (uint64_t)offset >= state.length) return fault;
    while (record < records && next_group(file, &group)) {
        if (group * RECORDS > record) record = group * RECORDS;
        fault = sealed_read_all(file->descriptor, table, PAGE, sealed_table_offset(group));
        if (fault.status) break;
        /* A missing record before `dense` counts as data, so that reading it reports the damage. */
        bool has_data = false;
        uint64_t limit = (group + 1) * RECORDS < records ? (group + 1) * RECORDS : records;
        for (; record < limit; record++) {
            bool is_there = record < state.dense || sealed_entry_newest(table + record % RECORDS * PAIR, &entry);
            if (is_there && !has_data) *begin = (int64_t)(record * PAGE);
            if (!is_there && has_data) break;
            has_data |= is_there;
        }
        if (has_data) {
            if (*begin < offset) *begin = offset;
            if (record * PAGE < state.length) *end = (int64_t)(record * PAGE);
            return GOOD;
        }
        group++;
    }
    return fault;
}
