/* Threads, locks, secrets and fork handlers of this process, and the memory that it shares with other processes. */
#ifndef CPROCESS_H
#define CPROCESS_H

#include "process_clock.h"
#include "process_code.h"
#include "process_environment.h"
#include "process_wait_descriptor.h"
#include "process_exit.h"
#include "process_fork.h"
#include "process_fork_count.h"
#include "process_byte_lock.h"
#include "process_lock.h"
#include "process_memory.h"
#include "process_secrets.h"
#include "process_size_limit.h"
#include "process_worker.h"
#include "shared_closed_accounts.h"
#include "shared_words.h"

#endif
