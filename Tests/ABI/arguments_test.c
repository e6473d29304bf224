/* Every function of mam.h with every kind of bad argument: the documented status, a message that names the culprit,
 * outputs NULL or 0, and nothing changed. */
#include "functions.h"

static mam_t *m, *suites_m;
static mam_policy_t *policy, *suites_policy;
static const office *here;
static char *accounts_before, *settings_before;

/* One session for the whole suite: if anything below changes its state, the last test tells. */
static int set_up_suite(void **state) {
    static office o;
    begin(state);
    office_make(&o);
    here = &o;
    m = open_enrolled(&o);
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_registered_accounts(m, &accounts_before));
    OK(mam_settings(m, &settings_before));
    suites_m = m;
    suites_policy = policy;
    return 0;
}

/* A test may have put others in their place. */
static int restore(void **state) {
    (void)state;
    m = suites_m;
    policy = suites_policy;
    return 0;
}

static int tear_down_suite(void **state) {
    static office o;
    restore(state);
    mam_free(accounts_before);
    mam_free(settings_before);
    mam_policy_release(policy);
    OK(mam_close(m));
    o = *here;
    office_remove(&o);
    return 0;
}

/* It failed as it should: this status, a clear message, clean outputs, the closed value. */
static void failed_well(const function *f, const call_t *call, mam_status expected, const char *what) {
    const char *why = "";
    if (call->status != expected)
        failed_at(__FILE__, __LINE__, "%s with %s answers %d (%s) instead of %d (%s)", f->name, what, call->status,
                  mam_status_name(call->status), expected, mam_status_name(expected));
    if (!is_error_clear(expected, &why)) failed_at(__FILE__, __LINE__, "%s with %s: %s", f->name, what, why);
    if (!call->is_clean) failed_at(__FILE__, __LINE__, "%s with %s leaves an output", f->name, what);
    if (f->takes & IS_PREDICATE && call->answer != f->closed)
        failed_at(__FILE__, __LINE__, "%s with %s answers %d, which is not closed", f->name, what, call->answer);
}

static void names(const function *f, const char *what, const char *key, const char *name) {
    if (strcmp(culprit(key), name) != 0)
        failed_at(__FILE__, __LINE__, "%s with %s blames %s \"%s\" instead of \"%s\"", f->name, what, key, culprit(key),
                  name);
}

#define EACH(f, kind)                                                                     \
    for (const function *f = functions; f < functions + function_count; f++)              \
        if (f->takes & (kind))

static const char *handle_name(const function *f) {
    if (f->takes & TAKES_IDENTITY) return "identity";
    return f->takes & TAKES_SESSION ? "m" : f->takes & TAKES_POLICY ? "policy" : "question";
}

static bool is_void(const function *f) {
    return strcmp(f->name, "mam_policy_release") == 0 || strcmp(f->name, "mam_identity_release") == 0;
}

static void with_handle(const function *f, const void *handle, mam_status expected, const char *what) {
    call_t call;
    good_arguments(f, &call, here, m, policy);
    call.m = (mam_t *)(uintptr_t)handle;
    call.policy = (mam_policy_t *)(uintptr_t)handle;
    call.question = (mam_question_t *)(uintptr_t)handle;
    call.identity = (mam_identity_t *)(uintptr_t)handle;
    run_function(f, &call);
    if (!is_void(f)) failed_well(f, &call, expected, what);
}

enum { HANDLES = TAKES_SESSION | TAKES_POLICY | TAKES_QUESTION | TAKES_IDENTITY };

static void null_handles(void **state) {
    (void)state;
    EACH(f, HANDLES) {
        if (f->takes & ANY_NULL) continue;
        with_handle(f, NULL, MAM_ERR_ARGUMENT, "a NULL handle");
        names(f, "a NULL handle", "argument", handle_name(f));
    }
    OK(mam_close(NULL));
    mam_policy_release(NULL);
    OK(mam_last_status());
    mam_identity_release(NULL);
    OK(mam_last_status());
}

static void closed_handles(void **state) {
    (void)state;
    mam_t *other = open_app(here, OTHER_APP, QUIET);
    mam_policy_t *of_closed = NULL, *released = NULL;
    OK(mam_policy_for_account(other, NULL, &of_closed));
    OK(mam_policy_for_account(other, NULL, &released));
    mam_policy_release(released);
    OK(mam_close(other));
    EACH(f, HANDLES) {
        if (is_void(f)) continue;
        const void *handles[] = {other, of_closed, released};
        for (size_t i = 0; i < 3; i++) {
            with_handle(f, handles[i], MAM_ERR_CLOSED, "a closed handle");
            names(f, "a closed handle", "argument", handle_name(f));
        }
    }
    mam_policy_release(of_closed);
    mam_policy_release(of_closed);
    mam_policy_release(released);
}

