/* A complete host: open, launch, ask, store, a loop of events, close. Usage: complete ACCOUNT FOLDER
 * cc -std=c99 -o complete complete.c $(pkg-config --cflags --libs mam)
 * A typed line is a note, a file in FOLDER; `print` asks whether notes may be printed. `mamctl enroll` signs in. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <mam.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

static mam_t *m;
static const char *account, *folder; /* "" is nobody's account */

/* The log gets the administrator's line, the person the reason. Returns 0, for "not done". */
static int failed(const char *what) {
    syslog(LOG_WARNING, "%s: %s", what, mam_last_message());
    return fprintf(stderr, "%s: %s\n", what, mam_last_user_message()), 0;
}

/* An account that a launch closes stays closed in this session. A finding about the program itself ends it. */
static int launch(void) {
    char *reply = NULL, key[64];
    int64_t op;
    mam_json_t *report = NULL;
    if (mam_launch(m, &op) != MAM_OK || mam_wait(m, op, -1, &reply) != MAM_OK || mam_json_parse(reply, &report) != MAM_OK)
        return failed("launch");
    int may_go_on = mam_json_has(report, "/outcome");
    for (size_t i = 0; i < mam_json_count(report, "/findings"); i++) {
        snprintf(key, sizeof key, "/findings/%zu/userMessage", i);
        fprintf(stderr, "launch: %s\n", mam_json_text(report, key));
        snprintf(key, sizeof key, "/findings/%zu/action", i);
        int is_warning = strcmp(mam_json_text(report, key), "warn") == 0;
        snprintf(key, sizeof key, "/findings/%zu/accountId", i);
        if (!is_warning && !mam_json_has(report, key)) may_go_on = 0;
    }
    mam_json_release(report);
    mam_free(reply);
    return may_go_on;
}

/* Check the name before anything is made for it. Then the folder is the account's, and policy says whether it is encrypted. */
static int prepare(void) {
    if (mam_check_name(m, account) != MAM_OK) return failed(account);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return perror(folder), 0;
    if (!mam_is_account_managed(m, account)) return 1;
    return mam_file_verify_and_protect(m, folder, account) == MAM_OK || failed(folder);
}

static int store(const char *text) {
    size_t left = strlen(text), done = 0;
    char note[4096];
    mam_file_t *file;
    mam_status status = MAM_ERR_ALREADY;
    if (!prepare()) return 0;
    for (int number = 1; status == MAM_ERR_ALREADY; number++) {
        snprintf(note, sizeof note, "%s/%d.txt", folder, number);
        status = mam_file_create(m, note, O_WRONLY | O_EXCL, 0600, account, &file);
    }
    if (status != MAM_OK) return failed("store");
    for (; left > 0 && mam_file_write(file, (const uint8_t *)text, left, &done) == MAM_OK; left -= done) text += done;
    if (left > 0) failed("store");
    return (mam_file_close(file) == MAM_OK || failed("store")) && left == 0;
}

static int may_print(void) {
    mam_policy_t *policy;
    mam_decision_t *decision;
    mam_status status = mam_policy_for_account(m, account, &policy);
    if (status == MAM_OK) status = mam_policy_reason(policy, MAM_ASK_PRINT, &decision);
    if (status != MAM_OK) return mam_policy_release(policy), failed("print");
    int is_allowed = mam_decision_is_allowed(decision);
    if (!is_allowed) fprintf(stderr, "print: %s\n", mam_decision_user_message(decision));
    mam_decision_release(decision);
    mam_policy_release(policy);
    return is_allowed;
}

static void take_events(void) {
    char *event;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        mam_json_t *parsed = NULL;
        const char *name = mam_json_parse(event, &parsed) == MAM_OK ? mam_json_text(parsed, "/event") : "";
        if (strcmp(name, "wipeDidComplete") == 0) /* the folder is gone; drop what is in memory */
            fprintf(stderr, "%s: %s\n", mam_json_text(parsed, "/upn"), mam_json_text(parsed, "/userMessage"));
        else if (strcmp(name, "dataProtectionDidChange") == 0) prepare(); /* a policy may begin to require encryption */
        mam_json_release(parsed);
        mam_free(event);
    }
}

int main(int count, char **word) {
    const char *authority = getenv("MAM_AUTHORITY");
    char settings[4096], line[4096];
    if (count != 3) return fputs("usage: complete ACCOUNT FOLDER\n", stderr), 2;
    account = word[1], folder = word[2];
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"com.example.complete\",\"version\":\"1.0\"},\"unknownIdentities\":\"error\","
        "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
        authority ? authority : "/var/lib/mam/authority.db");
    if (mam_open(settings, &m) != MAM_OK) return !failed("open");
    int result = !launch();
    setvbuf(stdin, NULL, _IONBF, 0); /* so that poll sees each line */
    struct pollfd ready[2] = {{.fd = mam_event_fd(m), .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    while (result == 0 && poll(ready, 2, -1) > 0) {
        if (ready[0].revents != 0) take_events();
        if (ready[1].revents == 0) continue;
        if (fgets(line, sizeof line, stdin) == NULL) break;
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "print") == 0 ? may_print() : store(line)) puts("done"), fflush(stdout);
    }
    return mam_close(m) != MAM_OK || result;
}
