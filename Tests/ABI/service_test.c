/* A service on the network that accepts connections and does not answer: interrupts, closing, forks and exits while a
 * request is under way. Service/Tests has services that answer. */
#include "support.h"

#include "silent_service.h"
#include <dlfcn.h>

typedef struct asking {
    office *o;
    int listener, port, connection;
    mam_t *m;
    int64_t op;
} asking;

static mam_t *open_asking(const asking *a, const char *state, const char *more) {
    char settings[4096];
    mam_t *m = NULL;
    silent_settings(settings, sizeof settings, a->port, in_office(a->o, state), more);
    OK(mam_open(settings, &m));
    return m;
}

/* A session whose request is under way. */
static asking ask(void **state) {
    asking a = {*state, -1, 0, -1, NULL, 0};
    a.listener = silent_service(&a.port);
    CHECK(a.listener >= 0);
    a.m = open_asking(&a, "net", "");
    OK(ask_silent_service(a.m, &a.op));
    a.connection = accept(a.listener, NULL, NULL);
    CHECK(a.connection >= 0);
    return a;
}

static void end(asking *a) {
    if (a->m) OK(mam_close(a->m));
    close(a->connection);
    close(a->listener);
}

static bool lacks_curl(void) {
    /* The library opens it by this name. */
    void *curl = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!curl) curl = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    return curl == NULL;
}

static void an_interrupt_ends_a_request(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    asking a = ask(state);
    OK(mam_interrupt(a.m));
    CHECK_NUMBER(216, code_of(a.m, a.op));
    end(&a);
}

static void closing_ends_a_request(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    asking a = ask(state);
    OK(mam_close(a.m));
    /* The registration is kept, and nothing came back that could be recorded. */
    char *accounts = NULL;
    a.m = open_asking(&a, "net", ",\"worker\":false");
    OK(mam_registered_accounts(a.m, &accounts));
    CHECK_NUMBER(1, count_of(accounts, ""));
    CHECK(!has(accounts, "/0/lastCode") || number_of(accounts, "/0/lastCode") == 0);
    mam_free(accounts);
    end(&a);
}

static void other_calls_do_not_wait(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    asking a = ask(state);
    char *reply = NULL;
    int64_t op = 0;
    OK(mam_launch(a.m, &op));
    OK(mam_wait(a.m, op, SOON, &reply));
    mam_free(reply);
    OK(mam_diagnostics(a.m, &reply));
    CHECK_TEXT("service", text_of(reply, "/authority/custody"));
    CHECK_TEXT("", text_of(reply, "/authority/lastReached"));
    mam_free(reply);
    FAILS(MAM_ERR_TIMEOUT, mam_wait(a.m, a.op, 0, &reply));
    end(&a);
}

static void in_the_child(void *argument) {
    asking *a = argument;
    char *reply = NULL;
    FAILS(MAM_ERR_FORKED, mam_wait(a->m, a->op, 0, &reply));
    FAILS(MAM_ERR_FORKED, mam_check_in(a->m, NULL, &a->op));
    OK(mam_close(a->m));
    /* A session of its own asks the service itself. */
    a->m = open_asking(a, "child", "");
    OK(ask_silent_service(a->m, &a->op));
    int connection = accept(a->listener, NULL, NULL);
    CHECK(connection >= 0);
    OK(mam_interrupt(a->m));
    CHECK_NUMBER(216, code_of(a->m, a->op));
    OK(mam_close(a->m));
}

static void a_request_belongs_to_the_parent(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    asking a = ask(state);
    in_child(in_the_child, &a);
    OK(mam_interrupt(a.m));
    CHECK_NUMBER(216, code_of(a.m, a.op));
    end(&a);
}

static void leave(void **state, const char *how, int times) {
    const office *o = *state;
    char output[512];
    for (int i = 0; i < times; i++) {
        char *const words[] = {
            (char *)(uintptr_t)tool("exiting"), (char *)(uintptr_t)in_office(o, "net"), (char *)(uintptr_t)how, NULL};
        int status = run_program(words, NULL, output, sizeof output);
        if (status == 3) SKIP(output);
        if (status != 0) failed_at(__FILE__, __LINE__, "time %d: exit status %d, \"%s\"", i, status, output);
    }
}

static void leaving_while_a_request_is_under_way(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    leave(state, NULL, 20);
}

