/* actor COMMAND OFFICE…: one part of a story in its own process. OFFICE is the folder of office_make, with authority.db
 * and state/. Prints its result; exit status 0 success, 1 libmam refused ("STATUS message"), 2 failure. */
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>

static office here;

static int refused(mam_status status) {
    printf("%d %s\n", status, mam_last_message());
    return 1;
}

static mam_t *session(mam_status *status, const char *more) {
    mam_t *m = NULL;
    char *settings = settings_for(&here, APP, more);
    *status = mam_open(settings, &m);
    free(settings);
    return m;
}

/* Open and close. */
static int open_once(void) {
    mam_status status;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    OK(mam_close(m));
    return 0;
}

static void keep_silent(void *user, mam_question_t *question, const char *json) { (void)user, (void)question, (void)json; }

static void *ask_for_ever(void *policy) {
    for (;;) (void)mam_policy_is_print_allowed(policy);
    return NULL;
}

/* Leave by exit() while the worker runs: idle, in the middle of work, while a question is open, while others wait. */
static int exit_in_the_middle(int round) {
    mam_status status;
    mam_t *m = session(&status, WORKER);
    if (m == NULL) return refused(status);
    int64_t op;
    mam_policy_t *policy = NULL;
    pthread_t thread;
    switch (round % 5) {
    case 0: break;
    case 1:
        for (int i = 0; i < 50; i++) OK(mam_check_in(m, NULL, &op));
        break;
    case 2:
        OK(mam_set_delegate(m, keep_silent, NULL));
        OK(mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op));
        break;
    case 3:
        OK(mam_policy_for_account(m, ANN, &policy));
        CHECK(pthread_create(&thread, NULL, ask_for_ever, policy) == 0);
        break;
    default:
        OK(mam_check_in(m, NULL, &op));
        OK(mam_close(m));
        break;
    }
    for (volatile int spin = 0; spin < round * 1000 % 400000; spin++) {}
    exit(0);
}

static void configure(const char *color) {
    admin(
        &here,
        "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"colors\",\"customSettings\":["
        "{\"name\":\"__IsDefault\",\"value\":\"true\"},{\"name\":\"color\",\"value\":\"%s\"}]}}",
        color);
}

/* Enroll Ann and Bob, who have an app configuration, in OFFICE, and write containers of both, of Eve and of no account
 * to OFFICE/NAME. */
static int prepare(void) {
    static const char *const owners[] = {ANN, BOB, EVE, ""}, *const names[] = {"ann", "bob", "eve", "nobody"};
    CHECK(mkdir(here.root, 0700) == 0 || errno == EEXIST);
    mam_status status;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    configure("red");
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    for (int i = 0; i < 4; i++) {
        mam_buffer container = sealed(m, owners[i], "the plain text of a container");
        write_whole(in_office(&here, names[i]), container.data, container.length);
        mam_buffer_free(&container);
    }
    OK(mam_close(m));
    return 0;
}

/* Make files of Ann in two directories, one of them hers, among one of Bob's and one without an owner; files after the
 * first OWNED have directories of their own. */
enum { OWNED = 60, FOLDER = 1000 };

static int own(int count) {
    mam_status status;
    char name[64];
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    CHECK(mkdir(in_office(&here, "files"), 0700) == 0 || errno == EEXIST);
    CHECK(mkdir(in_office(&here, "hers"), 0700) == 0);
    for (int i = 0; i < OWNED; i++) {
        snprintf(name, sizeof name, "%s/%d", i % 2 ? "files" : "hers", i);
        write_whole(in_office(&here, name), "x", 1);
        if (i % 2) OK(mam_file_protect(m, in_office(&here, name), ANN));
    }
    for (int i = 0; i < count - OWNED; i++) {
        snprintf(name, sizeof name, "hers/folder%d", i / FOLDER);
        if (i % FOLDER == 0) CHECK(mkdir(in_office(&here, name), 0700) == 0);
        snprintf(name, sizeof name, "hers/folder%d/%d", i / FOLDER, i);
        write_whole(in_office(&here, name), "x", 1);
    }
    OK(mam_file_protect(m, in_office(&here, "hers"), ANN));
    write_whole(in_office(&here, "files/bob's"), "x", 1);
    OK(mam_file_protect(m, in_office(&here, "files/bob's"), BOB));
    write_whole(in_office(&here, "files/mine"), "x", 1);
    OK(mam_close(m));
    return 0;
}

