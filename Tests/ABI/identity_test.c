/* Identity: the current one by thread, window and process; switches and their refusals; blocked accounts. */
#include "support.h"

#define SINGLE "\"worker\":false"
#define MULTI "\"worker\":false,\"settings\":{\"MultiIdentity\":true}"
#define MULTI_SEVERAL "\"worker\":false,\"settings\":{\"MultiIdentity\":true,\"MultiManagedIdentities\":true}"

/* The call's JSON output is this text. */
#define SAYS(expected, call)        \
    do {                            \
        char *json = NULL;          \
        OK(call);                   \
        CHECK_TEXT(expected, json); \
        mam_free(json);             \
    } while (0)

static const char *effective(mam_t *m, int32_t task, const char *window) {
    static char text[300];
    char *json = NULL;
    OK(mam_effective_identity(m, task, window, &json));
    snprintf(text, sizeof text, "%s", json);
    mam_free(json);
    return text;
}

/* The result of a switch. */
static int show(mam_t *m, const char *window, const char *identities) {
    int64_t op = 0;
    char *json = NULL;
    OK(mam_set_ui_identity(m, window, identities, &op));
    OK(mam_wait(m, op, SOON, &json));
    int result = (int)number_of(json, "/result");
    CHECK(has(json, "/identities") && has(json, "/window"));
    CHECK(*text_of(json, "/message") && *text_of(json, "/time"));
    CHECK_NUMBER(result == 0, truth_of(json, "/didSucceed"));
    static const char *const names[] = {"success", "canceled", "notAllowed", "failed"};
    CHECK(result >= 0 && result <= 3);
    CHECK_TEXT(names[result], text_of(json, "/name"));
    mam_free(json);
    return result;
}
enum {
    SUCCESS = MAM_SWITCH_SUCCESS,
    CANCELED = MAM_SWITCH_CANCELED,
    NOT_ALLOWED = MAM_SWITCH_NOT_ALLOWED,
    FAILED = MAM_SWITCH_FAILED
};

static void admin_disables(const office *o, const char *upn, bool disabled) {
    admin(o, "{\"action\":\"user.set\",\"user\":\"%s\",\"enabled\":%s}", upn, disabled ? "false" : "true");
}

/* ---- the order of identities */

static void the_order_of_identities(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    enroll_well(m, ANN);
    CHECK_TEXT("null", effective(m, MAM_TASK_UI, NULL));
    SAYS("null", mam_process_identity(m, &json));
    OK(mam_set_process_identity(m, "process"));
    CHECK_TEXT("\"process\"", effective(m, MAM_TASK_UI, "w"));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"default\""));
    CHECK_TEXT("\"default\"", effective(m, MAM_TASK_UI, "w"));
    CHECK_NUMBER(SUCCESS, show(m, "w", "\"window\""));
    CHECK_TEXT("\"window\"", effective(m, MAM_TASK_UI, "w"));
    CHECK_TEXT("\"default\"", effective(m, MAM_TASK_UI, "v"));
    CHECK_TEXT("\"process\"", effective(m, MAM_TASK_FILE, "w"));
    OK(mam_push_thread_identity(m, ANN));
    CHECK_TEXT("\"" ANN_ID "\"", effective(m, MAM_TASK_UI, "w"));
    CHECK_TEXT("\"" ANN_ID "\"", effective(m, MAM_TASK_FILE, NULL));
    /* "" is an identity: no user. NULL is none: use the next source, whatever is pushed below. */
    OK(mam_push_thread_identity(m, ""));
    CHECK_TEXT("\"\"", effective(m, MAM_TASK_UI, "w"));
    OK(mam_push_thread_identity(m, NULL));
    CHECK_TEXT("\"window\"", effective(m, MAM_TASK_UI, "w"));
    CHECK_TEXT("\"process\"", effective(m, MAM_TASK_FILE, "w"));
    for (int i = 0; i < 3; i++) OK(mam_pop_thread_identity(m));
    FAILS(MAM_ERR_NOT_FOUND, mam_pop_thread_identity(m));
    CHECK_NUMBER(SUCCESS, show(m, "w", "null"));
    SAYS("null", mam_ui_identity(m, "w", &json));
    CHECK_TEXT("\"default\"", effective(m, MAM_TASK_UI, "w"));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "null"));
    OK(mam_set_process_identity(m, ""));
    CHECK_TEXT("\"\"", effective(m, MAM_TASK_UI, "w"));
    OK(mam_set_process_identity(m, NULL));
    CHECK_TEXT("null", effective(m, MAM_TASK_UI, "w"));
    FAILS(MAM_ERR_ARGUMENT, mam_effective_identity(m, 2, NULL, &(char *){NULL}));
    OK(mam_close(m));
}