/* Tokens are not addresses: any bits are fine to pass. */
static void made_up_handles(void **state) {
    (void)state;
    m = open_app(here, APP, QUIET); /* of its own: a wrong answer here may close it */
    OK(mam_policy_for_account(m, ANN, &policy));
    int on_the_stack = 0;
    static void *on_the_heap;
    on_the_heap = malloc(64);
    EACH(f, HANDLES) {
        for (uintptr_t n = 1; n <= 64; n++) with_handle(f, (void *)n, MAM_ERR_CLOSED, "a small integer as handle");
        for (int i = 0; i < 200; i++) {
            uintptr_t bits = (uintptr_t)random_number();
            if (i % 4 == 1) bits = (uintptr_t)m ^ (uintptr_t)1 << (random_number() % 63);
            if (i % 4 == 2) bits &= 0xFFFFFFFF;
            if (i % 4 == 3) bits = (uintptr_t)m + (uintptr_t)((random_number() % 64) << 20);
            if (bits == 0 || bits == (uintptr_t)m || bits == (uintptr_t)policy) continue;
            with_handle(f, (void *)bits, MAM_ERR_CLOSED, "random bits as handle");
        }
        with_handle(f, &on_the_stack, MAM_ERR_CLOSED, "an address of the stack as handle");
        with_handle(f, on_the_heap, MAM_ERR_CLOSED, "an address of the heap as handle");
        with_handle(f, f->name, MAM_ERR_CLOSED, "an address of constants as handle");
        with_handle(f, (void *)UINTPTR_MAX, MAM_ERR_CLOSED, "all bits set as handle");
        with_handle(f, f->takes & TAKES_SESSION ? (void *)policy : (void *)m, MAM_ERR_CLOSED, "a handle of another kind");
        if (f->takes & TAKES_QUESTION) with_handle(f, policy, MAM_ERR_CLOSED, "a handle of another kind");
    }
    free(on_the_heap);
    /* The live ones lived through it. */
    OK(mam_interrupt(m));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    OK(mam_last_status());
    mam_policy_release(policy);
    OK(mam_close(m));
}

static void null_outputs(void **state) {
    (void)state;
    for (const function *f = functions; f < functions + function_count; f++) {
        if (f->takes & IS_SILENT || f->outputs[0] == NULL) continue;
        call_t call;
        good_arguments(f, &call, here, m, policy);
        call.missing = 1;
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "a NULL output");
        names(f, "a NULL output", "argument", f->outputs[0]);
    }
    EACH(f, TAKES_FLAGS) { /* was_protected may be NULL */
        call_t call;
        good_arguments(f, &call, here, m, policy);
        call.missing = 2;
        run_function(f, &call);
        ok_at(__FILE__, __LINE__, f->name, call.status);
        CHECK(call.is_whole);
    }
}

/* ---- text */

typedef struct bad_text {
    const char *what;
    char *text;
} bad_text;

enum { LONG = 64 << 10 };

static char *repeated(char c, size_t count) {
    char *text = malloc(count + 1);
    if (text == NULL) abort();
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

static void bad_accounts(void **state) {
    (void)state;
    const bad_text bad[] = {
        {"257 bytes", repeated('a', MAM_ACCOUNT_MAX + 1)},
        {"64 KiB", repeated('a', LONG)},
        {"1 MiB", repeated('a', 1 << 20)},
        {"white space at the front", " " ANN},
        {"white space at the end", ANN " "},
        {"white space alone", "   "},
        {"a tab at the end", ANN "\t"},
        {"a new line", ANN "\n"},
        {"a control character", "ann\001@contoso.example"},
        {"an escape character", "ann\033[31m@contoso.example"},
        {"DEL", "ann\177@contoso.example"},
        {"a byte that UTF-8 never has", "ann\377@contoso.example"},
        {"an overlong form", "ann\300\200@contoso.example"},
        {"a lone continuation", "ann\200@contoso.example"},
        {"a cut sequence", "ann\342\202"},
        {"a surrogate", "ann\355\240\200"},
        {"a number beyond Unicode", "ann\364\220\200\200"},
    };
    EACH(f, TAKES_ACCOUNT) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            call_t call;
            good_arguments(f, &call, here, m, policy);
            call.account = bad[i].text;
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, bad[i].what);
            names(f, bad[i].what, "argument", "account");
        }
    }
    for (size_t i = 0; i < 3; i++) free(bad[i].text);
    char *longest = repeated('a', MAM_ACCOUNT_MAX);
    mam_policy_t *unmanaged = NULL;
    OK(mam_policy_for_account(m, longest, &unmanaged));
    mam_policy_release(unmanaged);
    free(longest);
}