/* The administrator changes the policy and the app configuration of the next check-in. */
static int change(void) {
    admin(
        &here,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"printBlocked\":false}}");
    configure("blue");
    return 0;
}

/* Check Ann in, and print the result. */
static int check_in_once(void) {
    mam_status status;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    /* A mark in the trace, between opening and the check-in. */
    if (access("/the-check-in-begins-here", F_OK) == 0) return 2;
    printf("%d\n", (int)check_in(m, ANN));
    fflush(stdout);
    OK(mam_close(m));
    return 0;
}

/* The administrator requests Ann's wipe. */
static int request_wipe(void) {
    admin(&here, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\"}");
    return 0;
}

static mam_status reads(mam_t *m, const char *name) {
    mam_buffer container;
    container.data = read_whole(in_office(&here, name), &container.length);
    mam_status status = opens_as(m, &container, "the plain text of a container");
    free(container.data);
    return status;
}

static void personal_is_there(mam_t *m) {
    OK(reads(m, "bob"));
    OK(reads(m, "eve"));
    OK(reads(m, "nobody"));
}

/* Wipe an account to the end: prints "promised" when the host is asked, "wiped" at the end. */
static int wipe(const char *account, const char *reason) {
    mam_status status;
    int64_t op;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    /* A mark in the trace, between opening and the wipe. */
    if (access("/the-wipe-begins-here", F_OK) == 0) return 2;
    if (strcmp(reason, "administrator") == 0) {
        if (check_in(m, ANN) != 102) return 2;
        puts("promised");
        fflush(stdout);
        char *left = NULL; /* the events stay queued: the next process looks for them */
        OK(mam_run_due(m));
        OK(mam_registered_accounts(m, &left));
        if (count_of(left, "") != 1) return 2;
        mam_free(left);
    } else {
        bool is_leaving = strcmp(reason, "deregistration") == 0;
        status = is_leaving ? mam_deregister_and_unenroll(m, account, 1, &op) : mam_wipe_account(m, account, &op);
        if (status != MAM_OK) return refused(status);
        puts("promised");
        fflush(stdout);
        if (code_of(m, op) != 104) return 2;
    }
    puts("wiped");
    OK(mam_close(m));
    return 0;
}

/* Register Eve, whom the authority does not know. */
static int register_eve(void) {
    mam_status status;
    int64_t op;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    OK(mam_register_and_enroll(m, "{\"upn\":\"" EVE "\"}", &op));
    CHECK(code_of(m, op) >= 200);
    OK(mam_close(m));
    return 0;
}

/* Eve was never managed: once no wipe is left, her name means what it meant before. Prints "registered" or "left". */
static int never_managed(void) {
    mam_status status;
    char *json = NULL;
    mam_policy_t *policy = NULL;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    for (long long until = now_ms() + SOON;;) {
        OK(mam_run_due(m));
        OK(mam_registered_accounts(m, &json));
        if (strstr(json, "wiping") == NULL) break;
        if (now_ms() > until) failed_at(__FILE__, __LINE__, "the wipe does not end: %s", json);
        mam_free(json);
    }
    mam_buffer now = sealed(m, EVE, "now");
    OK(opens_as(m, &now, "now"));
    mam_buffer_free(&now);
    OK(mam_policy_for_account(m, EVE, &policy));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, EVE));
    mam_policy_release(policy);
    puts(strstr(json, EVE) ? "registered" : "left");
    mam_free(json);
    OK(mam_close(m));
    return 0;
}

