/* Files and directories by descriptor: stat, open, create, replace, list, remove, extended attributes, and locks on
 * files. Functions return 0 or an errno unless they say otherwise. */
#ifndef CFILES_H
#define CFILES_H

#include "files_close.h"
#include "files_contents.h"
#include "files_destroy.h"
#include "files_directory.h"
#include "files_entry.h"
#include "files_errno.h"
#include "files_executable.h"
#include "files_fingerprint.h"
#include "files_io.h"
#include "files_listing.h"
#include "files_lock.h"
#include "files_log.h"
#include "files_metadata.h"
#include "files_open.h"
#include "files_pending.h"
#include "files_removal.h"
#include "files_replace.h"
#include "files_reserve.h"
#include "files_stat.h"
#include "files_temporary.h"
#include "files_trusted_path.h"
#include "files_xattr.h"

#endif
