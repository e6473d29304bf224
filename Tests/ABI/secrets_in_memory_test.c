/* No data that was protected, unprotected or given as a secret answer is left in memory once the host has freed its own
 * copy. */
#define _GNU_SOURCE
#include "support.h"

#include <sys/mman.h>
#include <sys/random.h>

enum { LENGTH = 4000, PIECE = 16 };

/* The only allowed copy: letters that occur nowhere else. */
static char *secret;

static void make_secret(void) {
    secret = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(secret != MAP_FAILED);
    /* The secret has a mapping of its own. */
    CHECK(mprotect(secret, 4096, PROT_NONE) == 0 && mprotect(secret + 2 * 4096, 4096, PROT_NONE) == 0);
    secret += 4096;
    CHECK(getrandom(secret, LENGTH, 0) == LENGTH);
    for (int i = 0; i < LENGTH; i++) secret[i] = (char)('a' + (secret[i] & 15));
    secret[LENGTH] = 0;
}

static int pieces_in(const char *from, const char *to) {
    int found = 0; /* of six pieces, a fifth apart */
    for (int at = 0; at < LENGTH; at += LENGTH / 5 - PIECE / 2)
        if (at + PIECE <= LENGTH) found += memmem(from, (size_t)(to - from), secret + at, PIECE) != NULL;
    return found;
}

/* The number of its pieces in the heap, in mapped memory and on stacks, without file pages. */
static int remains(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096], rights[8], path[4096];
    int found = 0;
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &from, &to, rights, path) < 3) continue;
        if (strncmp(rights, "rw-p", 4) != 0 || path[0] == '/' || from == (unsigned long)secret) continue;
        found += pieces_in((const char *)from, (const char *)to);
    }
    fclose(maps);
    return found;
}

static int set_up_secret(void **state) {
    make_secret();
    return set_up(state);
}

static void the_search_finds_the_secret(void **state) {
    (void)state;
    CHECK_NUMBER(0, remains());
    char *copy = strdup(secret);
    CHECK(remains() > 0);
    mam_free(copy); /* zeroes memory from malloc */
    CHECK_NUMBER(0, remains());
}

static const char *const owners[] = {ANN, EVE, ""};

static void of_strings(void **state) {
    mam_t *m = open_enrolled(*state);
    for (int i = 0; i < 3; i++) {
        char *text = NULL, *back = NULL;
        mam_bool was_protected = 0;
        OK(mam_protect_string(m, owners[i], secret, &text));
        CHECK_NUMBER(0, remains());
        OK(mam_unprotect_string(m, text, 0, &back, &was_protected));
        CHECK(was_protected == 1 && strcmp(back, secret) == 0);
        mam_free(back);
        char *changed = text + strlen(text) / 2;
        *changed = *changed == 'A' ? 'B' : 'A';
        CHECK(mam_unprotect_string(m, text, 0, &back, &was_protected) != MAM_OK);
        mam_free(text);
        OK(mam_unprotect_string(m, secret, 0, &back, &was_protected)); /* never was protected */
        mam_free(back);
        CHECK_NUMBER(0, remains());
    }
    OK(mam_close(m));
    CHECK_NUMBER(0, remains());
}

static void of_buffers(void **state) {
    static uint8_t out[LENGTH + MAM_PROTECT_OVERHEAD], back[LENGTH];
    mam_t *m = open_enrolled(*state);
    for (int i = 0; i < 3; i++) {
        mam_buffer container = {NULL, 0}, plain = {NULL, 0};
        mam_bool was_protected = 0;
        size_t written = 0, size = 0;
        OK(mam_protect(m, owners[i], (const uint8_t *)secret, LENGTH, &container));
        OK(mam_unprotect(m, container.data, container.length, 0, &plain, &was_protected));
        mam_buffer_free(&plain);
        OK(mam_protect_into(m, owners[i], (const uint8_t *)secret, LENGTH, out, sizeof out, &written));
        OK(mam_unprotect_into(m, out, written, 0, back, sizeof back, &size, &was_protected));
        container.data[container.length - 1] ^= 1;
        CHECK(mam_unprotect(m, container.data, container.length, 0, &plain, &was_protected) != MAM_OK);
        mam_buffer_free(&container);
        memset(out, 0, sizeof out);
        memset(back, 0, sizeof back);
        CHECK_NUMBER(0, remains());
    }
    OK(mam_close(m));
}