/* Read Ann's container in a state of unknown condition: "open" or "closed". Those of Bob, Eve and no account must open.
 *  */
static int look(void) {
    mam_status status;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    status = reads(m, "ann");
    personal_is_there(m);
    if (status == MAM_OK) puts("open");
    else if (status == MAM_ERR_KEY_UNAVAILABLE) puts("closed");
    else return refused(status);
    if (status != MAM_OK) { /* then nothing new can be made for her either, and no answer is permissive */
        mam_buffer late = {NULL, 0};
        mam_policy_t *policy = NULL;
        char *json = NULL;
        OK(mam_registered_accounts(m, &json));
        if (strstr(json, "wiping") != NULL) {
            mam_status protecting = mam_protect(m, ANN, (const uint8_t *)"late", 4, &late);
            CHECK(protecting != MAM_OK && late.data == NULL);
            OK(mam_policy_for_account(m, ANN, &policy));
            CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
            mam_policy_release(policy);
        }
        mam_free(json);
    }
    OK(mam_close(m));
    return 0;
}

/* Rotate Ann's key, export her file, or move it to the newest key; the mark is for traces. */
static int do_once(const char *what) {
    mam_status status;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    if (access("/it-begins-here", F_OK) == 0) return 2;
    if (strcmp(what, "rotate") == 0) status = mam_rotate_keys(m, ANN);
    else if (strcmp(what, "reprotect") == 0) status = mam_file_reprotect(m, in_office(&here, "ann"), NULL);
    else status = mam_file_export(m, in_office(&here, "ann"), MAM_SAVE_SHAREPOINT, ANN, in_office(&here, "exported"));
    if (status != MAM_OK) return refused(status);
    puts("done");
    fflush(stdout);
    OK(mam_close(m));
    return 0;
}

/* Print the epoch that seals for Ann now; everything else of hers must open. */
static int epoch(void) {
    mam_status status;
    char *info = NULL;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    OK(reads(m, "ann"));
    mam_buffer now = sealed(m, ANN, "now");
    OK(mam_protection_info(m, now.data, now.length, &info));
    printf("%lld\n", number_of(info, "/epoch"));
    mam_free(info);
    mam_buffer_free(&now);
    OK(mam_close(m));
    return 0;
}

/* Import the exported file, which must be complete, whether old or new. */
static int take_in(void) {
    mam_status status;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    status = mam_file_import(m, in_office(&here, "exported"), ANN, in_office(&here, "received"));
    if (status != MAM_OK) return refused(status);
    mam_file_t *file = NULL;
    uint8_t text[64] = {0};
    size_t count;
    OK(mam_file_open(m, in_office(&here, "received"), O_RDONLY, &file));
    OK(mam_file_read(file, text, sizeof text - 1, &count));
    mam_file_close(file);
    CHECK_TEXT("the plain text of a container", (const char *)text);
    puts("whole");
    OK(mam_close(m));
    return 0;
}

/* The host asks how Ann left: an event goes to one reader only. */
static void left_by(mam_t *m, const char *reason) {
    char *json = NULL;
    OK(mam_former_account(m, ANN, &json));
    CHECK_TEXT("wiped", text_of(json, "/end"));
    CHECK_TEXT(reason, text_of(json, "/reason"));
    mam_free(json);
}