/* The table at the top of mam.h. */
static void null_and_empty_accounts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        mam_status null, empty;
    } rows[] = {
        {"mam_set_process_identity", MAM_OK, MAM_OK},
        {"mam_push_thread_identity", MAM_OK, MAM_OK},
        {"mam_run_as", MAM_OK, MAM_OK},
        {"mam_is_account_managed", MAM_OK, MAM_OK},
        {"mam_identity_equal", MAM_OK, MAM_OK},
        {"mam_blocked_reason", MAM_OK, MAM_OK},
        {"mam_policy_for_account", MAM_OK, MAM_OK},
        {"mam_policy_is_save_to_allowed", MAM_OK, MAM_OK},
        {"mam_policy_is_open_from_allowed", MAM_OK, MAM_OK},
        {"mam_policy_save_to_locations", MAM_OK, MAM_OK},
        {"mam_policy_open_from_locations", MAM_OK, MAM_OK},
        {"mam_protect_into", MAM_ERR_ARGUMENT, MAM_OK},
        {"mam_protect", MAM_ERR_ARGUMENT, MAM_OK},
        {"mam_protect_string", MAM_ERR_ARGUMENT, MAM_OK},
        {"mam_check_in", MAM_OK, MAM_ERR_ARGUMENT},
        {"mam_deregister_and_unenroll", MAM_ERR_ARGUMENT, MAM_ERR_ARGUMENT},
        {"mam_wipe_account", MAM_ERR_ARGUMENT, MAM_ERR_ARGUMENT},
    };
    size_t seen = 0;
    EACH(f, TAKES_ACCOUNT) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (strcmp(rows[i].name, f->name) != 0) continue;
            seen++;
            for (int empty = 0; empty < 2; empty++) {
                call_t call;
                mam_status expected = empty ? rows[i].empty : rows[i].null;
                good_arguments(f, &call, here, m, policy);
                call.account = empty ? "" : NULL;
                run_function(f, &call);
                if (expected == MAM_OK) {
                    ok_at(__FILE__, __LINE__, f->name, call.status);
                    CHECK(call.is_whole);
                } else {
                    failed_well(f, &call, expected, empty ? "\"\" as account" : "NULL as account");
                    names(f, "no account", "argument", "account");
                }
            }
        }
    }
    CHECK_NUMBER(sizeof rows / sizeof *rows, seen);
    int64_t op;
    mam_buffer out;
    FAILS(MAM_ERR_ARGUMENT, mam_protect(m, NULL, (const uint8_t *)"x", 1, &out));
    CHECK_NUMBER(101, original_code());
    FAILS(MAM_ERR_ARGUMENT, mam_register_and_enroll(m, "{}", &op));
    CHECK_NUMBER(207, original_code());
    FAILS(MAM_ERR_ARGUMENT, mam_register_and_enroll(m, "{\"upn\":\"\"}", &op));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_wipe_account(m, EVE, &op));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_deregister_and_unenroll(m, EVE, 1, &op));
    OK(mam_check_in(m, EVE, &op));
    CHECK_NUMBER(214, code_of(m, op));
}

static void bad_accounts_inside_json(void **state) {
    (void)state;
    static const char *const keys[] = {"accountId", "upn", "tenantId"};
    static const char *const values[] = {"\" a\"", "\"a \"", "\"a\\u0001\"", "\"a\\n\""};
    char json[1024], name[300];
    for (size_t k = 0; k < 3; k++) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            int64_t op = 1;
            snprintf(json, sizeof json, "{\"upn\":\"x\",\"%s\":%s}", keys[k], values[v]);
            if (k == 1) snprintf(json, sizeof json, "{\"upn\":%s}", values[v]);
            FAILS(MAM_ERR_ARGUMENT, mam_register_and_enroll(m, json, &op));
            CHECK_NUMBER(0, op);
        }
    }
    memset(name, 'a', 257);
    name[257] = '\0';
    int64_t op;
    snprintf(json, sizeof json, "{\"upn\":\"%s\"}", name);
    FAILS(MAM_ERR_ARGUMENT, mam_register_and_enroll(m, json, &op));
    char *reply = NULL;
    snprintf(json, sizeof json, "{\"action\":\"print\",\"account\":\"%s\"}", name);
    FAILS(MAM_ERR_ARGUMENT, mam_policy_check(m, json, &reply));
    CHECK(reply == NULL);
}

