/* Names of accounts at every function of the table that takes one: current, former, retired, misspelt, known, personal, none.
 * docs/identity.md has the rules; the Python suites test_names_*.py look closer at each. */
#include "functions.h"
#include "streams.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#define SECRET "the minutes of the board's meeting"
#define MISSPELT "anm@contoso.example"
#define SHARED "shared.mailbox@contoso.example"
#define NEW "ann.b@contoso.example"

typedef enum standing { MANAGED, RETIRED, STRANGER, OUTSIDER, KNOWN, NOBODY, UNNAMED, STANDINGS } standing;

typedef struct name {
    const char *text;
    standing standing;
} name;

/* What a call answers for each standing, in their order. ANY: not judged here. */
enum { ANY = -1 };
typedef struct row {
    const char *function;
    int answers[STANDINGS];
} row;

#define NO_ENTRY MAM_ERR_NOT_ENROLLED
#define UNKNOWN MAM_ERR_NOT_FOUND
#define BAD MAM_ERR_ARGUMENT
#define STORES(function, outsider, nobody, unnamed) \
    {function, {MAM_OK, NO_ENTRY, UNKNOWN, outsider, outsider, nobody, unnamed}}
#define ASKS(function, null) {function, {MAM_OK, MAM_OK, MAM_OK, MAM_OK, MAM_OK, null, null}}
#define OF_MANAGED(function) {function, {MAM_OK, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}}

static const row rows[] = {
    STORES("mam_protect_into", MAM_OK, MAM_OK, BAD),
    STORES("mam_protect", MAM_OK, MAM_OK, BAD),
    STORES("mam_protect_string", MAM_OK, MAM_OK, BAD),
    STORES("mam_protect_stream_open", MAM_OK, MAM_OK, BAD),
    STORES("mam_file_create", MAM_OK, MAM_OK, ANY),
    STORES("mam_file_protect", MAM_OK, MAM_OK, ANY),
    STORES("mam_file_verify_and_protect", MAM_OK, MAM_OK, ANY),
    STORES("mam_file_encrypt", MAM_ERR_NOT_MANAGED, BAD, ANY),
    STORES("mam_sqlite_vfs_register", MAM_OK, MAM_OK, BAD),
    STORES("mam_sqlite_encrypt", MAM_ERR_NOT_MANAGED, BAD, BAD),
    /* Of a file that is Ann's, and that her policy keeps in. */
    {"mam_file_unmanage", {BAD, NO_ENTRY, UNKNOWN, MAM_ERR_DENIED, MAM_ERR_DENIED, MAM_ERR_DENIED, ANY}},
    /* A file of nobody known: her policy receives none. It may be kept anywhere else. */
    {"mam_file_import", {MAM_ERR_DENIED, NO_ENTRY, UNKNOWN, MAM_OK, MAM_OK, MAM_OK, ANY}},
    {"mam_file_export", {ANY, ANY, UNKNOWN, MAM_OK, MAM_OK, MAM_OK, MAM_OK}},
    /* Of an encrypted database that is Ann's: nobody else's names open it. */
    {"mam_sqlite_decrypt", {MAM_OK, ANY, ANY, ANY, ANY, BAD, BAD}},
    ASKS("mam_set_process_identity", MAM_OK), ASKS("mam_push_thread_identity", MAM_OK), ASKS("mam_run_as", MAM_OK),
    ASKS("mam_is_account_managed", MAM_OK), ASKS("mam_identity_equal", MAM_OK), ASKS("mam_blocked_reason", MAM_OK),
    ASKS("mam_policy_for_account", MAM_OK), ASKS("mam_policy_is_save_to_allowed", MAM_OK),
    ASKS("mam_policy_is_open_from_allowed", MAM_OK), ASKS("mam_policy_clipboard", MAM_OK),
    ASKS("mam_policy_save_to_locations", MAM_OK), ASKS("mam_policy_open_from_locations", MAM_OK),
    ASKS("mam_conditional_launch", MAM_OK), OF_MANAGED("mam_pin_status"), OF_MANAGED("mam_rotate_keys"),
    /* No policy asks for a PIN here. */
    {"mam_pin_set", {MAM_ERR_DENIED, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}},
    {"mam_pin_verify", {MAM_ERR_DENIED, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}},
    {"mam_pin_reset", {MAM_ERR_DENIED, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}},
    ASKS("mam_check_in", ANY),
    /* These change what the name is: below, and in test_names_life.py. */
    {"mam_register_account", {ANY, ANY, ANY, ANY, ANY, BAD, BAD}},
    {"mam_login_and_enroll", {ANY, ANY, ANY, ANY, ANY, BAD, ANY}},
    {"mam_deregister_and_unenroll", {ANY, ANY, ANY, ANY, ANY, BAD, BAD}},
    {"mam_wipe_account", {ANY, ANY, ANY, ANY, ANY, BAD, BAD}},
};

