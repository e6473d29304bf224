/* The registry of managed apps: its entries, their verification, and the targets that data may be shared with. */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- entries of the registry */

static char *list(mam_t *m) {
    char *json = NULL;
    OK(mam_managed_apps(m, &json));
    return json;
}

/* "yes", the problem, or "" if the app has no entry. */
static const char *managed(mam_t *m, const char *app) {
    static char answer[512];
    char *json = list(m), pointer[32];
    answer[0] = '\0';
    for (int i = 0; i < count_of(json, ""); i++) {
        snprintf(pointer, sizeof pointer, "/%d/appId", i);
        if (strcmp(text_of(json, pointer), app) != 0) continue;
        snprintf(pointer, sizeof pointer, "/%d/managed", i);
        bool is_managed = truth_of(json, pointer);
        snprintf(pointer, sizeof pointer, "/%d/problem", i);
        snprintf(answer, sizeof answer, "%s", is_managed ? "yes" : text_of(json, pointer));
    }
    mam_free(json);
    return answer;
}

/* The same for a program. */
static const char *asked(mam_t *m, const char *format, ...) {
    static char answer[512];
    char request[LONG_PATH], *json = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    OK(mam_managed_app(m, request, &json));
    CHECK_NUMBER(truth_of(json, "/managed"), count_of(json, "/apps") > 0);
    snprintf(answer, sizeof answer, "%s", truth_of(json, "/managed") ? text_of(json, "/apps/0") : text_of(json, "/problem"));
    mam_free(json);
    return answer;
}

#define SAYS(what, got)                                                                                   \
    do {                                                                                                  \
        const char *text = (got);                                                                         \
        if (!strstr(text, what)) failed_at(__FILE__, __LINE__, "\"%s\" does not say \"%s\"", text, what); \
    } while (0)

/* The remaining targets, as digits; "r" if there is a reason for each other one. */
static void remain(mam_t *m, const char *account, const char *targets, const char *expected) {
    mam_policy_t *policy = NULL;
    char *json = NULL, digits[16] = "", pointer[64];
    OK(mam_policy_for_account(m, account, &policy));
    OK(mam_policy_filter_share_targets(policy, targets, &json));
    for (int i = 0; i < count_of(json, "/remaining"); i++) {
        snprintf(pointer, sizeof pointer, "/remaining/%d/index", i);
        digits[i] = (char)('0' + number_of(json, pointer));
    }
    CHECK_TEXT(expected, digits);
    for (int i = 0; i < count_of(json, "/removed"); i++) {
        snprintf(pointer, sizeof pointer, "/removed/%d/reason/message", i);
        SAYS("Sharing is refused", text_of(json, pointer));
    }
    mam_free(json);
    mam_policy_release(policy);
}

/* ---- tests */

static void entering_and_leaving(void **state) {
    const office *o = *state;
    mam_t *notes = open_quiet(o), *mail = open_app(o, OTHER_APP, QUIET);
    char *json = list(notes);
    CHECK_TEXT("[]", json);
    mam_free(json);
    enroll_well(notes, ANN);
    CHECK_TEXT("yes", managed(notes, APP));
    SAYS("asking app has no account", managed(mail, APP)); /* no authority to ask for the list */
    enroll_well(mail, BOB);
    CHECK_TEXT("yes", managed(mail, APP));
    CHECK_TEXT("yes", managed(notes, OTHER_APP));
    json = list(notes);
    CHECK_TEXT(BOB_ID, text_of(json, "/0/accounts/0/accountId"));
    CHECK_TEXT(BOB, text_of(json, "/0/accounts/0/upn"));
    CHECK_TEXT("contoso", text_of(json, "/0/accounts/0/tenantId"));
    CHECK(!has(json, "/0/accounts/0/row"));
    mam_free(json);
    enroll_well(mail, ANN);
    int64_t op = 0;
    OK(mam_deregister_and_unenroll(mail, BOB, 0, &op));
    CHECK_TEXT("yes", managed(notes, OTHER_APP)); /* Ann still is */
    OK(mam_wipe_account(mail, ANN, &op));
    CHECK_TEXT("", managed(notes, OTHER_APP));
    admin(o, "{\"action\":\"policy.unassign\",\"policy\":\"" STRICT_POLICY "\",\"allUsers\":true}");
    check_in(notes, ANN); /* no policy any more */
    CHECK_TEXT("", managed(notes, APP));
    OK(mam_close(mail));
    OK(mam_close(notes));
}