static void bad_texts(void **state) {
    (void)state;
    EACH(f, TAKES_TEXT) {
        static const char *const bytes[] = {"a\377", "a\300\200", "a\355\240\200", "a\342\202", "\200"};
        call_t call;
        good_arguments(f, &call, here, m, policy);
        *text_argument(f, &call) = NULL;
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "NULL as text");
        names(f, "NULL as text", "argument", f->text_name);
        for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
            if (strcmp(f->name, "mam_admin") == 0) continue; /* a path is bytes */
            good_arguments(f, &call, here, m, policy);
            *text_argument(f, &call) = bytes[i];
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "text that is not UTF-8");
            names(f, "text that is not UTF-8", "argument", f->text_name);
        }
    }
    char *text = NULL, *overlong = repeated('k', LONG);
    FAILS(MAM_ERR_EMPTY, mam_protect_string(m, ANN, "", &text));
    CHECK_NUMBER(105, original_code());
    FAILS(MAM_ERR_EMPTY, mam_unprotect_string(m, "", 0, &text, NULL));
    FAILS(MAM_ERR_NOT_FOUND, mam_set_override(m, "", "true"));
    FAILS(MAM_ERR_NOT_FOUND, mam_set_override(m, "NoSuchKey", "true"));
    FAILS(MAM_ERR_NOT_FOUND, mam_set_override(m, "supportsdarkmode", "true"));
    mam_status status = mam_set_override(m, overlong, "true");
    CHECK(status == MAM_ERR_NOT_FOUND || status == MAM_ERR_ARGUMENT);
    FAILS(status, status);
    FAILS(MAM_ERR_ARGUMENT, mam_admin("", "{\"action\":\"authority.show\"}", &text));
    FAILS(MAM_ERR_ARGUMENT, mam_admin(overlong, "{\"action\":\"authority.show\"}", &text));
    CULPRIT("argument", "path");
    FAILS(MAM_ERR_NOT_FOUND, mam_admin(in_office(here, "none.db"), "{\"action\":\"authority.show\"}", &text));
    CHECK(strstr(mam_last_message(), "none.db") != NULL);
    CHECK(text == NULL);
    free(overlong);
}

/* ---- JSON */

static char *nested(int depth, const char *open, const char *close) {
    size_t size = (size_t)depth * (strlen(open) + strlen(close)) + 8;
    char *text = malloc(size);
    if (text == NULL) abort();
    *text = '\0';
    char *end = text;
    for (int i = 0; i < depth; i++) end = strcpy(end, open) + strlen(open);
    end = strcpy(end, "1") + 1;
    for (int i = 0; i < depth; i++) end = strcpy(end, close) + strlen(close);
    return text;
}

/* `{"padding":"aaa…"}` */
static char *large(size_t size) {
    char *text = repeated('a', size);
    memcpy(text, "{\"padding\":\"", 12);
    memcpy(text + size - 2, "\"}", 2);
    return text;
}

static const function *function_named(const char *name) {
    for (size_t i = 0; i < function_count; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    failed_at(__FILE__, __LINE__, "no function %s", name);
    return NULL;
}

static void with_json(const function *f, const char *json, mam_status expected, const char *what) {
    call_t call;
    good_arguments(f, &call, here, m, policy);
    call.json = json;
    run_function(f, &call);
    failed_well(f, &call, expected, what);
}

static void malformed_json(void **state) {
    (void)state;
    const bad_text bad[] = {
        {"1,000 levels of arrays", nested(1000, "[", "]")},
        {"1,000 levels of objects", nested(1000, "{\"a\":", "}")},
        {"65 levels", nested(65, "[", "]")},
        {"100,000 open brackets", repeated('[', 100000)},
        {"nothing", ""},
        {"white space", " \n"},
        {"a cut object", "{"},
        {"a cut string", "{\"a\":\"b"},
        {"a cut word", "{\"a\":tru"},
        {"no JSON", "hello"},
        {"a duplicate key", "{\"a\":1,\"a\":2}"},
        {"a duplicate key, escaped", "{\"a\":1,\"\\u0061\":2}"},
        {"a duplicate key inside", "{\"x\":{\"a\":1,\"b\":2,\"a\":3}}"},
        {"a comma too many", "{\"a\":1,}"},
        {"two values", "{} {}"},
        {"more after the end", "{}x"},
        {"single quotes", "{'a':1}"},
        {"a key without quotes", "{a:1}"},
        {"a comment", "{/* */}"},
        {"NaN", "{\"a\":NaN}"},
        {"Infinity", "{\"a\":Infinity}"},
        {"a leading zero", "{\"a\":01}"},
        {"a plus sign", "{\"a\":+1}"},
        {"a hexadecimal number", "{\"a\":0x10}"},
        {"a bare dot", "{\"a\":1.}"},
        {"a control character in a string", "{\"a\":\"\001\"}"},
        {"a new line in a string", "{\"a\":\"\n\"}"},
        {"an unknown escape", "{\"a\":\"\\x41\"}"},
        {"a lone surrogate", "{\"a\":\"\\ud800\"}"},
        {"surrogates the wrong way round", "{\"a\":\"\\udc00\\ud800\"}"},
        {"bytes that are not UTF-8", "{\"a\":\"\377\"}"},
        {"an overlong form", "{\"a\":\"\300\200\"}"},
        {"a surrogate as bytes", "{\"a\":\"\355\240\200\"}"},
        {"a NUL in a string", "{\"a\":\"\\u0000\"}"},
        {"a byte order mark", "\357\273\277{}"},
    };
    EACH(f, TAKES_JSON) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            with_json(f, bad[i].text, MAM_ERR_JSON, bad[i].what);
            names(f, bad[i].what, "argument", f->json_name);
        }
    }
    for (size_t i = 0; i < 4; i++) free(bad[i].text);
}

