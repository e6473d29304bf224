#define _GNU_SOURCE
#include "shared_segment.h"
#include "internal.h"
#include "process_memory.h"
#include "process_size_limit.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Finding, creating and attaching the System V segments of shared words. */

enum { CREATING = 0, USING = 1, ATTEMPTS = 200 };

/* The contents of the file: the segment's id, and the mark in it. */
typedef struct segment_reference {
    int64_t segment;
    unsigned char mark[SHARED_MARK];
} segment_reference;

typedef struct free_range {
    struct free_range *next;
    void *address;
} free_range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static free_range *free_ranges;

void shared_words_before_fork(void) { pthread_mutex_lock(&lock); }
void shared_words_after_fork(void) { pthread_mutex_unlock(&lock); }

static void keep_range(free_range *p) {
    pthread_mutex_lock(&lock);
    p->next = free_ranges;
    free_ranges = p;
    pthread_mutex_unlock(&lock);
}

/* Attach a segment, at a released address if there is one. NULL and errno if that fails. */
static shared_page_t *attach(int segment) {
    pthread_mutex_lock(&lock);
    free_range *p = free_ranges;
    if (p) free_ranges = p->next;
    pthread_mutex_unlock(&lock);
    void *at = shmat(segment, p ? p->address : NULL, p ? SHM_REMAP : 0);
    if (at == (void *)-1) {
        if (p) keep_range(p);
        return NULL;
    }
    free(p);
    return at;
}

/* Detach by mapping anonymous memory over it, and keep the address for reuse. */
static void detach(shared_page_t *at) {
    free_range *p = malloc(sizeof *p);
    if (!p) return; /* stays attached: a leak of one page */
    if (mmap(at, SHARED_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        free(p);
        return;
    }
    p->address = at;
    keep_range(p);
}

/* Attach the segment that the file names. Ids are reused, so the mark must match. */
static int attach_named(const segment_reference *r, shared_page_t **at) {
    struct shmid_ds d;
    if (shmctl((int)r->segment, IPC_STAT, &d)) return errno;
    if (d.shm_perm.cuid != geteuid() || d.shm_segsz != SHARED_PAGE) return ESTALE;
    *at = attach((int)r->segment);
    if (!*at) return errno;
    if (memcmp((*at)->mark, r->mark, SHARED_MARK) == 0) return 0;
    detach(*at);
    return ESTALE;
}

/* Create a segment, marked for removal at once: the kernel destroys it with the last process that has it attached. */
static int create(int file, shared_page_t **at) {
    segment_reference r = {0};
    if (!process_random(r.mark, SHARED_MARK)) return EIO;
    int segment = shmget(IPC_PRIVATE, SHARED_PAGE, IPC_CREAT | IPC_EXCL | 0600);
    if (segment < 0) return errno == ENOMEM ? ENOMEM : ENODEV;
    r.segment = segment;
    *at = attach(segment);
    int result = errno;
    shmctl(segment, IPC_RMID, NULL);
    if (!*at) return result;
    memcpy((*at)->mark, r.mark, SHARED_MARK);
    bool is_blocked = process_sigxfsz_block();
    ssize_t written = pwrite(file, &r, sizeof r, 0);
    process_sigxfsz_unblock(is_blocked);
    if (written == (ssize_t)sizeof r) return 0;
    result = written < 0 ? errno : ENOSPC;
    detach(*at);
    return result;
}

/* Memory of shared_memory_map, mapped once in a process even if the words are attached several times; found by its
 * mark. */
typedef struct mapping {
    struct mapping *next;
    unsigned char mark[SHARED_MARK];
    void *address;
} mapping;

static mapping *mappings;

static void *attach_mapping(int segment, size_t size, const unsigned char mark[SHARED_MARK]) {
    struct shmid_ds d;
    if (shmctl(segment, IPC_STAT, &d) || d.shm_perm.cuid != geteuid() || d.shm_segsz != size) return NULL;
    void *at = shmat(segment, NULL, 0);
    if (at == (void *)-1) return NULL;
    if (memcmp(at, mark, SHARED_MARK) == 0) return at;
    shmdt(at);
    return NULL;
}

static void *create_mapping(shared_page_t *p, int64_t expected, size_t size, void (*prepare)(void *memory)) {
    int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | IPC_EXCL | 0600);
    if (segment < 0) return NULL;
    void *at = shmat(segment, NULL, 0);
    shmctl(segment, IPC_RMID, NULL);
    if (at == (void *)-1) return NULL;
    memcpy(at, p->mark, SHARED_MARK);
    prepare(at);
    if (atomic_compare_exchange_strong(&p->mapping, &expected, (int64_t)segment + 1)) return at;
    shmdt(at);
    return NULL;
}