static void it_outlives_its_writer(void **state) {
    const office *o = *state;
    OK(mam_close(open_enrolled(o)));
    mam_t *mail = open_app(o, OTHER_APP, QUIET);
    enroll_well(mail, ANN);
    CHECK_TEXT("yes", managed(mail, APP));
    OK(mam_close(mail));
}

static void the_authoritys_list(void **state) {
    const office *o = *state;
    mam_t *notes = open_enrolled(o), *mail = open_app(o, OTHER_APP, QUIET);
    enroll_well(mail, ANN);
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"" STRICT_POLICY "\",\"app\":\"" APP "\"}");
    admin(o, "{\"action\":\"policy.untarget\",\"policy\":\"" STRICT_POLICY "\",\"allApps\":true}");
    CHECK_TEXT("yes", managed(notes, OTHER_APP)); /* as of the latest check-in */
    CHECK_NUMBER(101, check_in(notes, ANN));
    SAYS("authority has no policy", managed(notes, OTHER_APP));
    CHECK_TEXT("yes", managed(notes, APP));
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"" STRICT_POLICY "\",\"app\":\"" OTHER_APP "\"}");
    check_in(notes, ANN);
    CHECK_TEXT("yes", managed(notes, OTHER_APP));
    OK(mam_close(mail));
    OK(mam_close(notes));
}

static void forged_entries(void **state) {
    const office *o = *state;
    mam_t *notes = open_enrolled(o), *mail = open_app(o, OTHER_APP, QUIET);
    enroll_well(mail, ANN);
    const char *database = in_group(o, "state.db");
    /* Another app's row, under the app's own name. */
    sql(database, "INSERT INTO facts SELECT 'com.example.evil', name, value FROM facts WHERE app = '" APP "'");
    SAYS("does not verify", managed(notes, "com.example.evil"));
    /* Invented, empty, huge, of another type, with an invalid name. */
    sql(database, "INSERT INTO facts VALUES ('com.example.zero', 'managedApp', zeroblob(0))");
    sql(database, "INSERT INTO facts VALUES ('com.example.huge', 'managedApp', randomblob(1048576))");
    sql(database, "INSERT INTO facts VALUES ('com.example.text', 'managedApp', '{\"executables\":[],\"accounts\":[]}')");
    sql(database, "INSERT INTO facts VALUES (CAST(x'ff00' AS TEXT), 'managedApp', x'00')");
    SAYS("does not verify", managed(notes, "com.example.zero"));
    SAYS("does not verify", managed(notes, "com.example.huge"));
    SAYS("does not verify", managed(notes, "com.example.text"));
    SAYS("does not verify", asked(notes, "{\"appId\":\"com.example.evil\"}"));
    remain(notes, ANN, "[{\"appId\":\"com.example.evil\"},{\"appId\":\"" OTHER_APP "\"},{\"appId\":\"com.example.huge\"}]", "1");
    /* Another fact in place of the entry, and a changed entry. */
    sql(database,
        "UPDATE facts SET value = (SELECT value FROM facts WHERE app = '" OTHER_APP
        "' AND name LIKE 'managedApps/%') WHERE app = '" OTHER_APP "' AND name = 'managedApp'");
    SAYS("does not verify", managed(notes, OTHER_APP));
    sql(database, "UPDATE facts SET value = " CHANGED_BYTE("value", 91) " WHERE app = '" APP "' AND name = 'managedApp'");
    SAYS("does not verify", managed(mail, APP));
    /* A check-in repairs the app's own entry, and the authority's list too. */
    CHECK_NUMBER(101, check_in(notes, ANN));
    CHECK_TEXT("yes", managed(notes, APP));
    sql(database, "UPDATE facts SET value = randomblob(100) WHERE name LIKE 'managedApps/%' AND app = '" APP "'");
    SAYS("authority has no policy", managed(notes, APP));
    CHECK_NUMBER(101, check_in(notes, ANN));
    CHECK_TEXT("yes", managed(notes, APP));
    OK(mam_close(mail));
    OK(mam_close(notes));
}

