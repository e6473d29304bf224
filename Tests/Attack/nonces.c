/* A memory image that runs twice would seal two texts under one nonce if randomness was drawn ahead. The files of two runs
 * of one process are compared: no nonce of docs/sealed-files.md, docs/sqlite.md and docs/formats.md may be in both, and no
 * range of both may reveal the second text from the first one without a key. */
#include "twice.h"
#include <malloc.h>
#include <sqlite3.h>

enum { FIRST = 'a', SECOND = 'b', PAGE = 4096, NONCE = 12, TAG = 16, MOST = 1 << 16 };

typedef struct used {
    const char *path;
    unsigned char key[64], nonce[24], tag[TAG];
} used;

static used all[MOST];
static size_t count, before_count;
static office desk;
static int choice[2]; /* which run it is: each reads one letter */

/* Fail if the other run sealed other bytes under the same key and nonce. */
static void meet(const char *path, const void *key, size_t key_length, const void *nonce, size_t length, const void *tag) {
    used one = {.path = path};
    if (key_length > sizeof one.key) key_length = sizeof one.key;
    memcpy(one.key, key, key_length);
    memcpy(one.nonce, nonce, length);
    memcpy(one.tag, tag, TAG);
    for (size_t i = 0; i < count; i++) {
        if (memcmp(all[i].nonce, one.nonce, sizeof one.nonce) != 0 || memcmp(all[i].key, one.key, sizeof one.key) != 0) continue;
        if (memcmp(all[i].tag, one.tag, TAG) == 0) return;
        BREAKS("%s: one nonce sealed two records, and another in %s", path, all[i].path);
    }
    HOLDS(count < MOST);
    all[count++] = one;
}

static unsigned long number(const unsigned char *at, int bytes) {
    unsigned long value = 0;
    while (bytes-- > 0) value = value << 8 | *at++;
    return value;
}

static bool is_zero(const unsigned char *at, size_t length) {
    while (length > 0 && *at == 0) at++, length--;
    return length == 0;
}

static void sealed_file(const twice_piece *p) {
    size_t account = number(p->bytes + 37, 2);
    unsigned char key[26];
    memcpy(key, p->bytes + 39 + account, 24);
    for (size_t table = PAGE; table + PAGE <= p->length; table += 65 * PAGE) {
        for (size_t at = table; at + 32 <= table + 63 * 64; at += 32) {
            const unsigned char *e = p->bytes + at;
            if (e[0] != e[31] || (e[1] & 0xc0) != 0x80 || e[2] == 0) continue;
            key[24] = e[2];
            meet(p->path, key, 25, e + 3, NONCE, e + 15);
        }
    }
}

static void pages(const char *path, const unsigned char *salt, const unsigned char *page, size_t size) {
    unsigned char key[20];
    const unsigned char *end = page + size - 32;
    memcpy(key, salt, 16);
    memcpy(key + 16, end + 28, 4);
    if (!is_zero(end, 32)) meet(path, key, sizeof key, end, NONCE, end + NONCE);
}

static void database(const twice_piece *p) {
    size_t size = number(p->bytes + 16, 2);
    if (size == 1) size = 65536;
    for (size_t at = 0; at + size <= p->length; at += size) pages(p->path, p->bytes, p->bytes + at, size);
}

static void journal(const twice_piece *p) {
    const bool is_log = p->bytes[4] == 1;
    const size_t size = number(p->bytes + 12, 4);
    if (is_log) {
        meet(p->path, p->bytes, 48, p->bytes + 48 + 32, NONCE, p->bytes + 48 + 32 + NONCE);
        for (size_t at = 48 + 60; at + 53 + size <= p->length; at += 53 + size) {
            meet(p->path, p->bytes, 48, p->bytes + at + 25, NONCE, p->bytes + at + 25 + NONCE);
            pages(p->path, p->bytes + 32, p->bytes + at + 53, size);
        }
        return;
    }
    for (size_t page = PAGE; page + PAGE <= p->length; page += PAGE) {
        for (size_t at = page; at + 540 <= page + 7 * 540; at += 540)
            if (!is_zero(p->bytes + at + 512, 28)) meet(p->path, p->bytes, 48, p->bytes + at + 512, NONCE, p->bytes + at + 524);
    }
}

static void container(const twice_piece *p) {
    const size_t body = 7 + number(p->bytes + 5, 2);
    if (p->bytes[7] == 1 && body + 72 <= p->length)
        meet(p->path, p->bytes + 13, 16, p->bytes + body, 24, p->bytes + p->length - TAG);
}