static void null_and_oversized_json(void **state) {
    (void)state;
    char *five = large(5 << 20), *seventeen = large(17 << 20), *hundred = large(100 << 20);
    EACH(f, TAKES_JSON) {
        bool is_admin = strcmp(f->name, "mam_admin") == 0;
        if (strcmp(f->name, "mam_set_override") != 0) { /* NULL clears */
            with_json(f, NULL, MAM_ERR_ARGUMENT, "NULL as JSON");
            names(f, "NULL as JSON", "argument", f->json_name);
        }
        with_json(f, is_admin ? seventeen : five, MAM_ERR_JSON, "too large a JSON");
        names(f, "too large a JSON", "argument", f->json_name);
        with_json(f, hundred, MAM_ERR_JSON, "a JSON of 100 MiB");
    }
    free(five);
    free(seventeen);
    free(hundred);
}

static void wrong_types_and_unknown_keys(void **state) {
    (void)state;
    static const char *const others[] = {"null", "1", "-1.5e3", "\"text\"", "true", "[]", "[{}]"};
    static const char *const takers[] = {"mam_open", "mam_answer", "mam_register_and_enroll", "mam_policy_check", "mam_admin"};
    static const char *const identities[] = {"1", "-1.5e3", "true", "{}", "{\"upn\":\"a\"}", "[1]", "[null]", "[[]]"};
    static const char *const takers_of_identities[] = {"mam_set_ui_identity", "mam_policy_for_accounts"};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof identities / sizeof *identities; k++)
            with_json(function_named(takers_of_identities[i]), identities[k], MAM_ERR_JSON, identities[k]);
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        const function *f = function_named(takers[i]);
        if (i == 1) continue; /* needs an open question: questions_test.c */
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            if (i == 3 && k == 5) continue; /* an empty array of requests is fine */
            with_json(f, others[k], MAM_ERR_JSON, others[k]);
        }
        with_json(f, "{\"noSuchKey\":1}", MAM_ERR_JSON, "an unknown key");
    }
    char *reply = NULL;
    int64_t op = 1;
    OK(mam_policy_check(m, "[]", &reply));
    CHECK_TEXT("[]", reply);
    mam_free(reply);
    static const char *const accounts[] = {
        "{\"upn\":1}", "{\"upn\":null}", "{\"upn\":[\"a\"]}", "{\"accountId\":true}", "{\"upn\":\"a\",\"tenantId\":7}",
        "{\"upn\":\"a\",\"more\":1}", "{\"upn\":\"a\",\"Upn\":\"b\"}"};
    for (size_t i = 0; i < sizeof accounts / sizeof *accounts; i++) {
        FAILS(MAM_ERR_JSON, mam_register_and_enroll(m, accounts[i], &op));
        CHECK_NUMBER(0, op);
    }
    static const struct {
        const char *json;
        mam_status expected;
        const char *names;
    } requests[] = {
        {"{\"action\":\"print\"}", MAM_ERR_JSON, "account"},
        {"{\"account\":\"\"}", MAM_ERR_JSON, "action"},
        {"{\"action\":1,\"account\":\"\"}", MAM_ERR_JSON, "action"},
        {"{\"action\":\"print\",\"account\":1}", MAM_ERR_JSON, "account"},
        {"{\"action\":\"fly\",\"account\":\"\"}", MAM_ERR_ARGUMENT, "fly"},
        {"{\"action\":\"Print\",\"account\":\"\"}", MAM_ERR_ARGUMENT, "Print"},
        {"{\"action\":\"saveTo\",\"account\":\"\",\"location\":\"moon\"}", MAM_ERR_ARGUMENT, "moon"},
        {"{\"action\":\"openFrom\",\"account\":\"\",\"location\":\"cameraRoll\"}", MAM_ERR_ARGUMENT, "cameraRoll"},
        {"{\"action\":\"documentPicker\",\"account\":\"\",\"mode\":\"peek\"}", MAM_ERR_ARGUMENT, "peek"},
        {"{\"action\":\"print\",\"account\":\"\",\"x\":1}", MAM_ERR_JSON, "x"},
        {"[{\"action\":\"print\",\"account\":\"\"},1]", MAM_ERR_JSON, NULL},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        FAILS(requests[i].expected, mam_policy_check(m, requests[i].json, &reply));
        CHECK(reply == NULL);
        if (requests[i].names && strstr(mam_last_message(), requests[i].names) == NULL)
            failed_at(__FILE__, __LINE__, "the message on %s does not name \"%s\"", requests[i].json, requests[i].names);
    }
    char *many = malloc(64 * 1001 + 8), *end = many;
    if (many == NULL) abort();
    *end++ = '[';
    for (int i = 0; i < 1001; i++) end += sprintf(end, "%s{\"action\":\"print\",\"account\":null}", i ? "," : "");
    strcpy(end, "]");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_check(m, many, &reply));
    CHECK(reply == NULL);
    free(many);
}