static const row *row_of(const char *function) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].function, function) == 0) return &rows[i];
    failed_at(__FILE__, __LINE__, "%s takes an account: give it a row here", function);
    return NULL;
}

static bool file_has(const char *path, const char *text) {
    size_t length = 0;
    uint8_t *bytes = read_whole(path, &length);
    bool found = false;
    for (size_t i = 0; !found && i + strlen(text) <= length; i++) found = memcmp(bytes + i, text, strlen(text)) == 0;
    free(bytes);
    return found;
}

static void rename_ann(const office *o, mam_t *m, const char *upn) {
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN_ID "\",\"upn\":\"%s\"}", upn);
    int code = check_in(m, ANN_ID);
    CHECK(code == 100 || code == 101);
}

static const char *former(int number) {
    static char texts[32][64];
    snprintf(texts[number], sizeof texts[0], "ann.former%02d@contoso.example", number);
    return texts[number];
}

/* A place for one more file: the index remembers whose the former one at a path was. */
static const char *new_path(const office *o) {
    static char paths[8][PATH_SIZE];
    static int next;
    char *path = paths[++next % 8];
    snprintf(path, PATH_SIZE, "%s/file%d", o->root, next);
    return path;
}

/* A file with SECRET in it, of nobody's or sealed for Ann. */
static const char *secret_file(const office *o, mam_t *m, bool is_hers) {
    const char *path = new_path(o);
    write_whole(path, SECRET, strlen(SECRET));
    if (is_hers) OK(mam_file_encrypt(m, path, ANN_ID));
    return path;
}

static void fill(const function *f, call_t *c, const office *o, mam_t *m, mam_policy_t *policy, const char *account) {
    static char vfs[32];
    static int vfs_number;
    bool is_database = strncmp(f->name, "mam_sqlite_", 11) == 0;
    bool is_new = is_database || strcmp(f->name, "mam_file_create") == 0;
    memset(c, 0, sizeof *c);
    c->m = m;
    c->policy = policy;
    c->account = account;
    c->other = BOB;
    c->text = vfs;
    snprintf(vfs, sizeof vfs, "names%d", vfs_number++);
    c->path = secret_file(o, m, false);
    c->existing = secret_file(o, m, false);
    c->unowned = secret_file(o, m, strcmp(f->name, "mam_file_unmanage") == 0);
    c->place = is_new ? new_path(o) : secret_file(o, m, false);
    if (is_database) {
        sql(c->place, "CREATE TABLE t (x); INSERT INTO t VALUES (\"" SECRET "\")");
        if (strcmp(f->name, "mam_sqlite_decrypt") == 0) OK(mam_sqlite_encrypt(m, c->place, ANN_ID));
    }
    c->target = new_path(o);
    c->data = (const uint8_t *)SECRET;
    c->length = strlen(SECRET);
    static uint8_t room[4096];
    c->out = room;
    c->capacity = sizeof room;
    c->open_flags = O_RDWR;
    c->permissions = 0600;
}

/* Nothing new of a name that is managed, retired or unknown is plain. */
static void look_at_files(const function *f, const call_t *c, const name *n) {
    bool is_file = strncmp(f->name, "mam_file_", 9) == 0, is_database = strncmp(f->name, "mam_sqlite_", 11) == 0;
    if (!is_file && !is_database) return;
    bool is_given = strcmp(f->name, "mam_file_protect") == 0 || strcmp(f->name, "mam_file_verify_and_protect") == 0;
    if (n->standing == MANAGED && c->status == MAM_OK && (is_given || strstr(f->name, "_encrypt") != NULL)) {
        if (file_has(is_given ? c->existing : c->place, SECRET))
            failed_at(__FILE__, __LINE__, "%s with %s leaves it in the clear", f->name, n->text);
    }
    if (c->status == MAM_OK) return;
    if (is_there(c->target)) failed_at(__FILE__, __LINE__, "%s with %s fails, and makes a copy", f->name, n->text);
    if (strcmp(f->name, "mam_file_unmanage") == 0 && file_has(c->unowned, SECRET))
        failed_at(__FILE__, __LINE__, "%s with %s fails, and opens it", f->name, n->text);
    if (strcmp(f->name, "mam_sqlite_decrypt") == 0 && file_has(c->place, SECRET))
        failed_at(__FILE__, __LINE__, "%s with %s fails, and opens it", f->name, n->text);
}

