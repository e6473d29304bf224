/* mam_json_t: values by RFC 6901 pointers, what is absent or of another type, hostile texts, threads and fork. */
#include "support.h"

static mam_json_t *parse(const char *json) {
    mam_json_t *parsed = NULL;
    OK(mam_json_parse(json, &parsed));
    CHECK(parsed != NULL);
    return parsed;
}

/* The example of RFC 6901, section 5. */
static void pointers_of_the_rfc(void **state) {
    (void)state;
    static const struct {
        const char *pointer;
        int64_t value;
    } rows[] = {
        {"/", 0}, {"/a~1b", 1}, {"/c%d", 2}, {"/e^f", 3}, {"/g|h", 4}, {"/i\\j", 5}, {"/k\"l", 6}, {"/ ", 7}, {"/m~0n", 8},
    };
    mam_json_t *json = parse("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,"
                             "\" \":7,\"m~n\":8}");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_NUMBER(rows[i].value, mam_json_integer(json, rows[i].pointer, -1));
        OK(mam_last_status());
    }
    CHECK_NUMBER(10, mam_json_count(json, ""));
    CHECK_NUMBER(2, mam_json_count(json, "/foo"));
    CHECK_TEXT("bar", mam_json_text(json, "/foo/0"));
    CHECK_TEXT("baz", mam_json_text(json, "/foo/1"));
    CHECK_TEXT("foo", mam_json_key(json, "", 0));
    CHECK_TEXT("", mam_json_key(json, "", 1));
    CHECK_TEXT("a/b", mam_json_key(json, "", 2));
    CHECK_TEXT("m~n", mam_json_key(json, "", 9));
    OK(mam_last_status());
    mam_json_release(json);
    /* "~01" is "~1", not "/". */
    json = parse("{\"~1\":1,\"/\":2,\"~\":{\"/\":[3]}}");
    CHECK_NUMBER(1, mam_json_integer(json, "/~01", -1));
    CHECK_NUMBER(2, mam_json_integer(json, "/~1", -1));
    CHECK_NUMBER(3, mam_json_integer(json, "/~0/~1/0", -1));
    mam_json_release(json);
}

/* Nothing there, or another type: the answer is the closed one, and no error. */
static void absent_or_of_another_type(void **state) {
    (void)state;
    static const char *const absent[] = {
        "/x",
        "/list/4",
        "/list/00",
        "/list/01",
        "/list/-",
        "/list/-1",
        "/list/+1",
        "/list/",
        "/list/a",
        "/list/1e0",
        "/list/ 1",
        "/list/18446744073709551616",
        "/list/9223372036854775808",
        "/text/0",
        "/true/x",
        "/null/x",
        "/one/0",
        "/",
        "/TEXT",
        "/texts",
        "/tex",
        "/list/0/0",
    };
    mam_json_t *json =
        parse("{\"text\":\"abc\",\"empty\":\"\",\"one\":1,\"true\":true,\"false\":false,\"null\":null,\"list\":[0,1,2,3],"
              "\"none\":[],\"object\":{\"a\":1},\"whole\":1.0,\"power\":1e3,\"fraction\":0.5}");
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (mam_json_has(json, absent[i])) failed_at(__FILE__, __LINE__, "%s is there", absent[i]);
        CHECK_TEXT("", mam_json_text(json, absent[i]));
        CHECK_NUMBER(-7, mam_json_integer(json, absent[i], -7));
        CHECK_NUMBER(0, mam_json_bool(json, absent[i], 0));
        CHECK_NUMBER(1, mam_json_bool(json, absent[i], 1));
        CHECK_NUMBER(0, mam_json_count(json, absent[i]));
        CHECK_TEXT("", mam_json_key(json, absent[i], 0));
        OK(mam_last_status());
    }
    static const char *const there[] = {"",      "/text",   "/empty", "/one",    "/true", "/false",
                                        "/list", "/list/0", "/none",  "/object", "/whole"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) CHECK_NUMBER(1, mam_json_has(json, there[i]));
    CHECK_NUMBER(0, mam_json_has(json, "/null"));
    static const char *const no_text[] = {"/one", "/true", "/null", "/list", "/object", "/whole", ""};
    for (size_t i = 0; i < sizeof no_text / sizeof *no_text; i++) CHECK_TEXT("", mam_json_text(json, no_text[i]));
    static const char *const no_integer[] = {"/text", "/empty", "/true", "/null", "/list", "/whole", "/power", "/fraction", ""};
    for (size_t i = 0; i < sizeof no_integer / sizeof *no_integer; i++) {
        CHECK_NUMBER(INT64_MIN, mam_json_integer(json, no_integer[i], INT64_MIN));
        CHECK_NUMBER(1, mam_json_bool(json, i == 2 ? "/one" : no_integer[i], 1));
        CHECK_NUMBER(0, mam_json_bool(json, i == 2 ? "/one" : no_integer[i], 0));
    }
    CHECK_NUMBER(1, mam_json_bool(json, "/true", 0));
    CHECK_NUMBER(0, mam_json_bool(json, "/false", 1));
    CHECK_NUMBER(0, mam_json_count(json, "/text"));
    CHECK_NUMBER(0, mam_json_count(json, "/none"));
    CHECK_NUMBER(1, mam_json_count(json, "/object"));
    CHECK_TEXT("", mam_json_key(json, "/list", 0));
    CHECK_TEXT("", mam_json_key(json, "/object", 1));
    CHECK_TEXT("", mam_json_key(json, "/object", PTRDIFF_MAX));
    CHECK_TEXT("a", mam_json_key(json, "/object", 0));
    OK(mam_last_status());
    mam_json_release(json);
}

