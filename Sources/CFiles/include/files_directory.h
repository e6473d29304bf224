#ifndef FILES_DIRECTORY_H
#define FILES_DIRECTORY_H

/* Directories are passed as descriptors, so that no component of the path can be replaced between two calls. Each
 * call returns 0 or an errno. */

/* mkdir -p; new directories have mode 0700. */
int files_make_directories(const char *_Nonnull path);
int files_make_directory_at(int directory, const char *_Nonnull name);
/* Open a directory; the path may be a symbolic link. */
int files_open_directory(const char *_Nonnull path, int *_Nonnull descriptor);
/* The same without following a symbolic link. */
int files_open_directory_at(int directory, const char *_Nonnull name, int *_Nonnull descriptor);
void files_close(int descriptor);
/* Call `each` with the name of every entry but "." and "..". */
int files_list(int directory, void *_Nullable context, void (*_Nonnull each)(void *_Nullable context, const char *_Nonnull name));
/* fsync a directory. The descriptor may be an O_PATH one. */
int files_sync_directory(int directory);

#endif
