#define _GNU_SOURCE
#include "platform_words.h"
#include "closings.h"
#include "internal.h"
#include "platform_limit.h"
#include "platform_memory.h"
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

/* Finding, making and attaching the System V segments that the words lie in. */

enum { PAGE = 4096, MARK = 16, MAKING = 0, USING = 1, PATIENCE = 200 };

/* What the file says: which segment, and what is written in it. */
typedef struct record {
    int64_t segment;
    unsigned char mark[MARK];
} record;

typedef struct page {
    platform_words_t words;
    unsigned char mark[MARK];
    _Atomic int64_t more; /* the segment of more memory, plus one */
    platform_closings_t closings;
} page;
_Static_assert(sizeof(page) <= PAGE, "the words fit into a page");

platform_closings_t *platform_closings_of(platform_words_t *words) { return &((page *)words)->closings; }

typedef struct place {
    struct place *next;
    void *address;
} place;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static place *free_places;

void platform_words_before_fork(void) { pthread_mutex_lock(&lock); }
void platform_words_after_fork(void) { pthread_mutex_unlock(&lock); }

static void keep(place *p) {
    pthread_mutex_lock(&lock);
    p->next = free_places;
    free_places = p;
    pthread_mutex_unlock(&lock);
}

/* Attach a segment, at a place given back before where there is one. */
static int attach(int segment, page **at) {
    pthread_mutex_lock(&lock);
    place *p = free_places;
    if (p) free_places = p->next;
    pthread_mutex_unlock(&lock);
    void *got = shmat(segment, p ? p->address : NULL, p ? SHM_REMAP : 0);
    if (got == (void *)-1) {
        int result = errno;
        if (p) keep(p);
        return result;
    }
    free(p);
    *at = got;
    return 0;
}

/* Detach by putting anonymous memory over it, and keep the place. */
static void give_back(page *at) {
    place *p = malloc(sizeof *p);
    if (!p) return; /* it stays attached: a page lost, nothing broken */
    if (mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        free(p);
        return;
    }
    p->address = at;
    keep(p);
}

/* Attach the segment that the file tells of; numbers are used again, so the mark decides. */
static int join(const record *r, page **at) {
    struct shmid_ds d;
    if (shmctl((int)r->segment, IPC_STAT, &d)) return errno;
    if (d.shm_perm.cuid != geteuid() || d.shm_segsz != PAGE) return ESTALE;
    int result = attach((int)r->segment, at);
    if (!result && memcmp((*at)->mark, r->mark, MARK) != 0) {
        give_back(*at);
        result = ESTALE;
    }
    return result;
}

/* A segment that is marked for removal at once: it ends with the last process that has it, however that ends. */
static int make(int file, page **at) {
    record r = {0};
    if (!platform_random(r.mark, MARK)) return EIO;
    int segment = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | IPC_EXCL | 0600);
    if (segment < 0) return errno == ENOMEM ? ENOMEM : ENODEV;
    r.segment = segment;
    int result = attach(segment, at);
    shmctl(segment, IPC_RMID, NULL);
    if (result) return result;
    memcpy((*at)->mark, r.mark, MARK);
    bool is_growing = platform_growing_begin();
    ssize_t written = pwrite(file, &r, sizeof r, 0);
    platform_growing_end(is_growing);
    if (written == (ssize_t)sizeof r) return 0;
    result = written < 0 ? errno : ENOSPC;
    give_back(*at);
    return result;
}

/* Mapped once in a process, however often its words are: by the mark that all of it bears. */
typedef struct more {
    struct more *next;
    unsigned char mark[MARK];
    void *address;
} more;

static more *mores;

static void *attach_more(int segment, size_t size, const unsigned char mark[MARK]) {
    struct shmid_ds d;
    if (shmctl(segment, IPC_STAT, &d) || d.shm_perm.cuid != geteuid() || d.shm_segsz != size) return NULL;
    void *at = shmat(segment, NULL, 0);
    if (at == (void *)-1) return NULL;
    if (memcmp(at, mark, MARK) == 0) return at;
    shmdt(at);
    return NULL;
}

static void *make_more(page *p, int64_t former, size_t size, void (*prepare)(void *memory)) {
    int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | IPC_EXCL | 0600);
    if (segment < 0) return NULL;
    void *at = shmat(segment, NULL, 0);
    shmctl(segment, IPC_RMID, NULL);
    if (at == (void *)-1) return NULL;
    memcpy(at, p->mark, MARK);
    prepare(at);
    if (atomic_compare_exchange_strong(&p->more, &former, (int64_t)segment + 1)) return at;
    shmdt(at);
    return NULL;
}

void *platform_words_more(platform_words_t *words, size_t size, void (*prepare)(void *memory)) {
    page *p = (page *)words;
    void *at = NULL;
    pthread_mutex_lock(&lock);
    for (more *m = mores; m && !at; m = m->next)
        if (memcmp(m->mark, p->mark, MARK) == 0) at = m->address;
    /* Others may make it at the same time, or the last one that had it may just have ended. */
    for (int turn = 0; !at && turn < PATIENCE; turn++) {
        int64_t known = atomic_load(&p->more);
        if (known) at = attach_more((int)(known - 1), size, p->mark);
        if (!at) at = make_more(p, known, size, prepare);
        more *m = at ? malloc(sizeof *m) : NULL;
        if (!m) continue;
        *m = (more){.next = mores, .address = at};
        memcpy(m->mark, p->mark, MARK);
        mores = m;
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

/* With the lock on making held. Whoever uses the words holds a lock as long as it has them attached, and when it is killed
 * a moment longer. */
static int join_or_make(int file, page **at) {
    for (int turn = 0; turn < PATIENCE; turn++) {
        record r;
        bool is_used = false;
        if (pread(file, &r, sizeof r, 0) == (ssize_t)sizeof r && join(&r, at) == 0) return 0;
        int result = lock_byte(file, F_OFD_GETLK, F_WRLCK, USING, &is_used);
        if (result) return result;
        if (!is_used) return make(file, at);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return EXDEV;
}

int platform_words_open(int directory, const char *name, platform_words_t **words, int *file) {
    *words = NULL;
    *file = -1;
    int f = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (f < 0) return errno;
    struct stat s;
    page *at = NULL;
    int result = fstat(f, &s) ? errno : S_ISREG(s.st_mode) ? 0 : EINVAL;
    if (!result) result = lock_byte(f, F_OFD_SETLKW, F_WRLCK, MAKING, NULL);
    if (!result) result = join_or_make(f, &at);
    if (!result && (result = lock_byte(f, F_OFD_SETLKW, F_RDLCK, USING, NULL))) give_back(at);
    if (result) {
        close(f);
        return result;
    }
    lock_byte(f, F_OFD_SETLK, F_UNLCK, MAKING, NULL);
    *words = &at->words;
    *file = f;
    return 0;
}

int platform_words_look(int directory, const char *name, const platform_words_t *words, int file) {
    struct stat here, named;
    record r;
    if (fstat(file, &here) || fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW)) return errno;
    if (here.st_dev != named.st_dev || here.st_ino != named.st_ino) return ESTALE;
    if (pread(file, &r, sizeof r, 0) != (ssize_t)sizeof r) return ESTALE;
    return memcmp(((const page *)words)->mark, r.mark, MARK) == 0 ? 0 : ESTALE;
}

void platform_words_close(platform_words_t *words, int file) {
    give_back((page *)words);
    close(file);
}
