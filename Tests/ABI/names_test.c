/* Names of accounts at every function of the table that takes one: current, former, retired, misspelt, known, personal,
 * none. docs/identity.md has the rules; the Python suites test_names_*.py examine each in detail. */
#include "functions.h"
#include "names.h"

#include <fcntl.h>

typedef enum standing { MANAGED, RETIRED, STRANGER, OUTSIDER, KNOWN, NOBODY, UNNAMED, STANDINGS } standing;

typedef struct name {
    const char *text;
    standing standing;
} name;

/* The status of a call for each standing, in their order. ANY: not checked here. */
enum { ANY = -1 };
typedef struct row {
    const char *function;
    int answers[STANDINGS];
} row;

#define NO_ENTRY MAM_ERR_NOT_ENROLLED
#define UNKNOWN MAM_ERR_NOT_FOUND
#define BAD MAM_ERR_ARGUMENT
#define STORES(function, outsider, nobody, unnamed)                                  \
    {                                                                                \
        function, { MAM_OK, NO_ENTRY, UNKNOWN, outsider, outsider, nobody, unnamed } \
    }
#define ASKS(function, null)                                             \
    {                                                                    \
        function, { MAM_OK, MAM_OK, MAM_OK, MAM_OK, MAM_OK, null, null } \
    }
#define OF_MANAGED(function)                                                   \
    {                                                                          \
        function, { MAM_OK, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD } \
    }

