/* writer OFFICE work SEED COUNT | verify SEED: make random changes to a sealed file; check the result.
 * writer OFFICE files SEED COUNT: make random sealed files and containers s0, s1, … with their content in p0, p1, …
 * writer OFFICE turn SEED: encrypt `whole`, or decrypt it. writer OFFICE look SEED: check that it is complete and alone.
 * writer OFFICE share SEED COUNT: make changes in turn with other processes, each compared with a plain file.
 *
 * Each change is recorded in a plain file before it begins, so that a check knows which one was interrupted: all earlier
 * ones must be there in full, and each record of the interrupted one is either old or new. A failing call must not lose
 * data either: work continues and checks its own file. Exit status 0 success, 1 libmam refused, 2 failure. */
#define _GNU_SOURCE
#include "streams.h"
#include <dirent.h>
#include <fcntl.h>

enum { MOST = 600000, PAGE = 4096 };

typedef struct change {
    enum { WRITE, APPEND, TRUNCATE } kind;
    size_t offset, length;
    unsigned char value;
} change;

typedef struct model {
    uint8_t *bytes;
    size_t size;
} model;

static uint64_t seed;
static char file_path[LONG_PATH], log_path[LONG_PATH];

static unsigned dice(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33);
}

static change next_change(void) {
    change c = {.kind = WRITE, .offset = dice() % MOST, .length = 1 + dice() % 9000, .value = (unsigned char)dice()};
    unsigned kind = dice() % 10;
    if (kind == 0) c.kind = TRUNCATE;
    if (kind == 1) c.kind = APPEND;
    if (kind == 2) c.length = 1 + dice() % 150000;
    if (kind > 6) c.offset = c.offset / PAGE * PAGE, c.length = PAGE;
    if (c.offset + c.length > MOST) c.length = MOST - c.offset;
    return c;
}

static void apply(model *m, const change *c) {
    size_t at = c->kind == APPEND ? m->size : c->offset, end = c->kind == TRUNCATE ? c->offset : at + c->length;
    if (end > 2 * MOST) end = 2 * MOST;
    if (c->kind == TRUNCATE) {
        if (end < m->size) memset(m->bytes + end, 0, m->size - end);
        m->size = end;
        return;
    }
    memset(m->bytes + at, c->value, end - at);
    if (end > m->size) m->size = end;
}

static model new_model(void) { return (model){calloc(1, 2 * MOST + PAGE), 0}; }

static void copy_model(model *to, const model *from) {
    memcpy(to->bytes, from->bytes, 2 * MOST);
    to->size = from->size;
}

/* The file's content, which may be one or the other; `got` gets the actual one. */
static void compare(mam_file_t *file, const model *before, const model *after, model *got) {
    int64_t size;
    size_t count = 0;
    OK(mam_file_size(file, &size));
    CHECK(
        (size_t)size == before->size || (size_t)size == after->size
        || (before->size < after->size && (size_t)size > before->size && (size_t)size < after->size));
    memset(got->bytes, 0, 2 * MOST);
    got->size = (size_t)size;
    OK(mam_file_pread(file, 0, got->bytes, 2 * MOST, &count));
    CHECK_NUMBER(size, count);
    for (size_t at = 0; at < got->size; at += PAGE) {
        size_t length = got->size - at < PAGE ? got->size - at : PAGE;
        bool is_old = memcmp(got->bytes + at, before->bytes + at, length) == 0;
        if (!is_old && memcmp(got->bytes + at, after->bytes + at, length) != 0)
            failed_at(__FILE__, __LINE__, "the record at %zu is neither the old nor the new one", at);
    }
}

static mam_status carry_out(mam_file_t *file, const change *c) {
    static uint8_t bytes[MOST];
    if (c->kind == TRUNCATE) return mam_file_truncate(file, (int64_t)c->offset);
    int64_t at = (int64_t)c->offset;
    if (c->kind == APPEND) OK(mam_file_size(file, &at));
    memset(bytes, c->value, c->length);
    for (size_t done = 0, count; done < c->length; done += count) {
        mam_status status = mam_file_pwrite(file, at + (int64_t)done, bytes + done, c->length - done, &count);
        if (status != MAM_OK) return status;
    }
    return MAM_OK;
}