static void try_one(const function *f, const office *o, mam_t *m, mam_policy_t *policy, const name *n) {
    const char *shown = n->text == NULL ? "NULL" : n->text, *why = "";
    int expected = row_of(f->name)->answers[n->standing];
    call_t c;
    if ((f->takes & ENDS || strcmp(f->name, "mam_login_and_enroll") == 0 || strcmp(f->name, "mam_register_account") == 0)
        && (expected == ANY))
        return;
    fill(f, &c, o, m, policy, n->text);
    run_function(f, &c);
    if (expected != ANY && c.status != expected)
        failed_at(__FILE__, __LINE__, "%s with %s answers %d instead of %d", f->name, shown, c.status, expected);
    if (c.status != MAM_OK && !is_error_clear(c.status, &why)) failed_at(__FILE__, __LINE__, "%s with %s: %s", f->name, shown, why);
    if (c.status == UNKNOWN && strstr(mam_last_message(), "mam_register_account") == NULL)
        failed_at(__FILE__, __LINE__, "%s with %s does not name the way out", f->name, shown);
    if (strcmp(f->name, "mam_sqlite_decrypt") == 0 && n->standing != MANAGED && c.status == MAM_OK)
        failed_at(__FILE__, __LINE__, "%s with %s opens Ann's database", f->name, shown);
    look_at_files(f, &c, n);
}

static void try_all(const office *o, mam_t *m, const name *names, size_t count) {
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN_ID, &policy));
    for (const function *f = functions; f < functions + function_count; f++) {
        if (!(f->takes & TAKES_ACCOUNT)) continue;
        for (size_t i = 0; i < count; i++) try_one(f, o, m, policy, &names[i]);
    }
    mam_policy_release(policy);
}

/* Of Ann while she is enrolled as ann@, of strangers and of others. */
#define OTHERS                                                                                                       \
    {MISSPELT, STRANGER}, {"ANM@CONTOSO.EXAMPLE", STRANGER}, {"zachary.quill@contoso.example", STRANGER},           \
    {"ann@contosso.example", OUTSIDER}, {"ann@gmail.com", OUTSIDER}, {EVE, OUTSIDER}, {SHARED, KNOWN}, {"", NOBODY}, {NULL, UNNAMED}
static const name plain[] = {{ANN, MANAGED}, {ANN_ID, MANAGED}, {"Ann@CONTOSO.Example", MANAGED}, OTHERS};

static void names_of_one_account(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_register_account(m, SHARED));
    try_all(o, m, plain, sizeof plain / sizeof *plain);
    OK(mam_close(m));
    m = open_quiet(o);
    try_all(o, m, plain, sizeof plain / sizeof *plain);
    OK(mam_close(m));
}

/* Eighteen names in turn: the first is retired, the others mean her. */
static void names_of_a_renamed_account(void **state) {
    const office *o = *state;
    static const name others[] = {OTHERS};
    name names[18 + sizeof others / sizeof *others];
    size_t count = 0;
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN_ID "\",\"upn\":\"%s\"}", former(0));
    mam_t *m = open_quiet(o);
    enroll_well(m, former(0));
    enroll_well(m, BOB);
    OK(mam_register_account(m, SHARED));
    for (int i = 1; i < 17; i++) rename_ann(o, m, former(i));
    rename_ann(o, m, ANN);
    for (int i = 0; i < 17; i++) names[count++] = (name){former(i), i == 0 ? RETIRED : MANAGED};
    names[count++] = (name){ANN, MANAGED};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) names[count++] = others[i];
    try_all(o, m, names, count);
    OK(mam_close(m));
    m = open_quiet(o);
    try_all(o, m, names, count);
    OK(mam_close(m));
}

