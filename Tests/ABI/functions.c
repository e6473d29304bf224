#include "functions.h"

#define POISON_TEXT ((char *)(uintptr_t)0x5A5A5A5A)
#define POISON_BYTES ((uint8_t *)(uintptr_t)0x5A5A5A5A)
enum { POISON = 0x5A5A5A5A };

#define OUTPUT(n, pointer) (c->missing == (n) ? NULL : (pointer))

/* Each output is checked by its kind: set if the call succeeds, NULL or 0 if it fails. */
static void begin_outputs(call_t *c) {
    c->is_clean = c->is_whole = true;
    c->ran = false;
}
static bool check_output(call_t *c, int n, bool is_there, bool is_nothing) {
    if (c->missing == n) return false;
    if (c->status == MAM_OK) c->is_whole = c->is_whole && is_there;
    else c->is_clean = c->is_clean && is_nothing;
    return c->status == MAM_OK && is_there;
}
static void json_output(call_t *c, int n, char **json) {
    if (check_output(c, n, *json != NULL && *json != POISON_TEXT && (c->status != MAM_OK || is_json(*json)), *json == NULL))
        mam_free(*json);
}
static void string_output(call_t *c, int n, char **text) {
    if (check_output(c, n, *text != NULL && *text != POISON_TEXT, *text == NULL)) mam_free(*text);
}
static void op_output(call_t *c, int n, int64_t *op) { check_output(c, n, *op > 0 && *op != POISON, *op == 0); }
static void size_output(call_t *c, int n, size_t *size) {
    c->written = *size;
    check_output(c, n, *size > 0 && *size != POISON, *size == 0);
}
static void bool_output(call_t *c, int n, mam_bool *b) { check_output(c, n, *b == 0 || *b == 1, *b == 0); }
static void int_output(call_t *c, int n, int32_t *i) { check_output(c, n, *i != POISON, *i == 0); }
static void session_output(call_t *c, int n, mam_t **m) {
    if (check_output(c, n, *m != NULL && *m != (mam_t *)POISON_TEXT, *m == NULL)) c->is_whole = mam_close(*m) == MAM_OK;
}
static void policy_output(call_t *c, int n, mam_policy_t **policy) {
    if (check_output(c, n, *policy != NULL && *policy != (mam_policy_t *)POISON_TEXT, *policy == NULL)) mam_policy_release(*policy);
}
static void identity_output(call_t *c, int n, mam_identity_t **identity) {
    if (check_output(c, n, *identity != NULL && *identity != (mam_identity_t *)POISON_TEXT, *identity == NULL))
        mam_identity_release(*identity);
}
static void config_output(call_t *c, int n, mam_app_config_t **config) {
    if (check_output(c, n, *config != NULL && *config != (mam_app_config_t *)POISON_TEXT, *config == NULL))
        mam_app_config_release(*config);
}
static void decision_output(call_t *c, int n, mam_decision_t **decision) {
    if (check_output(c, n, *decision != NULL && *decision != (mam_decision_t *)POISON_TEXT, *decision == NULL))
        mam_decision_release(*decision);
}
static void parsed_output(call_t *c, int n, mam_json_t **parsed) {
    if (check_output(c, n, *parsed != NULL && *parsed != (mam_json_t *)POISON_TEXT, *parsed == NULL)) mam_json_release(*parsed);
}
static void protecting_output(call_t *c, int n, mam_protect_stream_t **stream) {
    if (check_output(c, n, *stream != NULL && *stream != (mam_protect_stream_t *)POISON_TEXT, *stream == NULL))
        c->is_whole = mam_protect_stream_close(*stream, MAM_ABANDON) == MAM_OK;
}
static void unprotecting_output(call_t *c, int n, mam_unprotect_stream_t **stream) {
    if (check_output(c, n, *stream != NULL && *stream != (mam_unprotect_stream_t *)POISON_TEXT, *stream == NULL))
        c->is_whole = mam_unprotect_stream_close(*stream, MAM_ABANDON, NULL) == MAM_OK;
}
static void file_output(call_t *c, int n, mam_file_t **file) {
    if (check_output(c, n, *file != NULL && *file != (mam_file_t *)POISON_TEXT, *file == NULL)) mam_file_close(*file);
}
static void position_output(call_t *c, int n, int64_t *position) { check_output(c, n, *position != POISON, *position == 0); }
static void buffer_output(call_t *c, int n, mam_buffer *buffer) {
    bool is_there = buffer->data != NULL && buffer->data != POISON_BYTES && buffer->length > 0;
    if (!check_output(c, n, is_there, buffer->data == NULL && buffer->length == 0)) return;
    mam_buffer_free(buffer);
    c->is_whole = c->is_whole && buffer->data == NULL && buffer->length == 0;
}
static void ran_output(call_t *c) {
    if (c->status == MAM_OK) c->is_whole = c->is_whole && c->ran;
    else c->is_clean = c->is_clean && !c->ran;
}