static int work(mam_t *m, long count) {
    mam_file_t *file = NULL;
    mam_status status = mam_file_create(m, file_path, O_RDWR, 0600, ANN, &file);
    if (status != MAM_OK) {
        printf("%d %s\n", status, mam_last_message());
        return 1;
    }
    int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600), failures = 0;
    CHECK(log >= 0);
    model now = new_model(), next = new_model(), got = new_model();
    for (long i = 0; i < count; i++) {
        CHECK(write(log, &i, sizeof i) == sizeof i);
        change c = next_change();
        copy_model(&next, &now);
        apply(&next, &c);
        if (carry_out(file, &c) == MAM_OK) {
            apply(&now, &c);
            continue;
        }
        failures++;
        compare(file, &now, &next, &got);
        copy_model(&now, &got);
    }
    compare(file, &now, &now, &got);
    mam_file_close(file);
    OK(mam_file_open(m, file_path, O_RDONLY, &file));
    compare(file, &now, &now, &got);
    mam_file_close(file);
    printf("%d\n", failures);
    return 0;
}

static int verify(mam_t *m) {
    int log = open(log_path, O_RDONLY);
    off_t noted = log < 0 ? 0 : lseek(log, 0, SEEK_END) / (off_t)sizeof(long);
    mam_file_t *file = NULL;
    if (noted == 0) return 0;
    OK(mam_file_open(m, file_path, O_RDWR, &file));
    model now = new_model(), next = new_model(), got = new_model();
    change c = {0};
    for (off_t i = 0; i < noted; i++) {
        copy_model(&now, &next);
        c = next_change();
        apply(&next, &c);
    }
    compare(file, &now, &next, &got);
    /* And it is usable. */
    copy_model(&next, &got);
    for (int i = 0; i < 20; i++) {
        c = next_change();
        apply(&next, &c);
        OK(carry_out(file, &c));
    }
    compare(file, &next, &next, &got);
    mam_file_close(file);
    printf("%ld\n", (long)noted);
    return 0;
}

static void path_to(char *path, const office *here, const char *kind, long number) {
    snprintf(path, LONG_PATH, "%s/%s%ld", here->root, kind, number);
}

/* Write the model to a plain file, with holes where nothing was written. */
static void lay_down(const char *path, const model *now) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && ftruncate(file, (off_t)now->size) == 0);
    for (size_t at = 0; at < now->size; at += PAGE) {
        size_t length = now->size - at < PAGE ? now->size - at : PAGE;
        bool is_hole = now->bytes[at] == 0 && memcmp(now->bytes + at, now->bytes + at + 1, length - 1) == 0;
        if (!is_hole) CHECK(pwrite(file, now->bytes + at, length, (off_t)at) == (ssize_t)length);
    }
    close(file);
}

static void make_container(mam_t *m, const char *path, const model *now, bool is_streamed) {
    sink s = {0};
    if (is_streamed) {
        OK(protect_all(m, ANN, 0, now->bytes, now->size, 1 + dice() % 50000, &s));
        write_whole(path, s.data, s.length);
    } else {
        mam_buffer container = {NULL, 0};
        OK(mam_protect(m, ANN, now->bytes, now->size, &container));
        write_whole(path, container.data, container.length);
        mam_buffer_free(&container);
    }
    sink_clear(&s);
}

/* Every form in turn: changed, encrypted in place and then changed, a container, a stream. */
static int files(const office *here, mam_t *m, long count) {
    char path[LONG_PATH];
    for (long i = 0; i < count; i++) {
        mam_file_t *file = NULL;
        model now = new_model();
        path_to(path, here, "s", i);
        if (i % 4 == 0) {
            OK(mam_file_create(m, path, O_RDWR, 0600, ANN, &file));
        } else {
            for (unsigned changes = dice() % 6; changes > 0; changes--) {
                change c = next_change();
                if (i % 8 > 4) c.offset %= 9000, c.length = 1 + c.length % 5000;
                apply(&now, &c);
            }
            if (i % 4 == 1) {
                lay_down(path, &now);
                OK(mam_file_encrypt(m, path, ANN));
                OK(mam_file_open(m, path, O_RDWR, &file));
            } else {
                make_container(m, path, &now, i % 4 == 3 || now.size == 0);
            }
        }
        for (unsigned changes = file ? dice() % 12 : 0; changes > 0; changes--) {
            change c = next_change();
            if (i % 8 > 3) c.offset %= 9000, c.length = 1 + c.length % 5000;
            OK(carry_out(file, &c));
            apply(&now, &c);
        }
        mam_file_close(file);
        path_to(path, here, "p", i);
        write_whole(path, now.bytes, now.size);
        free(now.bytes);
    }
    return 0;
}

