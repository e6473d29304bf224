#define _GNU_SOURCE
#include "files_open.h"
#include "files_close.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMMON = O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK };

files_open_flags_t files_open_flags(int32_t flags) {
    const int known =
        O_ACCMODE | O_APPEND | O_TRUNC | O_EXCL | O_CREAT | O_SYNC | O_DSYNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_LARGEFILE;
    int access = flags & O_ACCMODE;
    return (files_open_flags_t){
        .reads = access != O_WRONLY,
        .writes = access != O_RDONLY,
        .appends = flags & O_APPEND,
        .truncates = flags & O_TRUNC,
        .is_exclusive = flags & O_EXCL,
        .is_synchronous = (flags & O_SYNC) == O_SYNC,
        .is_data_synchronous = flags & O_DSYNC,
        .creates = flags & O_CREAT,
        .has_others = (flags & ~known) || access == O_ACCMODE};
}

/* Writing implies O_RDWR, because sealed records are read before they change. */
static int system_flags(const files_open_flags_t *flags) {
    int synchronous = flags->is_synchronous ? O_SYNC : flags->is_data_synchronous ? O_DSYNC : 0;
    return COMMON | (flags->writes ? O_RDWR : O_RDONLY) | synchronous;
}

/* The mode is as it was once the file is open. */
static int open_passing_mode(int directory, const char *name, int flags) {
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) || s.st_uid != geteuid() || !S_ISREG(s.st_mode)) return -1;
    if (fchmodat(directory, name, (s.st_mode & 07777) | S_IWUSR, 0)) return -1;
    int f = openat(directory, name, flags), failure = errno;
    if (f < 0) (void)fchmodat(directory, name, s.st_mode & 07777, 0);
    else (void)fchmod(f, s.st_mode & 07777);
    errno = failure;
    return f;
}

int files_open_at(int directory, const char *name, const files_open_flags_t *flags, int *descriptor, files_stat_t *status) {
    *descriptor = -1;
    /* Devices and pipes are not opened at all: that can have effects. */
    int failure = files_fstatat(directory, name, status);
    if (failure || !S_ISREG(status->mode)) return failure;
    int f = system_flags(flags) == (COMMON | O_RDONLY) ? files_take_deferred(directory, name) : -1;
    if (f < 0) f = openat(directory, name, system_flags(flags));
    failure = errno;
    if (f < 0 && failure == EACCES && flags->passes_mode) f = open_passing_mode(directory, name, system_flags(flags));
    if (f < 0) return failure;
    failure = files_fstat(f, status);
    if (failure || !S_ISREG(status->mode)) close(f);
    else *descriptor = f;
    return failure;
}

int files_open_unnamed(int directory, const files_open_flags_t *flags, uint32_t mode, int *descriptor) {
    files_open_flags_t both = flags ? *flags : (files_open_flags_t){0};
    both.writes = true;
    *descriptor = openat(directory, ".", (system_flags(&both) & ~O_NOFOLLOW) | O_TMPFILE, (mode_t)(mode & 07777));
    return *descriptor < 0 ? errno : 0;
}
