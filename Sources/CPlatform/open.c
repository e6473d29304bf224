#define _GNU_SOURCE
#include "platform_open.h"
#include "platform_limit.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USE = 0, COMMON = O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK };

platform_open_flags_t platform_open_flags(int32_t flags) {
    const int known =
        O_ACCMODE | O_APPEND | O_TRUNC | O_EXCL | O_CREAT | O_SYNC | O_DSYNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_LARGEFILE;
    int access = flags & O_ACCMODE;
    return (platform_open_flags_t){
        .reads = access != O_WRONLY, .writes = access != O_RDONLY, .appends = flags & O_APPEND,
        .truncates = flags & O_TRUNC, .is_exclusive = flags & O_EXCL, .is_synchronous = (flags & O_SYNC) == O_SYNC,
        .is_data_synchronous = flags & O_DSYNC, .creates = flags & O_CREAT,
        .has_others = (flags & ~known) || access == O_ACCMODE};
}

/* Sealed records are read before they are changed, so that who writes also reads. */
static int bits(const platform_open_flags_t *flags) {
    return COMMON | (flags->writes ? O_RDWR : O_RDONLY)
        | (flags->is_synchronous ? O_SYNC : flags->is_data_synchronous ? O_DSYNC : 0);
}

int platform_open_at(
    int directory, const char *name, const platform_open_flags_t *flags, int *descriptor, platform_file_facts_t *facts) {
    *descriptor = -1;
    /* A device or a pipe is not even opened for a look: that can have effects. */
    int failure = platform_facts_at(directory, name, facts);
    if (failure || !S_ISREG(facts->mode)) return failure;
    int f = openat(directory, name, bits(flags));
    if (f < 0) return errno;
    failure = platform_facts_of(f, facts);
    if (failure || !S_ISREG(facts->mode)) close(f);
    else *descriptor = f;
    return failure;
}

int platform_open_nameless(int directory, const platform_open_flags_t *flags, uint32_t mode, int *descriptor) {
    platform_open_flags_t both = flags ? *flags : (platform_open_flags_t){0};
    both.writes = true;
    *descriptor = openat(directory, ".", (bits(&both) & ~O_NOFOLLOW) | O_TMPFILE, (mode_t)(mode & 07777));
    return *descriptor < 0 ? errno : 0;
}

bool platform_is_at(int descriptor, int directory, const char *name) {
    struct stat s, there;
    return !fstat(descriptor, &s) && !fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW) && s.st_dev == there.st_dev
        && s.st_ino == there.st_ino;
}

int platform_read_from(int descriptor, void *out, size_t length, int64_t offset, size_t *count) {
    for (*count = 0; *count < length;) {
        ssize_t got = pread(descriptor, (char *)out + *count, length - *count, offset + (int64_t)*count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        *count += (size_t)got;
    }
    return 0;
}

int platform_write_to(int descriptor, const void *bytes, size_t length, int64_t offset, size_t *count) {
    bool is_growing = platform_growing_begin();
    int result = 0;
    for (*count = 0; !result && *count < length;) {
        ssize_t done = pwrite(descriptor, (const char *)bytes + *count, length - *count, offset + (int64_t)*count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) result = done < 0 ? errno : EIO;
        else *count += (size_t)done;
    }
    platform_growing_end(is_growing);
    return result;
}

int platform_append_to(int descriptor, const void *bytes, size_t length, int64_t *offset, size_t *count) {
    bool is_growing = platform_growing_begin();
    int result = 0;
    for (*count = 0; !result && *count < length;) {
        ssize_t done = write(descriptor, (const char *)bytes + *count, length - *count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) result = done < 0 ? errno : EIO;
        else *count += (size_t)done;
    }
    platform_growing_end(is_growing);
    off_t at = lseek(descriptor, 0, *count ? SEEK_CUR : SEEK_END);
    *offset = at < 0 ? 0 : at - (off_t)*count;
    return result;
}

int platform_append_from_now(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 || fcntl(descriptor, F_SETFL, flags | O_APPEND) ? errno : 0;
}

int platform_resize(int descriptor, int64_t size) {
    int failed;
    bool is_growing = platform_growing_begin();
    do failed = ftruncate(descriptor, size);
    while (failed && errno == EINTR);
    platform_growing_end(is_growing);
    return failed ? errno : 0;
}

int platform_sync(int descriptor, bool is_data_only) {
    return (is_data_only ? fdatasync(descriptor) : fsync(descriptor)) ? errno : 0;
}

int platform_next_data(int descriptor, int64_t offset, int64_t *begin, int64_t *end) {
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

static int set(int descriptor, short type, int operation) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = USE, .l_len = 1};
    int failed;
    do failed = fcntl(descriptor, operation, &lock);
    while (failed && errno == EINTR);
    return !failed ? 0 : errno == EACCES ? EWOULDBLOCK : errno;
}

int platform_lock_use(int descriptor, bool is_exclusive, bool waits) {
    return set(descriptor, is_exclusive ? F_WRLCK : F_RDLCK, waits ? F_OFD_SETLKW : F_OFD_SETLK);
}

void platform_unlock_use(int descriptor) { (void)set(descriptor, F_UNLCK, F_OFD_SETLK); }
