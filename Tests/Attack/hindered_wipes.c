/* Hindered wipes: each way to request a wipe, while each thing that destruction could need is missing. From the reply on
 * nothing of the account can be read, in the process that received the wipe and in another one with open handles; a reply of
 * success means that the key is destroyed; and once the hindrance ends, the wipe is finished without a further request: by a
 * worker, by mam_run_due, at the next check-in, by the other process, or by the next open after a kill.
 *
 * Some hindrances are limits of the system and another process's lock. For the others this program replaces calls of the C
 * library; they fail for files of the state while a shared word says so. */
#include "attack.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

typedef enum hindrance { DESCRIPTORS, NO_DESCRIPTOR, FILE_SIZE, DATABASE, NO_RANDOM, FULL, READ_ONLY, HINDRANCES } hindrance;
typedef enum way { HOST, DEREGISTRATION, ADMINISTRATOR, PIN, LAUNCH, WAYS } way;
typedef enum finisher { WORKER, RUN_DUE, CHECK_IN, BYSTANDER, KILLED, FINISHERS } finisher;

static const char *const hindrances[] = {"all descriptors are used",    "no descriptor may be opened",
                                         "no file may grow (SIGXFSZ)",  "another process holds the database",
                                         "there are no random numbers", "the disk is full",
                                         "the disk takes nothing"};
static const char *const ways[] = {"the host", "a deregistration", "the administrator", "the last PIN", "a launch"};
static const char *const reasons[] = {"host", "deregistration", "administrator", "pin", "conditionalLaunch"};
static const char *const finishers[] = {"the worker", "mam_run_due", "a check-in", "the other process", "an open after a kill"};

enum { NONE = HINDRANCES, PLAIN = 200000, WATCHDOG = 300 };

/* ---- failing calls */

static volatile int *injected; /* shared: a hindrance, or NONE */

static bool is_hindered(hindrance which) { return injected != NULL && *injected == (int)which; }

static bool is_of_state(int descriptor, const char *name) {
    char link[64], path[4096];
    if (name != NULL && name[0] == '/') return strstr(name, "/state/") != NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = 0;
    return strstr(path, "/state/") != NULL;
}

/* 0, or the errno with which a write to the state fails. */
static int refusal(int descriptor, const char *name) {
    if (!is_hindered(FULL) && !is_hindered(READ_ONLY)) return 0;
    if (!is_of_state(descriptor, name)) return 0;
    return is_hindered(FULL) ? ENOSPC : EROFS;
}

#define REAL(type, name)    \
    __typeof__(type) *real; \
    *(void **)&real = dlsym(RTLD_NEXT, name)

ssize_t getrandom(void *bytes, size_t length, unsigned flags) {
    if (!is_hindered(NO_RANDOM)) return syscall(SYS_getrandom, bytes, length, flags);
    errno = EIO;
    return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    if ((errno = refusal(descriptor, NULL)) != 0) return -1;
    return syscall(SYS_write, descriptor, bytes, length);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    if ((errno = refusal(descriptor, NULL)) != 0) return -1;
    return syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    return pwrite(descriptor, bytes, length, offset);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    int refused = refusal(descriptor, NULL);
    REAL(int(int, off_t, off_t), "posix_fallocate");
    return refused ? refused : real(descriptor, offset, length);
}

int unlinkat(int directory, const char *name, int flags) {
    if (is_hindered(READ_ONLY) && (errno = refusal(directory, name)) != 0) return -1;
    return (int)syscall(SYS_unlinkat, directory, name, flags);
}

int symlinkat(const char *target, int directory, const char *name) {
    if (is_hindered(READ_ONLY) && (errno = refusal(directory, name)) != 0) return -1;
    return (int)syscall(SYS_symlinkat, target, directory, name);
}

/* ---- the state, by its files */

static office here;

static const char *in_group(const char *name) {
    static char paths[4][PATH_SIZE * 2];
    static int next;
    char *path = paths[next = (next + 1) % 4];
    snprintf(path, sizeof paths[0], "%s/com.example/%s", here.state, name);
    return path;
}

static const char *in_folder(const char *name, int which) {
    static char path[PATH_SIZE * 2];
    snprintf(path, sizeof path, "%s/%s%d", here.folder, name, which);
    return path;
}

