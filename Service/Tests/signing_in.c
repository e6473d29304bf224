/* A host in C that libmam signs in, and that forks meanwhile: signing_in SETTINGS MODE. It says on standard output how far it is, and goes
 * on with each line of standard input.
 *
 *    device, browser   signs in; forks once the page is shown, and in a browser all the while before
 *    check-in          checks in; forks when its input asks for it
 *    remain, browse    signs in by a code or in a browser, checks in, and stays, then with the session closed
 *    secret            enrolls with the secret that a line brings, and stays as well */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <mam.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *settings, *mode;

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            char *why = NULL;                                                      \
            if (mam_last_error_json(&why) != MAM_OK) why = NULL;                   \
            fprintf(stderr, "%d: %s: %s\n", __LINE__, #condition, why ? why : ""); \
            _exit(3);                                                              \
        }                                                                          \
    } while (0)
#define OK(call) CHECK((call) == MAM_OK)

static void say(const char *word, int64_t number) {
    printf("%s %lld\n", word, (long long)number);
    fflush(stdout);
}

/* Without a buffer, which a child would inherit. */
static void await_line(void) {
    char byte = 0;
    while (byte != '\n') CHECK(read(0, &byte, 1) == 1);
}

/* Answer a question with a line, of which nothing is left here. */
static void answer_line(mam_t *m, int64_t id) {
    uint8_t line[4096];
    size_t length = 0;
    do CHECK(length < sizeof line && read(0, line + length, 1) == 1);
    while (line[length++] != '\n');
    OK(mam_answer_secret(m, id, line, length - 1));
    explicit_bzero(line, sizeof line);
}

static mam_t *opened(void) {
    mam_t *m = NULL;
    OK(mam_open(settings, &m));
    return m;
}

/* Take an event; answer a question for a token. The port of the page of a sign-in, 1 for a code, or 0. */
static int take_event(mam_t *m) {
    char *json = NULL;
    mam_json_t *event = NULL;
    int page = 0;
    mam_status status = mam_event_next(m, 50, &json);
    if (status == MAM_ERR_TIMEOUT) return 0;
    CHECK(status == MAM_OK);
    OK(mam_json_parse(json, &event));
    int64_t id = mam_json_integer(event, "/id", 0);
    const char *question = mam_json_text(event, "/question");
    if (strcmp(question, "accessToken") == 0 && strcmp(mode, "secret") == 0) {
        say("asked", 0);
        answer_line(m, id);
    } else if (strcmp(question, "accessToken") == 0) {
        bool browses = strncmp(mode, "brows", 5) == 0;
        OK(mam_answer(
            m, id,
            strcmp(mode, "check-in") == 0 ? "null"
                : browses                 ? "{\"signIn\":true,\"browser\":true}"
                                          : "{\"signIn\":true}"));
    } else if (strcmp(question, "signIn") == 0) {
        const char *port = strstr(mam_json_text(event, "/authorizationUri"), "127.0.0.1%3A");
        if (strcmp(mode, "browse") == 0) {
            printf("page %s\n", mam_json_text(event, "/authorizationUri"));
            fflush(stdout);
        }
        page = port ? atoi(port + strlen("127.0.0.1%3A")) : 1;
        OK(mam_answer(m, id, "{\"shown\":true}"));
    }
    mam_json_release(event);
    mam_free(json);
    return page;
}

/* The code with which an operation ends. */
static int64_t ended(mam_t *m, int64_t op) {
    while (true) {
        char *json = NULL;
        mam_json_t *result = NULL;
        mam_status status = mam_wait(m, op, 50, &json);
        if (status == MAM_ERR_TIMEOUT) {
            (void)take_event(m);
            continue;
        }
        CHECK(status == MAM_OK);
        OK(mam_json_parse(json, &result));
        int64_t code = mam_json_integer(result, "/code", -1);
        mam_json_release(result);
        mam_free(json);
        return code;
    }
}

