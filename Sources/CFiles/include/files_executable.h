#ifndef FILES_EXECUTABLE_H
#define FILES_EXECUTABLE_H
#include <stdint.h>

/* The identity of a program's file: any change of the file changes one of the fields. */
typedef struct files_executable {
    uint64_t inode;
    int64_t size;
    int64_t changed; /* ctime in nanoseconds, which no program can set */
} files_executable_t;

enum { FILES_PATH_BYTES = 4096 };

/* The program that a process runs (0: this process), and its path without a NUL; 0 or an errno. */
int files_executable_of(int32_t pid, uint8_t *_Nonnull path, int32_t *_Nonnull length, files_executable_t *_Nonnull executable);
/* The regular file at a path; symbolic links are followed. 0 or an errno. */
int files_executable_at(const char *_Nonnull path, files_executable_t *_Nonnull executable);

#endif