static const row rows[] = {
    STORES("mam_protect_into", MAM_OK, MAM_OK, BAD),
    STORES("mam_protect", MAM_OK, MAM_OK, BAD),
    STORES("mam_protect_string", MAM_OK, MAM_OK, BAD),
    STORES("mam_protect_stream_open", MAM_OK, MAM_OK, BAD),
    STORES("mam_check_name", MAM_OK, MAM_OK, BAD),
    STORES("mam_file_create", MAM_OK, MAM_OK, ANY),
    STORES("mam_file_protect", MAM_OK, MAM_OK, ANY),
    STORES("mam_file_verify_and_protect", MAM_OK, MAM_OK, ANY),
    STORES("mam_file_encrypt", MAM_ERR_NOT_MANAGED, BAD, ANY),
    STORES("mam_sqlite_vfs_register", MAM_OK, MAM_OK, BAD),
    STORES("mam_sqlite_encrypt", MAM_ERR_NOT_MANAGED, BAD, BAD),
    /* mam_file_unmanage refuses Ann's file, which her policy keeps. */
    {"mam_file_unmanage", {BAD, NO_ENTRY, UNKNOWN, MAM_ERR_DENIED, MAM_ERR_DENIED, MAM_ERR_DENIED, ANY}},
    /* Ann's policy accepts no file without an owner; other accounts do. */
    {"mam_file_import", {MAM_ERR_DENIED, NO_ENTRY, UNKNOWN, MAM_OK, MAM_OK, MAM_OK, ANY}},
    {"mam_file_export", {ANY, ANY, UNKNOWN, MAM_OK, MAM_OK, MAM_OK, MAM_OK}},
    /* Of Ann's encrypted database: no other account's name opens it. */
    {"mam_sqlite_decrypt", {MAM_OK, ANY, ANY, ANY, ANY, BAD, BAD}},
    ASKS("mam_open_url", MAM_OK),
    ASKS("mam_set_process_identity", MAM_OK),
    ASKS("mam_push_thread_identity", MAM_OK),
    ASKS("mam_run_as", MAM_OK),
    ASKS("mam_is_account_managed", MAM_OK),
    ASKS("mam_identity_equal", MAM_OK),
    ASKS("mam_blocked_reason", MAM_OK),
    ASKS("mam_policy_for_account", MAM_OK),
    ASKS("mam_policy_is_save_to_allowed", MAM_OK),
    ASKS("mam_policy_is_open_from_allowed", MAM_OK),
    ASKS("mam_policy_save_to_reason", MAM_OK),
    ASKS("mam_policy_open_from_reason", MAM_OK),
    ASKS("mam_policy_clipboard", MAM_OK),
    ASKS("mam_policy_save_to_locations", MAM_OK),
    ASKS("mam_policy_open_from_locations", MAM_OK),
    ASKS("mam_conditional_launch", MAM_OK),
    OF_MANAGED("mam_pin_status"),
    OF_MANAGED("mam_rotate_keys"),
    /* No policy requires a PIN here. */
    {"mam_pin_set", {MAM_ERR_DENIED, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}},
    {"mam_pin_verify", {MAM_ERR_DENIED, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}},
    {"mam_pin_reset", {MAM_ERR_DENIED, NO_ENTRY, NO_ENTRY, NO_ENTRY, NO_ENTRY, BAD, BAD}},
    ASKS("mam_check_in", ANY),
    {"mam_former_account", {MAM_OK, MAM_OK, MAM_OK, MAM_OK, MAM_OK, BAD, BAD}},
    {"mam_registered_account", {MAM_OK, MAM_OK, MAM_OK, MAM_OK, MAM_OK, BAD, BAD}},
    /* These change the name's standing: below, and in test_names_life.py. */
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

static const char *former(int number) {
    static char texts[32][64];
    snprintf(texts[number], sizeof texts[0], "ann.former%02d@contoso.example", number);
    return texts[number];
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

/* New data of a managed, retired or unknown name is never plain. */
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

/* The administrator reads which name it was, and a person what to do about it. */
static void look_at_messages(const function *f, const call_t *c, const name *n) {
    const char *key = "", *why = "";
    if (!is_error_clear(c->status, &why)) failed_at(__FILE__, __LINE__, "%s with %s: %s", f->name, n->text, why);
    if (c->status == UNKNOWN) key = "errorUnknownName";
    else if (c->status == NO_ENTRY) key = n->standing == RETIRED ? "errorAccountRemoved" : "errorNotEnrolled";
    else return;
    if (strcmp(message_key(), key) != 0) failed_at(__FILE__, __LINE__, "%s with %s: %s", f->name, n->text, message_key());
    if (n->standing != RETIRED && strstr(mam_last_message(), n->text) == NULL)
        failed_at(__FILE__, __LINE__, "%s does not name %s", f->name, n->text);
    if (strcmp(n->text, MISSPELT) == 0 && strstr(mam_last_message(), "did you mean") == NULL)
        failed_at(__FILE__, __LINE__, "%s with %s does not name the account that is meant", f->name, n->text);
    if (c->status == UNKNOWN && strstr(mam_last_message(), "mam_register_account") == NULL)
        failed_at(__FILE__, __LINE__, "%s with %s does not name the way out", f->name, n->text);
}

static void try_one(const function *f, const office *o, mam_t *m, mam_policy_t *policy, const name *n) {
    const char *shown = n->text == NULL ? "NULL" : n->text;
    int expected = row_of(f->name)->answers[n->standing];
    call_t c;
    if ((f->takes & ENDS || strcmp(f->name, "mam_login_and_enroll") == 0 || strcmp(f->name, "mam_register_account") == 0)
        && (expected == ANY))
        return;
    fill(f, &c, o, m, policy, n->text);
    run_function(f, &c);
    if (expected != ANY && c.status != expected)
        failed_at(__FILE__, __LINE__, "%s with %s answers %d instead of %d", f->name, shown, c.status, expected);
    if (c.status != MAM_OK) look_at_messages(f, &c, n);
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

/* Names of Ann while she is enrolled as ann@, of strangers and of others. */
#define OTHERS                                                                                                           \
    {MISSPELT, STRANGER}, {"ANM@CONTOSO.EXAMPLE", STRANGER}, {"zachary.quill@contoso.example", STRANGER},                \
        {"ann@contosso.example", STRANGER}, {"ann@mail.contoso.example", STRANGER}, {"ann#contoso.example", STRANGER},   \
        {"CONTOSO\\ann", STRANGER}, {CYRILLIC, STRANGER}, {"ann@gmail.com", OUTSIDER}, {EVE, OUTSIDER}, {SHARED, KNOWN}, \
        {"", NOBODY}, {                                                                                                  \
        NULL, UNNAMED                                                                                                    \
    }
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

/* No account is enrolled: a former account's name is refused all the same. */
static void names_of_an_account_that_left(void **state) {
    const office *o = *state;
    static const char *const stores[] = {
        "mam_protect",
        "mam_protect_into",
        "mam_protect_string",
        "mam_protect_stream_open",
        "mam_file_create",
        "mam_file_protect",
        "mam_file_verify_and_protect",
        "mam_file_encrypt",
        "mam_file_import",
        "mam_sqlite_encrypt",
        "mam_check_name",
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
                CHECK_TEXT("errorAccountRemoved", message_key());
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

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(names_of_one_account),
        WITHOUT_PIN(names_of_a_renamed_account),
        WITHOUT_PIN(names_of_an_account_that_left),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
