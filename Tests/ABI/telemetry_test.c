/* mam_set_telemetry: the events that a function of the host receives, on which thread, and names that it never receives. */
#include "support.h"

enum { MOST = 600, EVENTS_THAT_WAIT = 256 };

/* The events that a function has received, and a lock on which the test waits. */
typedef struct received {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *events[MOST];
    int count;
    bool stays; /* the function does not return while this is set */
    bool is_inside;
    pthread_t thread;
    mam_t *calls; /* the function makes a call on it */
} received;

static void begin_receiving(received *r) {
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
}
static void end_receiving(received *r) {
    for (int i = 0; i < r->count; i++) free(r->events[i]);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
}

static void receive(void *user, const char *event) {
    received *r = user;
    if (r->calls != NULL) {
        FAILS(MAM_ERR_DEADLOCK, mam_close(r->calls));
        FAILS(MAM_ERR_DEADLOCK, mam_run_due(r->calls));
        OK(mam_set_override(r->calls, "SupportsDarkMode", "false")); /* an action, were it not made here */
    }
    pthread_mutex_lock(&r->lock);
    CHECK(r->count < MOST && is_json(event));
    r->events[r->count++] = strdup(event);
    r->thread = pthread_self();
    r->is_inside = true;
    pthread_cond_broadcast(&r->changed);
    while (r->stays) pthread_cond_wait(&r->changed, &r->lock);
    r->is_inside = false;
    pthread_mutex_unlock(&r->lock);
}

static void until_received(received *r, int count) {
    pthread_mutex_lock(&r->lock);
    while (r->count < count) pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
}
static void let_stay(received *r, bool stays) {
    pthread_mutex_lock(&r->lock);
    r->stays = stays;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* The event of a name, "" if there is none: the first from `from` on. */
static const char *named_from(const received *r, const char *name, int from) {
    for (int i = from; i < r->count; i++)
        if (strcmp(text_of(r->events[i], "/name"), name) == 0) return r->events[i];
    return "{}";
}
static const char *named(const received *r, const char *name) { return named_from(r, name, 0); }

/* Each is an action that fails. */
static void act(mam_t *m, int times) {
    for (int i = 0; i < times; i++) FAILS(MAM_ERR_NOT_FOUND, mam_file_decrypt(m, "/nothing/here"));
}

static void a_launch(void **state) {
    mam_t *m = open_enrolled(*state);
    received r;
    int64_t op;
    begin_receiving(&r);
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    OK(mam_launch(m, &op));
    char *report = NULL;
    OK(mam_wait(m, op, SOON, &report));
    const char *launch = named(&r, "appLaunch"); /* delivered before mam_wait returned */
    CHECK_TEXT(text_of(report, "/outcome"), text_of(launch, "/properties/outcome"));
    CHECK_TEXT("launch", text_of(launch, "/properties/type"));
    CHECK_TEXT("mam", text_of(launch, "/properties/managementType"));
    CHECK_TEXT(MAM_VERSION, text_of(launch, "/properties/libraryVersion"));
    CHECK_NUMBER(1, number_of(launch, "/properties/accounts"));
    CHECK_NUMBER(MAM_PRIVACY_DIAGNOSTIC, number_of(launch, "/privacyLevel"));
    CHECK(
        strstr(launch, "\"account\":null") != NULL && *text_of(launch, "/time")
        && number_of(launch, "/properties/milliseconds") >= 0);
    mam_free(report);
    OK(mam_close(m));
    end_receiving(&r);
}

/* An enrollment, a check-in and a wipe name the account, never a person. */
static void an_account(void **state) {
    mam_t *m = open_quiet(*state);
    received r;
    int64_t op;
    begin_receiving(&r);
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    enroll_well(m, ANN);
    const char *enrollment = named(&r, "enrollment"), *check_in = named(&r, "checkIn");
    CHECK_TEXT(ANN_ID, text_of(enrollment, "/account"));
    CHECK_NUMBER(100, number_of(enrollment, "/properties/code"));
    CHECK(truth_of(enrollment, "/properties/succeeded") && truth_of(check_in, "/properties/first"));
    CHECK_TEXT("host", text_of(enrollment, "/properties/trigger"));
    CHECK_TEXT(ANN_ID, text_of(check_in, "/account"));
    admin(*state, "{\"action\":\"fault.set\",\"operation\":\"enroll\",\"fault\":\"network\"}");
    CHECK_NUMBER(205, enroll(m, BOB));
    const char *failed = named_from(&r, "enrollment", r.count - 1);
    CHECK_NUMBER(205, number_of(failed, "/properties/code"));
    CHECK(!truth_of(failed, "/properties/succeeded"));
    CHECK(strstr(failed, "\"account\":null,\"tenant\":null") != NULL); /* Bob's id is not known: his UPN does not stand in for it */
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    const char *wipe = named(&r, "wipe");
    CHECK_TEXT(ANN_ID, text_of(wipe, "/account"));
    CHECK_TEXT("contoso", text_of(wipe, "/tenant"));
    CHECK_TEXT("host", text_of(wipe, "/properties/reason"));
    for (int i = 0; i < r.count; i++) CHECK(strstr(r.events[i], "@") == NULL);
    OK(mam_close(m));
    end_receiving(&r);
}

static void levels(void **state) {
    mam_t *m = open_enrolled(*state);
    received r;
    begin_receiving(&r);
    FAILS(MAM_ERR_ARGUMENT, mam_set_telemetry(m, -1, receive, &r));
    FAILS(MAM_ERR_ARGUMENT, mam_set_telemetry(m, 3, receive, &r));
    CULPRIT("argument", "level");
    OK(mam_set_telemetry(m, MAM_PRIVACY_SERVICE, receive, &r));
    act(m, 1);
    CHECK_NUMBER(0, r.count);
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK_NUMBER(1, r.count);
    OK(mam_set_telemetry(m, MAM_PRIVACY_DIAGNOSTIC, receive, &r));
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK_NUMBER(1, r.count);
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    act(m, 1);
    CHECK_NUMBER(2, r.count);
    CHECK_TEXT("fileDecrypt", text_of(r.events[1], "/properties/action"));
    CHECK_TEXT("notFound", text_of(r.events[1], "/properties/result"));
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, NULL, NULL));
    act(m, 1);
    CHECK_NUMBER(2, r.count);
    OK(mam_close(m));
    end_receiving(&r);
}