static void malformed_pointers(void **state) {
    (void)state;
    static const char *const bad[] = {"x", "x/y", " /a", "#/a", "/~", "/a~", "/~2", "/~a/b", "/a~~0", "/~/0", "\377", "/\300\200"};
    mam_json_t *json = parse("{\"\":1,\"a\":2}");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_NUMBER(0, mam_json_has(json, bad[i]));
        FAILS(MAM_ERR_ARGUMENT, mam_last_status());
        CULPRIT("argument", "pointer");
        CHECK_NUMBER(9, mam_json_integer(json, bad[i], 9));
        FAILS(MAM_ERR_ARGUMENT, mam_last_status());
        CHECK_NUMBER(1, mam_json_bool(json, bad[i], 1));
        FAILS(MAM_ERR_ARGUMENT, mam_last_status());
        CHECK_TEXT("", mam_json_text(json, bad[i]));
        FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    }
    /* A fallback that is no mam_bool is never handed back. */
    CHECK_NUMBER(0, mam_json_bool(json, "/none", 2));
    FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    CULPRIT("argument", "fallback");
    CHECK_TEXT("", mam_json_key(json, "", SIZE_MAX));
    FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    CULPRIT("argument", "index");
    mam_json_release(json);
}

static void scalars_and_numbers(void **state) {
    (void)state;
    mam_json_t *json = parse(" \"\\u00e4\\n\\ud83d\\ude00\" ");
    CHECK_TEXT("\303\244\n\360\237\230\200", mam_json_text(json, ""));
    CHECK_NUMBER(0, mam_json_has(json, "/0"));
    mam_json_release(json);
    json = parse("null");
    CHECK_NUMBER(0, mam_json_has(json, ""));
    mam_json_release(json);
    json = parse("[9223372036854775807,-9223372036854775808,-0,1e308]");
    CHECK_NUMBER(INT64_MAX, mam_json_integer(json, "/0", 0));
    CHECK_NUMBER(INT64_MIN, mam_json_integer(json, "/1", 0));
    CHECK_NUMBER(0, mam_json_integer(json, "/2", 5));
    CHECK_NUMBER(5, mam_json_integer(json, "/3", 5));
    CHECK_NUMBER(1, mam_json_has(json, "/3"));
    mam_json_release(json);
    static const char *const refused[] = {
        "9223372036854775808",
        "-9223372036854775809",
        "1e309",
        "{\"a\":1,\"\\u0061\":2}",
        "\"\\u0000\"",
        "{\"\\u0000\":1}",
        "01",
        "",
        "[1,]",
        "{} {}",
        "\"\377\"",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        json = (mam_json_t *)1;
        FAILS(MAM_ERR_JSON, mam_json_parse(refused[i], &json));
        CHECK(json == NULL);
        CULPRIT("argument", "json");
    }
    FAILS(MAM_ERR_ARGUMENT, mam_json_parse(NULL, &json));
    FAILS(MAM_ERR_ARGUMENT, mam_json_parse("{}", NULL));
}

