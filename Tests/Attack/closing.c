/* mam_close while other threads seal, through every function: each call that returns MAM_OK has produced data that opens
 * afterwards, with the original bytes; every other call reports that the session is closed. Data is never sealed under a
 * destroyed key. The close comes in turn from a separate thread and from output functions of streams, in which it may not
 * wait for the stream. */
#include "attack.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdatomic.h>

enum { PIECE = 3000, LONG = 400000, RECORD = 4096, RECORDS = 64, KEPT = 512, SEALERS = 3 };

enum { BY_A_THREAD, BY_A_RECEIVER, BY_A_RECEIVER_BESIDE, WAYS };

/* The latest output of a thread, and the byte that fills it. */
typedef struct maker {
    const char *account;
    size_t length;
    uint32_t flags;
    bool is_stream, is_labelled;
    pthread_t thread;
    _Atomic long done;
    long kept;
    struct {
        uint8_t *data;
        size_t length;
        uint8_t filling;
    } made[KEPT];
} maker;

static mam_t *m;
static mam_file_t *file;
static sqlite3 *database;
static atomic_bool wants_close, is_closed;
static int way;
static long inserted;
static _Atomic long written, inserts;

static bool is_end(mam_status status) { return status == MAM_ERR_CLOSED || status == MAM_ERR_INTERRUPTED; }

static void close_session(void) {
    OK(mam_close(m));
    atomic_store(&is_closed, true);
}

static void keep(maker *one, const uint8_t *data, size_t length, uint8_t filling) {
    long at = one->kept++ % KEPT;
    free(one->made[at].data);
    one->made[at].data = malloc(length);
    HOLDS(one->made[at].data != NULL);
    memcpy(one->made[at].data, data, length);
    one->made[at].length = length;
    one->made[at].filling = filling;
}

typedef struct output {
    uint8_t data[LONG + 4096];
    size_t length;
    bool closes;
} output;

static int32_t collect(void *user, const uint8_t *data, size_t length) {
    output *out = user;
    HOLDS(out->length + length <= sizeof out->data);
    memcpy(out->data + out->length, data, length);
    out->length += length;
    bool wanted = true;
    if (out->closes && atomic_compare_exchange_strong(&wants_close, &wanted, false)) close_session();
    return 0;
}

static mam_status stream(maker *one, const uint8_t *plain, output *out) {
    mam_protect_stream_t *opened;
    out->length = 0;
    out->closes = way != BY_A_THREAD && one->flags == (way == BY_A_RECEIVER_BESIDE ? MAM_TWO_THREADS : 0u) && !one->is_labelled;
    mam_status status = mam_protect_stream_open(m, one->account, one->flags, collect, out, &opened);
    if (status != MAM_OK) return status;
    for (size_t at = 0; status == MAM_OK && at < one->length; at += PIECE) {
        size_t left = one->length - at;
        status = mam_protect_stream_write(opened, plain + at, left < PIECE ? left : PIECE);
    }
    mam_status ended = mam_protect_stream_close(opened, 0);
    return status != MAM_OK ? status : ended;
}

static void *make(void *argument) {
    maker *one = argument;
    output *out = malloc(sizeof *out);
    uint8_t *plain = malloc(one->length);
    mam_status status = MAM_OK;
    for (uint8_t filling = 1; status == MAM_OK; filling++) {
        memset(plain, filling, one->length);
        if (one->is_stream) {
            status = stream(one, plain, out);
            if (status == MAM_OK) keep(one, out->data, out->length, filling);
        } else {
            mam_buffer container;
            status = mam_protect(m, one->account, plain, one->length, &container);
            if (status == MAM_OK) keep(one, container.data, container.length, filling);
            mam_buffer_free(&container);
        }
        atomic_fetch_add(&one->done, 1);
    }
    if (!is_end(status)) BREAKS("a call during mam_close fails with %s", mam_status_name(status));
    free(plain);
    free(out);
    return NULL;
}

static void *write_file(void *argument) {
    uint8_t record[2 * RECORD];
    size_t count;
    mam_status status = MAM_OK;
    for (unsigned turn = 0; status == MAM_OK; turn++) {
        memset(record, (int)(turn % 255 + 1), sizeof record);
        status = mam_file_pwrite(file, turn % RECORDS * RECORD, record, RECORD, &count);
        if (status == MAM_OK) HOLDS(count == RECORD);
        atomic_fetch_add(&written, 1);
    }
    if (!is_end(status)) BREAKS("mam_file_pwrite during mam_close fails with %s", mam_status_name(status));
    return argument;
}

static void *insert(void *argument) {
    while (sqlite3_exec(database, "INSERT INTO t VALUES (zeroblob(9000))", NULL, NULL, NULL) == SQLITE_OK) {
        inserted++;
        atomic_fetch_add(&inserts, 1);
    }
    return argument;
}