static void collect(const twice_piece *files) {
    for (; files != NULL; files = files->next) {
        if (files->length < 64 || memcmp(files->bytes, "MAM", 3) != 0) continue;
        switch (files->bytes[3]) {
        case 1: container(files); break;
        case 2: sealed_file(files); break;
        case 3: database(files); break;
        case 4: journal(files); break;
        }
    }
}

/* If both runs used one key stream, the exclusive or of their output is that of their letters. For temporary files, which
 * have no documented form, this is the only test. */
static void recover(const twice_piece *first, const twice_piece *second) {
    enum { ENOUGH = 24 };
    for (; first != NULL; first = first->next) {
        const twice_piece *other = twice_find(second, first->path);
        size_t run = 0, length = other == NULL ? 0 : other->length < first->length ? other->length : first->length;
        for (size_t i = 0; i < length; i++) {
            run = (first->bytes[i] ^ other->bytes[i]) == (FIRST ^ SECOND) ? run + 1 : 0;
            if (run == ENOUGH) BREAKS("%s: %zu: the second text follows from the first, without a key", first->path, i);
        }
    }
}

/* The keys that sealed the letters after each run's rotation. */
static void key_of(const twice_piece *files, unsigned char key[16]) {
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s/rotated", desk.folder);
    const twice_piece *p = twice_find(files, path);
    HOLDS(p != NULL && p->length > 64);
    memcpy(key, p->bytes + 13, 16);
}

#define IN_DESK(name) in_desk((char[PATH_SIZE + 32]){0}, name)
static const char *in_desk(char path[PATH_SIZE + 32], const char *name) {
    snprintf(path, PATH_SIZE + 32, "%s/%s", desk.folder, name);
    return path;
}

static void sql(sqlite3 *db, const char *format, int letter) {
    char text[512], *error = NULL;
    snprintf(text, sizeof text, format, letter);
    if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK) BREAKS("%s: %s", text, error);
}

static sqlite3 *opened(const char *name, const char *mode) {
    sqlite3 *db;
    HOLDS(sqlite3_open_v2(IN_DESK(name), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "mam") == SQLITE_OK);
    char pragma[128];
    snprintf(pragma, sizeof pragma, "PRAGMA journal_mode=%s; PRAGMA cache_size=8; PRAGMA temp_store=FILE;", mode);
    sql(db, pragma, 0);
    sql(db, "CREATE TABLE t (x); INSERT INTO t VALUES (replace(hex(zeroblob(20000)), '0', 's'));", 0);
    sql(db,
        "CREATE TEMP TABLE u (x); PRAGMA temp.cache_size=4;"
        "INSERT INTO u VALUES (replace(hex(zeroblob(40000)), '0', 's'));",
        0);
    return db;
}

static void write_out(const char *name, const void *bytes, size_t length) { twice_write(IN_DESK(name), bytes, length); }

static int32_t stream_out(void *user, const uint8_t *data, size_t length) {
    return write(*(int *)user, data, length) == (ssize_t)length ? 0 : 1;
}

typedef struct life {
    mam_t *m;
    mam_file_t *warm, *cold, *adding;
    sqlite3 *persist, *log;
    mam_protect_stream_t *stream;
    int streamed;
} life;

static void begin(life *l) {
    static unsigned char text[40 * PAGE];
    size_t written;
    memset(text, 's', sizeof text);
    l->m = session_of(&desk, "");
    enroll(l->m, ANN);
    OK(mam_sqlite_vfs_register(l->m, "mam", ANN));
    const int made = O_RDWR | O_CREAT;
    OK(mam_file_create(l->m, IN_DESK("warm"), made, 0600, ANN, &l->warm));
    OK(mam_file_create(l->m, IN_DESK("cold"), made, 0600, ANN, &l->cold));
    OK(mam_file_create(l->m, IN_DESK("adding"), made | O_APPEND, 0600, ANN, &l->adding));
    OK(mam_file_pwrite(l->warm, 0, text, sizeof text, &written));
    OK(mam_file_pwrite(l->adding, 0, text, 100, &written));
    unlink(IN_DESK("plain")); /* whole pages over a sealed file would be damage */
    write_out("plain", text, sizeof text);
    l->persist = opened("persist.db", "PERSIST");
    l->log = opened("log.db", "WAL");
    sql(l->persist, "UPDATE t SET x = x || 's';", 0);
}