/* Large enough for a container; zeroed by the test. */
typedef struct drain {
    uint8_t bytes[2 * LENGTH];
    size_t length, calls_left;
} drain;

static int32_t into_drain(void *user, const uint8_t *data, size_t length) {
    drain *d = user;
    if (d->calls_left-- == 0 || d->length + length > sizeof d->bytes) return 1;
    memcpy(d->bytes + d->length, data, length);
    d->length += length;
    return 0;
}

/* Completed, abandoned in the middle, truncated, refused by the host; with one thread and two. */
static void of_streams(void **state) {
    static drain sealed, back;
    mam_t *m = open_enrolled(*state);
    for (int i = 0; i < 24; i++) {
        const char *owner = owners[i % 3];
        uint32_t flags = i / 3 % 2 ? MAM_TWO_THREADS : 0;
        bool is_cut = i >= 6, gives_up = i >= 12, is_refused = i >= 18;
        mam_protect_stream_t *stream = NULL;
        mam_unprotect_stream_t *reading = NULL;
        sealed.length = back.length = 0;
        sealed.calls_left = 1000;
        back.calls_left = is_refused ? 0 : 1000;
        OK(mam_protect_stream_open(m, owner, flags, into_drain, &sealed, &stream));
        for (int at = 0; at < LENGTH; at += 500) OK(mam_protect_stream_write(stream, (const uint8_t *)secret + at, 500));
        OK(mam_protect_stream_close(stream, 0));
        OK(mam_unprotect_stream_open(m, flags, into_drain, &back, &reading));
        size_t length = is_cut ? sealed.length - 100 : sealed.length;
        mam_status status = MAM_OK;
        for (size_t at = 0; status == MAM_OK && at < length; at += 700)
            status = mam_unprotect_stream_write(reading, sealed.bytes + at, length - at < 700 ? length - at : 700);
        CHECK(status == MAM_OK || is_refused);
        status = mam_unprotect_stream_close(reading, gives_up ? MAM_ABANDON : 0, NULL);
        if (!is_cut) CHECK(status == MAM_OK && back.length == LENGTH && memcmp(back.bytes, secret, LENGTH) == 0);
        if (is_cut && !gives_up) CHECK(status != MAM_OK);
        OK(mam_protect_stream_open(m, owner, flags, into_drain, &back, &stream));
        (void)!mam_protect_stream_write(stream, (const uint8_t *)secret, LENGTH);
        (void)!mam_protect_stream_close(stream, MAM_ABANDON);
        OK(mam_unprotect_stream_open(m, flags, into_drain, &back, &reading)); /* never was protected */
        (void)!mam_unprotect_stream_write(reading, (const uint8_t *)secret, LENGTH);
        (void)!mam_unprotect_stream_close(reading, 0, NULL);
        memset(&sealed, 0, sizeof sealed);
        memset(&back, 0, sizeof back);
        CHECK_NUMBER(0, remains());
    }
    OK(mam_close(m));
}

static void answers_with_it(void *user, mam_question_t *q, const char *json) {
    mam_t **m = user;
    if (strstr(json, "accessToken")) OK(mam_answer_secret(*m, mam_question_id(q), (const uint8_t *)secret, LENGTH));
}

static void of_an_access_token(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    write_whole(in_office(o, "token"), "another\n", 8);
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"accessTokenFile\":\"%s\"}", in_office(o, "token"));
    OK(mam_set_delegate(m, answers_with_it, &m));
    CHECK_NUMBER(0, remains());
    int code = enroll(m, ANN);
    if (code == 100) failed_at(__FILE__, __LINE__, "nobody asked for a token");
    CHECK_NUMBER(0, remains());
    OK(mam_close(m));
    CHECK_NUMBER(0, remains());
}

int main(void) {
    if (IS_SANITIZED) return 0; /* the sanitizer's memory is too large to search */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_search_finds_the_secret, set_up_secret, tear_down),
        cmocka_unit_test_setup_teardown(of_strings, set_up_secret, tear_down),
        cmocka_unit_test_setup_teardown(of_buffers, set_up_secret, tear_down),
        cmocka_unit_test_setup_teardown(of_streams, set_up_secret, tear_down),
        cmocka_unit_test_setup_teardown(of_an_access_token, set_up_secret, tear_down),
    };
    return cmocka_run_group_tests_name("remains", tests, begin, NULL);
}