static void settings_of_mam_open(void **state) {
    (void)state;
    static const struct {
        const char *more; /* beside app, stateDirectory and authority, or instead of all where it begins with { */
        mam_status expected;
        const char *setting;
    } rows[] = {
        {"\"noSuchKey\":1", MAM_ERR_JSON, "noSuchKey"},
        {"\"worker\":\"yes\"", MAM_ERR_JSON, "worker"},
        {"\"worker\":1", MAM_ERR_JSON, "worker"},
        {"\"worker\":null", MAM_ERR_JSON, "worker"},
        {"\"restartOnFirstPolicy\":0", MAM_ERR_JSON, "restartOnFirstPolicy"},
        {"\"unknownIdentities\":\"maybe\"", MAM_ERR_ARGUMENT, "unknownIdentities"},
        {"\"unknownIdentities\":true", MAM_ERR_JSON, "unknownIdentities"},
        {"\"questions\":\"never\"", MAM_ERR_ARGUMENT, "questions"},
        {"\"questionTimeout\":30", MAM_ERR_JSON, "questionTimeout"},
        {"\"questionTimeout\":\"\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"30\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"PT\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"PT0S\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"-PT30S\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"PT-30S\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"PT0.5S\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"P1000D\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"questionTimeout\":\"PT99999999999999999999S\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {"\"device\":[]", MAM_ERR_JSON, "device"},
        {"\"device\":{\"lock\":\"perhaps\"}", MAM_ERR_ARGUMENT, "device.lock"},
        {"\"device\":{\"lock\":true}", MAM_ERR_JSON, "device.lock"},
        {"\"device\":{\"colour\":\"red\"}", MAM_ERR_JSON, "device.colour"},
        {"\"device\":{\"version\":12}", MAM_ERR_JSON, "device.version"},
        {"\"device\":{\"managedAppConfig\":\"x\"}", MAM_ERR_JSON, "device.managedAppConfig"},
        {"\"settings\":[]", MAM_ERR_JSON, "settings"},
        {"\"settings\":{\"NoSuchSetting\":true}", MAM_ERR_JSON, "NoSuchSetting"},
        {"\"settings\":{\"MultiManagedIdentities\":\"YES\"}", MAM_ERR_JSON, "MultiManagedIdentities"},
        {"\"settings\":{\"ValuesToScrubFromLogging\":\"x\"}", MAM_ERR_JSON, "ValuesToScrubFromLogging"},
        {"\"settings\":{\"ValuesToScrubFromLogging\":[1]}", MAM_ERR_JSON, "ValuesToScrubFromLogging"},
        {"\"settings\":{\"SplashDuration\":-1}", MAM_ERR_JSON, "SplashDuration"},
        {"\"infoPlist\":\"/x\"", MAM_ERR_UNSUPPORTED, "infoPlist"},
        {"\"testPolicy\":\"/x\"", MAM_ERR_UNSUPPORTED, "testPolicy"},
        {"{}", MAM_ERR_JSON, "app"},
        {"{\"app\":{\"id\":\"a\"}}", MAM_ERR_JSON, "authority"},
        {"{\"app\":{},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_JSON, "app.id"},
        {"{\"app\":{\"id\":1},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_JSON, "app.id"},
        {"{\"app\":{\"id\":\"\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"..\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a/b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"\\u00e4\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a\",\"group\":\"../b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.group"},
        {"{\"app\":{\"id\":\"a\"},\"authority\":{\"type\":\"cloud\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "authority.type"},
        {"{\"app\":{\"id\":\"a\"},\"authority\":{\"type\":\"embedded\"}}", MAM_ERR_JSON, "authority.path"},
        {"{\"app\":{\"id\":\"a\"},\"authority\":{\"type\":\"embedded\",\"path\":\"x\"}}", MAM_ERR_ARGUMENT, "authority.path"},
        {"{\"app\":{\"id\":\"a\"},\"stateDirectory\":\"x\",\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "stateDirectory"},
        {"{\"app\":{\"id\":\"a\"},\"stateDirectory\":\"\",\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "stateDirectory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mam_t *other = (mam_t *)1;
        char *settings = rows[i].more[0] == '{' ? strdup(rows[i].more) : settings_for(here, APP, rows[i].more);
        mam_status status = mam_open(settings, &other);
        if (status != rows[i].expected) failed_at(__FILE__, __LINE__, "mam_open of %s answers %d", rows[i].more, status);
        FAILS(rows[i].expected, status);
        CHECK(other == NULL);
        bool is_named = strcmp(culprit("setting"), rows[i].setting) == 0 || strcmp(culprit("argument"), rows[i].setting) == 0;
        if (!is_named)
            failed_at(__FILE__, __LINE__, "mam_open of %s does not name %s in its detail", rows[i].more, rows[i].setting);
        if (strstr(mam_last_message(), rows[i].setting) == NULL)
            failed_at(__FILE__, __LINE__, "the message on %s does not name %s", rows[i].more, rows[i].setting);
        free(settings);
    }
    /* The longest name that is fine, and one more. */
    char id[160], *settings = malloc(4096);
    if (settings == NULL) abort();
    for (int length = 128; length <= 129; length++) {
        mam_t *other = NULL;
        memset(id, 'a', sizeof id);
        id[length] = '\0';
        snprintf(settings, 4096, "{\"app\":{\"id\":\"%s\"},\"stateDirectory\":\"%s\",\"worker\":false,"
                 "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}", id, here->state, here->authority);
        if (length == 128) {
            OK(mam_open(settings, &other));
            OK(mam_close(other));
        } else {
            FAILS(MAM_ERR_ARGUMENT, mam_open(settings, &other));
        }
    }
    free(settings);
}

/* ---- numbers */

static void data_and_lengths(void **state) {
    (void)state;
    static const size_t huge[] = {SIZE_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 7};
    EACH(f, TAKES_DATA) {
        call_t call;
        for (size_t i = 0; i < 3; i++) {
            good_arguments(f, &call, here, m, policy);
            call.length = huge[i];
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "a length above PTRDIFF_MAX");
            names(f, "a length above PTRDIFF_MAX", "argument", "length");
        }
        good_arguments(f, &call, here, m, policy);
        call.data = NULL;
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "NULL as data");
        names(f, "NULL as data", "argument", strcmp(f->name, "mam_answer_secret") == 0 ? "bytes" : "data");
        if (f->takes & IS_PREDICATE || strcmp(f->name, "mam_answer_secret") == 0) continue;
        for (int null = 0; null < 2; null++) {
            good_arguments(f, &call, here, m, policy);
            call.length = 0;
            if (null) call.data = NULL;
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_EMPTY, "no bytes");
            CHECK_NUMBER(105, original_code());
        }
    }
    uint8_t *large_secret = calloc(1, 65537);
    FAILS(MAM_ERR_ARGUMENT, mam_answer_secret(m, 1, (const uint8_t *)"", 0));
    FAILS(MAM_ERR_ARGUMENT, mam_answer_secret(m, 1, NULL, 0));
    FAILS(MAM_ERR_ARGUMENT, mam_answer_secret(m, 1, large_secret, 65537));
    FAILS(MAM_ERR_NOT_FOUND, mam_answer_secret(m, 1, large_secret, 65536));
    free(large_secret);
}

static void capacities(void **state) {
    (void)state;
    EACH(f, TAKES_ROOM) {
        call_t call;
        static const size_t huge[] = {SIZE_MAX, (size_t)PTRDIFF_MAX + 1};
        for (size_t i = 0; i < 2; i++) {
            good_arguments(f, &call, here, m, policy);
            call.capacity = huge[i];
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "a capacity above PTRDIFF_MAX");
            names(f, "a capacity above PTRDIFF_MAX", "argument", "capacity");
        }
        good_arguments(f, &call, here, m, policy);
        call.out = NULL;
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "NULL as out");
        names(f, "NULL as out", "argument", "out");
        for (int null = 0; null < 2; null++) {
            good_arguments(f, &call, here, m, policy);
            call.capacity = 0;
            if (null) call.out = NULL;
            run_function(f, &call);
            fails_at(__FILE__, __LINE__, f->name, MAM_ERR_BUFFER, call.status);
            CHECK(call.written > 0 && call.written < 4096);
            size_t size = call.written;
            good_arguments(f, &call, here, m, policy);
            call.capacity = size;
            run_function(f, &call);
            ok_at(__FILE__, __LINE__, f->name, call.status);
            CHECK_NUMBER(size, call.written);
        }
    }
    CHECK_NUMBER(0, mam_protect_bound(SIZE_MAX));
    CHECK_NUMBER(0, mam_protect_bound(SIZE_MAX - 100));
}