static void a_host_of_one_identity_acts_for_its_enrolled_account(void **state) {
    mam_t *m = open_app(*state, APP, SINGLE);
    SAYS("null", mam_process_identity(m, &json));
    enroll_well(m, ANN);
    SAYS("\"" ANN_ID "\"", mam_process_identity(m, &json));
    CHECK_TEXT("\"" ANN_ID "\"", effective(m, MAM_TASK_FILE, NULL));
    OK(mam_set_process_identity(m, ""));
    SAYS("\"\"", mam_process_identity(m, &json));
    OK(mam_set_process_identity(m, NULL));
    SAYS("\"" ANN_ID "\"", mam_process_identity(m, &json));
    OK(mam_close(m));
}

/* ---- threads */

typedef struct work {
    mam_t *m;
    mam_identity_t *identity;
    char seen[300];
    mam_status status;
} work;

static void note_identity(void *arg) {
    work *w = arg;
    snprintf(w->seen, sizeof w->seen, "%s", effective(w->m, MAM_TASK_FILE, NULL));
}

static void *on_another_thread(void *arg) {
    work *w = arg;
    note_identity(w);
    CHECK_TEXT("null", w->seen);
    FAILS(MAM_ERR_NOT_FOUND, mam_pop_thread_identity(w->m));
    w->status = mam_identity_run(w->identity, note_identity, w);
    OK(w->status);
    CHECK_TEXT("null", effective(w->m, MAM_TASK_FILE, NULL));
    OK(mam_push_thread_identity(w->m, BOB)); /* freed with the thread */
    return NULL;
}

static void thread_identity_stays_on_its_thread_and_can_be_carried(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    work w = {.m = m};
    OK(mam_push_thread_identity(m, EVE));
    OK(mam_identity_capture(m, &w.identity));
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        *w.seen = '\0';
        CHECK(pthread_create(&thread, NULL, on_another_thread, &w) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_TEXT("\"" EVE "\"", w.seen);
    }
    /* Another session on the same thread carries its own. */
    mam_t *other = open_app(*state, OTHER_APP, MULTI);
    CHECK_TEXT("null", effective(other, MAM_TASK_FILE, NULL));
    OK(mam_push_thread_identity(other, BOB));
    OK(mam_pop_thread_identity(m));
    CHECK_TEXT("null", effective(m, MAM_TASK_FILE, NULL));
    CHECK_TEXT("\"" BOB "\"", effective(other, MAM_TASK_FILE, NULL));
    OK(mam_identity_run(w.identity, note_identity, &w)); /* it does not follow the thread that it was captured on */
    CHECK_TEXT("\"" EVE "\"", w.seen);
    OK(mam_close(m));
    FAILS(MAM_ERR_CLOSED, mam_identity_run(w.identity, note_identity, &w));
    mam_identity_release(w.identity);
    CHECK_NUMBER(MAM_ERR_CLOSED, mam_last_status()); /* the release changes nothing */
    FAILS(MAM_ERR_CLOSED, mam_identity_run(w.identity, note_identity, &w));
    mam_identity_release(w.identity);
    CHECK_NUMBER(MAM_ERR_CLOSED, mam_last_status());
    OK(mam_close(other));
}

static void scoped(void *arg) {
    work *w = arg;
    note_identity(w);
    FAILS(MAM_ERR_NOT_FOUND, mam_pop_thread_identity(w->m)); /* not its own */
    OK(mam_push_thread_identity(w->m, BOB));
    OK(mam_push_thread_identity(w->m, ""));
    OK(mam_pop_thread_identity(w->m)); /* and leaves one */
    int64_t op;
    char *json = NULL;
    OK(mam_set_ui_identity(w->m, NULL, "null", &op));
    OK(mam_wait(w->m, op, SOON, &json)); /* no callback: waiting is allowed */
    mam_free(json);
}

static void closes(void *arg) { OK(mam_close(arg)); }

