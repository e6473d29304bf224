#ifndef FILES_ERRNO_H
#define FILES_ERRNO_H
#include <errno.h>

/* Swift modules compare with these, since they do not import Glibc. */

enum {
    FILES_EACCES = EACCES,
    FILES_EDQUOT = EDQUOT,
    FILES_EEXIST = EEXIST,
    FILES_EFBIG = EFBIG,
    FILES_EINVAL = EINVAL,
    FILES_EIO = EIO,
    FILES_EISDIR = EISDIR,
    FILES_ELOOP = ELOOP,
    FILES_EMFILE = EMFILE,
    FILES_ENAMETOOLONG = ENAMETOOLONG,
    FILES_ENFILE = ENFILE,
    FILES_ENODATA = ENODATA,
    FILES_ENODEV = ENODEV,
    FILES_ENOENT = ENOENT,
    FILES_ENOMEM = ENOMEM,
    FILES_ENOSPC = ENOSPC,
    FILES_ENOTDIR = ENOTDIR,
    FILES_ENOTEMPTY = ENOTEMPTY,
    FILES_ENXIO = ENXIO,
    FILES_EOPNOTSUPP = EOPNOTSUPP,
    FILES_EPERM = EPERM,
    FILES_ERANGE = ERANGE,
    FILES_EROFS = EROFS,
    FILES_EWOULDBLOCK = EWOULDBLOCK,
    FILES_EXDEV = EXDEV,
};

/* The system's English text for an error; NULL for an unknown one. */
const char *_Nullable files_error_text(int error);

#endif