static void flags_levels_modes(void **state) {
    (void)state;
    EACH(f, TAKES_FLAGS) {
        static const uint32_t flags[] = {2, 3, 1u << 31, UINT32_MAX};
        for (size_t i = 0; i < 4; i++) {
            call_t call;
            good_arguments(f, &call, here, m, policy);
            call.flags = flags[i];
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "unknown flags");
            names(f, "unknown flags", "argument", "flags");
            /* Also where the input is no container. */
            static const uint8_t plain[] = "plain";
            good_arguments(f, &call, here, m, policy);
            call.flags = flags[i];
            call.text = "plain";
            call.data = plain;
            call.length = 5;
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "unknown flags");
        }
    }
    static const int32_t levels[] = {-1, 4, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < 4; i++) {
        call_t call;
        const function *f = function_named("mam_set_log");
        good_arguments(f, &call, here, m, policy);
        call.level = levels[i];
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "no such level");
        names(f, "no such level", "argument", "level");
        FAILS(MAM_ERR_ARGUMENT, mam_set_log(m, levels[i], NULL, NULL));
        f = function_named("mam_policy_is_document_picker_allowed");
        good_arguments(f, &call, here, m, policy);
        call.mode = levels[i];
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "no such mode");
        names(f, "no such mode", "argument", "mode");
        int64_t op = 1;
        FAILS(MAM_ERR_ARGUMENT, mam_deregister_and_unenroll(m, ANN, levels[i] == 4 ? 2 : levels[i], &op));
        CULPRIT("argument", "wipe");
        CHECK_NUMBER(0, op);
    }
}

