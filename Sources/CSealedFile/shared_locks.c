#include "internal.h"
#include <errno.h>
#include <sys/mman.h>

/* Memory that all processes share that use sealed files of an app group: robust mutexes, and a version for each
 * group of records that changes with its table. Files and groups share both by hash, which costs time but is safe.
 * While a group is locked, no length may be locked. */

enum { LENGTHS = 64, VERSIONS = 13312 };

typedef struct cell {
    pthread_mutex_t mutex;
    sealed_version_t version; /* of lengths */
} __attribute__((aligned(64))) cell;

struct sealed_shared {
    unsigned char mark[64]; /* written by the allocator of this memory */
    cell lengths[LENGTHS], groups[SEALED_GROUP_LOCKS];
    sealed_version_t versions[VERSIONS];
};

size_t sealed_shared_size(void) { return sizeof(sealed_shared_t); }

void sealed_shared_prepare(void *memory) {
    sealed_shared_t *shared = memory;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < LENGTHS; i++) pthread_mutex_init(&shared->lengths[i].mutex, &attributes);
    for (int i = 0; i < SEALED_GROUP_LOCKS; i++) pthread_mutex_init(&shared->groups[i].mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

sealed_shared_t *sealed_shared_private(void) {
    void *memory = mmap(NULL, sizeof(sealed_shared_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    sealed_shared_prepare(memory);
    return memory;
}

static uint64_t index_of(sealed_file_t *file, uint64_t group) { return (file->hash + group) % VERSIONS; }

/* Adjacent groups have adjacent versions; groups with the same version have the same lock. */
sealed_version_t *sealed_version(sealed_file_t *file, uint64_t group) { return &file->shared->versions[index_of(file, group)]; }

sealed_version_t *sealed_length_version(sealed_file_t *file) { return &file->shared->lengths[file->hash % LENGTHS].version; }

void sealed_version_begin_change(sealed_version_t *version) { atomic_fetch_add(version, 1); }
void sealed_version_end_change(sealed_version_t *version) { atomic_fetch_add(version, 1); }

/* For groups that were removed without locking them: invalidates what a concurrent writer stores there. */
void sealed_versions_advance(sealed_file_t *file, uint64_t from, uint64_t to) {
    if (to - from > VERSIONS) to = from + VERSIONS;
    for (uint64_t group = from; group < to; group++) atomic_fetch_add(sealed_version(file, group), 2);
}

/* An odd version under the lock was left by a process that died during a change. */
static sealed_file_fault_t lock_version(pthread_mutex_t *mutex, sealed_version_t *version) {
    int result = pthread_mutex_lock(mutex);
    if (result == EOWNERDEAD) result = pthread_mutex_consistent(mutex);
    if (result) return (sealed_file_fault_t){.status = SEALED_FILE_SYSTEM, .error = result};
    if (atomic_load(version) & 1) sealed_version_end_change(version);
    return GOOD;
}

static pthread_mutex_t *group_lock(sealed_file_t *file, uint64_t group) {
    return &file->shared->groups[index_of(file, group) % SEALED_GROUP_LOCKS].mutex;
}

sealed_file_fault_t sealed_lock_group(sealed_file_t *file, uint64_t group) {
    return lock_version(group_lock(file, group), sealed_version(file, group));
}

void sealed_unlock_group(sealed_file_t *file, uint64_t group) { pthread_mutex_unlock(group_lock(file, group)); }

sealed_file_fault_t sealed_lock_length(sealed_file_t *file) {
    return lock_version(&file->shared->lengths[file->hash % LENGTHS].mutex, sealed_length_version(file));
}

void sealed_unlock_length(sealed_file_t *file) { pthread_mutex_unlock(&file->shared->lengths[file->hash % LENGTHS].mutex); }
