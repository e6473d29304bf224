#define _GNU_SOURCE
#include "CTransport.h"
#include "curl.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEADER_LIMIT = 64 * 1024, STEP_MS = 20 };

/* A text that grows up to a limit. */
typedef struct text {
    char *bytes;
    size_t length, capacity, limit;
    bool is_too_long;
} text_t;

/* Zero and release memory: a token may be in it. */
static void wipe(char *bytes, size_t length) {
    if (bytes) explicit_bzero(bytes, length);
    free(bytes);
}

static bool add(text_t *text, const char *bytes, size_t length) {
    if (length > text->limit - text->length) {
        text->is_too_long = true;
        return false;
    }
    if (length > text->capacity - text->length) {
        size_t capacity = text->capacity ? text->capacity * 2 : 4096;
        while (capacity < text->length + length) capacity *= 2;
        char *grown = malloc(capacity);
        if (!grown) return false;
        if (text->length) memcpy(grown, text->bytes, text->length);
        wipe(text->bytes, text->capacity);
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return true;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *to) {
    return add(to, bytes, size * count) ? size * count : 0;
}

/* Each line alone. A status line begins a reply: interim ones come before. */
static size_t receive_field(char *line, size_t size, size_t count, void *to) {
    text_t *fields = to;
    size_t length = size * count;
    if (length >= 5 && memcmp(line, "HTTP/", 5) == 0) {
        fields->length = 0;
        return length;
    }
    return add(fields, line, length) ? length : 0;
}

/* A socket that programs started meanwhile do not inherit. */
static int open_socket(void *context, int purpose, curl_address_t *address) {
    (void)context;
    (void)purpose;
    return socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
}

/* Have OpenSSL zero what it has decrypted once it was read. */
static int set_tls(void *easy, void *context, void *curl) {
    const uint64_t CLEANSE_PLAINTEXT = 2;
    (void)easy;
    (void)((const curl_t *)curl)->set_tls_options(context, CLEANSE_PLAINTEXT);
    return RESULT_OK;
}

/* The outcome of libcurl's result; `verified`: that of the certificate's chain, by OpenSSL's numbers. */
static int32_t outcome(int result, long verified, const text_t *fields, const text_t *body) {
    /* The second one is libcurl's beginning: where only the name is wrong, it keeps no number. */
    enum { CHAIN_IS_GOOD = 0, CHAIN_IS_UNTOLD = 1, NOT_YET_VALID = 9 };
    static const struct {
        int result;
        int32_t outcome;
    } known[] = {
        {RESULT_OK, TRANSPORT_OK},
        {RESULT_NO_PROXY, TRANSPORT_NO_NAME},
        {RESULT_NO_HOST, TRANSPORT_NO_NAME},
        {RESULT_WRITE, TRANSPORT_FAILED},
        {RESULT_NO_MEMORY, TRANSPORT_FAILED},
        {RESULT_BAD_OPTION, TRANSPORT_FAILED},
        {RESULT_TIMEOUT, TRANSPORT_TIMEOUT},
        {RESULT_TLS, TRANSPORT_NOT_TRUSTED},
        {RESULT_NOT_TRUSTED, TRANSPORT_NOT_TRUSTED},
        {RESULT_BAD_CA_FILE, TRANSPORT_NOT_TRUSTED},
        {RESULT_WRONG_PIN, TRANSPORT_WRONG_PIN},
    };
    if (result == RESULT_WRITE && (fields->is_too_long || body->is_too_long)) return TRANSPORT_TOO_LARGE;
    if (result == RESULT_NOT_TRUSTED && verified == NOT_YET_VALID) return TRANSPORT_NOT_YET_VALID;
    if (result == RESULT_NOT_TRUSTED && (verified == CHAIN_IS_GOOD || verified == CHAIN_IS_UNTOLD)) return TRANSPORT_WRONG_HOST;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].result == result) return known[i].outcome;
    return TRANSPORT_NO_ANSWER;
}