/* The deepest text, a large one, and a long pointer. */
static void limits(void **state) {
    (void)state;
    enum { DEEPEST = 64, MANY = 200000 };
    char deep[2 * DEEPEST + 4], pointer[2 * DEEPEST + 4] = "";
    for (int depth = DEEPEST - 1; depth <= DEEPEST; depth++) {
        memset(deep, '[', (size_t)depth);
        deep[depth] = '7';
        memset(deep + depth + 1, ']', (size_t)depth);
        deep[2 * depth + 1] = '\0';
        mam_json_t *json = NULL;
        if (depth == DEEPEST) {
            FAILS(MAM_ERR_JSON, mam_json_parse(deep, &json));
            continue;
        }
        OK(mam_json_parse(deep, &json));
        for (int i = 0; i < depth; i++) strcat(pointer, "/0");
        CHECK_NUMBER(7, mam_json_integer(json, pointer, 0));
        strcat(pointer, "/0");
        CHECK_NUMBER(0, mam_json_has(json, pointer));
        mam_json_release(json);
    }
    char *large = malloc(MANY * 16 + 2), *end = large, *key = malloc(1 << 20);
    if (large == NULL || key == NULL) abort();
    for (int i = 0; i < MANY; i++) end += sprintf(end, "%c\"k%d\":%d", i == 0 ? '{' : ',', i, i);
    strcpy(end, "}");
    mam_json_t *json = parse(large);
    CHECK_NUMBER(MANY, mam_json_count(json, ""));
    CHECK_NUMBER(MANY - 1, mam_json_integer(json, "/k199999", -1));
    CHECK_TEXT("k199999", mam_json_key(json, "", MANY - 1));
    CHECK_TEXT("", mam_json_key(json, "", MANY));
    memset(key, '/', (1 << 20) - 1);
    key[(1 << 20) - 1] = '\0';
    CHECK_NUMBER(0, mam_json_has(json, key));
    OK(mam_last_status());
    mam_json_release(json);
    free(large);
    free(key);
}

/* A text of `length` bytes: an array of long strings. */
static char *array_of(size_t length) {
    enum { STRING = 1 << 20 };
    char *text = malloc(length + 1);
    if (text == NULL) abort();
    memset(text, 'x', length);
    for (size_t at = 1; at < length - 2; at += STRING) {
        text[at] = '"';
        if (at > 1) memcpy(text + at - 2, "\",", 2);
    }
    text[0] = '[';
    memcpy(text + length - 2, "\"]", 3);
    return text;
}

/* Whatever libmam returns: 256 MiB, of which mam_policy_simulate uses 64. */
static void as_long_as_a_reply(void **state) {
    (void)state;
    enum { SIMULATION = 64 << 20, LONGEST = 256 << 20 };
    char *text = array_of(SIMULATION + 100);
    mam_json_t *json = parse(text);
    CHECK_NUMBER(65, mam_json_count(json, ""));
    CHECK_NUMBER('x', mam_json_text(json, "/64")[0]);
    mam_json_release(json);
    free(text);
    text = array_of(LONGEST + 1);
    FAILS(MAM_ERR_JSON, mam_json_parse(text, &json));
    CHECK(strstr(mam_last_message(), "268435456") != NULL);
    free(text);
}

/* A reply that is longer than any request. */
static void a_long_reply(void **state) {
    enum { USERS = 30000, REQUEST = 16 << 20 };
    const office *o = *state;
    char *request = malloc(REQUEST), *at = request, *reply = NULL;
    if (request == NULL) abort();
    for (int half = 0; half < 2; half++) {
        at = request + sprintf(request, "{\"action\":\"user.import\",\"users\":[");
        for (int i = 0; i < USERS; i++)
            at += sprintf(
                at, "%s{\"upn\":\"u%d.%d.%0*d@contoso.example\",\"displayName\":\"%0*d\"}", i ? "," : "", half, i, 120, 0, 200, 0);
        strcpy(at, "]}");
        OK(mam_admin(o->authority, request, &reply));
        mam_free(reply);
    }
    OK(mam_admin(o->authority, "{\"action\":\"user.list\"}", &reply));
    CHECK(strlen(reply) > REQUEST);
    mam_json_t *json = parse(reply);
    CHECK_NUMBER(2 * USERS + 2, mam_json_count(json, "/users"));
    mam_json_release(json);
    mam_free(reply);
    free(request);
}