static void answer_nothing(void *user, mam_question_t *question, const char *json) { (void)user, (void)question, (void)json; }
static void log_nothing(void *user, int32_t level, const char *message) { (void)user, (void)level, (void)message; }
static void ignore_event(void *user, const char *event) { (void)user, (void)event; }
static int32_t drop_bytes(void *user, const uint8_t *data, size_t length) {
    (void)user, (void)data, (void)length;
    return 0;
}
static void note_run(void *arg) { *(bool *)arg = true; }

/* Functions that leave the last error alone, each a special case. */

static void run_mam_version(call_t *c) {
    const char *version = mam_version();
    c->is_whole = version != NULL && strcmp(version, MAM_VERSION) == 0;
}
static void run_mam_abi_version(call_t *c) { c->is_whole = mam_abi_version() == MAM_ABI_VERSION; }
static void run_mam_status_name(call_t *c) {
    const char *name = mam_status_name(c->level);
    c->is_whole = name != NULL && *name != '\0';
}
static void run_mam_last_status(call_t *c) { c->is_whole = mam_last_status() >= 0; }
static void run_mam_last_message(call_t *c) { c->is_whole = mam_last_message() != NULL; }
static void run_mam_last_user_message(call_t *c) { c->is_whole = mam_last_user_message() != NULL; }
static void run_mam_last_error_json(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_last_error_json(OUTPUT(1, &json));
    c->is_whole = c->is_clean = true;
    json_output(c, 1, &json);
}
static void run_mam_free(call_t *c) {
    mam_free(NULL);
    c->is_whole = true;
}
static void run_mam_buffer_free(call_t *c) {
    mam_buffer empty = {NULL, 0};
    mam_buffer_free(NULL);
    mam_buffer_free(&empty);
    c->is_whole = empty.data == NULL && empty.length == 0;
}
static void run_mam_protect_bound(call_t *c) { c->is_whole = mam_protect_bound(100) > 100; }
static void run_mam_sqlite_extension_init(call_t *c) { c->is_whole = mam_sqlite_extension_init(NULL, NULL, NULL) == 1; }

/* run_… of the others, and the table: functions.py. */
#include "functions_table.h"

const size_t function_count = sizeof functions / sizeof *functions;

const predicate predicates[] = {
    {mam_policy_is_pin_required, "pinRequired", true},
    {mam_policy_is_managed_browser_required, "managedBrowserRequired", true},
    {mam_policy_is_contact_sync_allowed, "contactSync", false},
    {mam_policy_is_widget_content_sync_allowed, "widgetContentSync", false},
    {mam_policy_is_indexing_allowed, "indexing", false},
    {mam_policy_are_assistant_intents_allowed, "assistantIntents", false},
    {mam_policy_are_app_intents_allowed, "appIntents", false},
    {mam_policy_is_app_sharing_allowed, "appSharing", false},
    {mam_policy_is_file_encryption_required, "fileEncryptionRequired", true},
    {mam_policy_should_file_provider_encrypt, "fileProviderEncrypt", true},
    {mam_policy_is_screen_capture_allowed, "screenCapture", false},
    {mam_policy_is_print_allowed, "print", false},
    {mam_policy_is_backup_allowed, "backup", false},
    {mam_policy_are_third_party_keyboards_allowed, "thirdPartyKeyboards", false},
};
const size_t predicate_count = sizeof predicates / sizeof *predicates;

const char **text_argument(const function *f, call_t *c) { return strcmp(f->text_name, "path") == 0 ? &c->path : &c->text; }