/* Set what every exchange has; false if libcurl is too old for it. */
static bool set_up(const curl_t *curl, void *easy, const transport_request_t *request) {
    bool is_post = strcmp(request->method, "POST") == 0;
    bool done = curl->set(easy, OPT_URL, request->url) == 0 && curl->set(easy, OPT_PROTOCOLS, (long)PROTOCOL_HTTPS) == 0
        && curl->set(easy, OPT_FOLLOWLOCATION, 0L) == 0 && curl->set(easy, OPT_SSL_VERIFYPEER, 1L) == 0
        && curl->set(easy, OPT_SSL_VERIFYHOST, 2L) == 0 && curl->set(easy, OPT_SSLVERSION, (long)VERSION_TLS12) == 0
        && curl->set(easy, OPT_HTTP_VERSION, (long)VERSION_HTTP11) == 0 && curl->set(easy, OPT_NOSIGNAL, 1L) == 0
        && curl->set(easy, OPT_NETRC, 0L) == 0 && curl->set(easy, OPT_FORBID_REUSE, request->connection ? 0L : 1L) == 0
        && curl->set(easy, OPT_SUPPRESS_CONNECT_HEADERS, 1L) == 0 && curl->set(easy, OPT_TIMEOUT_MS, (long)request->timeout_ms) == 0
        && curl->set(easy, OPT_CONNECTTIMEOUT_MS, (long)request->connect_timeout_ms) == 0
        && curl->set(easy, OPT_OPENSOCKETFUNCTION, open_socket) == 0;
    (void)curl->set(easy, OPT_QUICK_EXIT, 1L); /* from 7.87 on: closing does not wait for a resolver */
    if (curl->set_tls_options && curl->set(easy, OPT_SSL_CTX_FUNCTION, set_tls) == 0) (void)curl->set(easy, OPT_SSL_CTX_DATA, curl);
    if (done && is_post)
        done = curl->set(easy, OPT_POST, 1L) == 0 && curl->set(easy, OPT_POSTFIELDSIZE_LARGE, (int64_t)request->body_length) == 0
            && curl->set(easy, OPT_POSTFIELDS, request->body ? request->body : "") == 0;
    if (done && request->ca) {
        curl_blob_t blob = {(void *)request->ca, strlen(request->ca), 1 /* copied */};
        done = curl->set(easy, OPT_CAINFO_BLOB, &blob) == 0 && curl->set(easy, OPT_CAINFO, NULL) == 0
            && curl->set(easy, OPT_CAPATH, NULL) == 0;
    } else if (done && request->ca_file) {
        done = curl->set(easy, OPT_CAINFO, request->ca_file) == 0 && curl->set(easy, OPT_CAPATH, NULL) == 0;
    }
    if (done && request->pins) done = curl->set(easy, OPT_PINNEDPUBLICKEY, request->pins) == 0;
    if (done && request->proxy) done = curl->set(easy, OPT_PROXY, request->proxy) == 0;
    if (done && request->proxy_user && request->proxy_password)
        done = curl->set(easy, OPT_PROXYAUTH, (long)(AUTH_BASIC | AUTH_DIGEST)) == 0
            && curl->set(easy, OPT_PROXYUSERNAME, request->proxy_user) == 0
            && curl->set(easy, OPT_PROXYPASSWORD, request->proxy_password) == 0;
    return done;
}

/* Run until the exchange has ended; the number of libcurl's result, or -1 where it was interrupted. */
static int run(const curl_t *curl, void *multi, const transport_request_t *request) {
    while (true) {
        int running = 0, waiting = 0, ignored = 0;
        if (curl->multi_perform(multi, &running) != 0) return RESULT_NO_MEMORY;
        const curl_message_t *message = curl->multi_next(multi, &waiting);
        if (message && message->kind == MESSAGE_DONE) return message->data.result;
        if (request->is_interrupted(request->context)) return -1;
        request->let_forks();
        int failed = curl->multi_poll(multi, NULL, 0, STEP_MS, &ignored);
        request->hold_forks();
        if (failed != 0) return RESULT_NO_MEMORY;
    }
}

