/* Handles of the ABI: tokens, the policy bits that are answered without a lock, and the state of each calling
 * thread. */
#ifndef CHANDLES_H
#define CHANDLES_H

#include "handle.h"
#include "policy_bits.h"
#include "thread_identity.h"
#include "thread_state.h"

#endif
