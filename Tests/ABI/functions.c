#include "functions.h"

#define POISON_TEXT ((char *)(uintptr_t)0x5A5A5A5A)
#define POISON_BYTES ((uint8_t *)(uintptr_t)0x5A5A5A5A)
enum { POISON = 0x5A5A5A5A };

/* A text output: valid JSON where `json`. */
static void text_result(call_t *c, char *text, bool json) {
    if (c->status == MAM_OK) {
        c->is_whole = text != NULL && text != POISON_TEXT && (!json || is_json(text));
        if (c->is_whole) mam_free(text);
    } else {
        c->is_clean = c->missing == 1 || text == NULL;
    }
}

static void op_result(call_t *c, int64_t op) {
    c->is_whole = op > 0;
    c->is_clean = c->missing == 1 || op == 0;
}

static void buffer_result(call_t *c, mam_buffer *buffer, mam_bool was_protected) {
    if (c->status == MAM_OK) {
        c->is_whole = buffer->data != NULL && buffer->data != POISON_BYTES && buffer->length > 0;
        if (c->is_whole) mam_buffer_free(buffer);
        c->is_whole = c->is_whole && buffer->data == NULL && buffer->length == 0;
    } else {
        c->is_clean = c->missing == 1 || (buffer->data == NULL && buffer->length == 0);
        if (c->missing != 2) c->is_clean = c->is_clean && was_protected == 0;
    }
}

#define OUTPUT(n, pointer) (c->missing == (n) ? NULL : (pointer))

/* 1. Library */

