#define _GNU_SOURCE
#include "files_io.h"
#include <errno.h>
#include <fcntl.h>
#include <process_size_limit.h>
#include <sys/stat.h>
#include <unistd.h>

int files_read(int descriptor, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    while (*count < capacity) {
        ssize_t got = read(descriptor, (char *)bytes + *count, capacity - *count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return 0;
        *count += (size_t)got;
    }
    return 0;
}

int files_write(int descriptor, const void *bytes, size_t count) {
    const char *at = bytes;
    bool is_blocked = process_sigxfsz_block();
    int result = 0;
    while (!result && count > 0) {
        ssize_t written = write(descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            result = errno;
        } else {
            at += written;
            count -= (size_t)written;
        }
    }
    process_sigxfsz_unblock(is_blocked);
    return result;
}

int files_pread(int descriptor, void *out, size_t length, int64_t offset, size_t *count) {
    for (*count = 0; *count < length;) {
        ssize_t got = pread(descriptor, (char *)out + *count, length - *count, offset + (int64_t)*count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        *count += (size_t)got;
    }
    return 0;
}

int files_pwrite(int descriptor, const void *bytes, size_t length, int64_t offset, size_t *count) {
    bool is_blocked = process_sigxfsz_block();
    int result = 0;
    for (*count = 0; !result && *count < length;) {
        ssize_t done = pwrite(descriptor, (const char *)bytes + *count, length - *count, offset + (int64_t)*count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) result = done < 0 ? errno : EIO;
        else *count += (size_t)done;
    }
    process_sigxfsz_unblock(is_blocked);
    return result;
}

int files_append(int descriptor, const void *bytes, size_t length, int64_t *offset, size_t *count) {
    bool is_blocked = process_sigxfsz_block();
    int result = 0;
    for (*count = 0; !result && *count < length;) {
        ssize_t done = write(descriptor, (const char *)bytes + *count, length - *count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) result = done < 0 ? errno : EIO;
        else *count += (size_t)done;
    }
    process_sigxfsz_unblock(is_blocked);
    off_t at = lseek(descriptor, 0, *count ? SEEK_CUR : SEEK_END);
    *offset = at < 0 ? 0 : at - (off_t)*count;
    return result;
}

int files_set_append(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 || fcntl(descriptor, F_SETFL, flags | O_APPEND) ? errno : 0;
}

int files_truncate(int descriptor, int64_t size) {
    int failed;
    bool is_blocked = process_sigxfsz_block();
    do failed = ftruncate(descriptor, size);
    while (failed && errno == EINTR);
    process_sigxfsz_unblock(is_blocked);
    return failed ? errno : 0;
}

int files_sync(int descriptor, bool is_data_only) { return (is_data_only ? fdatasync(descriptor) : fsync(descriptor)) ? errno : 0; }

int files_next_data(int descriptor, int64_t offset, int64_t *begin, int64_t *end) {
    struct stat s;
    if (fstat(descriptor, &s)) return errno;
    *begin = *end = s.st_size;
    off_t data = lseek(descriptor, offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return 0;
    if (data < 0 && errno != EINVAL && errno != ENOTSUP) return errno;
    *begin = data < 0 ? offset : data;
    off_t hole = data < 0 ? -1 : lseek(descriptor, data, SEEK_HOLE);
    if (hole >= 0) *end = hole;
    return 0;
}

int files_read_start(int descriptor, void *bytes, size_t capacity, size_t *count) {
    ssize_t got;
    *count = 0;
    do got = pread(descriptor, bytes, capacity, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno;
    *count = (size_t)got;
    return 0;
}
