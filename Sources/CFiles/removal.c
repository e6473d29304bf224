#define _GNU_SOURCE
#include "files_removal.h"
#include "files_entry.h"
#include "files_xattr.h"
#include <errno.h>
#include <process_worker.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

/* Entries that a thread takes at a time: few, so that all threads end at about the same time. */
enum { SHARE = 32 };

typedef struct {
    files_removal_t *removals;
    size_t count;
    const char *attribute;
    const void *mark;
    size_t length;
    unsigned threads, begun;
} work_t;

static bool has_mark(const work_t *work, const files_removal_t *removal, const char *name) {
    uint8_t bytes[FILES_MARK_BYTES];
    size_t count = 0;
    /* The kernel clears the whole buffer, so offer no more than needed; a longer attribute does not match. */
    int result = files_xattr_at(removal->directory, name, work->attribute, bytes, work->length, &count);
    if (result == ENODATA || result == EOPNOTSUPP) return removal->takes_unmarked;
    return !result && work->length && count == work->length && memcmp(bytes, work->mark, count) == 0;
}

/* The mark is read last, to leave little time for the file to be replaced by another one before it is removed. */
static bool remove_entry(const work_t *work, const files_removal_t *removal, const files_listing_entry_t *entry) {
    const char *name = removal->names + entry->name;
    files_entry_t now;
    return entry->type == FILES_TYPE_REGULAR && !files_entry_at(removal->directory, name, &now) && S_ISREG(now.mode)
        && now.links == 1 && has_mark(work, removal, name) && !files_remove_at(removal->directory, name, false);
}

/* Each thread begins with another directory, because removals in one directory are serialised. */
static void *remove_shares(void *argument) {
    work_t *work = argument;
    size_t first = __atomic_fetch_add(&work->begun, 1, __ATOMIC_RELAXED) * work->count / work->threads;
    for (size_t i = 0; i < work->count; i++) {
        files_removal_t *removal = &work->removals[(first + i) % work->count];
        for (;;) {
            size_t at = __atomic_fetch_add(&removal->next, SHARE, __ATOMIC_RELAXED);
            if (at >= removal->count) break;
            size_t end = removal->count - at < SHARE ? removal->count : at + SHARE;
            for (; at < end; at++) removal->entries[at].is_removed = remove_entry(work, removal, &removal->entries[at]);
        }
    }
    return NULL;
}

static unsigned processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

void files_remove_marked(
    files_removal_t *removals, size_t count, const char *attribute, const void *mark, size_t length, unsigned helpers) {
    if (!count || length > FILES_MARK_BYTES) return;
    work_t work = {removals, count, attribute, mark, length, 1, 0};
    pthread_t threads[FILES_REMOVAL_THREADS];
    size_t entries = 0;
    for (size_t i = 0; i < count; i++) entries += removals[i].count - removals[i].next;
    unsigned other_processors = processors() - 1, extra_threads = 0;
    if (helpers > FILES_REMOVAL_THREADS) helpers = FILES_REMOVAL_THREADS;
    if (helpers > other_processors) helpers = other_processors;
    /* Starting a thread costs as much as removing some files. */
    while (extra_threads < helpers && entries / (extra_threads + 2) >= 4 * SHARE) extra_threads++;
    work.threads = extra_threads + 1;
    unsigned running = 0;
    while (running < extra_threads && !process_thread_start(&threads[running], 1 << 17, remove_shares, &work)) running++;
    remove_shares(&work);
    while (running) pthread_join(threads[--running], NULL);
}
