/* Holds a handle of every kind, and executes the commands of keys.py on its standard input:
 *
 *     tool_keys_holder FOLDER MORE-SETTINGS
 *     fork | clone   start a child, which takes the commands until "end"
 *     use            try every handle and print its result
 *     close          mam_close
 *     release        release every handle
 *     end            exit
 *
 * Each reply ends with a line that begins with "done". */
#include "attack.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { BYTES = 100000 };

static mam_t *m;
static mam_policy_t *policy;
static mam_identity_t *identity;
static mam_app_config_t *config;
static mam_decision_t *decision;
static mam_json_t *parsed;
static mam_protect_stream_t *protecting, *protecting_beside, *labelling;
static mam_unprotect_stream_t *unprotecting;
static mam_file_t *writing, *reading;
static sqlite3 *database;
static uint8_t plain[BYTES];
static char folder[PATH_SIZE];
static mam_buffer container;
static size_t unprotected;

static char *in(const char *name) {
    static char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int32_t to_file(void *user, const uint8_t *data, size_t length) {
    return write(*(int *)user, data, length) == (ssize_t)length ? 0 : 1;
}

static int32_t to_nobody(void *user, const uint8_t *data, size_t length) { return (void)user, (void)data, (void)length, 0; }

static void run_nothing(void *arg) { (void)arg; }

static int made(const char *name) {
    int descriptor = open(in(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    HOLDS(descriptor >= 0);
    return descriptor;
}

static int sql(const char *text) { return sqlite3_exec(database, text, NULL, NULL, NULL); }

static void hold(const char *more) {
    static int first, second, third;
    char settings[SETTINGS_SIZE];
    office o = {0};
    size_t count;
    snprintf(o.folder, sizeof o.folder, "%s", folder);
    HOLDS(snprintf(o.authority, sizeof o.authority, "%s/authority.db", folder) < PATH_SIZE);
    HOLDS(snprintf(o.state, sizeof o.state, "%s/state", folder) < PATH_SIZE);
    settings_of(&o, more, settings);
    OK(mam_open(settings, &m));
    enroll(m, ANN);
    OK(mam_rotate_keys(m, ANN));
    OK(mam_set_process_identity(m, ANN));
    int64_t op;
    char *switched;
    OK(mam_set_ui_identity(m, "window", "[\"" ANN "\"]", &op));
    OK(mam_wait(m, op, -1, &switched));
    mam_free(switched);
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_identity_capture(m, &identity));
    OK(mam_app_config(m, "[\"" ANN "\"]", &config));
    OK(mam_policy_reason(policy, MAM_ASK_PRINT, &decision));
    OK(mam_json_parse("{}", &parsed));
    OK(mam_protect(m, ANN, plain, BYTES, &container));
    HOLDS(to_file(&(int){made("container")}, container.data, container.length) == 0);
    OK(mam_protect_stream_open(m, ANN, 0, to_file, (first = made("stream"), &first), &protecting));
    OK(mam_protect_stream_write(protecting, plain, BYTES));
    OK(mam_protect_stream_open(m, ANN, MAM_TWO_THREADS, to_file, (second = made("stream-beside"), &second), &protecting_beside));
    OK(mam_protect_stream_write(protecting_beside, plain, BYTES));
    OK(mam_protect_stream_open(m, "", 0, to_file, (third = made("label"), &third), &labelling));
    OK(mam_protect_stream_write(labelling, plain, BYTES));
    OK(mam_unprotect_stream_open(m, 0, to_nobody, NULL, &unprotecting));
    OK(mam_unprotect_stream_write(unprotecting, container.data, unprotected = BYTES / 2));
    OK(mam_file_create(m, in("written"), O_RDWR | O_CREAT, 0600, ANN, &writing));
    OK(mam_file_write(writing, plain, BYTES, &count));
    OK(mam_file_open(m, in("written"), O_RDONLY, &reading));
    OK(mam_file_read(reading, plain, BYTES, &count));
    OK(mam_sqlite_vfs_register(m, "keys", ANN));
    HOLDS(sqlite3_open_v2(in("database"), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "keys") == SQLITE_OK);
    HOLDS(sql("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; PRAGMA temp_store = FILE; CREATE TABLE t (a)") == SQLITE_OK);
    HOLDS(sql("INSERT INTO t VALUES (randomblob(50000)), (randomblob(50000))") == SQLITE_OK);
    HOLDS(sql("CREATE TEMP TABLE u AS SELECT * FROM t; SELECT length(a) FROM t") == SQLITE_OK);
}

/* The result of each handle. A question exists only while its delegate runs, so no handle of one outlives its session. */
static void use(void) {
    mam_buffer buffer;
    mam_policy_t *other;
    size_t count;
    uint8_t byte;
    char *json;
    printf("mam %s\n", mam_status_name(mam_protect(m, ANN, plain, BYTES, &buffer)));
    printf("mam %s\n", mam_status_name(mam_policy_for_account(m, ANN, &other)));
    printf("mam_policy %s\n", mam_status_name(mam_policy_json(policy, &json)));
    printf("mam_identity %s\n", mam_status_name(mam_identity_run(identity, run_nothing, NULL)));
    printf("mam_app_config %s\n", mam_status_name(mam_app_config_all_strings(config, "key", &json)));
    printf("mam_decision %s\n", mam_status_name(mam_decision_json(decision, &json)));
    (void)mam_json_has(parsed, "");
    printf("mam_json %s\n", mam_status_name(mam_last_status()));
    printf("mam_protect_stream %s\n", mam_status_name(mam_protect_stream_write(protecting, plain, BYTES)));
    printf("mam_protect_stream %s\n", mam_status_name(mam_protect_stream_write(protecting_beside, plain, BYTES)));
    printf("mam_protect_stream %s\n", mam_status_name(mam_protect_stream_write(labelling, plain, BYTES)));
    printf(
        "mam_unprotect_stream %s\n", mam_status_name(mam_unprotect_stream_write(unprotecting, container.data + unprotected, 1000)));
    unprotected += 1000;
    printf("mam_file %s\n", mam_status_name(mam_file_pwrite(writing, 0, plain, 4096, &count)));
    printf("mam_file %s\n", mam_status_name(mam_file_pread(reading, 0, &byte, 1, &count)));
    printf("mam_question none\n");
    printf("sqlite3 %s\n", sql("INSERT INTO t VALUES (1)") == SQLITE_OK ? "ok" : "refused");
    printf("sqlite3 %s\n", sql("SELECT sum(length(a)) FROM t") == SQLITE_OK ? "ok" : "refused");
}

static void release(void) {
    mam_policy_release(policy);
    mam_identity_release(identity);
    mam_app_config_release(config);
    mam_decision_release(decision);
    mam_json_release(parsed);
    (void)!mam_protect_stream_close(protecting, 0);
    (void)!mam_protect_stream_close(protecting_beside, MAM_ABANDON);
    (void)!mam_protect_stream_close(labelling, 0);
    (void)!mam_unprotect_stream_close(unprotecting, 0, NULL);
    mam_file_close(writing);
    mam_file_close(reading);
    sqlite3_close(database);
    mam_buffer_free(&container);
}

static void child(pid_t pid) {
    int status;
    if (pid == 0) return;
    HOLDS(pid > 0 && waitpid(pid, &status, 0) == pid);
    printf("done %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Byte by byte, so that a child continues where its parent stopped reading. */
static void next(char *line, size_t size) {
    size_t length = 0;
    char byte;
    while (read(0, &byte, 1) == 1 && byte != '\n' && length < size - 1) line[length++] = byte;
    line[length] = 0;
}

int main(int count, char **arguments) {
    char line[64];
    pid_t own = getpid(), pid = own;
    HOLDS(count == 3);
    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(folder, sizeof folder, "%s", arguments[1]);
    hold(arguments[2]);
    printf("done %d\n", (int)own);
    for (;;) {
        next(line, sizeof line);
        if (strcmp(line, "fork") == 0 || strcmp(line, "clone") == 0) {
            pid = line[0] == 'f' ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
            child(pid);
            if (pid != 0) continue;
            printf("done %d\n", (int)syscall(SYS_getpid));
        } else if (strcmp(line, "use") == 0) {
            use();
            puts("done");
        } else if (strcmp(line, "close") == 0) {
            printf("done %s\n", mam_status_name(mam_close(m)));
        } else if (strcmp(line, "release") == 0) {
            release();
            puts("done");
        } else {
            puts("done");
            fflush(stdout);
            _exit(0);
        }
    }
}