static void leaving_where_openssl_was_there_first(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    const char *options = getenv("ASAN_OPTIONS");
    char *former = options ? strdup(options) : NULL;
    /* libcrypto's exit handler forgets its own tables without freeing what they hold. */
    if (IS_SANITIZED) CHECK(setenv("ASAN_OPTIONS", "detect_leaks=0", 1) == 0);
    leave(state, "openssl", 20);
    if (former) CHECK(setenv("ASAN_OPTIONS", former, 1) == 0);
    free(former);
}

/* Reads what a client asks of a proxy, up to the empty line. */
static int asked_of_proxy(const asking *a, char *text, size_t size) {
    int connection = accept(a->listener, NULL, NULL);
    size_t length = 0;
    CHECK(connection >= 0);
    while (length + 1 < size) {
        ssize_t count = read(connection, text + length, size - length - 1);
        if (count <= 0) break;
        length += (size_t)count;
        text[length] = 0;
        if (strstr(text, "\r\n\r\n")) break;
    }
    text[length] = 0;
    return connection;
}

static void refuse(int connection) {
    static const char refusal[] = "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm=\"office\"\r\n"
                                  "Content-Length: 0\r\nConnection: close\r\n\r\n";
    CHECK(write(connection, refusal, sizeof refusal - 1) == (ssize_t)sizeof refusal - 1);
    close(connection);
}

static void a_proxy_gets_its_credentials(void **state) {
    if (lacks_curl()) SKIP("there is no libcurl");
    static const char secret[] = "ann:open sesame";
    asking a = {*state, -1, 0, -1, NULL, 0};
    char settings[4096], proxy[64], text[4096];
    a.listener = silent_service(&a.port);
    CHECK(a.listener >= 0);
    (void)snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", a.port);
    proxied_settings(settings, sizeof settings, 1, proxy, in_office(a.o, "net"), ",\"questions\":\"events\"");
    OK(mam_open(settings, &a.m));
    OK(ask_silent_service(a.m, &a.op));
    int connection = asked_of_proxy(&a, text, sizeof text);
    CHECK(strstr(text, "CONNECT 127.0.0.1:1 ") == text);
    CHECK(!strstr(text, "Proxy-Authorization"));
    refuse(connection);
    char *question = next_event(a.m, "question", SOON);
    CHECK(question != NULL);
    CHECK_TEXT("proxyCredentials", text_of(question, "/question"));
    CHECK_TEXT(proxy, text_of(question, "/proxy"));
    CHECK_TEXT("https://127.0.0.1:1", text_of(question, "/resource"));
    int64_t id = number_of(question, "/id");
    mam_free(question);
    FAILS(MAM_ERR_ARGUMENT, mam_answer(a.m, id, "\"ann:open sesame\""));
    OK(mam_answer_secret(a.m, id, (const uint8_t *)secret, sizeof secret - 1));
    /* The first attempt asks how, the next one has the secret. */
    int refused = 0;
    connection = asked_of_proxy(&a, text, sizeof text);
    while (!strstr(text, "Proxy-Authorization: Basic YW5uOm9wZW4gc2VzYW1l\r\n")) {
        CHECK(refused++ < 3);
        refuse(connection);
        connection = asked_of_proxy(&a, text, sizeof text);
    }
    OK(mam_interrupt(a.m));
    CHECK_NUMBER(216, code_of(a.m, a.op));
    close(connection);
    OK(mam_diagnostics(a.m, &question));
    CHECK(!strstr(question, "sesame"));
    mam_free(question);
    OK(mam_close(a.m));
    close(a.listener);
}

static void nothing_is_opened_before_the_first_request(void **state) {
    asking a = {*state, -1, 0, -1, NULL, 0};
    char line[512];
    bool is_mapped = false;
    a.m = open_asking(&a, "idle", "");
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps)) is_mapped = is_mapped || strstr(line, "libcurl");
    (void)fclose(maps);
    CHECK(!is_mapped);
    OK(mam_close(a.m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(nothing_is_opened_before_the_first_request), /* before any other test opens it */
        WITH_OFFICE(an_interrupt_ends_a_request),
        WITH_OFFICE(closing_ends_a_request),
        WITH_OFFICE(other_calls_do_not_wait),
        WITH_OFFICE(a_proxy_gets_its_credentials),
        WITH_OFFICE(a_request_belongs_to_the_parent),
        WITH_OFFICE(leaving_while_a_request_is_under_way),
        WITH_OFFICE(leaving_where_openssl_was_there_first),
    };
    return cmocka_run_group_tests_name("service", tests, begin, NULL);
}