/* The actions of both runs, each with its letter. */
static void act(life *l, int letter) {
    static unsigned char text[40 * PAGE];
    size_t written;
    mam_buffer out;
    mam_protect_stream_t *stream;
    char words[101] = {0}, *protected_words;
    memset(text, letter, sizeof text);
    memset(words, letter, 100);
    OK(mam_file_pwrite(l->warm, 0, text, PAGE, &written));
    OK(mam_file_pwrite(l->warm, 5 * PAGE, text, 20 * PAGE, &written));
    OK(mam_file_pwrite(l->warm, 30 * PAGE + 7, text, 1000, &written));
    OK(mam_file_pwrite(l->cold, 0, text, 3 * PAGE, &written));
    OK(mam_file_truncate(l->cold, PAGE + 50));
    OK(mam_file_truncate(l->cold, 9 * PAGE));
    OK(mam_file_write(l->adding, text, 2 * PAGE, &written));
    sql(l->persist, "UPDATE t SET x = replace(x, 's', '%c');", letter);
    sql(l->persist, "UPDATE t SET x = x || 'again';", letter);
    sql(l->log, "UPDATE t SET x = replace(x, 's', '%c');", letter);
    sql(l->log, "INSERT INTO t VALUES (replace(hex(zeroblob(20000)), '0', '%c'));", letter);
    sql(l->log, "UPDATE u SET x = replace(x, 's', '%c');", letter);
    sql(l->persist, "INSERT INTO u VALUES (replace(hex(zeroblob(90000)), '0', '%c'));", letter);
    OK(mam_protect(l->m, ANN, text, 1000, &out));
    write_out("buffer", out.data, out.length);
    mam_buffer_free(&out);
    OK(mam_protect_string(l->m, ANN, words, &protected_words));
    write_out("string", protected_words, strlen(protected_words));
    mam_free(protected_words);
    if (l->stream == NULL) OK(mam_protect_stream_open(l->m, ANN, 0, stream_out, &l->streamed, &stream));
    else stream = l->stream;
    l->streamed = open(IN_DESK("stream"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    OK(mam_protect_stream_write(stream, text, 20 * PAGE));
    OK(mam_protect_stream_close(stream, 0));
    close(l->streamed);
    unlink(IN_DESK("plain")); /* whole pages over a sealed file would be damage */
    write_out("plain", text, sizeof text);
    OK(mam_file_verify_and_protect(l->m, IN_DESK("plain"), ANN));
    OK(mam_file_encrypt(l->m, IN_DESK("plain"), ANN));
    OK(mam_file_export(l->m, IN_DESK("plain"), MAM_SAVE_LOCAL_DRIVE, NULL, IN_DESK("exported")));
    OK(mam_rotate_keys(l->m, ANN));
    OK(mam_file_reprotect(l->m, IN_DESK("plain"), NULL));
    OK(mam_file_pwrite(l->warm, PAGE, text, PAGE, &written));
    sql(l->log, "UPDATE t SET x = x || '%c';", letter);
    OK(mam_protect(l->m, ANN, text, 1000, &out));
    write_out("rotated", out.data, out.length);
    mam_buffer_free(&out);
}

static void run(void *user) {
    static life l;
    char letter;
    (void)user;
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    begin(&l);
    twice_stop();
    HOLDS(read(choice[0], &letter, 1) == 1);
    act(&l, letter);
    twice_stop();
}

/* Data that leaves for other apps is sealed. */
static void restrict_sharing(void) {
    admin(
        &desk,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"id\":\"within\","
        "\"displayName\":\"Within\",\"allowedOutboundDataTransferDestinations\":\"managedApps\"}}");
    admin(&desk, "{\"action\":\"policy.assign\",\"policy\":\"within\",\"allUsers\":true}");
    admin(&desk, "{\"action\":\"policy.target\",\"policy\":\"within\",\"allApps\":true}");
}

int main(void) {
    twice_piece *before, *first, *second;
    unsigned char keys[2][16];
    const long rounds = scale(2, 50);
    for (long round = 0; round < rounds; round++) {
        count = 0;
        office_make(&desk);
        restrict_sharing();
        HOLDS(pipe(choice) == 0 && write(choice[1], (char[]){FIRST, SECOND}, 2) == 2);
        twice_run(run, NULL, desk.folder, &before, &first, &second);
        recover(first, second);
        collect(before);
        before_count = count;
        collect(first);
        collect(second);
        HOLDS(count > before_count + 500);
        key_of(first, keys[0]);
        key_of(second, keys[1]);
        if (memcmp(keys[0], keys[1], sizeof keys[0]) == 0) BREAKS("both lives made the same key");
        twice_free(&before);
        twice_free(&first);
        twice_free(&second);
        office_remove(&desk);
        close(choice[0]);
        close(choice[1]);
    }
    printf("%ld memory images ran twice, %zu nonces of the last one, none of them used again\n", rounds, count);
    return HELD;
}