static void run_as_ends_with_its_function(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    work w = {.m = m};
    OK(mam_push_thread_identity(m, EVE));
    OK(mam_run_as(m, ANN, scoped, &w));
    CHECK_TEXT("\"" ANN "\"", w.seen);
    CHECK_TEXT("\"" EVE "\"", effective(m, MAM_TASK_FILE, NULL));
    FAILS(MAM_ERR_ARGUMENT, mam_run_as(m, ANN, NULL, NULL));
    CULPRIT("argument", "fn");
    OK(mam_run_as(m, ANN, closes, m));
    FAILS(MAM_ERR_CLOSED, mam_pop_thread_identity(m));
}

static void thread_identities_nest_to_a_bound(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    for (int i = 0; i < 1024; i++) OK(mam_push_thread_identity(m, i % 2 ? ANN : BOB));
    FAILS(MAM_ERR_NO_SPACE, mam_push_thread_identity(m, ANN));
    FAILS(MAM_ERR_NO_SPACE, mam_run_as(m, ANN, note_identity, NULL));
    for (int i = 0; i < 1024; i++) {
        CHECK_TEXT(i % 2 ? "\"" BOB "\"" : "\"" ANN "\"", effective(m, MAM_TASK_FILE, NULL));
        OK(mam_pop_thread_identity(m));
    }
    CHECK_TEXT("null", effective(m, MAM_TASK_FILE, NULL));
    OK(mam_close(m));
}

static void in_the_child(void *arg) {
    work *w = arg;
    FAILS(MAM_ERR_FORKED, mam_identity_run(w->identity, note_identity, w));
    FAILS(MAM_ERR_FORKED, mam_run_as(w->m, ANN, note_identity, w));
    mam_identity_release(w->identity);
    OK(mam_close(w->m));
    _exit(0);
}

static void a_forked_child_inherits_nothing(void **state) {
    work w = {.m = open_app(*state, APP, MULTI)};
    OK(mam_push_thread_identity(w.m, ANN));
    OK(mam_identity_capture(w.m, &w.identity));
    in_child(in_the_child, &w);
    OK(mam_identity_run(w.identity, note_identity, &w));
    CHECK_TEXT("\"" ANN "\"", w.seen);
    mam_identity_release(w.identity);
    OK(mam_close(w.m));
}

/* ---- switches */

static void several_accounts_in_a_window(void **state) {
    mam_t *m = open_app(*state, APP, MULTI_SEVERAL);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    CHECK_NUMBER(SUCCESS, show(m, "w", "[\"" ANN "\",\"" BOB "\",\"" ANN "\",\"\"]"));
    SAYS("[\"" ANN_ID "\",\"" BOB_ID "\",\"\"]", mam_ui_identity(m, "w", &json));
    CHECK_TEXT("[\"" ANN_ID "\",\"" BOB_ID "\",\"\"]", effective(m, MAM_TASK_UI, "w"));
    SAYS("null", mam_ui_identity(m, NULL, &json));
    mam_policy_t *both = NULL, *ann = NULL;
    OK(mam_policy_current(m, "w", &both));
    CHECK_NUMBER(1, mam_policy_is_pin_required(both));
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(both));
    CHECK_NUMBER(SUCCESS, show(m, "w", "[]"));
    SAYS("[\"\"]", mam_ui_identity(m, "w", &json));
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(both)); /* stays with its accounts */
    OK(mam_policy_current(m, "w", &ann));
    CHECK_NUMBER(1, mam_policy_is_contact_sync_allowed(ann));
    mam_policy_release(ann);
    mam_policy_release(both);
    OK(mam_close(m));
}

static void a_host_of_one_managed_account_shows_no_colleague(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, MULTI);
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"" BOB "\""));
    enroll_well(m, ANN);
    CHECK_NUMBER(NOT_ALLOWED, show(m, NULL, "\"" BOB "\""));
    CHECK_NUMBER(NOT_ALLOWED, show(m, NULL, "[\"" ANN "\",\"Bob@CONTOSO.example\"]"));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"" EVE "\""));
    SAYS("[\"" EVE "\"]", mam_ui_identity(m, NULL, &json));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"ANN@contoso.EXAMPLE\""));
    SAYS("[\"" ANN_ID "\"]", mam_ui_identity(m, NULL, &json));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"" ANN_ID "\""));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"\""));
    OK(mam_close(m));
}

