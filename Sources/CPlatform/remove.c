#define _GNU_SOURCE
#include "platform_owner.h"
#include "internal.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

/* How many entries a thread takes at once: few, so that none waits long for the last one. */
enum { SHARE = 32 };

typedef struct {
    platform_removal_t *removals;
    size_t count;
    const char *attribute;
    const void *mark;
    size_t length;
    unsigned threads, begun;
} work_t;

static bool carries(const work_t *work, const platform_removal_t *removal, const char *name) {
    uint8_t bytes[PLATFORM_MARK];
    size_t count = 0;
    /* The system clears as much memory as it is offered; a longer attribute is another one. */
    int result = platform_attribute_at(removal->directory, name, work->attribute, bytes, work->length, &count);
    if (result == ENODATA || result == EOPNOTSUPP) return removal->takes_unmarked;
    return !result && work->length && count == work->length && memcmp(bytes, work->mark, count) == 0;
}

/* The mark is read last: a file that others put in the place of the one that carried it has the least time for that. */
static bool is_gone(const work_t *work, const platform_removal_t *removal, const platform_listed_t *entry) {
    const char *name = removal->names + entry->name;
    platform_entry_t now;
    return entry->type == PLATFORM_TYPE_FILE && !platform_entry_at(removal->directory, name, &now) &&
           S_ISREG(now.mode) && now.links == 1 && carries(work, removal, name) &&
           !platform_remove_at(removal->directory, name, false);
}

/* Each thread begins elsewhere: removals in one directory wait for each other. */
static void *take_part(void *argument) {
    work_t *work = argument;
    size_t first = __atomic_fetch_add(&work->begun, 1, __ATOMIC_RELAXED) * work->count / work->threads;
    for (size_t i = 0; i < work->count; i++) {
        platform_removal_t *removal = &work->removals[(first + i) % work->count];
        for (;;) {
            size_t at = __atomic_fetch_add(&removal->next, SHARE, __ATOMIC_RELAXED);
            if (at >= removal->count) break;
            size_t end = removal->count - at < SHARE ? removal->count : at + SHARE;
            for (; at < end; at++) removal->entries[at].is_removed = is_gone(work, removal, &removal->entries[at]);
        }
    }
    return NULL;
}

static unsigned processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

void platform_remove_marked(
    platform_removal_t *removals, size_t count, const char *attribute, const void *mark, size_t length, unsigned helpers) {
    if (!count || length > PLATFORM_MARK) return;
    work_t work = {removals, count, attribute, mark, length, 1, 0};
    pthread_t threads[PLATFORM_HELPERS];
    size_t entries = 0;
    for (size_t i = 0; i < count; i++) entries += removals[i].count - removals[i].next;
    unsigned others = processors() - 1, wanted = 0;
    if (helpers > PLATFORM_HELPERS) helpers = PLATFORM_HELPERS;
    if (helpers > others) helpers = others;
    /* A thread costs as much as some files. */
    while (wanted < helpers && entries / (wanted + 2) >= 4 * SHARE) wanted++;
    work.threads = wanted + 1;
    unsigned running = 0;
    while (running < wanted && !platform_thread_begin(&threads[running], 1 << 17, take_part, &work)) running++;
    take_part(&work);
    while (running) pthread_join(threads[--running], NULL);
}
