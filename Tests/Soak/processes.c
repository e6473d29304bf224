/* processes SECONDS: four processes on one state directory with a fixed mix of check-in, override, protect and wipe of a
 * second account; one is killed every second and restarted. Each logs, synced, the commits reported to it; at the end the
 * logs are compared with the state. No call may return MAM_ERR_BUSY. */
#include "../ABI/support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { PROCESSES = 4 };

static const char *const keys[PROCESSES] = {"ADALClientId", "ADALAuthority", "ADALRedirectUri", "ADALRedirectScheme"};
static office here;
static volatile sig_atomic_t stop;

static void note_stop(int number) { (void)number, stop = 1; }

/* ---- the log of one of the four: lines of a word and a number, appended and synced */

typedef struct diary {
    int file;
    long long begun, done; /* of this process's override */
    long long latest;      /* container of Ann or Bob */
} diary;

static void write_down(const diary *d, const char *word, long long number) {
    char line[64];
    int length = snprintf(line, sizeof line, "%s %lld\n", word, number);
    CHECK(write(d->file, line, (size_t)length) == length && fdatasync(d->file) == 0);
}

static const char *diary_path(int who) {
    static char path[LONG_PATH];
    snprintf(path, sizeof path, "%s/diary-%d", here.root, who);
    return path;
}

static const char *container_path(int who, long long number, const char *of) {
    static char path[LONG_PATH];
    snprintf(path, sizeof path, "%s/%s-%d-%lld", here.root, of, who, number);
    return path;
}

static diary open_diary(int who) {
    char word[32];
    long long number;
    diary d = {open(diary_path(who), O_RDWR | O_CREAT | O_APPEND, 0600), 0, 0, 0};
    CHECK(d.file >= 0);
    FILE *file = fopen(diary_path(who), "r");
    while (file && fscanf(file, "%31s %lld", word, &number) == 2) {
        if (strcmp(word, "set") == 0) d.begun = number;
        if (strcmp(word, "is-set") == 0) d.done = number;
        if (number > d.latest && (strncmp(word, "ann", 3) == 0 || strncmp(word, "bob", 3) == 0)) d.latest = number;
    }
    if (file) fclose(file);
    return d;
}

/* ---- one of the four */

/* The override is the last committed one, or one begun after it. */
static void override_agrees(mam_t *m, int who, const diary *d) {
    char *json = NULL, pointer[64];
    long long found = 0;
    OK(mam_settings(m, &json));
    for (int i = 0; i < count_of(json, "/settings"); i++) {
        snprintf(pointer, sizeof pointer, "/settings/%d/key", i);
        if (strcmp(text_of(json, pointer), keys[who]) != 0) continue;
        snprintf(pointer, sizeof pointer, "/settings/%d/value", i);
        found = atoll(text_of(json, pointer));
    }
    mam_free(json);
    if (found < d->done || found > d->begun)
        failed_at(
            __FILE__, __LINE__, "%s is %lld, but %lld was committed and %lld the last begun", keys[who], found, d->done, d->begun);
}

/* A container of an account, saved in a file before it is logged. False if the account is not managed now. */
static bool keep_container(mam_t *m, int who, diary *d, const char *account, const char *word) {
    mam_buffer container = {NULL, 0};
    char *info = NULL, text[64];
    long long number = ++d->latest;
    snprintf(text, sizeof text, "%s %d %lld", account, who, number);
    mam_status status = mam_protect(m, account, (const uint8_t *)text, strlen(text), &container);
    if (strcmp(account, BOB) == 0 && (status == MAM_ERR_NOT_ENROLLED || status == MAM_ERR_NOT_FOUND)) return false;
    OK(status);
    OK(mam_protection_info(m, container.data, container.length, &info));
    bool is_sealed = truth_of(info, "/encrypted");
    mam_free(info);
    CHECK(is_sealed || strcmp(account, BOB) == 0);
    if (is_sealed) {
        write_whole(container_path(who, number, word), container.data, container.length);
        write_down(d, word, number);
    }
    mam_buffer_free(&container);
    return is_sealed;
}

static mam_status reads(mam_t *m, int who, long long number, const char *account, const char *word) {
    mam_buffer container;
    char text[64];
    snprintf(text, sizeof text, "%s %d %lld", account, who, number);
    container.data = read_whole(container_path(who, number, word), &container.length);
    mam_status status = opens_as(m, &container, text);
    free(container.data);
    return status;
}