static void a_thread_with_another_identity_may_not_switch(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    enroll_well(m, ANN);
    OK(mam_push_thread_identity(m, ANN));
    CHECK_NUMBER(NOT_ALLOWED, show(m, NULL, "\"" EVE "\""));
    CHECK_NUMBER(NOT_ALLOWED, show(m, NULL, "\"\""));
    CHECK_NUMBER(NOT_ALLOWED, show(m, NULL, "[\"" ANN "\",\"" EVE "\"]"));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"" ANN_ID "\""));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "null"));
    OK(mam_pop_thread_identity(m));
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"" EVE "\""));
    OK(mam_close(m));
}

static void a_later_switch_cancels_an_earlier_one(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    int64_t first, second, other;
    char *json = NULL;
    OK(mam_set_ui_identity(m, "w", "\"first\"", &first));
    OK(mam_set_ui_identity(m, "v", "\"other\"", &other));
    OK(mam_set_ui_identity(m, "w", "\"second\"", &second));
    OK(mam_wait(m, first, SOON, &json));
    CHECK_NUMBER(CANCELED, number_of(json, "/result"));
    mam_free(json);
    OK(mam_wait(m, other, SOON, &json));
    CHECK_NUMBER(SUCCESS, number_of(json, "/result"));
    mam_free(json);
    OK(mam_wait(m, second, SOON, &json));
    CHECK_NUMBER(SUCCESS, number_of(json, "/result"));
    CHECK_TEXT("w", text_of(json, "/window"));
    mam_free(json);
    SAYS("[\"second\"]", mam_ui_identity(m, "w", &json));
    OK(mam_close(m));
}

static void windows_are_bounded(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    char window[300];
    int64_t op = 1;
    for (int i = 0; i < 4096; i++) {
        snprintf(window, sizeof window, "window %d", i);
        CHECK_NUMBER(SUCCESS, show(m, window, "\"" EVE "\""));
    }
    for (int i = 0; i < 100000; i++) {
        snprintf(window, sizeof window, "another %d", i);
        if (mam_set_ui_identity(m, window, "\"" EVE "\"", &op) != MAM_ERR_NO_SPACE) CHECK(!"refused");
    }
    FAILS(MAM_ERR_NO_SPACE, mam_set_ui_identity(m, "another", "\"" EVE "\"", &op));
    CHECK_NUMBER(0, op);
    CHECK_NUMBER(SUCCESS, show(m, "window 7", "\"" BOB "\""));
    CHECK_NUMBER(SUCCESS, show(m, "window 7", "null"));
    CHECK_NUMBER(SUCCESS, show(m, "another", "\"" EVE "\""));
    /* Nor does the number of switches without a waiter grow for ever. */
    mam_status status = MAM_OK;
    for (int i = 0; i < 2000 && status == MAM_OK; i++) status = mam_set_ui_identity(m, "window 8", "\"\"", &op);
    FAILS(MAM_ERR_NO_SPACE, status);
    OK(mam_run_due(m));
    CHECK_NUMBER(SUCCESS, show(m, "window 8", "\"\""));
    OK(mam_close(m));
}

static void bad_windows_and_identities(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    char *long_text = malloc(70000), *json = NULL, text[70000 + 8];
    int64_t op;
    if (long_text == NULL) abort();
    memset(long_text, 'w', 65536);
    long_text[65536] = '\0';
    FAILS(MAM_ERR_ARGUMENT, mam_set_ui_identity(m, long_text, "null", &op));
    CULPRIT("argument", "window");
    FAILS(MAM_ERR_ARGUMENT, mam_ui_identity(m, "", &json));
    FAILS(MAM_ERR_ARGUMENT, mam_ui_identity(m, "w\377", &json));
    FAILS(MAM_ERR_ARGUMENT, mam_effective_identity(m, MAM_TASK_UI, long_text, &json));
    snprintf(text, sizeof text, "\"%s\"", long_text);
    FAILS(MAM_ERR_ARGUMENT, mam_set_ui_identity(m, NULL, text, &op));
    long_text[256] = '\0';
    CHECK_NUMBER(SUCCESS, show(m, long_text, "\"" EVE "\""));
    static const char *const bad[] = {"\" a\"", "\"a \"", "\"a\\u0007\"", "[\"a\",\"b\\n\"]", "\"\\u00a0a\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FAILS(MAM_ERR_ARGUMENT, mam_set_ui_identity(m, NULL, bad[i], &op));
        CULPRIT("argument", "identities_json");
    }
    char *end = text;
    *end++ = '[';
    for (int i = 0; i < 65; i++) end += sprintf(end, "%s\"%d\"", i ? "," : "", i);
    strcpy(end, "]");
    FAILS(MAM_ERR_ARGUMENT, mam_set_ui_identity(m, NULL, text, &op));
    free(long_text);
    OK(mam_close(m));
    m = open_app(*state, APP, MULTI ",\"unknownIdentities\":\"error\"");
    FAILS(MAM_ERR_NOT_FOUND, mam_set_ui_identity(m, NULL, "[\"\",\"" EVE "\"]", &op));
    FAILS(MAM_ERR_NOT_FOUND, mam_push_thread_identity(m, EVE));
    FAILS(MAM_ERR_NOT_FOUND, mam_set_process_identity(m, EVE));
    /* A host takes 1 for the success of a sign-in. */
    CHECK_NUMBER(0, mam_is_account_managed(m, EVE));
    OK(mam_last_status());
    CHECK_NUMBER(0, mam_identity_equal(m, EVE, ANN));
    OK(mam_last_status());
    int32_t reason = -1;
    FAILS(MAM_ERR_NOT_FOUND, mam_blocked_reason(m, EVE, &reason));
    OK(mam_push_thread_identity(m, ""));
    OK(mam_close(m));
}