/* ---- programs */

static const char *self(void) {
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    CHECK(length > 0);
    path[length] = '\0';
    return path;
}

static void copy_file(const char *from, const char *to) {
    char command[2 * PATH_MAX + 16];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    CHECK(system(command) == 0);
}

/* A copy of this program checks in as OTHER_APP and ends. */
static void enter_as(const office *o, const char *program) {
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "enter", o->authority, o->state, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void programs(void **state) {
    const office *o = *state;
    mam_t *notes = open_enrolled(o);
    CHECK_TEXT(APP, asked(notes, "{\"pid\":%d}", (int)getpid()));
    CHECK_TEXT(APP, asked(notes, "{\"executable\":\"%s\"}", self()));
    SAYS("any other", asked(notes, "{\"executable\":\"/bin/sh\"}"));
    SAYS("no app in the registry", asked(notes, "{\"executable\":\"/bin/cat\"}"));
    SAYS("no such program", asked(notes, "{\"executable\":\"/no/such/file\"}"));
    SAYS("no such program", asked(notes, "{\"executable\":\"/tmp\"}"));
    SAYS("no such program", asked(notes, "{\"pid\":2147483647}"));

    char copy[LONG_PATH], link[LONG_PATH], other[LONG_PATH];
    snprintf(copy, sizeof copy, "%s/mail", o->root);
    snprintf(link, sizeof link, "%s/link", o->root);
    snprintf(other, sizeof other, "%s/other", o->root);
    copy_file(self(), copy);
    enter_as(o, copy);
    CHECK(symlink(copy, link) == 0);
    copy_file(copy, other);
    CHECK_TEXT(OTHER_APP, asked(notes, "{\"executable\":\"%s\"}", copy));
    CHECK_TEXT(OTHER_APP, asked(notes, "{\"executable\":\"%s\"}", link));
    SAYS("no app in the registry", asked(notes, "{\"executable\":\"%s\"}", other));
    char targets[4 * LONG_PATH];
    snprintf(
        targets, sizeof targets,
        "[{\"executable\":\"%s\"},{\"executable\":\"%s\"},{\"executable\":\"/bin/sh\"},{\"executable\":\"%s\"}]", copy, other,
        link);
    remain(notes, ANN, targets, "03");

    /* Changed in place, with its size and time of modification unchanged. */
    struct stat before;
    CHECK(stat(copy, &before) == 0);
    int file = open(copy, O_WRONLY);
    CHECK(pwrite(file, "\x7f", 1, 0) == 1);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    CHECK(futimens(file, times) == 0 && close(file) == 0);
    SAYS("changed or replaced", managed(notes, OTHER_APP));
    SAYS("changed or replaced", asked(notes, "{\"appId\":\"" OTHER_APP "\"}"));
    SAYS("no app in the registry", asked(notes, "{\"executable\":\"%s\"}", copy));
    remain(notes, ANN, targets, "");

    /* Replaced by another program: managed again once that has checked in. */
    CHECK(unlink(copy) == 0);
    SAYS("changed or replaced", managed(notes, OTHER_APP));
    CHECK(rename(other, copy) == 0);
    SAYS("changed or replaced", managed(notes, OTHER_APP));
    enter_as(o, copy);
    CHECK_TEXT("yes", managed(notes, OTHER_APP));
    CHECK_TEXT(OTHER_APP, asked(notes, "{\"executable\":\"%s\"}", copy));
    OK(mam_close(notes));
}

/* ---- share targets */

static void targets_and_tenants(void **state) {
    const office *o = *state;
    admin(o, "{\"action\":\"user.add\",\"upn\":\"cid@other.example\",\"accountId\":\"cid-id\",\"tenantId\":\"other\"}");
    mam_t *notes = open_enrolled(o), *mail = open_app(o, OTHER_APP, QUIET);
    const char *targets = "[{\"appId\":\"" OTHER_APP "\"},{\"appId\":\"" APP "\"},{\"scheme\":\"mailto:\"},"
                          "{\"scheme\":\"x-intunemam\"},{\"appId\":\"" OTHER_APP "\",\"identity\":\"" BOB "\"}]";
    remain(notes, ANN, targets, "13");
    enroll_well(mail, "cid@other.example");
    remain(notes, ANN, targets, "13"); /* of another tenant */
    enroll_well(mail, BOB);
    remain(notes, ANN, targets, "013"); /* this app does not know Bob's name */
    OK(mam_register_account(notes, BOB));
    remain(notes, ANN, targets, "0134");
    remain(notes, EVE, targets, "01234"); /* her own */
    remain(notes, NULL, targets, "01234");
    admin(
        o,
        "{\"action\":\"policy.import\",\"type\":\"linux\",\"document\":{\"id\":\"policy-none\",\"displayName\":\"None\","
        "\"allowedOutboundDataTransferDestinations\":\"none\"}}");
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"policy-none\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"policy-none\",\"app\":\"" APP "\"}");
    check_in(notes, ANN);
    remain(notes, ANN, targets, "");
    OK(mam_close(mail));
    OK(mam_close(notes));
}

