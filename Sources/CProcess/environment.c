#define _GNU_SOURCE
#include "process_environment.h"
#include <stdlib.h>
#include <unistd.h>

uint32_t process_effective_user(void) { return geteuid(); }
int32_t process_id(void) { return getpid(); }
const char *process_environment(const char *name) { return secure_getenv(name); }