void good_arguments(const function *f, call_t *c, const office *o, mam_t *m, mam_policy_t *policy) {
    static const uint8_t data[] = "some bytes to protect";
    static uint8_t room[4096], container[1024];
    static char text[2048];
    memset(c, 0, sizeof *c);
    c->m = m;
    c->policy = policy;
    c->account = ANN;
    c->json = "{}";
    c->text = "some text";
    c->path = o->authority;
    c->existing = in_office(o, "a file");
    write_whole(c->existing, "x", 1);
    c->unowned = in_office(o, "nobody's file");
    write_whole(c->unowned, "x", 1);
    c->data = data;
    c->length = sizeof data;
    c->out = room;
    c->capacity = sizeof room;
    c->number = 1;
    c->level = MAM_LOG_WARNING;
    c->other = BOB;
    if (f->good_account != NULL) c->account = f->good_account;
    if (f->good_text != NULL && f->good_text[0] != '@') c->text = f->good_text;
    if (f->good_json != NULL && f->good_json[0] != '@') c->json = f->good_json;
    if (f->good_json != NULL && strcmp(f->good_json, "@settings") == 0) {
        static char settings[4 * PATH_SIZE];
        char *made = settings_for(o, APP, QUIET);
        snprintf(settings, sizeof settings, "%s", made);
        free(made);
        c->json = settings;
    }
    if (f->takes & TAKES_IDENTITY) {
        static mam_identity_t *identity;
        mam_identity_release(identity); /* of the previous call */
        OK(mam_identity_capture(m, &identity));
        c->identity = identity;
    }
    if (f->takes & TAKES_CONFIG) {
        static mam_app_config_t *config;
        mam_app_config_release(config); /* of the previous call */
        OK(mam_app_config(m, "\"" ANN "\"", &config));
        c->config = config;
    }
    if (f->takes & TAKES_DECISION) {
        static mam_decision_t *decision;
        mam_decision_release(decision); /* of the previous call */
        OK(mam_policy_decide(m, "{\"action\":\"print\",\"account\":\"" ANN "\"}", &decision));
        c->decision = decision;
    }
    if (f->takes & TAKES_PARSED) {
        static mam_json_t *parsed;
        mam_json_release(parsed); /* of the previous call */
        OK(mam_json_parse("{\"text\":\"some\",\"numbers\":[6,7],\"yes\":true}", &parsed));
        c->parsed = parsed;
    }
    if (f->takes & TAKES_PROTECTING) {
        static mam_protect_stream_t *protecting;
        (void)!mam_protect_stream_close(protecting, MAM_ABANDON); /* of the previous call */
        OK(mam_protect_stream_open(m, ANN, 0, drop_bytes, NULL, &protecting));
        c->protecting = protecting;
    }
    if (f->takes & TAKES_UNPROTECTING) {
        static mam_unprotect_stream_t *unprotecting;
        (void)!mam_unprotect_stream_close(unprotecting, MAM_ABANDON, NULL); /* of the previous call */
        OK(mam_unprotect_stream_open(m, 0, drop_bytes, NULL, &unprotecting));
        OK(mam_unprotect_stream_write(unprotecting, data, 1)); /* an empty input is an error at the end */
        c->unprotecting = unprotecting;
    }
    static char place[PATH_SIZE];
    snprintf(place, sizeof place, "%s/file", o->root);
    c->place = place;
    if (strncmp(f->name, "mam_sqlite_", 11) == 0) {
        snprintf(place, sizeof place, "%s/database", o->root);
        if (access(place, F_OK) != 0) sql(place, "CREATE TABLE t (x)");
    }
    static char target[PATH_SIZE];
    snprintf(target, sizeof target, "%s/copy", o->root);
    (void)unlink(target); /* a copy does not replace an account's file */
    c->target = target;
    c->open_flags = 02; /* O_RDWR */
    c->permissions = 0600;
    if (f->takes & TAKES_FILE || strncmp(f->name, "mam_file_", 9) == 0) {
        static mam_file_t *file;
        size_t written;
        mam_file_close(file); /* of the previous call */
        OK(mam_file_create(m, place, c->open_flags, c->permissions, ANN, &file));
        OK(mam_file_pwrite(file, 0, data, sizeof data, &written));
        c->file = file;
        if (!(f->takes & TAKES_FILE)) mam_file_close(file); /* these open it themselves */
    }
    if (f->wants_container) {
        OK(mam_protect_into(m, ANN, data, sizeof data, container, sizeof container, &c->length));
        c->data = container;
    }
    if (f->good_text != NULL && strcmp(f->good_text, "@sealed") == 0) {
        char *made = NULL;
        OK(mam_protect_string(m, ANN, "some text", &made));
        snprintf(text, sizeof text, "%s", made);
        mam_free(made);
        c->text = text;
    }
}

void run_function(const function *f, call_t *c) {
    c->status = MAM_OK;
    c->answer = POISON;
    c->written = POISON;
    c->is_clean = c->is_whole = false;
    f->run(c);
}

const function *function_named(const char *name) {
    for (size_t i = 0; i < function_count; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    failed_at(__FILE__, __LINE__, "no function %s", name);
    return NULL;
}
