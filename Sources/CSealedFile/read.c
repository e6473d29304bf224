#include "internal.h"
#include <process_memory.h>
#include <string.h>

/* Reads lock nothing, unless a record is missing or does not verify (records.c): a change by another thread or process shows
 * in a version, and the read is repeated. */

static sealed_file_fault_t read_part(
    sealed_file_t *file, workspace_t *workspace, uint64_t dense, uint64_t record, size_t begin, size_t count, unsigned char *out) {
    unsigned char *page = workspace->pages + PART_PAGE;
    sealed_file_fault_t fault = sealed_records_read(file, workspace, dense, record, 1, page);
    if (!fault.status) memcpy(out, page + begin, count);
    process_zero(page, PAGE);
    return fault;
}

/* After a failure, bytes that were read before it stay in `out`, and the rest is zeros. */
static sealed_file_fault_t read_range(
    sealed_file_t *file, workspace_t *workspace, uint64_t dense, unsigned char *out, size_t length, uint64_t offset, size_t *done) {
    sealed_file_fault_t fault = GOOD;
    while (!fault.status && *done < length) {
        uint64_t at = offset + *done;
        size_t begin = at % PAGE, left = length - *done, step;
        if (begin == 0 && left >= PAGE) {
            step = left / PAGE > BATCH ? BATCH * PAGE : left / PAGE * PAGE;
            fault = sealed_records_read(file, workspace, dense, at / PAGE, step / PAGE, out + *done);
            if (fault.status == SEALED_FILE_DAMAGED) step = (size_t)((uint64_t)fault.offset - at);
            else if (fault.status) step = 0;
            if (fault.status) memset(out + *done + step, 0, length - *done - step);
        } else {
            step = PAGE - begin < left ? PAGE - begin : left;
            fault = read_part(file, workspace, dense, at / PAGE, begin, step, out + *done);
            if (fault.status) step = 0;
        }
        *done += step;
    }
    return fault;
}

static sealed_file_fault_t try_read(
    sealed_file_t *file, void *out, size_t length, int64_t offset, size_t *count, bool *found_hole) {
    workspace_t workspace = {0};
    state_t state;
    *count = 0;
    sealed_file_fault_t fault = sealed_state_read(file, &state);
    if (fault.status || (uint64_t)offset >= state.length || length == 0) return fault;
    if (length > state.length - (uint64_t)offset) length = (size_t)(state.length - (uint64_t)offset);
    if ((fault = sealed_workspace_acquire(file, state.key_number, &workspace)).status) return fault;
    fault = read_range(file, &workspace, state.dense, out, length, (uint64_t)offset, count);
    if (workspace.cipher) sealed_workspace_release(&workspace);
    *found_hole = workspace.found_hole;
    return fault;
}

sealed_file_fault_t sealed_file_pread(sealed_file_t *file, void *out, size_t length, int64_t offset, size_t *count) {
    sealed_file_fault_t fault = GOOD;
    sealed_table_prefetch(file, (uint64_t)offset / PAGE);
    /* If the file was truncated meanwhile, the hole is its end: read again. */
    for (int attempt = 0; attempt < 16; attempt++) {
        bool found_hole = false;
        uint32_t version = atomic_load(sealed_length_version(file));
        fault = try_read(file, out, length, offset, count, &found_hole);
        if (!found_hole || version == atomic_load(sealed_length_version(file))) break;
    }
    return fault;
}