static void numbers_of_operations_and_questions(void **state) {
    (void)state;
    static const int64_t numbers[] = {0, -1, 1 << 30, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < 5; i++) {
        char *json = (char *)1;
        FAILS(MAM_ERR_NOT_FOUND, mam_wait(m, numbers[i], 0, &json));
        CHECK(json == NULL);
        CULPRIT("argument", "op");
        FAILS(MAM_ERR_NOT_FOUND, mam_wait(m, numbers[i], -1, &json));
        FAILS(MAM_ERR_NOT_FOUND, mam_answer(m, numbers[i], "{\"removed\":true}"));
        CULPRIT("argument", "id");
    }
}

/* -1 is for ever, 0 a poll; another negative number is a mistake, not a hang. */
static void negative_timeouts(void **state) {
    (void)state;
    EACH(f, TAKES_TIMEOUT) {
        static const int32_t timeouts[] = {-2, -1000, INT32_MIN};
        for (size_t i = 0; i < 3; i++) {
            call_t call;
            good_arguments(f, &call, here, m, policy);
            if (f->takes & TAKES_NUMBER) OK(mam_check_in(m, NULL, &call.number));
            call.timeout = timeouts[i];
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "a negative time-out");
            names(f, "a negative time-out", "argument", "timeout_ms");
        }
    }
}

static void nothing_was_changed(void **state) {
    (void)state;
    char *accounts = NULL, *settings = NULL;
    OK(mam_settings(m, &settings));
    CHECK_TEXT(settings_before, settings);
    OK(mam_registered_accounts(m, &accounts));
    CHECK_NUMBER(1, count_of(accounts, ""));
    CHECK_TEXT(text_of(accounts_before, "/0/accountId"), text_of(accounts, "/0/accountId"));
    CHECK_TEXT("enrolled", text_of(accounts, "/0/state"));
    mam_buffer container = sealed(m, ANN, "still there");
    OK(opens_as(m, &container, "still there"));
    mam_buffer_free(&container);
    mam_free(accounts);
    mam_free(settings);
}

#define TEST(test) cmocka_unit_test_setup(test, restore)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(null_handles),
        TEST(closed_handles),
        TEST(made_up_handles),
        TEST(null_outputs),
        TEST(bad_accounts),
        TEST(null_and_empty_accounts),
        TEST(bad_accounts_inside_json),
        TEST(bad_texts),
        TEST(malformed_json),
        TEST(null_and_oversized_json),
        TEST(wrong_types_and_unknown_keys),
        TEST(settings_of_mam_open),
        TEST(data_and_lengths),
        TEST(capacities),
        TEST(flags_levels_modes),
        TEST(numbers_of_operations_and_questions),
        TEST(nothing_was_changed),
        TEST(negative_timeouts), /* the last: a library that takes them for -1 hangs here */
    };
    return cmocka_run_group_tests_name("arguments", tests, set_up_suite, tear_down_suite);
}
