/* Names of accounts: objects that follow an account, objects that stay its own, and messages. names_test.c has the
 * table. */
#include "names.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

static void run_identity(void *user) {
    char *json = NULL;
    OK(mam_effective_identity(*(mam_t **)user, MAM_TASK_FILE, NULL, &json));
    CHECK_TEXT("\"" ANN_ID "\"", json);
    mam_free(json);
}

/* Give a name in every way that follows its account: to a handle, the process, the thread, a captured identity. */
static void give_everywhere(mam_t *m, const char *name, mam_policy_t **policy, mam_identity_t **captured) {
    OK(mam_policy_for_account(m, name, policy));
    OK(mam_set_process_identity(m, name));
    OK(mam_push_thread_identity(m, name));
    OK(mam_identity_capture(m, captured));
}

/* Handles of an account stay its own, through a renaming and another account with the name. */
static void handles_follow_the_account(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    mam_identity_t *captured = NULL;
    int64_t op = 0;
    char *json = NULL;
    give_everywhere(m, ANN, &policy, &captured);
    OK(mam_set_ui_identity(m, "one", "\"" ANN "\"", &op));
    OK(mam_wait(m, op, SOON, &json));
    CHECK(truth_of(json, "/didSucceed"));
    mam_free(json);
    for (int taken = 0; taken < 2; taken++) {
        if (taken) { /* Bob has her former name, and is enrolled by it */
            admin(o, "{\"action\":\"user.set\",\"user\":\"" BOB_ID "\",\"upn\":\"" ANN "\"}");
            enroll_well(m, ANN);
        } else {
            rename_ann(o, m, NEW);
            char *event = next_event(m, "accountDidChange", 0);
            CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
            CHECK_TEXT(NEW, text_of(event, "/upn"));
            CHECK_TEXT(ANN, text_of(event, "/formerUpn"));
            mam_free(event);
        }
        CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
        OK(mam_policy_json(policy, &json));
        CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
        mam_free(json);
        OK(mam_process_identity(m, &json));
        CHECK_TEXT("\"" ANN_ID "\"", json);
        mam_free(json);
        run_identity(&m);
        OK(mam_identity_run(captured, run_identity, &m));
        OK(mam_ui_identity(m, "one", &json));
        CHECK_TEXT("[\"" ANN_ID "\"]", json);
        mam_free(json);
        mam_file_t *file = NULL;
        const char *path = in_office(o, taken ? "b" : "a");
        OK(mam_file_create(m, path, O_RDWR, 0600, NULL, &file));
        mam_file_close(file);
        OK(mam_file_info(m, path, &json));
        CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
        mam_free(json);
        mam_buffer container = sealed(m, ANN, SECRET);
        OK(mam_protection_info(m, container.data, container.length, &json));
        CHECK_TEXT(taken ? BOB_ID : ANN_ID, text_of(json, "/accountId"));
        mam_free(json);
        mam_buffer_free(&container);
    }
    OK(mam_registered_accounts(m, &json));
    CHECK_TEXT(NEW, text_of(json, "/0/upn"));
    mam_free(json);
    OK(mam_pop_thread_identity(m));
    mam_identity_release(captured);
    mam_policy_release(policy);
    OK(mam_close(m));
}

typedef struct run {
    mam_t *m;
    const char *path;
} run_t;

static void make_nothing(void *user) {
    const run_t *run = user;
    mam_file_t *file = NULL;
    FAILS(MAM_ERR_NOT_FOUND, mam_file_create(run->m, run->path, O_RDWR, 0600, NULL, &file));
}

/* Everything that named an account by its UPN refuses once the account, never managed, has left: its id, which is in no
 * domain, does not make it a person's own. */
static void handles_of_an_account_that_never_was_managed(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, "\"worker\":false,\"settings\":{\"MultiIdentity\":true}");
    mam_policy_t *policy = NULL;
    mam_identity_t *captured = NULL;
    mam_file_t *file = NULL;
    int64_t op = 0;
    enroll_well(m, ANN);
    OK(mam_register_and_enroll(m, "{\"accountId\":\"" BOB_ID "\",\"upn\":\"" BOB "\"}", &op));
    CHECK_NUMBER(227, code_of(m, op)); /* one account alone is managed */
    give_everywhere(m, BOB, &policy, &captured);
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    OK(mam_sqlite_vfs_register(m, "bobs", BOB));
    OK(mam_deregister_and_unenroll(m, BOB, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));

    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    const char *path = in_office(o, "a");
    FAILS(MAM_ERR_NOT_FOUND, mam_file_create(m, path, O_RDWR, 0600, NULL, &file)); /* of the thread */
    CHECK(strstr(mam_last_message(), BOB) != NULL);
    OK(mam_pop_thread_identity(m));
    FAILS(MAM_ERR_NOT_FOUND, mam_file_create(m, path, O_RDWR, 0600, NULL, &file)); /* of the process */
    OK(mam_set_process_identity(m, ""));
    sqlite3 *db = NULL;
    CHECK(
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "bobs") != SQLITE_OK
        || sqlite3_exec(db, "create table t (x)", NULL, NULL, NULL) != SQLITE_OK);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    run_t run = {m, path};
    OK(mam_identity_run(captured, make_nothing, &run));
    CHECK(!is_there(path));
    mam_identity_release(captured);
    mam_policy_release(policy);
    OK(mam_close(m));
}

