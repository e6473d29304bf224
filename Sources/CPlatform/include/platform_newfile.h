#ifndef PLATFORM_NEWFILE_H
#define PLATFORM_NEWFILE_H
#include "platform_file.h"

/* A file that takes its place when it is whole. Each call returns 0 or an errno. */

/* Open a regular file for reading; a link is followed. EISDIR for a directory, ENXIO for a pipe, a socket or a device, which
 * is not waited for. */
int platform_open_to_read(const char *_Nonnull path, int *_Nonnull descriptor, platform_file_facts_t *_Nonnull facts);
/* Read on: fewer bytes than asked for are the last ones. */
int platform_read_on(int descriptor, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);

typedef struct platform_new_file {
    int descriptor;
    char name[64]; /* while it has one and is not in its place; "" */
} platform_new_file_t;

/* Begin one in a directory, with a mode that the process's mask takes from. Where the file system has nameless files a kill
 * leaves nothing of it. */
int platform_new_file_begin(int directory, uint32_t mode, platform_new_file_t *_Nonnull file);
int platform_new_file_write(const platform_new_file_t *_Nonnull file, const void *_Nonnull bytes, size_t count);
/* Make it durable and put it in its place, in which a regular file may be: that one is replaced. ELOOP for a link, which is
 * neither followed nor replaced, EISDIR for a directory, ENXIO for anything else. */
int platform_new_file_place(int directory, platform_new_file_t *_Nonnull file, const char *_Nonnull name);
/* Close it; what is not in its place is removed. */
void platform_new_file_end(int directory, platform_new_file_t *_Nonnull file);

#endif