static void serve(int who) {
    diary d = open_diary(who);
    mam_t *m = open_app(&here, APP, who % 2 ? WORKER : QUIET);
    write_down(&d, "opened", (long long)getpid());
    override_agrees(m, who, &d);
    for (int turn = 0; !stop; turn++) {
        char value[32], *status = NULL;
        int64_t op = 0;
        int code;
        switch ((turn + who) % 5) {
        case 0:
            write_down(&d, "set", d.begun = d.begun + 1);
            snprintf(value, sizeof value, "\"%lld\"", d.begun);
            OK(mam_set_override(m, keys[who], value));
            write_down(&d, "is-set", d.done = d.begun);
            override_agrees(m, who, &d);
            break;
        case 1:
            CHECK(keep_container(m, who, &d, ANN, "ann"));
            OK(reads(m, who, d.latest, ANN, "ann"));
            break;
        case 2:
            code = check_in(m, ANN);
            if (code != 100 && code != 101) failed_at(__FILE__, __LINE__, "a check-in of Ann ends with %d", code);
            break;
        case 3: /* Bob enrolls, unless another process has enrolled him, or wipes him meanwhile: the authority then reports it (102) */
            OK(mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op));
            OK(mam_wait(m, op, -1, &status));
            code = (int)number_of(status, "/code");
            if (code != 100 && code != 207 && code != 208 && code != 213 && code != 220 && code != 102)
                failed_at(__FILE__, __LINE__, "enrolling Bob ends with %s", status);
            mam_free(status);
            keep_container(m, who, &d, BOB, "bob");
            break;
        default: /* and leaves: his containers are dead when the call returns */
            if (turn % 2) break;
            mam_status wiping = mam_wipe_account(m, BOB, &op);
            if (wiping == MAM_ERR_NOT_REGISTERED) break;
            OK(wiping);
            write_down(&d, "wiped", d.latest);
            OK(mam_wait(m, op, -1, &status));
            CHECK_NUMBER(104, number_of(status, "/code"));
            mam_free(status);
        }
        char *event = NULL;
        while (mam_event_next(m, 0, &event) == MAM_OK) mam_free(event);
    }
    OK(mam_close(m));
    close(d.file);
}

static pid_t start(int who) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *unused = NULL;
        begin(&unused);
        alarm(0);
        serve(who);
        _exit(0);
    }
    return child;
}

/* ---- the end */

static void verify(void) {
    mam_t *m = open_app(&here, APP, QUIET);
    long sealed_for_ann = 0, sealed_for_bob = 0, wiped = 0, opened = 0;
    char *json = NULL;
    for (int i = 0; i < 100; i++) OK(mam_run_due(m));
    OK(mam_registered_accounts(m, &json));
    CHECK(strstr(json, "wiping") == NULL && strstr(json, ANN_ID) != NULL);
    mam_free(json);
    for (int who = 0; who < PROCESSES; who++) {
        char word[32];
        long long number, dead = 0;
        diary d = open_diary(who);
        override_agrees(m, who, &d);
        FILE *file = fopen(diary_path(who), "r");
        CHECK(file != NULL);
        while (fscanf(file, "%31s %lld", word, &number) == 2) { /* wiped containers first */
            if (strcmp(word, "wiped") == 0) dead = number, wiped++;
            opened += strcmp(word, "opened") == 0;
        }
        rewind(file);
        while (fscanf(file, "%31s %lld", word, &number) == 2) {
            if (strcmp(word, "ann") == 0) {
                mam_status status = reads(m, who, number, ANN, "ann");
                if (status != MAM_OK) failed_at(__FILE__, __LINE__, "Ann's container %d-%lld: status %d", who, number, status);
                sealed_for_ann++;
            }
            if (strcmp(word, "bob") == 0) {
                mam_status status = reads(m, who, number, BOB, "bob");
                if (number <= dead ? status != MAM_ERR_KEY_UNAVAILABLE : status != MAM_OK && status != MAM_ERR_KEY_UNAVAILABLE)
                    failed_at(
                        __FILE__, __LINE__, "Bob's container %d-%lld (wiped up to %lld): status %d", who, number, dead, status);
                sealed_for_bob++;
            }
        }
        fclose(file);
        close(d.file);
    }
    OK(mam_close(m));
    printf("%ld containers of Ann, %ld of Bob, %ld wipes, %ld opens\n", sealed_for_ann, sealed_for_bob, wiped, opened);
    CHECK(sealed_for_ann > 0 && sealed_for_bob > 0 && wiped > 0 && opened > PROCESSES);
}

int main(int count, char **words) {
    int seconds = count > 1 ? atoi(words[1]) : 60, kills = 0, bad = 0;
    pid_t children[PROCESSES];
    void *unused = NULL;
    begin(&unused);
    alarm((unsigned)seconds + 300);
    signal(SIGTERM, note_stop);
    office_make(&here);
    mam_t *m = open_enrolled(&here);
    OK(mam_close(m));
    for (int i = 0; i < PROCESSES; i++) children[i] = start(i);
    for (long long until = now_ms() + (long long)seconds * SECONDS; now_ms() < until;) {
        sleep_ms(700 + (int)(random_number() % 600));
        int who = (int)(random_number() % PROCESSES), status = 0;
        kill(children[who], SIGKILL);
        CHECK(waitpid(children[who], &status, 0) == children[who]);
        if (!WIFSIGNALED(status)) bad++; /* it ended on its own, with a message */
        children[who] = start(who);
        kills++;
    }
    for (int i = 0; i < PROCESSES; i++) kill(children[i], SIGTERM);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        CHECK(waitpid(children[i], &status, 0) == children[i]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bad++;
    }
    printf("%d processes, %d s, %d kills, %d ended badly\n", PROCESSES, seconds, kills, bad);
    verify();
    if (bad == 0) office_remove(&here);
    return bad != 0;
}