static void released_once(void **state) {
    (void)state;
    mam_json_t *json = parse("{\"a\":true}"), *other;
    mam_json_release(json);
    OK(mam_last_status());
    other = parse("{\"a\":true}");
    mam_json_release(json);
    OK(mam_last_status());
    CHECK_NUMBER(0, mam_json_bool(json, "/a", 0));
    FAILS(MAM_ERR_CLOSED, mam_last_status());
    CULPRIT("argument", "parsed");
    CHECK_NUMBER(1, mam_json_bool(NULL, "/a", 1));
    FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    CHECK_NUMBER(1, mam_json_bool(other, "/a", 0));
    mam_json_release(other);
    mam_json_release(NULL);
    FAILS(MAM_ERR_ARGUMENT, mam_last_status()); /* what is read and released leaves it */
}

/* Replies of libmam. */
static void replies(void **state) {
    const office *o = *state;
    char *text = NULL;
    int64_t op;
    mam_t *m = open_enrolled(o);
    OK(mam_enrolled_accounts(m, &text));
    mam_json_t *json = parse(text);
    CHECK_NUMBER(1, mam_json_count(json, ""));
    CHECK_TEXT(ANN_ID, mam_json_text(json, "/0/accountId"));
    mam_free(text);
    CHECK_TEXT(ANN_ID, mam_json_text(json, "/0/accountId"));
    mam_json_release(json);
    OK(mam_launch(m, &op));
    OK(mam_wait(m, op, SOON, &text));
    json = parse(text);
    CHECK_NUMBER(count_of(text, "/findings"), mam_json_count(json, "/findings"));
    CHECK(mam_json_count(json, "/findings") > 0);
    CHECK_TEXT(text_of(text, "/findings/0/userMessage"), mam_json_text(json, "/findings/0/userMessage"));
    mam_free(text);
    OK(mam_close(m));
    CHECK_NUMBER(1, mam_json_has(json, "/findings/0/message")); /* it belongs to no session */
    mam_json_release(json);
}

static void child(void *user) {
    mam_json_t *json = user, *own = parse("[\"of the child\"]");
    CHECK_TEXT("of the child", mam_json_text(own, "/0"));
    mam_json_release(own);
    CHECK_NUMBER(0, mam_json_has(json, ""));
    FAILS(MAM_ERR_FORKED, mam_last_status());
    CHECK_TEXT("", mam_json_text(json, "/0"));
    FAILS(MAM_ERR_FORKED, mam_last_status());
    CHECK_NUMBER(3, mam_json_integer(json, "/0", 3));
    FAILS(MAM_ERR_FORKED, mam_last_status());
    mam_json_release(json);
    FAILS(MAM_ERR_FORKED, mam_last_status());
}

static void after_fork(void **state) {
    (void)state;
    mam_json_t *json = parse("[\"of the parent\"]");
    const char *text = mam_json_text(json, "/0");
    in_child(child, json);
    CHECK_TEXT("of the parent", mam_json_text(json, "/0"));
    CHECK(text == mam_json_text(json, "/0"));
    mam_json_release(json);
}

static void *read_often(void *user) {
    for (int i = 0; i < 2000; i++) {
        char pointer[32];
        mam_json_t *own = parse("{\"a\":[1,2,3]}");
        CHECK_NUMBER(3, mam_json_count(own, "/a"));
        mam_json_release(own);
        snprintf(pointer, sizeof pointer, "/%d/text", i % 3);
        CHECK_NUMBER('a' + i % 3, mam_json_text(user, pointer)[0]);
        OK(mam_last_status());
    }
    return NULL;
}

static void many_threads(void **state) {
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    mam_json_t *json = parse("[{\"text\":\"a\"},{\"text\":\"b\"},{\"text\":\"c\"}]");
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, read_often, json) == 0);
    for (int i = 0; i < 20; i++) in_child(child, json); /* while others read: no lock can be left taken */
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    mam_json_release(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_of_the_rfc),
        cmocka_unit_test(absent_or_of_another_type),
        cmocka_unit_test(malformed_pointers),
        cmocka_unit_test(scalars_and_numbers),
        cmocka_unit_test(limits),
        cmocka_unit_test(as_long_as_a_reply),
        WITH_OFFICE(a_long_reply),
        cmocka_unit_test(released_once),
        WITH_OFFICE(replies),
        cmocka_unit_test(after_fork),
        cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests_name("parsed JSON", tests, begin, NULL);
}
