/* busy OFFICE SEED ROUNDS: every operation of libmam on Ann's files, with plain bytes that are easy to find, and many
 * of them open at once: handles, streams, a database, files that are encrypted in place, moved to a new key, exported
 * and imported. Files that are still plain are named given. It ends with the last round, by SIGABRT. */
#define _GNU_SOURCE
#include "streams.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>

enum { OPEN = 6, TEXT_SIZE = 300000 };

static office here;
static mam_t *m;
static char text[TEXT_SIZE];
static mam_file_t *files[OPEN];
static mam_protect_stream_t *streams[OPEN];
static int outputs[OPEN];
static sqlite3 *database;

typedef struct container {
    size_t length;
    mam_buffer data;
} container_t;
static container_t containers[] = {{1 << 20, {NULL, 0}}, {64, {NULL, 0}}};

static uint64_t seed;
static unsigned dice(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33);
}

static const char *path(const char *kind, unsigned number) {
    static char paths[4][LONG_PATH];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, LONG_PATH, "%s/%s%u", here.root, kind, number);
    return path;
}

static void work_on(mam_file_t *file) {
    size_t count;
    static uint8_t back[TEXT_SIZE];
    for (int i = 0; i < 4; i++) {
        OK(mam_file_pwrite(file, dice() % 500000, (const uint8_t *)text, 1 + dice() % TEXT_SIZE, &count));
        OK(mam_file_pread(file, dice() % 500000, back, sizeof back, &count));
        OK(mam_file_write(file, (const uint8_t *)text, 1 + dice() % 3000, &count));
    }
    OK(mam_file_truncate(file, dice() % 600000));
    OK(mam_file_sync(file));
}

static int32_t put(void *user, const uint8_t *data, size_t length) {
    return write(*(int *)user, data, length) == (ssize_t)length ? 0 : 1;
}

static void stream(unsigned i) {
    if (streams[i]) OK(mam_protect_stream_close(streams[i], 0));
    close(outputs[i]);
    outputs[i] = open(path("stream", i), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    OK(mam_protect_stream_open(m, ANN, i % 2 ? MAM_TWO_THREADS : 0, put, &outputs[i], &streams[i]));
    for (int piece = 0; piece < 3; piece++) OK(mam_protect_stream_write(streams[i], (const uint8_t *)text, TEXT_SIZE));
}

static void run(const char *statements) {
    char *error = NULL;
    if (sqlite3_exec(database, statements, NULL, NULL, &error) != SQLITE_OK)
        failed_at(__FILE__, __LINE__, "%s: %s", statements, error);
}

static void open_database(void) {
    char uri[LONG_PATH + 64];
    snprintf(uri, sizeof uri, "file:%s/data.db?vfs=mam&mam_encrypt=1", here.root);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    if (sqlite3_open_v2(uri, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        failed_at(__FILE__, __LINE__, "%s", sqlite3_errmsg(database));
    run("PRAGMA cache_size=5; PRAGMA temp_store=1; PRAGMA wal_autocheckpoint=20; CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a TEXT)");
}

/* Leave a connection in the middle of a transaction, with a journal or a log, and with files of a sorter and of a temporary table. */
static void query(unsigned round) {
    static const char *const modes[] = {"PRAGMA journal_mode=delete", "PRAGMA journal_mode=wal", "PRAGMA journal_mode=truncate"};
    if (!sqlite3_get_autocommit(database)) run("COMMIT");
    run(modes[round % 3]);
    char insert[400];
    snprintf(
        insert, sizeof insert,
        "INSERT INTO t(a) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300) "
        "SELECT '%.64s' || '%.64s' || i || random() FROM n",
        text, text);
    run(insert);
    run("BEGIN; CREATE TEMP TABLE IF NOT EXISTS w(a); INSERT INTO w SELECT a FROM t ORDER BY a DESC LIMIT 500; "
        "UPDATE t SET a=a || 'x' WHERE id%3=0; DELETE FROM w; SAVEPOINT s; DELETE FROM t WHERE id%7=1");
}

static void whole(unsigned i) {
    const char *given = path("given", i), *exported = path("exported", i);
    write_whole(given, text, 1 + dice() % TEXT_SIZE);
    OK(mam_file_encrypt(m, given, ANN));
    if (i == 0) OK(mam_rotate_keys(m, ANN));
    OK(mam_file_reprotect(m, given, NULL));
    OK(mam_file_export(m, given, MAM_SAVE_SHAREPOINT, ANN, exported));
    OK(mam_file_import(m, exported, ANN, path("received", i)));
}

/* A thread that is always in the middle of opening a container: the large one is decrypted most of the time, the small
 * one has its key derived. */
static void *open_for_ever(void *argument) {
    const container_t *container = argument;
    uint8_t *plain = calloc(1, container->length);
    for (size_t count;;) {
        OK(mam_unprotect_into(m, container->data.data, container->data.length, 0, plain, container->length, &count, NULL));
    }
    return NULL;
}

static void start_opening(container_t *container, unsigned number) {
    uint8_t *plain = calloc(1, container->length);
    OK(mam_protect(m, ANN, plain, container->length, &container->data));
    free(plain);
    write_whole(path("container", number), container->data.data, container->data.length);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, open_for_ever, container) == 0);
}

int main(int count, char **words) {
    if (count < 4) return 2;
    snprintf(here.root, sizeof here.root, "%s", words[1]);
    snprintf(here.authority, sizeof here.authority, "%s/authority.db", words[1]);
    snprintf(here.state, sizeof here.state, "%s/state", words[1]);
    seed = strtoull(words[2], NULL, 10);
    for (size_t at = 0; at < TEXT_SIZE; at++) text[at] = "MARKER-IN-THE-CLEAR-OF-ANNS "[at % 28];
    m = open_app(&here, APP, WORKER);
    open_database();
    for (unsigned i = 0; i < OPEN; i++) outputs[i] = -1;
    for (unsigned round = 0; round < strtoul(words[3], NULL, 10); round++) {
        unsigned i = round % OPEN;
        mam_file_close(files[i]);
        OK(mam_file_create(m, path("handle", i), O_RDWR, 0600, ANN, &files[i]));
        work_on(files[i]);
        stream(i);
        query(round);
        whole(i);
        work_on(files[dice() % (round < OPEN ? i + 1 : OPEN)]);
    }
    for (unsigned i = 0; i < 2; i++) start_opening(&containers[i], i);
    sleep_ms(200);
    raise(SIGABRT);
    return 2;
}
