#ifndef FILES_FINGERPRINT_H
#define FILES_FINGERPRINT_H
#include <stdint.h>

/* The fingerprint of an SQLite database: any change of its content or access changes one of the fields. */
typedef struct files_fingerprint {
    uint64_t device, inode;
    int64_t size;
    int64_t changed; /* ctime in nanoseconds, which no program can set */
    uint32_t owner, group, mode;
} files_fingerprint_t;

/* 0 or an errno. EAGAIN if the fields prove nothing: the path is a symbolic link, a journal or WAL exists, or the
 * file system is remote or records whole seconds. */
int files_database_fingerprint(const char *_Nonnull path, files_fingerprint_t *_Nonnull fingerprint);

#endif
