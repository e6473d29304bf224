/* pins ATTEMPTS: rounds in which four processes guess one PIN until no attempt is left, and are killed at random. Their
 * results are in shared memory: a guess that was answered as wrong was compared; one that was begun and never answered may
 * have been. Never more guesses than the limit are compared, and there is no lockout before as many were begun. */
#define _GNU_SOURCE
#include "../ABI/support.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { PROCESSES = 4, LIMIT = 5 };

static office here;

/* One process's guesses in one round; on a separate line, so that no update is lost with the process. */
static struct seen { volatile long begun, wrong, right, locked; } * seen;

/* Some rounds know the PIN, and reset the count with it. */
static void guess(int who, bool knows) {
    mam_t *m = open_app(&here, who % 2 ? APP : OTHER_APP, QUIET);
    for (int turn = 0;; turn++) {
        bool is_right = knows && random_number() % 4 == 0;
        seen[who].begun++;
        mam_status status = mam_pin_verify(m, ANN, (const uint8_t *)(is_right ? "1397" : "0000"), 4);
        switch (status) {
        case MAM_OK:
            CHECK(is_right);
            seen[who].right++;
            break;
        case MAM_ERR_DENIED:
            CHECK(!is_right);
            seen[who].wrong++;
            break;
        case MAM_ERR_LOCKED: seen[who].locked++; _exit(0);
        default: failed_at(__FILE__, __LINE__, "verify answers %d: %s", (int)status, mam_last_message());
        }
        if (knows && turn == 12) _exit(0);
    }
}

static pid_t start(int who, bool knows) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        void *unused = NULL;
        begin(&unused); /* its checks end the process */
        alarm(120);
        guess(who, knows);
    }
    return child;
}

/* The person signs in and chooses the PIN again: all attempts are available. */
static void begin_anew(mam_t *m) {
    int64_t op = 0;
    char *status = NULL, *event;
    OK(mam_pin_reset(m, ANN, &op));
    while (mam_wait(m, op, 0, &status) == MAM_ERR_TIMEOUT) {
        event = next_event(m, "question", 0);
        CHECK(event != NULL);
        int64_t id = number_of(event, "/id");
        if (strcmp(text_of(event, "/question"), "pin") == 0) OK(mam_answer_secret(m, id, (const uint8_t *)"1397", 4));
        else OK(mam_answer(m, id, "{\"upn\":\"" ANN "\"}"));
        mam_free(event);
    }
    CHECK_TEXT("changed", text_of(status, "/result"));
    mam_free(status);
}

/* One round; returns the number of kills. */
static int round_of(mam_t *m, bool knows) {
    pid_t children[PROCESSES];
    int kills = 0, left = PROCESSES;
    begin_anew(m);
    memset(seen, 0, PROCESSES * sizeof *seen);
    for (int who = 0; who < PROCESSES; who++) children[who] = start(who, knows);
    while (left > 0) {
        sleep_ms((int)(random_number() % 200));
        int who = (int)(random_number() % PROCESSES), status;
        for (int one = 0; one < PROCESSES; one++) {
            if (children[one] <= 0 || waitpid(children[one], &status, WNOHANG) == 0) continue;
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            children[one] = 0;
            left--;
        }
        if (children[who] <= 0 || random_number() % 3 != 0) continue;
        kill(children[who], SIGKILL);
        waitpid(children[who], &status, 0);
        if (WIFEXITED(status)) CHECK_NUMBER(0, WEXITSTATUS(status));
        kills += WIFSIGNALED(status);
        if (WIFSIGNALED(status)) {
            children[who] = start(who, knows);
        } else {
            children[who] = 0;
            left--;
        }
    }
    return kills;
}

int main(int count, char **arguments) {
    long wanted = count > 1 ? atol(arguments[1]) : 1000, attempts = 0, kills = 0, rounds = 0, lockouts = 0;
    char *json = NULL;
    void *unused = NULL;
    begin(&unused);
    alarm(0);
    office_make(&here);
    seen = mmap(NULL, PROCESSES * sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED);
    admin(
        &here,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"id\":\"" STRICT_POLICY
        "\",\"displayName\":\"PINs\",\"pinRequired\":true,\"maximumPinRetries\":%d}}",
        LIMIT);
    mam_t *m = open_app(&here, APP, "\"questions\":\"events\"," QUIET), *mail = open_app(&here, OTHER_APP, QUIET);
    enroll_well(m, ANN);
    enroll_well(mail, ANN);
    OK(mam_close(mail));
    OK(mam_pin_set(m, ANN, NULL, 0, (const uint8_t *)"1397", 4));
    for (; attempts < wanted; rounds++) {
        bool knows = rounds % 4 == 3;
        kills += round_of(m, knows);
        long begun = 0, wrong = 0, right = 0, locked = 0;
        for (int who = 0; who < PROCESSES; who++) {
            begun += seen[who].begun, wrong += seen[who].wrong, right += seen[who].right, locked += seen[who].locked;
        }
        long cut_off = begun - wrong - right - locked;
        if (wrong > LIMIT * (1 + right + (knows ? cut_off : 0)))
            failed_at(__FILE__, __LINE__, "%ld wrong guesses were looked at, %ld right ones: the limit is %d", wrong, right, LIMIT);
        if (locked > 0 && wrong + cut_off < LIMIT)
            failed_at(
                __FILE__, __LINE__, "locked out after %ld wrong guesses and %ld cut off: the limit is %d", wrong, cut_off, LIMIT);
        OK(mam_pin_status(m, ANN, &json));
        bool is_exhausted = strcmp(text_of(json, "/state"), "exhausted") == 0;
        CHECK(knows || is_exhausted);
        CHECK_NUMBER(is_exhausted, number_of(json, "/attemptsLeft") == 0);
        mam_free(json);
        attempts += wrong + right + cut_off;
        lockouts += is_exhausted;
    }
    OK(mam_close(m));
    office_remove(&here);
    printf("%ld attempts in %ld rounds, %ld kills, %ld lockouts\n", attempts, rounds, kills, lockouts);
    return 0;
}