static bool is_open(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    bool connected = connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0;
    close(descriptor);
    return connected;
}

/* A child has the handle, which it may close alone. */
static void refuses_the_handle(mam_t *m, int64_t op) {
    char *json = NULL;
    int64_t other = 0;
    CHECK(mam_check_in(m, NULL, &other) == MAM_ERR_FORKED);
    CHECK(mam_wait(m, op, 0, &json) == MAM_ERR_FORKED);
    CHECK(mam_event_next(m, 0, &json) == MAM_ERR_FORKED);
    CHECK(mam_answer(m, 1, "true") == MAM_ERR_FORKED);
    OK(mam_close(m));
}

/* Children live until the write end closes. */
static int held[2];

static void await_the_end(void) {
    char byte = 0;
    close(held[1]);
    _exit(read(held[0], &byte, 1) == 0 ? 0 : 4);
}

/* Children of every moment of a sign-in that begins. */
static pid_t children[200];
static size_t early;
static atomic_bool is_shown;

static void *fork_all_the_while(void *unused) {
    bool browses = strcmp(mode, "browser") == 0;
    while (browses && !is_shown && early < sizeof children / sizeof *children) {
        pid_t child = fork();
        if (child == 0) await_the_end();
        CHECK(child > 0);
        children[early++] = child;
        usleep(200);
    }
    return unused;
}

static void sign_in(void) {
    mam_t *m = opened();
    int64_t op = 0;
    int page = 0;
    OK(mam_login_and_enroll(m, "alice@contoso.example", &op));
    CHECK(pipe(held) == 0);
    pthread_t forking;
    CHECK(pthread_create(&forking, NULL, fork_all_the_while, NULL) == 0);
    while (!page) page = take_event(m);
    is_shown = true;
    CHECK(pthread_join(forking, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        refuses_the_handle(m, op);
        /* Its own session sees no enrollment and polls nothing. */
        OK(mam_close(opened()));
        say("forked", page);
        await_the_end();
    }
    if (strcmp(mode, "browser") == 0) {
        await_line();
        CHECK(is_open(page));
        OK(mam_close(m));
        /* The child still runs. */
        say("open", is_open(page));
    } else {
        say("code", ended(m, op));
        OK(mam_close(m));
    }
    close(held[1]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    say("child", status);
    while (early > 0) CHECK(waitpid(children[--early], &status, 0) > 0 && status == 0);
}

static void check_in(void) {
    mam_t *m = opened();
    int64_t op = 0;
    OK(mam_check_in(m, NULL, &op));
    say("begun", 0);
    await_line();
    pid_t child = fork();
    if (child == 0) {
        refuses_the_handle(m, op);
        m = opened();
        OK(mam_check_in(m, NULL, &op));
        say("child-begun", 0);
        int64_t code = ended(m, op);
        OK(mam_close(m));
        say("child-code", code);
        _exit(0);
    }
    int status = 0;
    int64_t code = ended(m, op);
    CHECK(waitpid(child, &status, 0) == child);
    say("code", code);
    OK(mam_close(m));
    say("child", status);
}

static void remain(void) {
    mam_t *m = opened();
    int64_t op = 0;
    OK(mam_login_and_enroll(m, "alice@contoso.example", &op));
    say("code", ended(m, op));
    await_line();
    OK(mam_check_in(m, NULL, &op));
    say("code", ended(m, op));
    await_line();
    OK(mam_close(m));
    say("closed", 0);
    await_line();
}

int main(int count, char **words) {
    CHECK(count == 3);
    settings = words[1];
    mode = words[2];
    if (strcmp(mode, "check-in") == 0) {
        check_in();
    } else if (strcmp(mode, "remain") == 0 || strcmp(mode, "browse") == 0 || strcmp(mode, "secret") == 0) {
        remain();
    } else {
        sign_in();
    }
    return 0;
}