/* The next open finishes the wipe: both events, unenrolled, no open entry in the journal, the authority informed. */
static int finish(const char *reason) {
    mam_status status;
    char *json = NULL;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    left_by(m, reason);
    bool unenrolled = false, completed = false;
    for (long long until = now_ms() + SOON; !(unenrolled && completed) && now_ms() < until;) {
        OK(mam_run_due(m));
        char *event = NULL;
        if (mam_event_next(m, 50, &event) != MAM_OK) continue;
        if (strcmp(text_of(event, "/event"), "unenrollRequest") == 0) unenrolled = number_of(event, "/status/code") == 104;
        if (strcmp(text_of(event, "/event"), "wipeDidComplete") == 0) {
            completed = true;
            CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
            CHECK_TEXT(reason, text_of(event, "/reason"));
            if (number_of(event, "/files/known") > 0)
                printf(
                    "%lld of %lld files removed, %lld gone, %lld left\n", number_of(event, "/files/removed"),
                    number_of(event, "/files/known"), number_of(event, "/files/gone"), number_of(event, "/files/left"));
        }
        mam_free(event);
    }
    CHECK(unenrolled && completed);
    left_by(m, reason);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, reads(m, "ann"));
    personal_is_there(m);
    for (long long until = now_ms() + SOON;;) {
        OK(mam_registered_accounts(m, &json));
        bool done = count_of(json, "") == 1 && strcmp(text_of(json, "/0/accountId"), BOB_ID) == 0;
        if (!done && now_ms() > until) failed_at(__FILE__, __LINE__, "after the wipe there is %s", json);
        mam_free(json);
        if (done) break;
        OK(mam_run_due(m));
    }
    char *list = admin_reply(&here, "{\"action\":\"registration.list\",\"user\":\"" ANN "\"}");
    CHECK_NUMBER(0, count_of(list, "/registrations"));
    mam_free(list);
    enroll_well(m, ANN); /* and she may enroll again, without her old data */
    FAILS(MAM_ERR_KEY_UNAVAILABLE, reads(m, "ann"));
    mam_buffer fresh = sealed(m, ANN, "fresh");
    OK(opens_as(m, &fresh, "fresh"));
    mam_buffer_free(&fresh);
    OK(mam_close(m));
    puts("finished");
    return 0;
}

/* Unenroll Ann, and carry out a wipe that was ordered before; the mark is for traces. */
static int leave(void) {
    mam_status status;
    int64_t op;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    if (access("/it-begins-here", F_OK) == 0) return 2;
    status = mam_deregister_and_unenroll(m, ANN, 0, &op);
    if (status != MAM_OK) return refused(status);
    printf("%d\n", code_of(m, op));
    fflush(stdout);
    OK(mam_run_due(m));
    OK(mam_close(m));
    return 0;
}

static bool is_enrolled_with(mam_t *m, const char *id) {
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    bool is_enrolled = strstr(json, id) != NULL;
    mam_free(json);
    return is_enrolled;
}