/* ---- questions about an account */

static void managed_and_equal_accounts(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, MULTI_SEVERAL);
    int32_t source = -1;
    CHECK_NUMBER(0, mam_is_management_enabled(m));
    OK(mam_policy_source(m, &source));
    CHECK_NUMBER(MAM_SOURCE_OTHER, source);
    CHECK_NUMBER(0, mam_identity_equal(m, ANN, ANN_ID)); /* not yet known */
    enroll_well(m, ANN);
    CHECK_NUMBER(1, mam_is_management_enabled(m));
    OK(mam_policy_source(m, &source));
    CHECK_NUMBER(MAM_SOURCE_MAM, source);
    CHECK_NUMBER(1, mam_is_account_managed(m, "ANN@contoso.example"));
    CHECK_NUMBER(1, mam_is_account_managed(m, ANN_ID));
    CHECK_NUMBER(0, mam_is_account_managed(m, EVE));
    CHECK_NUMBER(0, mam_is_account_managed(m, ""));
    OK(mam_last_status());
    CHECK_NUMBER(1, mam_identity_equal(m, ANN, "ANN-ID"));
    CHECK_NUMBER(1, mam_identity_equal(m, EVE, "EVE@personal.EXAMPLE"));
    CHECK_NUMBER(0, mam_identity_equal(m, ANN, BOB));
    CHECK_NUMBER(1, mam_identity_equal(m, NULL, NULL));
    CHECK_NUMBER(1, mam_identity_equal(m, "", ""));
    CHECK_NUMBER(0, mam_identity_equal(m, NULL, ""));
    /* The Kelvin sign is not a k. */
    CHECK_NUMBER(0, mam_identity_equal(m, "k@personal.example", "\342\204\252@personal.example"));
    OK(mam_last_status());
    CHECK_NUMBER(0, mam_identity_equal(m, ANN, "ann "));
    CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_last_status());
    CULPRIT("argument", "other");
    OK(mam_close(m));
    m = open_app(o, OTHER_APP, "\"worker\":false,\"settings\":{\"MAMPolicyRequired\":true}");
    CHECK_NUMBER(1, mam_is_management_enabled(m));
    OK(mam_close(m));
}

/* ---- accounts that may not be shown any more */

typedef struct host {
    int blocks, switches;
    const char *block, *leave; /* answers */
    char json[2048];
} host;

static mam_t *answering;

static void answer_as(void *user, mam_question_t *question, const char *json) {
    host *h = user;
    const char *kind = text_of(json, "/question");
    bool is_block = strcmp(kind, "blockAccount") == 0;
    if (!is_block && strcmp(kind, "identitySwitch") != 0) return;
    if (is_block) h->blocks++;
    else h->switches++;
    snprintf(h->json, sizeof h->json, "%s", json);
    const char *answer = is_block ? h->block : h->leave;
    if (answer) OK(mam_answer(answering, mam_question_id(question), answer));
}