typedef struct share {
    char name[64];
    unsigned char bytes[32];
} share;

/* Returns the share of the only account. */
static share only_share(void) {
    share s = {0};
    DIR *shares = opendir(in_group("shares"));
    HOLDS(shares != NULL);
    for (struct dirent *entry; (entry = readdir(shares)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        HOLDS(s.name[0] == 0);
        snprintf(s.name, sizeof s.name, "shares/%.40s", entry->d_name);
    }
    closedir(shares);
    int f = open(in_group(s.name), O_RDONLY);
    HOLDS(f >= 0 && read(f, s.bytes, sizeof s.bytes) == sizeof s.bytes);
    close(f);
    return s;
}

static bool is_there(const share *s) {
    unsigned char now[sizeof s->bytes];
    int f = open(in_group(s->name), O_RDONLY | O_NOFOLLOW);
    bool same = f >= 0 && read(f, now, sizeof now) == sizeof now && memcmp(now, s->bytes, sizeof now) == 0;
    if (f >= 0) close(f);
    return same;
}

static long long rows(const char *query) {
    sqlite3 *db;
    sqlite3_stmt *s;
    HOLDS(sqlite3_open_v2(in_group("state.db"), &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    HOLDS(sqlite3_prepare_v2(db, query, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW);
    long long count = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return count;
}

/* ---- a process that has everything of Ann's open */

static uint8_t plain[PLAIN], sealed[PLAIN + 8192];
static size_t sealed_length;

typedef struct handles {
    mam_t *m;
    mam_unprotect_stream_t *reading;
    mam_protect_stream_t *writing;
    mam_file_t *file;
    sqlite3 *db;
    size_t came_out;
} handles;

static int32_t count_bytes(void *user, const uint8_t *data, size_t length) {
    (void)data;
    *(size_t *)user += length;
    return 0;
}

static int32_t ignore_bytes(void *user, const uint8_t *data, size_t length) {
    (void)user, (void)data, (void)length;
    return 0;
}

static void run(sqlite3 *db, const char *statement) {
    char *error = NULL;
    if (sqlite3_exec(db, statement, NULL, NULL, &error) != SQLITE_OK) BREAKS("%s: %s", statement, error);
}

static void open_handles(handles *h, int number) {
    size_t count;
    char name[32];
    if (sealed_length == 0) OK(mam_protect_into(h->m, ANN, plain, sizeof plain, sealed, sizeof sealed, &sealed_length));
    OK(mam_unprotect_stream_open(h->m, 0, count_bytes, &h->came_out, &h->reading));
    OK(mam_unprotect_stream_write(h->reading, sealed, sealed_length / 2));
    OK(mam_protect_stream_open(h->m, ANN, 0, ignore_bytes, NULL, &h->writing));
    OK(mam_file_create(h->m, in_folder("file", number), O_RDWR, 0600, ANN, &h->file));
    OK(mam_file_pwrite(h->file, 0, plain, sizeof plain, &count));
    snprintf(name, sizeof name, "ann%d", number);
    OK(mam_sqlite_vfs_register(h->m, name, ANN));
    HOLDS(sqlite3_open_v2(in_folder("data", number), &h->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, name) == SQLITE_OK);
    run(h->db, "CREATE TABLE t(a); INSERT INTO t VALUES ('secret')");
}

/* Ann's data that can be read or created now: a letter each, "" for none. */
static void look(handles *h, char found[16]) {
    uint8_t *out = malloc(sizeof sealed);
    size_t count = 0, before = h->came_out;
    sqlite3_stmt *s = NULL;
    char *at = found;
    HOLDS(out != NULL);
    if (mam_unprotect_into(h->m, sealed, sealed_length, 0, out, sizeof sealed, &count, NULL) == MAM_OK) *at++ = 'u';
    if (mam_protect_into(h->m, ANN, plain, 100, out, sizeof sealed, &count) == MAM_OK) *at++ = 'p';
    if (mam_unprotect_stream_write(h->reading, sealed + sealed_length / 2, 1 << 15) == MAM_OK || h->came_out != before) *at++ = 'r';
    if (mam_protect_stream_write(h->writing, plain, sizeof plain) == MAM_OK) *at++ = 'w';
    if (mam_file_pread(h->file, 0, out, 100, &count) == MAM_OK) *at++ = 'f';
    if (sqlite3_prepare_v2(h->db, "SELECT a FROM t", -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) *at++ = 's';
    sqlite3_finalize(s);
    *at = 0;
    free(out);
}

/* ---- two processes that take commands, one line each way */

typedef struct actor {
    pid_t process;
    FILE *to, *from;
} actor;

typedef struct scenario {
    hindrance hindrance;
    way way;
    finisher finisher;
    bool is_alone; /* Ann is the only account */
} scenario;

static const char *session_settings(const scenario *s, bool has_worker) {
    static char more[256];
    snprintf(
        more, sizeof more, "\"worker\":%s%s", has_worker ? "true" : "false",
        s->way == LAUNCH ? ",\"device\":{\"version\":\"1.9\"}" : "");
    return more;
}

static struct rlimit kept_limit;
static int used[4096];
static size_t used_count;

static void limit_to(int resource, rlim_t value) {
    HOLDS(getrlimit(resource, &kept_limit) == 0);
    HOLDS(setrlimit(resource, &(struct rlimit){value, kept_limit.rlim_max}) == 0);
}

static void hinder_me(hindrance which) {
    if (which == FILE_SIZE) limit_to(RLIMIT_FSIZE, 0);
    if (which == NO_DESCRIPTOR) limit_to(RLIMIT_NOFILE, 0);
    if (which != DESCRIPTORS) return;
    limit_to(RLIMIT_NOFILE, 256);
    for (int f; used_count < 4096 && (f = dup(0)) >= 0;) used[used_count++] = f;
}

static void unhinder_me(hindrance which) {
    if (which == FILE_SIZE) setrlimit(RLIMIT_FSIZE, &kept_limit);
    if (which == NO_DESCRIPTOR || which == DESCRIPTORS) setrlimit(RLIMIT_NOFILE, &kept_limit);
    while (used_count > 0) close(used[--used_count]);
}

/* The last error's message and detail. */
static bool says(const char *text) {
    char *json = NULL;
    bool found = mam_last_error_json(&json) == MAM_OK && json != NULL && strstr(json, text) != NULL;
    mam_free(json);
    return found;
}

/* Whether an event is queued; later ones stay. */
static bool has_event(mam_t *m, const char *first, const char *second) {
    char *event = NULL;
    bool found = false;
    while (!found && mam_event_next(m, 0, &event) == MAM_OK) {
        found = strstr(event, first) != NULL && strstr(event, second) != NULL;
        mam_free(event);
    }
    return found;
}

static bool was_closed(mam_t *m) { return has_event(m, "\"wipeProgress\"", "\"closed\""); }

/* The reply to a request: "done" (success), "hindered" (the wipe was received, and something is missing), "unheard" (it was
 * not received: the request itself failed). */
static const char *ask_for_wipe(mam_t *m, way way) {
    int64_t op = 0;
    char *json = NULL;
    mam_status status = MAM_OK;
    switch (way) {
    case HOST: return mam_wipe_account(m, ANN, &op) == MAM_OK ? "done" : "hindered";
    case DEREGISTRATION: return mam_deregister_and_unenroll(m, ANN, 1, &op) == MAM_OK ? "done" : "hindered";
    case ADMINISTRATOR: {
        if (mam_check_in(m, ANN, &op) != MAM_OK) return "unheard";
        int code = finish(m, op);
        if (code == 102) return "done";
        return has_event(m, "policyRequest", "\"code\":102") ? "hindered" : "unheard";
    }
    case PIN:
        status = mam_pin_verify(m, ANN, (const uint8_t *)"0000", 4);
        HOLDS(status != MAM_OK);
        return says("\"wiped\":true") ? "done" : was_closed(m) ? "hindered" : "unheard";
    default:
        if (mam_launch(m, &op) != MAM_OK || mam_wait(m, op, -1, &json) != MAM_OK) return was_closed(m) ? "hindered" : "unheard";
        const char *said = strstr(json, "\"outcome\":\"wiped\"") ? "done" : was_closed(m) ? "hindered" : "unheard";
        mam_free(json);
        return said;
    }
}

/* Wait for the end of the wipe and report the reason in the event. */
static void await_end(mam_t *m, finisher finisher, FILE *to) {
    int64_t op;
    if (finisher == CHECK_IN) {
        OK(mam_check_in(m, ANN, &op));
        finish(m, op);
    }
    for (;;) {
        char *event = NULL;
        bool has_worker = finisher == WORKER || finisher == BYSTANDER || finisher == KILLED;
        if (finisher == RUN_DUE) OK(mam_run_due(m));
        mam_status status = mam_event_next(m, has_worker ? -1 : 50, &event);
        if (status == MAM_ERR_TIMEOUT) continue;
        OK(status);
        bool is_end = strstr(event, "\"wipeDidComplete\"") != NULL;
        if (is_end) fprintf(to, "%s\n", event);
        mam_free(event);
        if (is_end) return;
    }
}

static void serve(const scenario *s, int number, bool has_worker, FILE *from, FILE *to) {
    handles h = {0};
    char line[32], found[16];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    h.m = session_of(&here, session_settings(s, has_worker));
    setvbuf(to, NULL, _IOLBF, 4096);
    while (fgets(line, sizeof line, from) != NULL) {
        switch (line[0]) {
        case 'E': /* enroll */
            enroll(h.m, ANN);
            if (s->way == PIN) {
                OK(mam_pin_set(h.m, ANN, NULL, 0, (const uint8_t *)"1397", 4));
                for (int i = 0; i < 2; i++) HOLDS(mam_pin_verify(h.m, ANN, (const uint8_t *)"0000", 4) == MAM_ERR_DENIED);
            }
            fputs("ready\n", to);
            break;
        case 'B':
            enroll(h.m, BOB);
            fputs("ready\n", to);
            break;
        case 'O':
            open_handles(&h, number);
            fputs("ready\n", to);
            break;
        case 'Q': _exit(0);
        case 'N':
            fprintf(to, "%s\n", mam_status_name(mam_protect_into(h.m, ANN, plain, 100, sealed, sizeof sealed, &h.came_out)));
            break;
        case 'H':
            hinder_me(s->hindrance);
            fputs("ready\n", to);
            break;
        case 'U':
            unhinder_me(s->hindrance);
            fputs("ready\n", to);
            break;
        case 'W': fprintf(to, "%s\n", ask_for_wipe(h.m, s->way)); break;
        case 'L':
            look(&h, found);
            fprintf(to, "%s.\n", found);
            break;
        default: await_end(h.m, s->finisher, to);
        }
    }
    _exit(0);
}

static actor begin(const scenario *s, int number, bool has_worker) {
    int down[2], up[2];
    HOLDS(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0);
    actor a = {.process = fork()};
    HOLDS(a.process >= 0);
    if (a.process == 0) {
        close(down[1]);
        close(up[0]);
        serve(s, number, has_worker, fdopen(down[0], "r"), fdopen(up[1], "w"));
    }
    close(down[0]);
    close(up[1]);
    a.to = fdopen(down[1], "w");
    a.from = fdopen(up[0], "r");
    setvbuf(a.to, NULL, _IOLBF, 256);
    return a;
}

static const char *command(actor *a, char what) {
    static char line[4096];
    fprintf(a->to, "%c\n", what);
    if (fgets(line, sizeof line, a->from) == NULL) BREAKS("a process ended at %c", what);
    line[strcspn(line, "\n")] = 0;
    return line;
}

static void end(actor *a, bool is_killed) {
    if (a->process == 0) return;
    if (is_killed) kill(a->process, SIGKILL);
    else fputs("Q\n", a->to);
    fclose(a->to);
    fclose(a->from);
    HOLDS(waitpid(a->process, NULL, 0) == a->process);
    a->process = 0;
}

/* Another process that holds the database's lock, until it is killed. */
static actor hold_database(void) {
    int down[2], up[2];
    char byte;
    HOLDS(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0);
    actor a = {.process = fork()};
    HOLDS(a.process >= 0);
    if (a.process == 0) {
        sqlite3 *db;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(down[1]);
        HOLDS(sqlite3_open_v2(in_group("state.db"), &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
        sqlite3_busy_timeout(db, 60000);
        run(db, "BEGIN EXCLUSIVE");
        HOLDS(write(up[1], "x", 1) == 1);
        for (;;) pause();
    }
    close(down[0]);
    close(up[1]);
    HOLDS(read(up[0], &byte, 1) == 1);
    a.to = fdopen(down[1], "w");
    a.from = fdopen(up[0], "r");
    return a;
}

/* ---- the scenes */

static void set_policies(way way) {
    if (way == PIN) {
        admin(
            &here,
            "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
            "\"id\":\"pins\",\"displayName\":\"PINs\",\"pinRequired\":true,\"maximumPinRetries\":3,"
            "\"appActionIfMaximumPinRetriesExceeded\":\"wipe\"}}");
        admin(&here, "{\"action\":\"policy.assign\",\"policy\":\"pins\",\"allUsers\":true}");
        admin(&here, "{\"action\":\"policy.target\",\"policy\":\"pins\",\"allApps\":true}");
    }
    if (way == LAUNCH) {
        admin(
            &here,
            "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
            "\"id\":\"launch\",\"displayName\":\"Launch\",\"minimumWipeOsVersion\":\"2.0\"}}");
        admin(&here, "{\"action\":\"policy.assign\",\"policy\":\"launch\",\"allUsers\":true}");
        admin(&here, "{\"action\":\"policy.target\",\"policy\":\"launch\",\"allApps\":true}");
    }
}

static char scene_name[256];
#define FAILS(...) (fprintf(stderr, "%s:\n", scene_name), BREAKS(__VA_ARGS__))

static void is_blind(actor *a, const char *which) {
    const char *found = command(a, 'L');
    if (strcmp(found, ".") != 0) FAILS("%s still reads or makes %s", which, found);
}

static bool run_scenario(const scenario *s) {
    snprintf(
        scene_name, sizeof scene_name, "%s, asked by %s, finished by %s%s", hindrances[s->hindrance], ways[s->way],
        finishers[s->finisher], s->is_alone ? ", no other account" : "");
    office_make(&here);
    set_policies(s->way);
    actor acting = begin(s, 1, s->finisher == WORKER), other = {0}, holder = {0};
    command(&acting, 'E');
    share ann = only_share();
    if (!s->is_alone) command(&acting, 'B');
    command(&acting, 'O');
    other = begin(s, 2, s->finisher == BYSTANDER);
    command(&other, 'O');
    if (strcmp(command(&other, 'L'), "uprwfs.") != 0) FAILS("the other process does not read everything before");
    if (s->way == ADMINISTRATOR) admin(&here, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\"}");

    if (s->hindrance == DATABASE) holder = hold_database();
    command(&acting, 'H');
    *injected = (int)s->hindrance;
    char said[16];
    snprintf(said, sizeof said, "%s", command(&acting, 'W'));
    bool was_heard = strcmp(said, "unheard") != 0;
    if (was_heard) {
        if (strcmp(said, "done") == 0 && is_there(&ann)) FAILS("all is well, is the answer, and the share is there");
        if (s->hindrance != READ_ONLY && is_there(&ann)) FAILS("the share is there after the answer");
        is_blind(&acting, "the process that was asked");
        is_blind(&other, "the other process");
    }
    bool ends_first = s->finisher == KILLED || s->finisher == BYSTANDER;
    if (was_heard && ends_first) end(&acting, true);
    if (was_heard && s->finisher == KILLED) end(&other, true);
    *injected = NONE;
    if (holder.process != 0) end(&holder, true);
    if (acting.process != 0) command(&acting, 'U');
    if (!was_heard) {
        /* Then it is requested again. */
        if (strcmp(command(&acting, 'W'), "done") != 0) FAILS("a wipe that nothing hinders any more is not answered well");
        is_blind(&acting, "the process that was asked");
        is_blind(&other, "the other process");
        if (ends_first) end(&acting, true);
        if (s->finisher == KILLED) end(&other, true);
    }
    actor next = {0};
    if (s->finisher == KILLED) next = begin(s, 3, true);
    actor *finishing = s->finisher == KILLED ? &next : s->finisher == BYSTANDER ? &other : &acting;
    const char *event = command(finishing, 'F');
    char reason[64];
    snprintf(reason, sizeof reason, "\"reason\":\"%s\"", reasons[s->way]);
    if (strstr(event, reason) == NULL) FAILS("the wipe is not told as %s: %s", reason, event);
    struct stat st;
    if (lstat(in_group(ann.name), &st) == 0) FAILS("the wipe has ended, and the share's file is there");
    if (rows("SELECT count(*) FROM accounts") != (s->is_alone ? 0 : 1)) FAILS("the wipe has ended, and rows are there");
    end(&acting, false);
    end(&other, false);
    end(&next, false);
    office_remove(&here);
    return was_heard;
}

/* If one share among several is missing, its wipe is finished; if all are missing they are lost, and nothing is deleted:
 * once restored, they open. */
static void lose_shares(void) {
    scenario s = {.hindrance = DATABASE, .finisher = KILLED};
    char elsewhere[PATH_SIZE * 2];
    snprintf(scene_name, sizeof scene_name, "shares that are missing");
    office_make(&here);
    actor a = begin(&s, 1, false);
    command(&a, 'E');
    share ann = only_share();
    command(&a, 'B');
    end(&a, false);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", here.folder);
    for (int is_empty = 0; is_empty < 2; is_empty++) {
        HOLDS(rename(in_group("shares"), elsewhere) == 0);
        if (is_empty) HOLDS(mkdir(in_group("shares"), 0700) == 0);
        a = begin(&s, 1, false);
        if (strcmp(command(&a, 'N'), "MAM_OK") == 0) FAILS("an account whose share is lost protects");
        end(&a, false);
        if (rows("SELECT count(*) FROM accounts") != 2) FAILS("shares are lost, and rows are deleted");
        (void)rmdir(in_group("shares"));
        HOLDS(rename(elsewhere, in_group("shares")) == 0);
    }
    a = begin(&s, 1, false);
    command(&a, 'O');
    end(&a, false);
    HOLDS(unlink(in_group(ann.name)) == 0);
    a = begin(&s, 1, true);
    if (strstr(command(&a, 'F'), ANN_ID) == NULL) FAILS("another account is wiped than the one whose share is missing");
    if (rows("SELECT count(*) FROM accounts") != 1) FAILS("the wipe has ended, and rows are there");
    end(&a, false);
    office_remove(&here);
}

static void hang(int number) {
    (void)number;
    dprintf(STDERR_FILENO, "%s: it hangs\n", scene_name);
    _exit(BROKEN);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, hang);
    alarm(WATCHDOG * (unsigned)scale(1, 6));
    injected = mmap(NULL, sizeof *injected, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    HOLDS(injected != MAP_FAILED);
    *injected = NONE;
    bool is_whole = scale(0, 1) == 1;
    const char *only = getenv("SCENE"); /* "HINDRANCE WAY FINISHER ALONE", numbers */
    int scenarios = 0, heard = 0, number = 0;
    scenario s = {0};
    if (only != NULL) {
        int n[4] = {0};
        HOLDS(sscanf(only, "%d %d %d %d", &n[0], &n[1], &n[2], &n[3]) >= 3);
        run_scenario(&(scenario){(hindrance)n[0], (way)n[1], (finisher)n[2], n[3] != 0});
        return HELD;
    }
    lose_shares();
    for (int h = 0; h < HINDRANCES; h++)
        for (int w = 0; w < WAYS; w++)
            for (int f = 0; f < FINISHERS; f++)
                for (int alone = 0; alone < 2; alone++, number++) {
                    s = (scenario){(hindrance)h, (way)w, (finisher)f, alone != 0 || w == LAUNCH}; /* Bob would be wiped, too */
                    if (w == LAUNCH && alone) continue;
                    /* Short: every hindrance and way, the rest in turn; some PINs, which take a second each, and none that
                     * would wait half a minute for a locked database. */
                    bool is_long = w == PIN && h != NO_DESCRIPTOR && h != FILE_SIZE;
                    if (!is_whole && ((h + w) % FINISHERS != f || (w != LAUNCH && w % 2 != alone) || is_long)) continue;
                    /* If nothing can be written, only living processes know of the wipe. */
                    if (h == READ_ONLY && f == KILLED) continue;
                    heard += run_scenario(&s);
                    scenarios++;
                }
    printf("%d wipes that something hindered, %d of them received meanwhile\n", scenarios, heard);
    return HELD;
}
