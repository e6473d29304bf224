/* files SECONDS: sixteen threads and a second process on the same files of one account: handles, whole files, streams, a
 * database, exports, rotations; one thread wipes Bob, whose files another uses; for a ThreadSanitizer build. A thread reads
 * back its own data; a call may fail only with a status that the others' work explains. */
#include "../ABI/streams.h"
#include "crowd.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { REGION = 40000, SIZE = THREADS * REGION };

static office here;
static pid_t parent;
static mam_t *m;
static mam_file_t *shared;

/* MAM_OK, or one of the statuses that the others' work explains; MAM_OK ends the list. */
static bool fine(const char *what, mam_status status, const mam_status *also) {
    if (status == MAM_OK) return true;
    while (*also != MAM_OK && *also != status) also++;
    if (*also == MAM_OK) failed_at(__FILE__, __LINE__, "%s answers %d (%s)", what, status, mam_status_name(status));
    return false;
}
#define FINE(call, ...) fine(#call, call, (const mam_status[]){__VA_ARGS__, MAM_OK})

static const char *path(const char *kind, int number, char *room) {
    snprintf(room, LONG_PATH, "%s/%s%d", here.root, kind, number);
    return room;
}

static bool is_all(const uint8_t *bytes, size_t count, uint8_t value) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value) return false;
    return true;
}

/* A thread's own region of a shared file, through a shared handle or its own. */
static void work_on_shared(int number, unsigned turn) {
    uint8_t bytes[9000];
    char room[LONG_PATH];
    size_t count, length = 1 + turn * 977 % sizeof bytes;
    int64_t at = (int64_t)number * REGION + turn * 613 % (REGION - (unsigned)sizeof bytes);
    mam_file_t *file = shared;
    if (turn % 3 == 0) OK(mam_file_open(m, path("shared", 0, room), O_RDWR, &file));
    memset(bytes, (int)turn, length);
    OK(mam_file_pwrite(file, at, bytes, length, &count));
    CHECK(count == length);
    OK(mam_file_pread(turn % 2 ? shared : file, at, bytes, length, &count));
    CHECK(count == length && is_all(bytes, count, (uint8_t)turn));
    if (turn % 64 == 0) OK(mam_file_datasync(file));
    if (file != shared) mam_file_close(file);
}

/* Files that several threads encrypt, decrypt, move to a new key, change and examine. */
static void work_on_common(int number, unsigned turn) {
    static const mam_status others[] = {MAM_ERR_BUSY, MAM_ERR_NOT_FOUND, MAM_OK};
    char room[LONG_PATH], target[LONG_PATH], *json = NULL;
    const char *common = path("common", (int)(turn % 4), room), *copy = path("copy", number, target);
    uint8_t bytes[3000];
    size_t count;
    mam_bool yes;
    mam_file_t *file = NULL;
    switch ((turn + (unsigned)number) % 8) {
    case 0: fine("encrypting", mam_file_encrypt(m, common, ANN), others); break;
    case 1: fine("decrypting", mam_file_decrypt(m, common), others); break;
    case 2: fine("reprotecting", mam_file_reprotect(m, common, &yes), others); break;
    case 3: fine("protecting", mam_file_protect(m, common, ANN), others); break;
    case 4:
        if (fine("telling", mam_file_info(m, common, &json), others)) mam_free(json);
        break;
    case 5: fine("copying", mam_file_decrypt_copy(m, common, copy), others); break;
    case 6:
        fine(
            "exporting", mam_file_export(m, common, MAM_SAVE_SHAREPOINT, ANN, copy),
            (mam_status[]){MAM_ERR_BUSY, MAM_ERR_DENIED, MAM_OK});
        break;
    default:
        if (!fine("opening", mam_file_open(m, common, O_RDWR, &file), others)) break;
        OK(mam_file_pread(file, 0, bytes, sizeof bytes, &count));
        CHECK(count == sizeof bytes && is_all(bytes, count, 'c'));
        OK(mam_file_pwrite(file, 0, bytes, count, &count));
        mam_file_close(file);
    }
}

static void make_and_cut(unsigned turn) {
    char room[LONG_PATH];
    mam_file_t *file = NULL;
    uint8_t bytes[5000] = {1};
    size_t count;
    int64_t size;
    OK(mam_file_create(
        m, path(turn % 3 ? "made" : "personal", 0, room), O_RDWR | (turn % 2 ? O_APPEND : 0), 0600, turn % 3 ? ANN : EVE, &file));
    for (int i = 0; i < 5; i++) OK(mam_file_write(file, bytes, sizeof bytes, &count));
    OK(mam_file_truncate(file, turn % 20000));
    OK(mam_file_size(file, &size));
    CHECK_NUMBER(turn % 20000, size);
    mam_file_close(file);
}

static void stream(unsigned turn) {
    sink sealed = {0}, opened = {0};
    mam_bool was = 0;
    size_t length = turn * 7919 % 400000;
    uint8_t *bytes = bytes_of(length + 1);
    OK(protect_all(m, ANN, turn % 2 ? MAM_TWO_THREADS : 0, bytes, length, 60000, &sealed));
    OK(unprotect_all(m, turn % 3 ? MAM_TWO_THREADS : 0, sealed.data, sealed.length, 50000, &opened, &was));
    CHECK(was == 1 && holds(&opened, bytes, length));
    sink_clear(&sealed);
    sink_clear(&opened);
    free(bytes);
}

static sqlite3 *databases[THREADS];

static void execute(int number, const char *statements) {
    char *error = NULL;
    if (sqlite3_exec(databases[number], statements, NULL, NULL, &error) != SQLITE_OK)
        failed_at(__FILE__, __LINE__, "%s: %s", statements, error);
}

