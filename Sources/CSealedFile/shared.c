#include "internal.h"
#include <errno.h>
#include <sys/mman.h>

/* What all processes that work on sealed files of an app group share: locks that outlive whoever dies with one, and a number
 * for each group of records that tells whether what was read of its table is still so. Files and groups share both by hash: that
 * costs time and breaks nothing. Whoever holds one lock of the second kind may not wait for one of the first. */

enum { LENGTHS = 64, VERSIONS = 13312 };

typedef struct cell {
    pthread_mutex_t mutex;
    sealed_version_t version; /* of lengths */
} __attribute__((aligned(64))) cell;

struct sealed_shared {
    unsigned char mark[64]; /* who gives the memory writes it */
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

/* Neighbours have neighbouring numbers, and whoever has the same number has the same lock. */
sealed_version_t *sealed_version(sealed_file_t *file, uint64_t group) {
    return &file->shared->versions[index_of(file, group)];
}

sealed_version_t *sealed_length_version(sealed_file_t *file) { return &file->shared->lengths[file->hash % LENGTHS].version; }

void sealed_changing(sealed_version_t *version) { atomic_fetch_add(version, 1); }
void sealed_changed(sealed_version_t *version) { atomic_fetch_add(version, 1); }

/* Of groups that went without their locks: whoever writes there now writes what nobody believes. */
void sealed_versions_changed(sealed_file_t *file, uint64_t from, uint64_t to) {
    if (to - from > VERSIONS) to = from + VERSIONS;
    for (uint64_t group = from; group < to; group++) atomic_fetch_add(sealed_version(file, group), 2);
}

/* A version that is odd was left so by who died while changing what it stands for. */
static sealed_file_fault_t take(pthread_mutex_t *mutex, sealed_version_t *version) {
    int result = pthread_mutex_lock(mutex);
    if (result == EOWNERDEAD) result = pthread_mutex_consistent(mutex);
    if (result) return (sealed_file_fault_t){.status = SEALED_FILE_SYSTEM, .error = result};
    if (atomic_load(version) & 1) sealed_changed(version);
    return GOOD;
}

static pthread_mutex_t *group_lock(sealed_file_t *file, uint64_t group) {
    return &file->shared->groups[index_of(file, group) % SEALED_GROUP_LOCKS].mutex;
}

sealed_file_fault_t sealed_lock_group(sealed_file_t *file, uint64_t group) {
    return take(group_lock(file, group), sealed_version(file, group));
}

void sealed_unlock_group(sealed_file_t *file, uint64_t group) { pthread_mutex_unlock(group_lock(file, group)); }

sealed_file_fault_t sealed_lock_length(sealed_file_t *file) {
    return take(&file->shared->lengths[file->hash % LENGTHS].mutex, sealed_length_version(file));
}

void sealed_unlock_length(sealed_file_t *file) {
    pthread_mutex_unlock(&file->shared->lengths[file->hash % LENGTHS].mutex);
}
