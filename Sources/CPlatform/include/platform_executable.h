#ifndef PLATFORM_EXECUTABLE_H
#define PLATFORM_EXECUTABLE_H
#include <stdint.h>

/* Which file a program is: what a change of it, whoever made it, cannot leave as it was. */
typedef struct platform_executable {
    uint64_t inode;
    int64_t size;
    int64_t changed; /* ctime in nanoseconds: nobody can set it */
} platform_executable_t;

enum { PLATFORM_PATH_BYTES = 4096 };

/* The program that a process runs, 0 for this one, and its path, without a NUL; 0 or errno. */
int platform_executable_of(
    int32_t pid, uint8_t *_Nonnull path, int32_t *_Nonnull length, platform_executable_t *_Nonnull executable);
/* The regular file at a path, links followed; 0 or errno. */
int platform_executable_at(const char *_Nonnull path, platform_executable_t *_Nonnull executable);

#endif