static void open_database(int number) {
    char uri[LONG_PATH];
    snprintf(uri, sizeof uri, "file:%s/data.db?vfs=mam&mam_encrypt=1", here.root);
    CHECK(
        sqlite3_open_v2(uri, &databases[number], SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL) == SQLITE_OK);
    sqlite3_busy_timeout(databases[number], 2 * SOON);
}

static void close_database(int number) {
    sqlite3_close(databases[number]);
    databases[number] = NULL;
}

static void query(int number, unsigned turn) {
    char text[300];
    if (databases[number] == NULL) open_database(number);
    snprintf(
        text, sizeof text,
        "BEGIN IMMEDIATE; INSERT INTO t VALUES (%d, randomblob(2000)); DELETE FROM t WHERE n=%d AND rowid%%5=%u; COMMIT", number,
        number, turn % 5);
    execute(number, text);
    if (turn % 16) return;
    execute(number, "SELECT sum(length(a)) FROM t; PRAGMA quick_check");
    close_database(number);
}

static void rotate(unsigned turn) {
    int64_t op;
    char *status = NULL;
    if (turn < 2000) OK(mam_rotate_keys(m, ANN));
    OK(mam_check_in(m, ANN, &op));
    if (FINE(mam_wait(m, op, -1, &status), MAM_ERR_GONE)) mam_free(status);
    sleep_ms(20);
}

/* Bob's file: his account may be wiped at any time. */
static void work_for_bob(int number, unsigned turn) {
    static const mam_status gone[] = {MAM_ERR_NOT_ENROLLED, MAM_ERR_CLOSED, MAM_ERR_NOT_FOUND, MAM_ERR_KEY_UNAVAILABLE,
                                      MAM_ERR_NOT_MANAGED,  MAM_ERR_BUSY,   MAM_ERR_DENIED,    MAM_OK};
    char room[LONG_PATH];
    uint8_t bytes[6000];
    size_t count;
    mam_file_t *file = NULL;
    memset(bytes, 'b', sizeof bytes);
    if (!fine(
            "creating Bob's", mam_file_create(m, path("bob", 10 * number + (int)(turn % 3), room), O_RDWR, 0600, BOB, &file), gone))
        return;
    for (int i = 0; i < 10; i++) {
        if (!fine("writing Bob's", mam_file_pwrite(file, i * 3000, bytes, sizeof bytes, &count), gone)) break;
        memset(bytes, 0, sizeof bytes);
        if (!fine("reading Bob's", mam_file_pread(file, i * 3000, bytes, sizeof bytes, &count), gone)) break;
        CHECK(count == sizeof bytes && is_all(bytes, count, 'b'));
    }
    mam_file_close(file);
}

static void wipe_bob(void) {
    int64_t op = 0;
    OK(mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op));
    ends_with(m, op, 100);
    sleep_ms(30);
    OK(mam_wipe_account(m, BOB, &op));
    ends_with(m, op, 104);
}

static void *run(void *argument) {
    int number = (int)(intptr_t)argument;
    for (unsigned turn = 1; !atomic_load(&stop); turn++) {
        switch (number) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: work_on_shared(number, turn); break;
        case 5:
        case 6:
        case 7: work_on_common(number, turn); break;
        case 8: make_and_cut(turn); break;
        case 9: stream(turn); break;
        case 10:
        case 11: query(number, turn); break;
        case 12: rotate(turn); break;
        case 13:
        case 14: work_for_bob(number, turn); break;
        default: wipe_bob();
        }
        atomic_fetch_add(&calls[number], 1);
    }
    return NULL;
}

/* The second process has its own regions, connection and session. */
static void neighbour(void *seconds) {
    char room[LONG_PATH];
    alarm(*(unsigned *)seconds + 300);
    m = open_app(&here, APP, QUIET);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    OK(mam_file_open(m, path("shared", 0, room), O_RDWR, &shared));
    for (unsigned turn = 1; getppid() == parent; turn++) {
        work_on_shared(5 + (int)(turn % 5), turn);
        work_on_common(14, turn);
        query(14, turn);
    }
}

int main(int count, char **words) {
    int seconds = count > 1 ? atoi(words[1]) : 60, status;
    void *unused = NULL;
    char room[LONG_PATH];
    uint8_t *bytes = calloc(1, SIZE);
    size_t done;
    begin(&unused);
    alarm((unsigned)seconds + 300);
    parent = getpid();
    office_make(&here);
    office_policy(&here, false);
    /* Before this process has threads. */
    m = open_app(&here, APP, QUIET);
    enroll_well(m, ANN);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    OK(mam_file_create(m, path("shared", 0, room), O_RDWR, 0600, ANN, &shared));
    OK(mam_file_pwrite(shared, 0, bytes, SIZE, &done));
    mam_file_close(shared);
    memset(bytes, 'c', 20000);
    for (int i = 0; i < 4; i++) write_whole(path("common", i, room), bytes, 20000);
    open_database(0);
    execute(0, "PRAGMA journal_mode=wal; CREATE TABLE t(n, a)");
    close_database(0);
    OK(mam_close(m));
    pid_t child = start_child(neighbour, &seconds);
    m = open_app(&here, APP, WORKER);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    OK(mam_file_open(m, path("shared", 0, room), O_RDWR, &shared));
    crowd(run, seconds);
    CHECK(waitpid(child, &status, WNOHANG) == 0); /* it still works */
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    for (int i = 0; i < THREADS; i++) close_database(i);
    OK(mam_file_pread(shared, 0, bytes, SIZE, &done));
    CHECK_NUMBER(SIZE, done);
    mam_file_close(shared);
    OK(mam_close(m));
    office_remove(&here);
    free(bytes);
    tell_turns(seconds);
    return 0;
}