static void a_disabled_user_is_blocked(const office *o, const char *more, host h, const char *shown) {
    office_blocks_disabled(o);
    mam_t *m = open_app(o, APP, more);
    answering = m;
    int32_t reason = -1;
    enroll_well(m, ANN);
    OK(mam_set_delegate(m, answer_as, &h));
    CHECK_NUMBER(SUCCESS, show(m, "w", "[\"" EVE "\",\"" ANN "\"]"));
    CHECK_NUMBER(SUCCESS, show(m, "v", "\"" EVE "\""));
    SAYS("[]", mam_blocked_accounts(m, &json));
    admin_disables(o, ANN, true);
    CHECK_NUMBER(100, check_in(m, ANN));
    char *event = next_event(m, "accountBlocked", SOON);
    CHECK(event != NULL);
    CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
    CHECK_NUMBER(MAM_BLOCK_CONDITIONAL_LAUNCH, number_of(event, "/blockReason"));
    mam_free(event);
    OK(mam_blocked_reason(m, ANN, &reason));
    CHECK_NUMBER(MAM_BLOCK_CONDITIONAL_LAUNCH, reason);
    SAYS(
        "[{\"accountId\":\"" ANN_ID "\",\"upn\":\"" ANN "\",\"reason\":\"conditionalLaunchBlocked\",\"blockReason\":1}]",
        mam_blocked_accounts(m, &json));
    char *json = NULL;
    for (long long until = now_ms() + SOON; now_ms() < until;) { /* with a worker it is asked a moment later */
        OK(mam_run_due(m));
        mam_free(json);
        OK(mam_ui_identity(m, "w", &json));
        if (strcmp(json, shown) == 0 && h.blocks > 0 && (h.switches > 0 || strstr(h.block, "true"))) break;
        sleep_ms(10);
    }
    CHECK_TEXT(shown, json);
    mam_free(json);
    CHECK_NUMBER(1, h.blocks);
    CHECK_TEXT("w", text_of(h.json, "/window"));
    SAYS("[\"" EVE "\"]", mam_ui_identity(m, "v", &json));
    CHECK_NUMBER(FAILED, show(m, "v", "\"" ANN_ID "\""));
    admin_disables(o, ANN, false);
    CHECK_NUMBER(100, check_in(m, ANN));
    event = next_event(m, "accountBlocked", SOON);
    CHECK(event != NULL);
    CHECK_NUMBER(MAM_BLOCK_NONE, number_of(event, "/blockReason"));
    mam_free(event);
    CHECK_NUMBER(SUCCESS, show(m, "v", "\"" ANN_ID "\""));
    OK(mam_close(m));
}

/* Graph: "If this property is not set, no action will be taken." */
static void a_disabled_user_stays_open_where_no_policy_acts(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    enroll_well(m, ANN);
    admin_disables(*state, ANN, true);
    CHECK_NUMBER(100, check_in(m, ANN));
    SAYS("[]", mam_blocked_accounts(m, &json));
    CHECK_NUMBER(SUCCESS, show(m, "w", "\"" ANN "\""));
    OK(mam_close(m));
}

static void the_host_hides_a_blocked_account(void **state) {
    host h = {.block = "{\"blocked\":true}", .leave = "null"};
    a_disabled_user_is_blocked(*state, MULTI, h, "[\"" EVE "\"]");
}
static void the_host_leaves_the_window_instead(void **state) {
    host h = {.block = "{\"blocked\":false}", .leave = "{\"switched\":true}"};
    a_disabled_user_is_blocked(*state, MULTI, h, "[\"\"]");
}
static void a_worker_asks_as_well(void **state) {
    host h = {.block = "null", .leave = "{\"switched\":true}"};
    a_disabled_user_is_blocked(*state, "\"settings\":{\"MultiIdentity\":true}", h, "[\"\"]");
}
static void a_host_that_does_neither_is_warned(void **state) {
    host h = {.block = "{\"blocked\":false}", .leave = "{\"switched\":false}"};
    a_disabled_user_is_blocked(*state, MULTI, h, "[\"" EVE "\",\"" ANN_ID "\"]");
}

