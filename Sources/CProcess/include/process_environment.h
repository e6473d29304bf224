#ifndef PROCESS_ENVIRONMENT_H
#define PROCESS_ENVIRONMENT_H
#include <stdint.h>

uint32_t process_effective_user(void);
int32_t process_id(void);
/* The value of an environment variable; NULL if it is not set, and always in a set-user-id program. */
const char *_Nullable process_environment(const char *_Nonnull name);

#endif