void *shared_memory_map(shared_words_t *words, size_t size, void (*prepare)(void *memory)) {
    shared_page_t *p = (shared_page_t *)words;
    void *at = NULL;
    pthread_mutex_lock(&lock);
    for (mapping *m = mappings; m && !at; m = m->next)
        if (memcmp(m->mark, p->mark, SHARED_MARK) == 0) at = m->address;
    /* Retry: another process may be creating it, or the last one that had it may just have ended. */
    for (int attempt = 0; !at && attempt < ATTEMPTS; attempt++) {
        int64_t known = atomic_load(&p->mapping);
        if (known) at = attach_mapping((int)(known - 1), size, p->mark);
        if (!at) at = create_mapping(p, known, size, prepare);
        mapping *m = at ? malloc(sizeof *m) : NULL;
        if (!m) continue;
        *m = (mapping){.next = mappings, .address = at};
        memcpy(m->mark, p->mark, SHARED_MARK);
        mappings = m;
    }
    pthread_mutex_unlock(&lock);
    return at;
}

static int lock_byte(int file, int operation, short type, off_t byte, bool *is_taken) {
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int failed;
    do failed = fcntl(file, operation, &l);
    while (failed && errno == EINTR);
    if (is_taken) *is_taken = l.l_type != F_UNLCK;
    return failed ? errno : 0;
}

/* Called between taking and releasing CREATING. A process holds the USING lock while it has the words attached, and a
 * moment longer when it is killed. */
static int attach_or_create(int file, shared_page_t **at) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        segment_reference r;
        bool is_used = false;
        if (pread(file, &r, sizeof r, 0) == (ssize_t)sizeof r && attach_named(&r, at) == 0) return 0;
        int result = lock_byte(file, F_OFD_GETLK, F_WRLCK, USING, &is_used);
        if (result) return result;
        if (!is_used) return create(file, at);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return EXDEV;
}

int shared_words_open(int directory, const char *name, shared_words_t **words, int *file) {
    *words = NULL;
    *file = -1;
    int f = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (f < 0) return errno;
    struct stat s;
    shared_page_t *at = NULL;
    int result = fstat(f, &s) ? errno : S_ISREG(s.st_mode) ? 0 : EINVAL;
    if (!result) result = lock_byte(f, F_OFD_SETLKW, F_WRLCK, CREATING, NULL);
    if (!result) result = attach_or_create(f, &at);
    if (!result && (result = lock_byte(f, F_OFD_SETLKW, F_RDLCK, USING, NULL))) detach(at);
    if (result) {
        close(f);
        return result;
    }
    lock_byte(f, F_OFD_SETLK, F_UNLCK, CREATING, NULL);
    *words = &at->words;
    *file = f;
    return 0;
}

int shared_words_check(int directory, const char *name, const shared_words_t *words, int file) {
    struct stat here, named;
    segment_reference r;
    if (fstat(file, &here) || fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW)) return errno;
    if (here.st_dev != named.st_dev || here.st_ino != named.st_ino) return ESTALE;
    if (pread(file, &r, sizeof r, 0) != (ssize_t)sizeof r) return ESTALE;
    return memcmp(((const shared_page_t *)words)->mark, r.mark, SHARED_MARK) == 0 ? 0 : ESTALE;
}

void shared_words_close(shared_words_t *words, int file) {
    detach((shared_page_t *)words);
    close(file);
}
