/* What Swift cannot do well: locks that survive fork, threads with signals blocked, words shared with other
 * processes, handle tokens, what a thread carries, locked memory, and the few file calls of the core. */
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include "platform_answers.h"
#include "platform_clock.h"
#include "platform_closing.h"
#include "platform_destroy.h"
#include "platform_device.h"
#include "platform_errno.h"
#include "platform_executable.h"
#include "platform_file.h"
#include "platform_fork.h"
#include "platform_ground.h"
#include "platform_handle.h"
#include "platform_identity.h"
#include "platform_limit.h"
#include "platform_lock.h"
#include "platform_memory.h"
#include "platform_newfile.h"
#include "platform_open.h"
#include "platform_owner.h"
#include "platform_poll.h"
#include "platform_properties.h"
#include "platform_secrets.h"
#include "platform_standing.h"
#include "platform_succeed.h"
#include "platform_thread.h"
#include "platform_words.h"

#endif
