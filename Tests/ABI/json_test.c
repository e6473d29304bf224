/* Every function of mam.h that takes JSON, with JSON that is malformed, too large or of wrong types; the settings of
 * mam_open one by one. */
#include "arguments.h"

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
        /* These take documents: up to 16 MiB. */
        bool is_large = strcmp(f->name, "mam_admin") == 0 || strcmp(f->name, "mam_policy_simulate") == 0;
        if (f->null_json != MAM_OK) {
            with_json(f, NULL, MAM_ERR_ARGUMENT, "NULL as JSON");
            names(f, "NULL as JSON", "argument", f->json_name);
        }
        if (strcmp(f->name, "mam_json_parse") == 0) continue; /* replies are larger: parsed_json_test.c */
        with_json(f, is_large ? seventeen : five, MAM_ERR_JSON, "too large a JSON");
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
    static const char *const takers[] = {"mam_open",         "mam_answer", "mam_register_and_enroll",
                                         "mam_policy_check", "mam_admin",  "mam_set_device"};
    static const char *const identities[] = {"1", "-1.5e3", "true", "{}", "{\"upn\":\"a\"}", "[1]", "[null]", "[[]]"};
    static const char *const takers_of_identities[] = {"mam_set_ui_identity", "mam_policy_for_accounts", "mam_app_config"};
    for (size_t i = 0; i < sizeof takers_of_identities / sizeof *takers_of_identities; i++)
        for (size_t k = 0; k < sizeof identities / sizeof *identities; k++)
            with_json(function_named(takers_of_identities[i]), identities[k], MAM_ERR_JSON, identities[k]);
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        const function *f = function_named(takers[i]);
        if (i == 1) continue; /* needs an open question: questions_test.c */
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            if (i == 3 && k == 5) continue; /* an empty array of requests is allowed */
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
        "{\"upn\":1}",
        "{\"upn\":null}",
        "{\"upn\":[\"a\"]}",
        "{\"accountId\":true}",
        "{\"upn\":\"a\",\"tenantId\":7}",
        "{\"upn\":\"a\",\"more\":1}",
        "{\"upn\":\"a\",\"Upn\":\"b\"}"};
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
        const char *more; /* beside app, stateDirectory and authority, or instead of all if it begins with { */
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
        {"\"infoPlist\":\"/x\"", MAM_ERR_NOT_FOUND, "infoPlist"},
        {"\"testPolicy\":\"/x\"", MAM_ERR_NOT_FOUND, "testPolicy"},
        {"{}", MAM_ERR_JSON, "app"},
        {"{\"app\":{\"id\":\"a\"}}", MAM_ERR_JSON, "authority"},
        {"{\"app\":{},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_JSON, "app.id"},
        {"{\"app\":{\"id\":1},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_JSON, "app.id"},
        {"{\"app\":{\"id\":\"\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"..\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a/b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"\\u00e4\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a\",\"group\":\"../b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT,
         "app.group"},
        {"{\"app\":{\"id\":\"a\"},\"authority\":{\"type\":\"cloud\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT, "authority.type"},
        {"{\"app\":{\"id\":\"a\"},\"authority\":{\"type\":\"embedded\"}}", MAM_ERR_JSON, "authority.path"},
        {"{\"app\":{\"id\":\"a\"},\"authority\":{\"type\":\"embedded\",\"path\":\"x\"}}", MAM_ERR_ARGUMENT, "authority.path"},
        {"{\"app\":{\"id\":\"a\"},\"stateDirectory\":\"x\",\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}",
         MAM_ERR_ARGUMENT, "stateDirectory"},
        {"{\"app\":{\"id\":\"a\"},\"stateDirectory\":\"\",\"authority\":{\"type\":\"embedded\",\"path\":\"/x\"}}", MAM_ERR_ARGUMENT,
         "stateDirectory"},
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
    /* The longest valid name, and one character more. */
    char id[160], *settings = malloc(4096);
    if (settings == NULL) abort();
    for (int length = 128; length <= 129; length++) {
        mam_t *other = NULL;
        memset(id, 'a', sizeof id);
        id[length] = '\0';
        snprintf(
            settings, 4096,
            "{\"app\":{\"id\":\"%s\"},\"stateDirectory\":\"%s\",\"worker\":false,"
            "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
            id, here->state, here->authority);
        if (length == 128) {
            OK(mam_open(settings, &other));
            OK(mam_close(other));
        } else {
            FAILS(MAM_ERR_ARGUMENT, mam_open(settings, &other));
        }
    }
    free(settings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(malformed_json),       TEST(null_and_oversized_json), TEST(wrong_types_and_unknown_keys),
        TEST(settings_of_mam_open), TEST(nothing_was_changed),
    };
    return cmocka_run_group_tests_name("json", tests, set_up_suite, tear_down_suite);
}