/* Every output opens, with the original bytes. */
static void check(const maker *one) {
    for (long i = 0; i < one->kept && i < KEPT; i++) {
        mam_buffer plain;
        mam_bool was_protected;
        mam_status status = mam_unprotect(m, one->made[i].data, one->made[i].length, MAM_STRICT, &plain, &was_protected);
        if (status != MAM_OK) BREAKS("what was sealed while the session closed does not open: %s", mam_status_name(status));
        HOLDS(plain.length == one->length);
        for (size_t at = 0; at < plain.length; at++) HOLDS(plain.data[at] == one->made[i].filling);
        mam_buffer_free(&plain);
        free(one->made[i].data);
    }
}

static void check_file(const char *path) {
    uint8_t record[RECORD];
    size_t count;
    OK(mam_file_open(m, path, O_RDONLY, &file));
    for (int i = 0; i < RECORDS; i++) {
        OK(mam_file_pread(file, i * RECORD, record, RECORD, &count));
        HOLDS(count == 0 || count == RECORD);
        for (int at = 1; count && at < RECORD; at++) HOLDS(record[at] == record[0]);
    }
    mam_file_close(file);
}

static int count_row(void *user, int columns, char **values, char **names) {
    (void)columns, (void)names;
    HOLDS(atol(values[0]) >= *(long *)user);
    return 0;
}

static void open_database(const char *path) {
    OK(mam_sqlite_vfs_register(m, "closing", ANN));
    HOLDS(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "closing") == SQLITE_OK);
    HOLDS(
        sqlite3_exec(
            database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS t (a)", NULL, NULL, NULL)
        == SQLITE_OK);
}

static void reach(_Atomic long *count, long much) {
    while (atomic_load(count) < much) sched_yield();
}

static void round_of(const office *o, long number) {
    static maker makers[SEALERS + 3];
    char path[2 * PATH_SIZE], database_path[2 * PATH_SIZE];
    pthread_t writer, inserter;
    const int count = SEALERS + 3;
    way = (int)(number % WAYS);
    snprintf(path, sizeof path, "%s/file", o->folder);
    snprintf(database_path, sizeof database_path, "%s/database", o->folder);
    memset(makers, 0, sizeof makers);
    for (int i = 0; i < count; i++) makers[i] = (maker){.account = ANN, .length = PIECE};
    for (int i = SEALERS - 1; i < count; i++) makers[i].is_stream = i >= SEALERS, makers[i].length = LONG;
    makers[SEALERS + 1].flags = MAM_TWO_THREADS;
    makers[SEALERS + 2].account = "";
    makers[SEALERS + 2].is_labelled = true;
    atomic_store(&is_closed, false);
    m = session_of(o, number % 2 ? "\"worker\":true" : "");
    unlink(path);
    OK(mam_file_create(m, path, O_RDWR | O_CREAT, 0600, ANN, &file));
    open_database(database_path);
    atomic_store(&written, 0), atomic_store(&inserts, 0);
    for (int i = 0; i < count; i++) HOLDS(pthread_create(&makers[i].thread, NULL, make, &makers[i]) == 0);
    HOLDS(pthread_create(&writer, NULL, write_file, NULL) == 0 && pthread_create(&inserter, NULL, insert, NULL) == 0);
    for (int i = 0; i < count; i++) reach(&makers[i].done, 1 + number % 7);
    reach(&written, 10);
    reach(&inserts, 2);
    if (way == BY_A_THREAD) close_session();
    else atomic_store(&wants_close, true);
    for (int i = 0; i < count; i++) HOLDS(pthread_join(makers[i].thread, NULL) == 0);
    HOLDS(pthread_join(writer, NULL) == 0 && pthread_join(inserter, NULL) == 0 && atomic_load(&is_closed));
    mam_file_close(file);
    sqlite3_close(database);
    m = session_of(o, "");
    for (int i = 0; i < count; i++) check(&makers[i]);
    check_file(path);
    open_database(database_path);
    HOLDS(sqlite3_exec(database, "SELECT count(*) FROM t", count_row, &inserted, NULL) == SQLITE_OK);
    sqlite3_close(database);
    OK(mam_close(m));
}

int main(void) {
    const long rounds = scale(12, 600);
    office o;
    alarm(1200); /* against a hang, not a slow machine */
    office_make(&o);
    m = session_of(&o, "");
    enroll(m, ANN);
    OK(mam_close(m));
    for (long i = 0; i < rounds; i++) round_of(&o, i);
    office_remove(&o);
    printf("%ld sessions closed under 8 threads that seal; all that they had made opens\n", rounds);
    return HELD;
}