static void unenroll(mam_t *m, const char *name) {
    int64_t op;
    OK(mam_deregister_and_unenroll(m, name, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
}

/* Whether nothing is left to report, by the diagnostics' list. */
static void nothing_waits(mam_t *m, const char *list) {
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    CHECK_NUMBER(0, count_of(json, list));
    mam_free(json);
}

/* Ann's wipe was ordered before she was unenrolled: it is carried out and reported, at the latest when Bob's unenrollment is. */
static int left_and_wiped(void) {
    mam_status status;
    char *event = NULL;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    bool is_enrolled = is_enrolled_with(m, ANN_ID);
    if (is_enrolled) unenroll(m, ANN);
    mam_free(admin_reply(&here, "{\"action\":\"fault.clear\"}"));
    unenroll(m, BOB);
    int completed = 0;
    for (long long until = now_ms() + SOON; completed == 0 && now_ms() < until;) {
        OK(mam_run_due(m));
        if (mam_event_next(m, 50, &event) != MAM_OK) continue;
        if (strcmp(text_of(event, "/event"), "wipeDidComplete") == 0) {
            completed++;
            CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
            CHECK_TEXT("administrator", text_of(event, "/reason"));
        }
        mam_free(event);
    }
    CHECK_NUMBER(1, completed);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, reads(m, "ann"));
    personal_is_there(m);
    OK(mam_run_due(m));
    nothing_waits(m, "/unenrollments");
    nothing_waits(m, "/wipes");
    char *list = admin_reply(&here, "{\"action\":\"wipe.list\"}");
    CHECK_NUMBER(0, number_of(list, "/wipes/0/pending"));
    CHECK_NUMBER(1, number_of(list, "/wipes/0/done"));
    mam_free(list);
    OK(mam_close(m));
    puts(is_enrolled ? "enrolled" : "left");
    return 0;
}

/* Whether Ann has left. If so, one event said so, and the session that reports Bob's unenrollment also reports hers:
 * nobody is enrolled then. */
static int left(void) {
    mam_status status;
    char *event = NULL;
    mam_t *m = session(&status, QUIET);
    if (m == NULL) return refused(status);
    bool is_enrolled = is_enrolled_with(m, ANN_ID);
    int reported = 0;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        reported += strcmp(text_of(event, "/event"), "unenrollRequest") == 0;
        mam_free(event);
    }
    CHECK_NUMBER(is_enrolled ? 0 : 1, reported);
    mam_free(admin_reply(&here, "{\"action\":\"fault.clear\"}"));
    if (!is_enrolled) OK(reads(m, "ann"));
    if (is_enrolled) unenroll(m, ANN);
    unenroll(m, BOB);
    nothing_waits(m, "/unenrollments");
    char *list = admin_reply(&here, "{\"action\":\"registration.list\"}");
    CHECK_NUMBER(0, count_of(list, "/registrations"));
    mam_free(list);
    OK(mam_close(m));
    puts(is_enrolled ? "enrolled" : "left");
    return 0;
}

int main(int count, char **words) {
    void *unused = NULL;
    begin(&unused);
    if (count < 3) return 2;
    if (strcmp(words[1], "make") == 0) { /* prints the folder of a new office */
        office_make(&here);
        puts(here.root);
        return 0;
    }
    snprintf(here.root, sizeof here.root, "%s", words[2]);
    snprintf(here.authority, sizeof here.authority, "%s/authority.db", here.root);
    snprintf(here.state, sizeof here.state, "%s/state", here.root);
    if (strcmp(words[1], "open") == 0) return open_once();
    if (strcmp(words[1], "exit") == 0 && count == 4) return exit_in_the_middle(atoi(words[3]));
    if (strcmp(words[1], "prepare") == 0) return prepare();
    if (strcmp(words[1], "own") == 0) return own(count > 3 ? atoi(words[3]) : OWNED);
    if (strcmp(words[1], "wipe") == 0 && count == 4) return wipe(ANN, words[3]);
    if (strcmp(words[1], "register") == 0) return register_eve();
    if (strcmp(words[1], "wipe-registered") == 0) return wipe(EVE, "host");
    if (strcmp(words[1], "never-managed") == 0) return never_managed();
    if (strcmp(words[1], "request") == 0) return request_wipe();
    if (strcmp(words[1], "change") == 0) return change();
    if (strcmp(words[1], "check-in") == 0) return check_in_once();
    if (strcmp(words[1], "look") == 0) return look();
    if (strcmp(words[1], "fault") == 0) { /* the authority is unreachable */
        mam_free(admin_reply(&here, "{\"action\":\"fault.set\",\"fault\":\"network\",\"operation\":\"unenroll\"}"));
        return 0;
    }
    if (strcmp(words[1], "leave") == 0) return leave();
    if (strcmp(words[1], "left") == 0) return left();
    if (strcmp(words[1], "left-and-wiped") == 0) return left_and_wiped();
    if (strcmp(words[1], "rotate") == 0 || strcmp(words[1], "export") == 0 || strcmp(words[1], "reprotect") == 0)
        return do_once(words[1]);
    if (strcmp(words[1], "epoch") == 0) return epoch();
    if (strcmp(words[1], "import") == 0) return take_in();
    if (strcmp(words[1], "finish") == 0 && count == 4) return finish(words[3]);
    return 2;
}