static void every_window_is_asked_about(void **state) {
    enum { WINDOWS = 300 }; /* more than the queue of questions or events holds */
    mam_t *m = open_app(*state, APP, "\"worker\":false,\"questions\":\"events\",\"settings\":{\"MultiIdentity\":true}");
    char window[32], answer[32], *event;
    office_blocks_disabled(*state);
    enroll_well(m, ANN);
    for (int i = 0; i < WINDOWS; i++) {
        snprintf(window, sizeof window, "window %03d", i);
        CHECK_NUMBER(SUCCESS, show(m, window, "\"" ANN "\""));
    }
    admin_disables(*state, ANN, true);
    CHECK_NUMBER(100, check_in(m, ANN));
    for (int i = 0; i < WINDOWS; i++) {
        OK(mam_run_due(m));
        event = next_event(m, "question", SOON);
        CHECK(event != NULL);
        snprintf(window, sizeof window, "window %03d", i);
        CHECK_TEXT("blockAccount", text_of(event, "/question"));
        CHECK_TEXT(window, text_of(event, "/window"));
        CHECK_TEXT("conditionalLaunchBlocked", text_of(event, "/reason"));
        snprintf(answer, sizeof answer, "{\"blocked\":%s}", i == 5 ? "false" : "true");
        OK(mam_answer(m, number_of(event, "/id"), answer));
        mam_free(event);
        if (i != 5) continue;
        OK(mam_run_due(m));
        event = next_event(m, "question", SOON);
        CHECK(event != NULL);
        CHECK_TEXT("identitySwitch", text_of(event, "/question"));
        CHECK_TEXT(window, text_of(event, "/window"));
        CHECK_TEXT(ANN_ID, text_of(event, "/from"));
        OK(mam_answer(m, number_of(event, "/id"), "{\"switched\":true}"));
        mam_free(event);
    }
    OK(mam_run_due(m));
    for (int i = 0; i < WINDOWS; i++) {
        snprintf(window, sizeof window, "window %03d", i);
        SAYS("[\"\"]", mam_ui_identity(m, window, &json));
    }
    OK(mam_close(m));
}

static void a_wiped_account_leaves_every_window(void **state) {
    mam_t *m = open_app(*state, APP, MULTI_SEVERAL);
    int64_t op, blocked;
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    CHECK_NUMBER(SUCCESS, show(m, NULL, "\"" ANN "\""));
    CHECK_NUMBER(SUCCESS, show(m, "w", "[\"" ANN_ID "\",\"" BOB "\"]"));
    OK(mam_wipe_account(m, ANN, &op));
    /* Until the wipe is done the name is closed, not personal. */
    mam_policy_t *during = NULL;
    OK(mam_policy_current(m, NULL, &during));
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(during));
    OK(mam_set_ui_identity(m, "v", "\"" ANN "\"", &blocked));
    CHECK_NUMBER(104, code_of(m, op));
    SAYS("[\"\"]", mam_ui_identity(m, NULL, &json));
    SAYS("[\"" BOB_ID "\"]", mam_ui_identity(m, "w", &json));
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(during)); /* until released */
    mam_policy_release(during);
    CHECK_NUMBER(SUCCESS, show(m, "w", "\"" BOB "\""));
    OK(mam_deregister_and_unenroll(m, BOB, 0, &op));
    SAYS("[\"\"]", mam_ui_identity(m, "w", &json));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(the_order_of_identities),
        WITHOUT_PIN(a_host_of_one_identity_acts_for_its_enrolled_account),
        WITHOUT_PIN(thread_identity_stays_on_its_thread_and_can_be_carried),
        WITHOUT_PIN(run_as_ends_with_its_function),
        WITHOUT_PIN(thread_identities_nest_to_a_bound),
        WITHOUT_PIN(a_forked_child_inherits_nothing),
        WITHOUT_PIN(several_accounts_in_a_window),
        WITHOUT_PIN(a_host_of_one_managed_account_shows_no_colleague),
        WITHOUT_PIN(a_thread_with_another_identity_may_not_switch),
        WITHOUT_PIN(a_later_switch_cancels_an_earlier_one),
        WITHOUT_PIN(windows_are_bounded),
        WITHOUT_PIN(bad_windows_and_identities),
        WITHOUT_PIN(managed_and_equal_accounts),
        WITHOUT_PIN(the_host_hides_a_blocked_account),
        WITHOUT_PIN(the_host_leaves_the_window_instead),
        WITHOUT_PIN(a_worker_asks_as_well),
        WITHOUT_PIN(a_disabled_user_stays_open_where_no_policy_acts),
        WITHOUT_PIN(a_host_that_does_neither_is_warned),
        WITHOUT_PIN(every_window_is_asked_about),
        WITHOUT_PIN(a_wiped_account_leaves_every_window),
    };
    return cmocka_run_group_tests_name("identity", tests, begin, NULL);
}
