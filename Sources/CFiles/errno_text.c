#define _GNU_SOURCE
#include "files_errno.h"
#include <string.h>

const char *files_error_text(int error) { return strerrordesc_np(error); }
