#ifndef FILES_REPLACE_H
#define FILES_REPLACE_H

/* Absolute paths without symbolic links. Each call returns 0 or an errno. */

/* Rename `replacement` to `path`, durably, after copying owner, mode and extended attributes of the existing file.
 * That file is never opened: closing it would drop the locks that this process holds on it. */
int files_replace(const char *_Nonnull replacement, const char *_Nonnull path);
/* Remove a file; success if there is none. */
int files_remove(const char *_Nonnull path);

#endif