static int32_t perform(const curl_t *curl, const transport_request_t *request, transport_reply_t *reply) {
    text_t fields = {.limit = HEADER_LIMIT}, body = {.limit = request->reply_limit};
    void **kept = request->connection, *easy = curl->easy_init(), *multi = kept && *kept ? *kept : curl->multi_init();
    if (kept) *kept = NULL;
    /* libcurl adds neither a type of its own nor "Expect". */
    curl_list_t *list = curl->append(NULL, "Expect:");
    bool ready = easy && multi && list && set_up(curl, easy, request);
    for (size_t i = 0; ready && i < request->field_count; i++) ready = curl->append(list, request->fields[i]) != NULL;
    ready = ready && curl->set(easy, OPT_HTTPHEADER, list) == 0 && curl->set(easy, OPT_ERRORBUFFER, reply->reason) == 0
        && curl->set(easy, OPT_WRITEFUNCTION, receive_body) == 0 && curl->set(easy, OPT_WRITEDATA, &body) == 0
        && curl->set(easy, OPT_HEADERFUNCTION, receive_field) == 0 && curl->set(easy, OPT_HEADERDATA, &fields) == 0
        && curl->multi_add(multi, easy) == 0;
    int32_t status = TRANSPORT_FAILED;
    if (ready) {
        int result = run(curl, multi, request);
        long verified = -1, connect = 0;
        enum { PROXY_LOGIN = 407 };
        if (curl->get_info(easy, INFO_SSL_VERIFYRESULT, &verified) != 0) verified = -1;
        status = result < 0 ? TRANSPORT_INTERRUPTED : outcome(result, verified, &fields, &body);
        if (result > 0 && curl->get_info(easy, INFO_CONNECT_CODE, &connect) == 0 && connect == PROXY_LOGIN)
            status = TRANSPORT_PROXY_LOGIN;
        if (curl->get_info(easy, INFO_RESPONSE_CODE, &reply->status) != 0) reply->status = 0;
        (void)curl->multi_remove(multi, easy);
    }
    if (easy) curl->easy_cleanup(easy);
    if (kept && status == TRANSPORT_OK) *kept = multi;
    else if (multi) (void)curl->multi_cleanup(multi);
    curl->list_free(list);
    reply->fields = fields.bytes;
    reply->fields_length = fields.length;
    reply->body = body.bytes;
    reply->body_length = body.length;
    reply->reason[TRANSPORT_REASON - 1] = 0;
    return status;
}

/* TLS writes to sockets whose other end may be closed. */
typedef struct no_sigpipe {
    sigset_t before;
    bool was_pending;
} no_sigpipe_t;

static bool is_pipe_pending(void) {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
}

static sigset_t only_pipe(void) {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    return pipe;
}

static no_sigpipe_t block_pipe(void) {
    const sigset_t pipe = only_pipe();
    no_sigpipe_t blocked = {.was_pending = is_pipe_pending()};
    pthread_sigmask(SIG_BLOCK, &pipe, &blocked.before);
    return blocked;
}

static void let_pipe(no_sigpipe_t blocked) {
    const sigset_t pipe = only_pipe();
    const struct timespec now = {0};
    if (!blocked.was_pending && is_pipe_pending()) (void)sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &blocked.before, NULL);
}

int32_t transport_exchange(const transport_request_t *request, transport_reply_t *reply) {
    *reply = (transport_reply_t){0};
    const no_sigpipe_t blocked = block_pipe();
    request->hold_forks();
    const curl_t *curl = transport_curl();
    int32_t status = curl ? perform(curl, request, reply) : TRANSPORT_NO_LIBRARY;
    request->let_forks();
    let_pipe(blocked);
    return status;
}

void transport_close(void *connection) {
    if (!connection) return;
    const no_sigpipe_t blocked = block_pipe();
    (void)transport_curl()->multi_cleanup(connection);
    let_pipe(blocked);
}

void transport_text_free(char *text) { wipe(text, text ? strlen(text) : 0); }

void transport_reply_clear(transport_reply_t *reply) {
    wipe(reply->fields, reply->fields_length);
    wipe(reply->body, reply->body_length);
    *reply = (transport_reply_t){0};
}