/* No other name gives away a file of hers; another account's does if the transfer rule allows it. */
static void her_file_stays_hers(void **state) {
    const office *o = *state;
    static const char *const away[] = {"", EVE, "ann@gmail.com", SHARED, MISSPELT};
    mam_t *m = open_enrolled(o);
    mam_file_t *file = NULL;
    enroll_well(m, BOB);
    OK(mam_register_account(m, SHARED));
    const char *hers = secret_file(o, m, true);
    size_t before_size, after_size;
    uint8_t *before = read_whole(hers, &before_size);
    for (size_t n = 0; n < sizeof away / sizeof *away; n++) {
        mam_status refused = strcmp(away[n], MISSPELT) == 0 ? MAM_ERR_NOT_FOUND : MAM_ERR_DENIED;
        FAILS(refused, mam_file_protect(m, hers, away[n]));
        FAILS(refused, mam_file_verify_and_protect(m, hers, away[n]));
        FAILS(refused, mam_file_unmanage(m, hers, away[n]));
        FAILS(refused, mam_file_create(m, hers, O_RDWR, 0600, away[n], &file));
        CHECK(file == NULL);
    }
    uint8_t *after = read_whole(hers, &after_size);
    CHECK(before_size == after_size && memcmp(before, after, after_size) == 0);
    free(before);
    free(after);
    const char *path = secret_file(o, m, true), *bobs = secret_file(o, m, false);
    OK(mam_file_encrypt(m, bobs, BOB));
    FAILS(MAM_ERR_DENIED, mam_file_decrypt_copy(m, path, bobs));
    CHECK(!file_has(bobs, SECRET));
    OK(mam_file_protect(m, path, BOB));
    CHECK(!file_has(path, SECRET));
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT(BOB_ID, text_of(json, "/accountId"));
    mam_free(json);
    OK(mam_close(m));
}

/* Without an identity, a truncated file is no longer hers, or belongs to its directory. */
static void truncated_without_an_identity(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, "\"worker\":false,\"settings\":{\"MultiManagedIdentities\":true,\"MultiIdentity\":true}");
    enroll_well(m, ANN);
    mam_file_t *file = NULL;
    size_t written = 0;
    const char *path = secret_file(o, m, true);
    OK(mam_file_open(m, path, O_RDWR | O_TRUNC, &file));
    OK(mam_file_write(file, (const uint8_t *)"nobody's", 8, &written));
    mam_file_close(file);
    char *json = NULL, *event = next_event(m, "warning", 0);
    CHECK(event != NULL && (strstr(event, ANN) != NULL || strstr(event, ANN_ID) != NULL));
    mam_free(event);
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT("", text_of(json, "/accountId"));
    CHECK_TEXT("none", text_of(json, "/known"));
    mam_free(json);
    CHECK(mkdir(in_office(o, "folder"), 0700) == 0);
    OK(mam_file_protect(m, in_office(o, "folder"), ANN));
    char inside[PATH_SIZE + 16];
    snprintf(inside, sizeof inside, "%s/folder/hers", o->root);
    write_whole(inside, SECRET, strlen(SECRET));
    OK(mam_file_create(m, inside, O_RDWR, 0600, NULL, &file));
    OK(mam_file_write(file, (const uint8_t *)SECRET, strlen(SECRET), &written));
    mam_file_close(file);
    CHECK(!file_has(inside, SECRET));
    mam_free(wipe_ann(m));
    CHECK(is_there(path) && file_has(path, "nobody's") && !is_there(inside));
    OK(mam_close(m));
}

/* The nearest name helps the person; it appears in the message alone. */
static void a_misspelt_name_gets_the_remedy(void **state) {
    mam_t *m = open_enrolled(*state);
    mam_buffer out = {NULL, 0};
    FAILS(MAM_ERR_NOT_FOUND, mam_protect(m, MISSPELT, (const uint8_t *)SECRET, strlen(SECRET), &out));
    CHECK(strstr(mam_last_message(), ANN) != NULL && strstr(mam_last_message(), "mam_register_account") != NULL);
    char *json = NULL;
    OK(mam_register_account(m, MISSPELT));
    OK(mam_known_accounts(m, &json));
    CHECK_TEXT("[\"" MISSPELT "\"]", json);
    mam_free(json);
    out = sealed(m, MISSPELT, SECRET);
    OK(opens_as(m, &out, SECRET));
    mam_buffer_free(&out);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(handles_follow_the_account),
        WITHOUT_PIN(handles_of_an_account_that_never_was_managed),
        WITHOUT_PIN(her_file_stays_hers),
        WITHOUT_PIN(truncated_without_an_identity),
        WITHOUT_PIN(a_misspelt_name_gets_the_remedy),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
