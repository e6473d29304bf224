#ifndef PLATFORM_SUCCEED_H
#define PLATFORM_SUCCEED_H

/* A file that was written beside another and takes its place. Paths are whole, without links. 0 or an errno. */

/* Owner, mode and attributes of what is at `path`, durably; then its name. The file there is never opened: that would drop the
 * locks that this process holds on it. */
int platform_succeed(const char *_Nonnull beside, const char *_Nonnull path);
/* Remove a file; fine where there is none. */
int platform_remove(const char *_Nonnull path);

#endif
