/* Every function of mam.h with bad handles, outputs, lengths and numbers: the documented status, a message that names
 * the argument, outputs NULL or 0, and nothing changed. */
#include "arguments.h"

static const char *handle_name(const function *f) {
    if (f->takes & TAKES_IDENTITY) return "identity";
    if (f->takes & TAKES_CONFIG) return "config";
    if (f->takes & TAKES_DECISION) return "decision";
    if (f->takes & TAKES_PARSED) return "parsed";
    if (f->takes & (TAKES_PROTECTING | TAKES_UNPROTECTING)) return "stream";
    if (f->takes & TAKES_FILE) return "file";
    return f->takes & TAKES_SESSION ? "m" : f->takes & TAKES_POLICY ? "policy" : "question";
}

static bool is_void(const function *f) { return (f->takes & IS_VOID) != 0; }

static void with_handle(const function *f, const void *handle, mam_status expected, const char *what) {
    call_t call;
    good_arguments(f, &call, here, m, policy);
    call.m = (mam_t *)(uintptr_t)handle;
    call.policy = (mam_policy_t *)(uintptr_t)handle;
    call.question = (mam_question_t *)(uintptr_t)handle;
    call.identity = (mam_identity_t *)(uintptr_t)handle;
    call.config = (mam_app_config_t *)(uintptr_t)handle;
    call.decision = (mam_decision_t *)(uintptr_t)handle;
    call.parsed = (mam_json_t *)(uintptr_t)handle;
    call.protecting = (mam_protect_stream_t *)(uintptr_t)handle;
    call.unprotecting = (mam_unprotect_stream_t *)(uintptr_t)handle;
    call.file = (mam_file_t *)(uintptr_t)handle;
    run_function(f, &call);
    if (!is_void(f)) failed_well(f, &call, expected, what);
}

enum {
    STREAMS = TAKES_PROTECTING | TAKES_UNPROTECTING,
    HANDLES = TAKES_SESSION | TAKES_POLICY | TAKES_QUESTION | TAKES_IDENTITY | TAKES_CONFIG | STREAMS | TAKES_FILE | TAKES_DECISION
        | TAKES_PARSED
};

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
    mam_app_config_release(NULL);
    OK(mam_last_status());
    mam_decision_release(NULL);
    OK(mam_last_status());
    mam_json_release(NULL);
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

/* Tokens are not addresses: any bits may be passed. */
static void invented_handles(void **state) {
    (void)state;
    m = open_app(here, APP, QUIET); /* a separate session: a wrong answer here may close it */
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
    /* The valid ones survived. */
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

/* ---- numbers */

/* No object has more than PTRDIFF_MAX bytes: every size_t of mam.h has this limit, with and without the bytes. */
static void impossible_sizes(void **state) {
    (void)state;
    static const size_t huge[] = {SIZE_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 7};
    int seen = 0;
    EACH(f, ~(unsigned)0) {
        if (f->takes & IS_SILENT) continue; /* mam_protect_bound returns 0 */
        for (size_t size = 0; size < 2 && f->sizes[size].name != NULL && f->sizes[size].name[0] != '\0'; size++) {
            for (size_t i = 0; i < 6; i++) {
                call_t call;
                good_arguments(f, &call, here, m, policy);
                memcpy((char *)&call + f->sizes[size].at, &huge[i / 2], sizeof huge[0]);
                const bool is_room = f->sizes[size].at == offsetof(call_t, capacity);
                if (i % 2 && is_room) call.out = NULL;
                if (i % 2 && !is_room) call.data = NULL;
                run_function(f, &call);
                failed_well(f, &call, MAM_ERR_ARGUMENT, "a size above PTRDIFF_MAX");
                names(f, "a size above PTRDIFF_MAX", "argument", f->sizes[size].name);
                seen++;
            }
        }
    }
    CHECK(seen > 100);
    CHECK_NUMBER(0, mam_protect_bound(SIZE_MAX));
    CHECK_NUMBER(0, mam_protect_bound((size_t)PTRDIFF_MAX + 1));
}

static void data_and_lengths(void **state) {
    (void)state;
    EACH(f, TAKES_DATA) {
        call_t call;
        good_arguments(f, &call, here, m, policy);
        call.data = NULL;
        run_function(f, &call);
        failed_well(f, &call, MAM_ERR_ARGUMENT, "NULL as data");
        names(f, "NULL as data", "argument", f->data_name);
        if (f->takes & (IS_PREDICATE | STREAMS | TAKES_FILE) || strcmp(f->name, "mam_answer_secret") == 0) continue;
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

static void unknown_flags(void **state) {
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
            /* Even if the input is not a container. */
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
}

static void numbers_out_of_range(void **state) {
    (void)state;
    for (const function *f = functions; f < functions + function_count; f++) {
        if (f->range.name == NULL) continue;
        const int32_t bad[] = {f->range.too_large, -1, INT32_MAX, INT32_MIN};
        for (size_t i = 0; i < 4; i++) {
            call_t call;
            good_arguments(f, &call, here, m, policy);
            memcpy((char *)&call + f->range.at, &bad[i], sizeof *bad);
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "a number out of its range");
            names(f, "a number out of its range", "argument", f->range.name);
        }
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

/* -1 is for ever, 0 a poll; any other negative number is an error, not a hang. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(null_handles),         TEST(closed_handles),
        TEST(invented_handles),     TEST(null_outputs),
        TEST(impossible_sizes),     TEST(data_and_lengths),
        TEST(capacities),           TEST(unknown_flags),
        TEST(numbers_out_of_range), TEST(numbers_of_operations_and_questions),
        TEST(nothing_was_changed),  TEST(negative_timeouts), /* the last one: a library that takes them for -1 hangs here */
    };
    return cmocka_run_group_tests_name("arguments", tests, set_up_suite, tear_down_suite);
}