/* One at a time, so that both files see the same order: each process reads the other's writes. */
static int share(const office *here, mam_t *m, long count) {
    char path[LONG_PATH];
    mam_file_t *file = NULL;
    path_to(path, here, "turn", 0);
    int turn = open(path, O_RDWR | O_CREAT, 0600);
    path_to(path, here, "plain", 0);
    int plain = open(path, O_RDWR | O_CREAT, 0600);
    CHECK(turn >= 0 && plain >= 0);
    OK(mam_file_open(m, file_path, O_RDWR, &file));
    static uint8_t ours[MOST], theirs[MOST];
    for (long i = 0; i < count; i++) {
        struct flock lock = {.l_type = F_WRLCK};
        CHECK(fcntl(turn, F_SETLKW, &lock) == 0);
        change c = next_change();
        unsigned what = dice() % 4;
        size_t got = 0;
        if (what < 2) {
            OK(mam_file_pread(file, (int64_t)c.offset, ours, c.length, &got));
            CHECK_NUMBER(pread(plain, theirs, c.length, (off_t)c.offset), got);
            CHECK(memcmp(ours, theirs, got) == 0);
        } else {
            if (c.kind == APPEND) c.offset = (size_t)lseek(plain, 0, SEEK_END), c.kind = WRITE;
            if (c.offset + c.length > MOST) c.offset = 0;
            OK(carry_out(file, &c));
            memset(theirs, c.value, c.length);
            if (c.kind == TRUNCATE) CHECK(ftruncate(plain, (off_t)c.offset) == 0);
            else CHECK(pwrite(plain, theirs, c.length, (off_t)c.offset) == (ssize_t)c.length);
            int64_t size;
            OK(mam_file_size(file, &size));
            CHECK_NUMBER(lseek(plain, 0, SEEK_END), size);
        }
        lock.l_type = F_UNLCK;
        CHECK(fcntl(turn, F_SETLK, &lock) == 0);
    }
    mam_file_close(file);
    return 0;
}

static int turn(const office *here, mam_t *m) {
    char path[LONG_PATH];
    mam_bool encrypted;
    path_to(path, here, "whole", 0);
    OK(mam_file_is_encrypted(m, path, &encrypted));
    (void)!write(-1, "the-work-begins-here", 20);
    mam_status status = encrypted ? mam_file_decrypt(m, path) : mam_file_encrypt(m, path, ANN);
    if (status != MAM_OK) printf("%d %s\n", status, mam_last_message());
    return status == MAM_OK ? 0 : 1;
}

static int look(const office *here, mam_t *m) {
    char path[LONG_PATH];
    mam_bool encrypted;
    mam_file_t *file;
    size_t length, count;
    path_to(path, here, "expected", 0);
    uint8_t *expected = read_whole(path, &length), *got = malloc(length + 1);
    path_to(path, here, "whole", 0);
    OK(mam_file_open(m, path, O_RDONLY, &file));
    OK(mam_file_pread(file, 0, got, length + 1, &count));
    CHECK_NUMBER(length, count);
    CHECK(memcmp(expected, got, length) == 0);
    mam_file_close(file);
    OK(mam_file_is_encrypted(m, path, &encrypted));
    DIR *folder = opendir(here->root);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) CHECK(strncmp(entry->d_name, ".mam-", 5) != 0);
    closedir(folder);
    printf("%d\n", encrypted);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    office here = {0};
    snprintf(here.root, sizeof here.root, "%s", argv[1]);
    snprintf(here.authority, sizeof here.authority, "%s/authority.db", argv[1]);
    snprintf(here.state, sizeof here.state, "%s/state", argv[1]);
    snprintf(file_path, sizeof file_path, "%s/sealed", argv[1]);
    snprintf(log_path, sizeof log_path, "%s/log", argv[1]);
    seed = strtoull(argv[3], NULL, 10);
    mam_t *m = open_app(&here, APP, QUIET);
    long count = argc > 4 ? atol(argv[4]) : 100;
    int result = 2;
    if (strcmp(argv[2], "work") == 0) result = work(m, count);
    if (strcmp(argv[2], "verify") == 0) result = verify(m);
    if (strcmp(argv[2], "files") == 0) result = files(&here, m, count);
    if (strcmp(argv[2], "turn") == 0) result = turn(&here, m);
    if (strcmp(argv[2], "look") == 0) result = look(&here, m);
    if (strcmp(argv[2], "share") == 0) result = share(&here, m, count);
    OK(mam_close(m));
    return result;
}
