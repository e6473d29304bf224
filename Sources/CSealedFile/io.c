#include "internal.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

sealed_file_fault_t sealed_fault_system(void) { return (sealed_file_fault_t){.status = SEALED_FILE_SYSTEM, .error = errno}; }

sealed_file_fault_t sealed_fault_short_write(void) { return (sealed_file_fault_t){.status = SEALED_FILE_SYSTEM, .error = EIO}; }

uint64_t sealed_get_be(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
    return value;
}

void sealed_put_be(unsigned char *bytes, int count, uint64_t value) {
    for (int i = count - 1; i >= 0; i--, value >>= 8) bytes[i] = (unsigned char)value;
}

sealed_file_fault_t sealed_read_all(int descriptor, void *out, size_t length, int64_t offset) {
    for (unsigned char *to = out; length > 0;) {
        ssize_t got = pread(descriptor, to, length, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return sealed_fault_system();
        if (got == 0) {
            memset(to, 0, length);
            break;
        }
        to += got;
        offset += got;
        length -= (size_t)got;
    }
    return GOOD;
}

sealed_file_fault_t sealed_write_all(int descriptor, const void *bytes, size_t length, int64_t offset) {
    for (const unsigned char *from = bytes; length > 0;) {
        ssize_t done = pwrite(descriptor, from, length, offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return sealed_fault_system();
        if (done == 0) return sealed_fault_short_write();
        from += done;
        offset += done;
        length -= (size_t)done;
    }
    return GOOD;
}

int64_t sealed_table_offset(uint64_t group) { return (int64_t)(PAGE + group * (GROUP_PAGES + 1) * PAGE); }

int64_t sealed_page_offset(uint64_t group, unsigned page_index) {
    return sealed_table_offset(group) + (int64_t)(1 + page_index) * PAGE;
}

uint64_t sealed_record_count(uint64_t length) { return length / PAGE + (length % PAGE != 0); }