static void invalid_targets(void **state) {
    mam_t *m = open_enrolled(*state);
    mam_policy_t *ann = NULL;
    char *json = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    FAILS(MAM_ERR_JSON, mam_policy_filter_share_targets(ann, "{}", &json));
    FAILS(MAM_ERR_JSON, mam_policy_filter_share_targets(ann, "[{\"appId\":\"a\",\"scheme\":\"b\"}]", &json));
    CULPRIT("setting", "targets_json[0].scheme");
    FAILS(MAM_ERR_JSON, mam_policy_filter_share_targets(ann, "[{\"appId\":\"a\"},{\"executable\":\"b\"}]", &json));
    CULPRIT("setting", "targets_json[1].executable");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_filter_share_targets(ann, "[{\"appId\":\"a\",\"identity\":\" b\"}]", &json));
    FAILS(MAM_ERR_JSON, mam_managed_app(m, "{\"pid\":0}", &json));
    FAILS(MAM_ERR_JSON, mam_managed_app(m, "{}", &json));
    enum { MANY = 100000 };
    char *many = malloc(MANY * 16 + 3), *at = many;
    *at++ = '[';
    for (int i = 0; i < MANY; i++) at += sprintf(at, "%s{\"appId\":\"a\"}", i ? "," : "");
    strcpy(at, "]");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_filter_share_targets(ann, many, &json));
    CULPRIT("argument", "targets_json");
    /* The maximum. */
    at = many + 1;
    for (int i = 0; i < 10000; i++) at += sprintf(at, "%s{\"appId\":\"a\"}", i ? "," : "");
    strcpy(at, "]");
    OK(mam_policy_filter_share_targets(ann, many, &json));
    CHECK_NUMBER(10000, count_of(json, "/removed"));
    mam_free(json);
    free(many);
    mam_policy_release(ann);
    OK(mam_close(m));
}

static int enter(char **word) {
    office o = {{0}, {0}, {0}};
    snprintf(o.authority, sizeof o.authority, "%s", word[2]);
    snprintf(o.state, sizeof o.state, "%s", word[3]);
    mam_t *mail = open_app(&o, OTHER_APP, QUIET);
    int code = enroll(mail, ANN);
    if (code == 208) code = check_in(mail, ANN);
    return mam_close(mail) != MAM_OK || (code != 100 && code != 101);
}

int main(int count, char **word) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(entering_and_leaving),
        WITH_OFFICE(it_outlives_its_writer),
        WITH_OFFICE(the_authoritys_list),
        WITH_OFFICE(forged_entries),
        WITH_OFFICE(programs),
        WITH_OFFICE(targets_and_tenants),
        WITH_OFFICE(invalid_targets),
    };
    if (count == 4 && strcmp(word[1], "enter") == 0) return enter(word);
    return cmocka_run_group_tests(tests, begin, NULL);
}
