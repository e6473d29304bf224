#ifndef PLATFORM_STANDING_H
#define PLATFORM_STANDING_H
#include <stdint.h>

/* How a file of SQLite's stands: no change of its content or access leaves this as it was. */
typedef struct platform_standing {
    uint64_t device, inode;
    int64_t size;
    int64_t changed; /* ctime in nanoseconds: nobody can set it */
    uint32_t owner, group, mode;
} platform_standing_t;

/* 0 or errno. EAGAIN where its standing says nothing: the path is a link, a transaction is under way or was left half done, a log has what the file
 * does not have yet, or the file system is one of the network or counts whole seconds. */
int platform_standing_of(const char *_Nonnull path, platform_standing_t *_Nonnull standing);

#endif