static void run_version(call_t *c) {
    const char *version = mam_version();
    c->is_whole = version != NULL && strcmp(version, MAM_VERSION) == 0;
}
static void run_abi_version(call_t *c) { c->is_whole = mam_abi_version() == MAM_ABI_VERSION; }
static void run_status_name(call_t *c) {
    const char *name = mam_status_name(c->level);
    c->is_whole = name != NULL && *name != '\0';
}
static void run_last_status(call_t *c) { c->is_whole = mam_last_status() >= 0; }
static void run_last_message(call_t *c) { c->is_whole = mam_last_message() != NULL; }
static void run_last_error_json(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_last_error_json(OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_free(call_t *c) {
    mam_free(NULL);
    c->is_whole = true;
}
static void run_buffer_free(call_t *c) {
    mam_buffer empty = {NULL, 0};
    mam_buffer_free(NULL);
    mam_buffer_free(&empty);
    c->is_whole = empty.data == NULL && empty.length == 0;
}

/* 2. Instance */

static void run_open(call_t *c) {
    mam_t *m = (mam_t *)POISON_TEXT;
    c->status = mam_open(c->json, OUTPUT(1, &m));
    c->is_clean = c->missing == 1 || m == NULL;
    if (c->status != MAM_OK) return;
    c->is_whole = m != NULL && m != (mam_t *)POISON_TEXT && mam_close(m) == MAM_OK;
}
static void run_close(call_t *c) {
    c->status = mam_close(c->m);
    c->is_whole = c->is_clean = true;
}
static void run_interrupt(call_t *c) {
    c->status = mam_interrupt(c->m);
    c->is_whole = c->is_clean = true;
}
static void run_settings(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_settings(c->m, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_set_override(call_t *c) {
    c->status = mam_set_override(c->m, c->text, c->json);
    c->is_whole = c->is_clean = true;
}

/* 3. Events and questions */

static void run_event_next(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_event_next(c->m, c->timeout, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_event_fd(call_t *c) {
    int32_t descriptor = mam_event_fd(c->m);
    c->status = mam_last_status();
    c->is_whole = descriptor >= 0;
    c->is_clean = descriptor == -1;
}
static void answer_nothing(void *user, mam_question_t *question, const char *json) {
    (void)user, (void)question, (void)json;
}
static void run_set_delegate(call_t *c) {
    c->status = mam_set_delegate(c->m, answer_nothing, NULL);
    c->is_whole = c->is_clean = true;
    if (c->status == MAM_OK) c->status = mam_set_delegate(c->m, NULL, NULL);
}
static void run_question_id(call_t *c) {
    int64_t id = mam_question_id(c->question);
    c->status = mam_last_status();
    c->is_whole = id > 0;
    c->is_clean = id == 0;
}
static void run_answer(call_t *c) {
    c->status = mam_answer(c->m, c->number, c->json);
    c->is_whole = c->is_clean = true;
}
static void run_answer_secret(call_t *c) {
    c->status = mam_answer_secret(c->m, c->number, c->data, c->length);
    c->is_whole = c->is_clean = true;
}

/* 4. Enrollment */

static void run_register_and_enroll(call_t *c) {
    int64_t op = POISON;
    c->status = mam_register_and_enroll(c->m, c->json, OUTPUT(1, &op));
    op_result(c, op);
}
static void run_deregister_and_unenroll(call_t *c) {
    int64_t op = POISON;
    c->status = mam_deregister_and_unenroll(c->m, c->account, c->wipe, OUTPUT(1, &op));
    op_result(c, op);
}
static void run_check_in(call_t *c) {
    int64_t op = POISON;
    c->status = mam_check_in(c->m, c->account, OUTPUT(1, &op));
    op_result(c, op);
}
static void run_wait(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_wait(c->m, c->number, c->timeout, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_run_due(call_t *c) {
    c->status = mam_run_due(c->m);
    c->is_whole = c->is_clean = true;
}

#define JSON_OF_SESSION(name)                        \
    static void run_##name(call_t *c) {              \
        char *json = POISON_TEXT;                    \
        c->status = mam_##name(c->m, OUTPUT(1, &json)); \
        text_result(c, json, true);                  \
    }
JSON_OF_SESSION(registered_accounts)
JSON_OF_SESSION(enrolled_accounts)
JSON_OF_SESSION(primary_account)
JSON_OF_SESSION(allowed_accounts)
JSON_OF_SESSION(mdm_account)
JSON_OF_SESSION(diagnostics)

/* 5. Identity */

static void run_set_process_identity(call_t *c) {
    c->status = mam_set_process_identity(c->m, c->account);
    c->is_whole = c->is_clean = true;
    if (c->status == MAM_OK) c->status = mam_set_process_identity(c->m, NULL);
}
JSON_OF_SESSION(process_identity)
static void run_set_ui_identity(call_t *c) {
    int64_t op = POISON;
    c->status = mam_set_ui_identity(c->m, NULL, c->json, OUTPUT(1, &op));
    op_result(c, op);
}
static void run_ui_identity(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_ui_identity(c->m, "main", OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_push_thread_identity(call_t *c) {
    c->status = mam_push_thread_identity(c->m, c->account);
    c->is_whole = c->is_clean = true;
    if (c->status == MAM_OK) c->status = mam_pop_thread_identity(c->m);
}
static void run_pop_thread_identity(call_t *c) {
    mam_status pushed = mam_push_thread_identity(c->m, ANN);
    c->status = mam_pop_thread_identity(c->m);
    c->is_whole = c->is_clean = pushed == c->status;
}
static void note_run(void *arg) { *(bool *)arg = true; }
static void run_run_as(call_t *c) {
    bool ran = false;
    c->status = mam_run_as(c->m, c->account, note_run, &ran);
    c->is_whole = ran;
    c->is_clean = !ran;
}
static void run_identity_capture(call_t *c) {
    mam_identity_t *identity = (mam_identity_t *)POISON_TEXT;
    c->status = mam_identity_capture(c->m, OUTPUT(1, &identity));
    c->is_clean = c->missing == 1 || identity == NULL;
    if (c->status != MAM_OK) return;
    c->is_whole = identity != NULL && identity != (mam_identity_t *)POISON_TEXT;
    mam_identity_release(identity);
}
static void run_identity_run(call_t *c) {
    bool ran = false;
    c->status = mam_identity_run(c->identity, note_run, &ran);
    c->is_whole = ran;
    c->is_clean = !ran;
}
static void run_identity_release(call_t *c) {
    mam_identity_release(c->identity);
    c->status = mam_last_status();
    c->is_whole = c->is_clean = true;
}
static void run_effective_identity(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_effective_identity(c->m, MAM_TASK_UI, NULL, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void asked(call_t *c, mam_bool answer) {
    c->answer = answer;
    c->status = mam_last_status();
    c->is_whole = answer == 0 || answer == 1;
    c->is_clean = true;
}
static void run_is_account_managed(call_t *c) { asked(c, mam_is_account_managed(c->m, c->account)); }
static void run_is_management_enabled(call_t *c) { asked(c, mam_is_management_enabled(c->m)); }
static void run_identity_equal(call_t *c) { asked(c, mam_identity_equal(c->m, c->account, BOB)); }
JSON_OF_SESSION(blocked_accounts)
static void run_blocked_reason(call_t *c) {
    int32_t reason = POISON;
    c->status = mam_blocked_reason(c->m, c->account, OUTPUT(1, &reason));
    c->is_whole = reason == MAM_BLOCK_NONE;
    c->is_clean = c->missing == 1 || reason == 0;
}

/* 6. Policy */

static void policy_result(call_t *c, mam_policy_t *policy) {
    c->is_clean = c->missing == 1 || policy == NULL;
    if (c->status != MAM_OK) return;
    c->is_whole = policy != NULL && policy != (mam_policy_t *)POISON_TEXT;
    mam_policy_release(policy);
}
static void run_policy_for_accounts(call_t *c) {
    mam_policy_t *policy = (mam_policy_t *)POISON_TEXT;
    c->status = mam_policy_for_accounts(c->m, c->json, OUTPUT(1, &policy));
    policy_result(c, policy);
}
static void run_policy_current(call_t *c) {
    mam_policy_t *policy = (mam_policy_t *)POISON_TEXT;
    c->status = mam_policy_current(c->m, NULL, OUTPUT(1, &policy));
    policy_result(c, policy);
}
static void run_policy_source(call_t *c) {
    int32_t source = POISON;
    c->status = mam_policy_source(c->m, OUTPUT(1, &source));
    c->is_whole = source == MAM_SOURCE_MAM;
    c->is_clean = c->missing == 1 || source == 0;
}
static void run_policy_for_account(call_t *c) {
    mam_policy_t *policy = (mam_policy_t *)POISON_TEXT;
    c->status = mam_policy_for_account(c->m, c->account, OUTPUT(1, &policy));
    policy_result(c, policy);
}
static void run_policy_release(call_t *c) {
    mam_policy_release(c->policy);
    c->status = mam_last_status();
    c->is_whole = c->is_clean = true;
}

#define PREDICATE(name) \
    static void run_##name(call_t *c) { asked(c, mam_policy_##name(c->policy)); }
PREDICATE(is_pin_required)
PREDICATE(is_managed_browser_required)
PREDICATE(is_contact_sync_allowed)
PREDICATE(is_widget_content_sync_allowed)
PREDICATE(is_indexing_allowed)
PREDICATE(are_assistant_intents_allowed)
PREDICATE(are_app_intents_allowed)
PREDICATE(is_app_sharing_allowed)
PREDICATE(is_file_encryption_required)
PREDICATE(should_file_provider_encrypt)
PREDICATE(is_screen_capture_allowed)
PREDICATE(is_print_allowed)
PREDICATE(is_backup_allowed)
PREDICATE(are_third_party_keyboards_allowed)

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

static void run_is_document_picker_allowed(call_t *c) {
    asked(c, mam_policy_is_document_picker_allowed(c->policy, c->mode));
}
static void run_is_save_to_allowed(call_t *c) {
    asked(c, mam_policy_is_save_to_allowed(c->policy, c->location, c->account));
}
static void run_is_open_from_allowed(call_t *c) {
    asked(c, mam_policy_is_open_from_allowed(c->policy, c->location, c->account));
}
static void run_can_receive_data(call_t *c) {
    asked(c, mam_policy_can_receive_data(c->policy, c->data, c->length));
}
static void run_save_to_locations(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_policy_save_to_locations(c->policy, c->account, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_open_from_locations(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_policy_open_from_locations(c->policy, c->account, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_policy_json(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_policy_json(c->policy, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_policy_check(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_policy_check(c->m, c->json, OUTPUT(1, &json));
    text_result(c, json, true);
}

/* 9. Data protection */

static void run_protect_bound(call_t *c) { c->is_whole = mam_protect_bound(100) > 100; }
static void run_protect_into(call_t *c) {
    size_t written = POISON;
    c->status = mam_protect_into(c->m, c->account, c->data, c->length, c->out, c->capacity, OUTPUT(1, &written));
    c->written = written;
    c->is_whole = written > c->length;
    c->is_clean = c->missing == 1 || written == 0;
}
static void run_protect(call_t *c) {
    mam_buffer out = {POISON_BYTES, POISON};
    c->status = mam_protect(c->m, c->account, c->data, c->length, OUTPUT(1, &out));
    buffer_result(c, &out, 0);
}
static void run_unprotect_into(call_t *c) {
    size_t written = POISON;
    mam_bool was_protected = POISON;
    c->status = mam_unprotect_into(c->m, c->data, c->length, c->flags, c->out, c->capacity, OUTPUT(1, &written),
                                   OUTPUT(2, &was_protected));
    c->written = written;
    c->is_whole = written > 0 && written <= c->length && (c->missing == 2 || was_protected <= 1);
    c->is_clean = c->missing == 1 || (written == 0 && was_protected == 0);
}
static void run_unprotect(call_t *c) {
    mam_buffer out = {POISON_BYTES, POISON};
    mam_bool was_protected = POISON;
    c->status = mam_unprotect(c->m, c->data, c->length, c->flags, OUTPUT(1, &out), OUTPUT(2, &was_protected));
    buffer_result(c, &out, was_protected);
}
static void run_protect_string(call_t *c) {
    char *text = POISON_TEXT;
    c->status = mam_protect_string(c->m, c->account, c->text, OUTPUT(1, &text));
    text_result(c, text, false);
}
static void run_unprotect_string(call_t *c) {
    char *text = POISON_TEXT;
    mam_bool was_protected = POISON;
    c->status = mam_unprotect_string(c->m, c->text, c->flags, OUTPUT(1, &text), OUTPUT(2, &was_protected));
    text_result(c, text, false);
    if (c->status != MAM_OK) c->is_clean = c->is_clean && (c->missing == 2 || was_protected == 0);
}
static void run_protection_info(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_protection_info(c->m, c->data, c->length, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void run_protection_info_string(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_protection_info_string(c->m, c->text, OUTPUT(1, &json));
    text_result(c, json, true);
}

/* 11 to 13 */

static void run_wipe_account(call_t *c) {
    int64_t op = POISON;
    c->status = mam_wipe_account(c->m, c->account, OUTPUT(1, &op));
    op_result(c, op);
}
static void run_admin(call_t *c) {
    char *json = POISON_TEXT;
    c->status = mam_admin(c->path, c->json, OUTPUT(1, &json));
    text_result(c, json, true);
}
static void log_nothing(void *user, int32_t level, const char *message) { (void)user, (void)level, (void)message; }
static void run_set_log(call_t *c) {
    c->status = mam_set_log(c->m, c->level, log_nothing, NULL);
    c->is_whole = c->is_clean = true;
    if (c->status == MAM_OK) c->status = mam_set_log(c->m, c->level, NULL, NULL);
}

#define POLICY_QUESTION(name, closed) \
    {"mam_policy_" #name, run_##name, TAKES_POLICY | IS_PREDICATE, closed, NULL, NULL, {NULL}}
#define SESSION_JSON(name) {"mam_" #name, run_##name, TAKES_SESSION, 0, NULL, NULL, {"json"}}

/* In the order of mam.h. */
const function functions[] = {
    {"mam_version", run_version, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_abi_version", run_abi_version, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_status_name", run_status_name, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_last_status", run_last_status, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_last_message", run_last_message, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_last_error_json", run_last_error_json, IS_SILENT, 0, NULL, NULL, {"json"}},
    {"mam_free", run_free, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_buffer_free", run_buffer_free, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_open", run_open, TAKES_JSON, 0, "settings_json", NULL, {"m"}},
    {"mam_close", run_close, TAKES_SESSION | ENDS | ANY_NULL, 0, NULL, NULL, {NULL}},
    {"mam_interrupt", run_interrupt, TAKES_SESSION, 0, NULL, NULL, {NULL}},
    SESSION_JSON(settings),
    {"mam_set_override", run_set_override, TAKES_SESSION | TAKES_TEXT | TAKES_JSON, 0, "value_json", "key", {NULL}},
    {"mam_event_next", run_event_next, TAKES_SESSION | TAKES_TIMEOUT, 0, NULL, NULL, {"json"}},
    {"mam_event_fd", run_event_fd, TAKES_SESSION, 0, NULL, NULL, {NULL}},
    {"mam_set_delegate", run_set_delegate, TAKES_SESSION, 0, NULL, NULL, {NULL}},
    {"mam_question_id", run_question_id, TAKES_QUESTION, 0, NULL, NULL, {NULL}},
    {"mam_answer", run_answer, TAKES_SESSION | TAKES_JSON | TAKES_NUMBER, 0, "answer_json", NULL, {NULL}},
    {"mam_answer_secret", run_answer_secret, TAKES_SESSION | TAKES_DATA | TAKES_NUMBER, 0, NULL, NULL, {NULL}},
    {"mam_register_and_enroll", run_register_and_enroll, TAKES_SESSION | TAKES_JSON, 0, "account_json", NULL, {"op"}},
    {"mam_deregister_and_unenroll", run_deregister_and_unenroll, TAKES_SESSION | TAKES_ACCOUNT | ENDS, 0, NULL, NULL, {"op"}},
    {"mam_check_in", run_check_in, TAKES_SESSION | TAKES_ACCOUNT, 0, NULL, NULL, {"op"}},
    {"mam_wait", run_wait, TAKES_SESSION | TAKES_TIMEOUT | TAKES_NUMBER, 0, NULL, NULL, {"status_json"}},
    {"mam_run_due", run_run_due, TAKES_SESSION, 0, NULL, NULL, {NULL}},
    SESSION_JSON(registered_accounts),
    SESSION_JSON(enrolled_accounts),
    SESSION_JSON(primary_account),
    SESSION_JSON(allowed_accounts),
    SESSION_JSON(mdm_account),
    {"mam_set_process_identity", run_set_process_identity, TAKES_SESSION | TAKES_ACCOUNT, 0, NULL, NULL, {NULL}},
    SESSION_JSON(process_identity),
    {"mam_set_ui_identity", run_set_ui_identity, TAKES_SESSION | TAKES_JSON, 0, "identities_json", NULL, {"op"}},
    SESSION_JSON(ui_identity),
    {"mam_push_thread_identity", run_push_thread_identity, TAKES_SESSION | TAKES_ACCOUNT, 0, NULL, NULL, {NULL}},
    {"mam_pop_thread_identity", run_pop_thread_identity, TAKES_SESSION, 0, NULL, NULL, {NULL}},
    {"mam_run_as", run_run_as, TAKES_SESSION | TAKES_ACCOUNT, 0, NULL, NULL, {NULL}},
    {"mam_identity_capture", run_identity_capture, TAKES_SESSION, 0, NULL, NULL, {"identity"}},
    {"mam_identity_run", run_identity_run, TAKES_IDENTITY, 0, NULL, NULL, {NULL}},
    {"mam_identity_release", run_identity_release, TAKES_IDENTITY | ENDS | ANY_NULL, 0, NULL, NULL, {NULL}},
    SESSION_JSON(effective_identity),
    {"mam_is_account_managed", run_is_account_managed, TAKES_SESSION | TAKES_ACCOUNT | IS_PREDICATE, 1, NULL, NULL, {NULL}},
    {"mam_is_management_enabled", run_is_management_enabled, TAKES_SESSION | IS_PREDICATE, 1, NULL, NULL, {NULL}},
    {"mam_identity_equal", run_identity_equal, TAKES_SESSION | TAKES_ACCOUNT | IS_PREDICATE, 0, NULL, NULL, {NULL}},
    SESSION_JSON(blocked_accounts),
    {"mam_blocked_reason", run_blocked_reason, TAKES_SESSION | TAKES_ACCOUNT, 0, NULL, NULL, {"reason"}},
    {"mam_policy_for_account", run_policy_for_account, TAKES_SESSION | TAKES_ACCOUNT, 0, NULL, NULL, {"policy"}},
    {"mam_policy_for_accounts", run_policy_for_accounts, TAKES_SESSION | TAKES_JSON, 0, "accounts_json", NULL, {"policy"}},
    {"mam_policy_current", run_policy_current, TAKES_SESSION, 0, NULL, NULL, {"policy"}},
    {"mam_policy_source", run_policy_source, TAKES_SESSION, 0, NULL, NULL, {"source"}},
    {"mam_policy_release", run_policy_release, TAKES_POLICY | ENDS | ANY_NULL, 0, NULL, NULL, {NULL}},
    POLICY_QUESTION(is_pin_required, 1),
    POLICY_QUESTION(is_managed_browser_required, 1),
    POLICY_QUESTION(is_contact_sync_allowed, 0),
    POLICY_QUESTION(is_widget_content_sync_allowed, 0),
    POLICY_QUESTION(is_indexing_allowed, 0),
    POLICY_QUESTION(are_assistant_intents_allowed, 0),
    POLICY_QUESTION(are_app_intents_allowed, 0),
    POLICY_QUESTION(is_app_sharing_allowed, 0),
    POLICY_QUESTION(is_file_encryption_required, 1),
    POLICY_QUESTION(should_file_provider_encrypt, 1),
    POLICY_QUESTION(is_screen_capture_allowed, 0),
    POLICY_QUESTION(is_print_allowed, 0),
    POLICY_QUESTION(is_backup_allowed, 0),
    POLICY_QUESTION(are_third_party_keyboards_allowed, 0),
    POLICY_QUESTION(is_document_picker_allowed, 0),
    {"mam_policy_is_save_to_allowed", run_is_save_to_allowed, TAKES_POLICY | TAKES_ACCOUNT | IS_PREDICATE, 0, NULL, NULL, {NULL}},
    {"mam_policy_is_open_from_allowed", run_is_open_from_allowed, TAKES_POLICY | TAKES_ACCOUNT | IS_PREDICATE, 0, NULL, NULL, {NULL}},
    {"mam_policy_can_receive_data", run_can_receive_data, TAKES_POLICY | TAKES_DATA | IS_PREDICATE, 0, NULL, NULL, {NULL}},
    {"mam_policy_save_to_locations", run_save_to_locations, TAKES_POLICY | TAKES_ACCOUNT, 0, NULL, NULL, {"json"}},
    {"mam_policy_open_from_locations", run_open_from_locations, TAKES_POLICY | TAKES_ACCOUNT, 0, NULL, NULL, {"json"}},
    {"mam_policy_json", run_policy_json, TAKES_POLICY, 0, NULL, NULL, {"json"}},
    {"mam_policy_check", run_policy_check, TAKES_SESSION | TAKES_JSON, 0, "request_json", NULL, {"json"}},
    {"mam_protect_bound", run_protect_bound, IS_SILENT, 0, NULL, NULL, {NULL}},
    {"mam_protect_into", run_protect_into, TAKES_SESSION | TAKES_ACCOUNT | TAKES_DATA | TAKES_ROOM, 0, NULL, NULL, {"written"}},
    {"mam_protect", run_protect, TAKES_SESSION | TAKES_ACCOUNT | TAKES_DATA, 0, NULL, NULL, {"out"}},
    {"mam_unprotect_into", run_unprotect_into, TAKES_SESSION | TAKES_DATA | TAKES_ROOM | TAKES_FLAGS, 0, NULL, NULL, {"written"}},
    {"mam_unprotect", run_unprotect, TAKES_SESSION | TAKES_DATA | TAKES_FLAGS, 0, NULL, NULL, {"out"}},
    {"mam_protect_string", run_protect_string, TAKES_SESSION | TAKES_ACCOUNT | TAKES_TEXT, 0, NULL, "text", {"protected_text"}},
    {"mam_unprotect_string", run_unprotect_string, TAKES_SESSION | TAKES_TEXT | TAKES_FLAGS, 0, NULL, "protected_text", {"text"}},
    {"mam_protection_info", run_protection_info, TAKES_SESSION | TAKES_DATA, 0, NULL, NULL, {"json"}},
    {"mam_protection_info_string", run_protection_info_string, TAKES_SESSION | TAKES_TEXT, 0, NULL, "protected_text", {"json"}},
    {"mam_wipe_account", run_wipe_account, TAKES_SESSION | TAKES_ACCOUNT | ENDS, 0, NULL, NULL, {"op"}},
    {"mam_admin", run_admin, TAKES_JSON | TAKES_TEXT, 0, "request_json", "path", {"reply_json"}},
    {"mam_set_log", run_set_log, TAKES_SESSION, 0, NULL, NULL, {NULL}},
    SESSION_JSON(diagnostics),
};
const size_t function_count = sizeof functions / sizeof *functions;

static bool is(const function *f, const char *name) { return strcmp(f->name, name) == 0; }

const char **text_argument(const function *f, call_t *c) { return is(f, "mam_admin") ? &c->path : &c->text; }

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
    c->data = data;
    c->length = sizeof data;
    c->out = room;
    c->capacity = sizeof room;
    c->number = 1;
    c->level = MAM_LOG_ERROR;
    if (is(f, "mam_open")) {
        static char settings[4 * PATH_SIZE];
        char *made = settings_for(o, APP, QUIET);
        snprintf(settings, sizeof settings, "%s", made);
        free(made);
        c->json = settings;
    }
    if (is(f, "mam_set_override")) c->text = "SupportsDarkMode", c->json = "false";
    if (is(f, "mam_answer")) c->json = "{\"removed\":true}";
    if (is(f, "mam_register_and_enroll")) c->json = "{\"upn\":\"" BOB "\"}";
    if (is(f, "mam_policy_check")) c->json = "{\"action\":\"print\",\"account\":\"" ANN "\"}";
    if (f->takes & TAKES_IDENTITY) {
        static mam_identity_t *identity;
        mam_identity_release(identity); /* of the call before */
        OK(mam_identity_capture(m, &identity));
        c->identity = identity;
    }
    if (is(f, "mam_set_ui_identity")) c->json = "null";
    if (is(f, "mam_policy_for_accounts")) c->json = "[\"" ANN "\",\"" BOB "\"]";
    if (is(f, "mam_admin")) c->json = "{\"action\":\"authority.show\"}";
    if (strncmp(f->name, "mam_unprotect", 13) == 0 || strncmp(f->name, "mam_protection_info", 19) == 0) {
        if (f->takes & TAKES_DATA) {
            OK(mam_protect_into(m, ANN, data, sizeof data, container, sizeof container, &c->length));
            c->data = container;
        } else {
            char *made = NULL;
            OK(mam_protect_string(m, ANN, "some text", &made));
            snprintf(text, sizeof text, "%s", made);
            mam_free(made);
            c->text = text;
        }
    }
}

void run_function(const function *f, call_t *c) {
    c->status = MAM_OK;
    c->answer = POISON;
    c->written = POISON;
    c->is_clean = c->is_whole = false;
    f->run(c);
}