/* No account is enrolled: a name that was is refused all the same. */
static void names_of_an_account_that_left(void **state) {
    const office *o = *state;
    static const char *const stores[] = {
        "mam_protect", "mam_protect_into", "mam_protect_string", "mam_protect_stream_open", "mam_file_create",
        "mam_file_protect", "mam_file_verify_and_protect", "mam_file_encrypt", "mam_file_import", "mam_sqlite_encrypt",
    };
    mam_t *m = open_enrolled(o);
    rename_ann(o, m, NEW);
    mam_free(wipe_ann(m));
    for (int session = 0; session < 2; session++) {
        static const char *const names[] = {ANN, NEW, ANN_ID, "ANN@contoso.example"};
        for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
            for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                const function *f = function_named(stores[i]);
                call_t c;
                fill(f, &c, o, m, NULL, names[n]);
                run_function(f, &c);
                if (c.status != NO_ENTRY) failed_at(__FILE__, __LINE__, "%s with %s answers %d", stores[i], names[n], c.status);
                CHECK(c.is_clean && !is_there(c.target));
            }
        FAILS(NO_ENTRY, mam_register_account(m, ANN));
        mam_buffer out = {NULL, 0};
        FAILS(MAM_ERR_NOT_MANAGED, mam_protect(m, EVE, (const uint8_t *)SECRET, strlen(SECRET), &out));
        CHECK_NUMBER(100, original_code());
        OK(mam_close(m));
        m = open_quiet(o);
    }
    OK(mam_close(m));
}

static void run_identity(void *user) {
    char *json = NULL;
    OK(mam_effective_identity(*(mam_t **)user, MAM_TASK_FILE, NULL, &json));
    CHECK_TEXT("\"" ANN_ID "\"", json);
    mam_free(json);
}

/* What was handed out for the account stays its own, through a renaming and another account with the name. */
static void what_is_held_follows_the_account(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    mam_identity_t *captured = NULL;
    int64_t op = 0;
    char *json = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_set_process_identity(m, ANN));
    OK(mam_push_thread_identity(m, ANN));
    OK(mam_identity_capture(m, &captured));
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

/* A file of hers is given to nobody by no name; by an account's, as the transfer rule has it. */
static void her_file_stays_hers(void **state) {
    const office *o = *state;
    static const char *const away[] = {"", EVE, "ann@contosso.example", SHARED, MISSPELT};
    static const char *const gives[] = {"mam_file_protect", "mam_file_verify_and_protect", "mam_file_create"};
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    OK(mam_register_account(m, SHARED));
    for (size_t i = 0; i < sizeof gives / sizeof *gives; i++)
        for (size_t n = 0; n < sizeof away / sizeof *away; n++) {
            const function *f = function_named(gives[i]);
            call_t c;
            fill(f, &c, o, m, NULL, away[n]);
            size_t before_size, after_size;
            c.existing = c.place = secret_file(o, m, true);
            uint8_t *before = read_whole(c.place, &before_size);
            run_function(f, &c);
            CHECK_NUMBER(strcmp(away[n], MISSPELT) == 0 ? UNKNOWN : MAM_ERR_DENIED, c.status);
            uint8_t *after = read_whole(c.place, &after_size);
            CHECK(before_size == after_size && memcmp(before, after, after_size) == 0);
            free(before);
            free(after);
        }
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

/* Nobody acts: a file that is cut is no longer hers, or its directory's. */
static void cut_while_nobody_acts(void **state) {
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

/* The nearest name helps the person; it stands in the message alone. */
static void a_misspelt_name_is_told_the_way_out(void **state) {
    mam_t *m = open_enrolled(*state);
    mam_buffer out = {NULL, 0};
    FAILS(UNKNOWN, mam_protect(m, MISSPELT, (const uint8_t *)SECRET, strlen(SECRET), &out));
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
        WITHOUT_PIN(names_of_one_account),
        WITHOUT_PIN(names_of_a_renamed_account),
        WITHOUT_PIN(names_of_an_account_that_left),
        WITHOUT_PIN(what_is_held_follows_the_account),
        WITHOUT_PIN(her_file_stays_hers),
        WITHOUT_PIN(cut_while_nobody_acts),
        WITHOUT_PIN(a_misspelt_name_is_told_the_way_out),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