/* MAMTelemetryDisabled, from each of its sources; also for events that wait. */
static void disabled(void **state) {
    const office *o = *state;
    received r;
    begin_receiving(&r);
    mam_t *m = open_app(o, APP, "\"worker\":false,\"settings\":{\"MAMTelemetryDisabled\":true}");
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    act(m, 1);
    CHECK_NUMBER(100, enroll(m, ANN));
    CHECK_NUMBER(0, r.count);
    OK(mam_set_override(m, "MAMTelemetryDisabled", "false"));
    act(m, 1);
    CHECK_NUMBER(1, r.count);
    OK(mam_set_override(m, "MAMTelemetryDisabled", "true"));
    act(m, 1);
    CHECK_NUMBER(1, r.count);
    OK(mam_close(m));
    m = open_app(o, APP, WORKER);
    let_stay(&r, true);
    OK(mam_set_override(m, "MAMTelemetryDisabled", NULL));
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    act(m, 3);
    until_received(&r, 2); /* two of the three wait */
    OK(mam_set_override(m, "MAMTelemetryDisabled", "true"));
    let_stay(&r, false);
    OK(mam_close(m));
    CHECK_NUMBER(2, r.count);
    end_receiving(&r);
}

/* A function that does not return delays no operation: 256 events wait, the others are counted. */
static void a_slow_function(void **state) {
    mam_t *m = open_app(*state, APP, WORKER);
    received r;
    int64_t op;
    begin_receiving(&r);
    let_stay(&r, true);
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    act(m, 1);
    until_received(&r, 1);
    enroll_well(m, ANN);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    act(m, EVENTS_THAT_WAIT + 50);
    CHECK_NUMBER(1, r.count);
    CHECK(r.is_inside && !pthread_equal(r.thread, pthread_self()));
    let_stay(&r, false);
    until_received(&r, 1 + 1 + EVENTS_THAT_WAIT);
    CHECK_TEXT("eventsLost", text_of(r.events[1], "/name")); /* where they are missing */
    CHECK(number_of(r.events[1], "/properties/count") >= 50);
    CHECK_TEXT("action", text_of(r.events[2], "/name"));
    OK(mam_close(m));
    end_receiving(&r);
}

/* mam_close delivers what waits. */
static void at_the_end(void **state) {
    const char *forms[] = {QUIET, WORKER};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        mam_t *m = open_app(*state, APP, forms[i]);
        received r;
        begin_receiving(&r);
        OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
        act(m, 100);
        OK(mam_close(m));
        CHECK_NUMBER(100, r.count);
        end_receiving(&r);
    }
}

/* Calls of the function: those that would wait for it are refused, and none is an event. */
static void calls_from_inside(void **state) {
    const char *forms[] = {QUIET, WORKER};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        mam_t *m = open_app(*state, APP, forms[i]);
        received r;
        begin_receiving(&r);
        r.calls = m;
        OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
        act(m, 3);
        until_received(&r, 3);
        OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, NULL, NULL)); /* returns when no call runs */
        CHECK_NUMBER(3, r.count);
        OK(mam_close(m));
        end_receiving(&r);
    }
}

typedef struct acting {
    mam_t *m;
    int times;
} acting;
static void *act_on_a_thread(void *argument) {
    const acting *a = argument;
    act(a->m, a->times);
    return NULL;
}

/* Every event of several threads comes once, one at a time; the function is replaced meanwhile. */
static void several_threads(void **state) {
    const char *forms[] = {QUIET, WORKER};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        mam_t *m = open_app(*state, APP, forms[i]);
        received one, other;
        begin_receiving(&one);
        begin_receiving(&other);
        OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &one));
        acting a = {m, 60};
        pthread_t threads[4];
        for (int n = 0; n < 4; n++) assert_int_equal(0, pthread_create(&threads[n], NULL, act_on_a_thread, &a));
        for (int n = 0; n < 50; n++) OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, n % 2 ? &one : &other));
        for (int n = 0; n < 4; n++) pthread_join(threads[n], NULL);
        OK(mam_close(m));
        CHECK_NUMBER(240, one.count + other.count);
        end_receiving(&one);
        end_receiving(&other);
    }
}

static void forked(void *argument) {
    mam_t *m = argument;
    FAILS(MAM_ERR_FORKED, mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, NULL));
    OK(mam_close(m));
}

/* A child has neither the thread nor the events. */
static void a_fork(void **state) {
    mam_t *m = open_app(*state, APP, WORKER);
    received r;
    begin_receiving(&r);
    OK(mam_set_telemetry(m, MAM_PRIVACY_OPTIONAL, receive, &r));
    act(m, 1);
    in_child(forked, m);
    act(m, 1);
    OK(mam_close(m));
    CHECK_NUMBER(2, r.count);
    end_receiving(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(a_launch),          WITH_OFFICE(an_account),      WITH_OFFICE(levels),
        WITH_OFFICE(disabled),          WITH_OFFICE(a_slow_function), WITH_OFFICE(at_the_end),
        WITH_OFFICE(calls_from_inside), WITH_OFFICE(several_threads), WITH_OFFICE(a_fork),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
