/* Epochs of data keys: the newest seals in every process, every former one opens, and none is ever lost. */
#include "support.h"

#include <signal.h>
#include <sys/wait.h>

static long long epoch_of(mam_t *m, const mam_buffer *container) {
    char *info = NULL;
    OK(mam_protection_info(m, container->data, container->length, &info));
    CHECK(truth_of(info, "/authenticated"));
    long long epoch = number_of(info, "/epoch");
    mam_free(info);
    return epoch;
}

static long long epoch_now(mam_t *m) {
    mam_buffer container = sealed(m, ANN, "now");
    long long epoch = epoch_of(m, &container);
    mam_buffer_free(&container);
    return epoch;
}

static void the_newest_seals_and_the_others_open(void **state) {
    enum { EPOCHS = 20 };
    const office *o = *state;
    mam_t *m = open_enrolled(o), *other = open_quiet(o);
    mam_buffer containers[EPOCHS];
    while (true) { /* changes of the enrollment */
        char *json = next_event(m, "dataProtectionDidChange", 0);
        if (json == NULL) break;
        mam_free(json);
    }
    for (int i = 0; i < EPOCHS; i++) {
        containers[i] = sealed(m, ANN, "text");
        CHECK_NUMBER(i + 1, epoch_of(m, &containers[i]));
        OK(mam_rotate_keys(m, i % 2 ? ANN : ANN_ID));
        CHECK_NUMBER(i + 2, epoch_now(other)); /* its very next write */
        char *json = next_event(m, "dataProtectionDidChange", 0);
        CHECK(json != NULL);
        CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
        mam_free(json);
        json = next_event(other, "dataProtectionDidChange", 0);
        CHECK(json != NULL);
        mam_free(json);
    }
    OK(mam_close(other));
    other = open_quiet(o);
    for (int turn = 0; turn < 2; turn++)
        for (int i = EPOCHS; i-- > 0;) {
            OK(opens_as(m, &containers[i], "text"));
            OK(opens_as(other, &containers[i], "text"));
        }
    /* A former key's container is protected as well as any. */
    containers[3].data[containers[3].length - 1] ^= 1;
    FAILS(MAM_ERR_AUTHENTICATION, opens_as(m, &containers[3], "text"));
    containers[3].data[containers[3].length - 1] ^= 1;
    int64_t op;
    OK(mam_wipe_account(other, ANN, &op));
    for (int i = 0; i < EPOCHS; i++) {
        FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &containers[i], "text"));
        mam_buffer_free(&containers[i]);
    }
    OK(mam_close(m));
    OK(mam_close(other));
}

static void accounts_without_keys(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    int64_t op;
    FAILS(MAM_ERR_NOT_ENROLLED, mam_rotate_keys(m, ANN));
    enroll_well(m, ANN);
    FAILS(MAM_ERR_NOT_ENROLLED, mam_rotate_keys(m, EVE));
    FAILS(MAM_ERR_ARGUMENT, mam_rotate_keys(m, ""));
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_rotate_keys(m, ANN));
    OK(mam_close(m));
}

/* An unenrolled account keeps its keys, and continues its epochs when it is back. */
static void epochs_go_on_after_unenrolling(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    int64_t op;
    mam_buffer first = sealed(m, ANN, "first");
    OK(mam_rotate_keys(m, ANN));
    mam_buffer second = sealed(m, ANN, "second");
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(opens_as(m, &first, "first"));
    OK(opens_as(m, &second, "second"));
    enroll_well(m, ANN);
    CHECK_NUMBER(2, epoch_now(m));
    OK(mam_rotate_keys(m, ANN));
    CHECK_NUMBER(3, epoch_now(m));
    OK(opens_as(m, &first, "first"));
    OK(opens_as(m, &second, "second"));
    mam_buffer_free(&first);
    mam_buffer_free(&second);
    OK(mam_close(m));
}

/* Without its newest key data would be sealed under a former one, which may have been compromised. */
static void a_missing_newest_key_is_noticed(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer first = sealed(m, ANN, "first"), out = {NULL, 0};
    OK(mam_rotate_keys(m, ANN));
    OK(mam_rotate_keys(m, ANN));
    OK(mam_close(m));
    sql(in_group(o, "state.db"), "DELETE FROM account_keys WHERE epoch = 3");
    m = open_quiet(o);
    FAILS(MAM_ERR_TAMPERED, mam_protect(m, ANN, (const uint8_t *)"x", 1, &out));
    FAILS(MAM_ERR_TAMPERED, mam_rotate_keys(m, ANN));
    FAILS(MAM_ERR_LOCKED, opens_as(m, &first, "first")); /* no data of an incomplete account is read */
    CULPRIT("check", "account");
    mam_buffer_free(&first);
    OK(mam_close(m));
}

static void a_damaged_former_key_is_noticed_when_needed(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer first = sealed(m, ANN, "first");
    OK(mam_rotate_keys(m, ANN));
    mam_buffer second = sealed(m, ANN, "second");
    OK(mam_close(m));
    sql(in_group(o, "state.db"),
        "UPDATE account_keys SET wrapped = (SELECT wrapped FROM account_keys WHERE epoch = 2) WHERE epoch = 1");
    m = open_quiet(o);
    FAILS(MAM_ERR_TAMPERED, opens_as(m, &first, "first"));
    OK(opens_as(m, &second, "second"));
    mam_buffer_free(&first);
    mam_buffer_free(&second);
    OK(mam_close(m));
}

/* ---- several processes, and kills */

enum { TURNS = 25, ROOM = 512 };

/* A container as it goes through a pipe, in one piece. */
typedef struct piece {
    uint32_t length;
    uint8_t bytes[ROOM];
} piece;

typedef struct rotator {
    const office *o;
    int out, turns;
} rotator;

static void rotate_and_send(void *argument) {
    rotator *r = argument;
    mam_t *m = open_quiet(r->o);
    for (int i = 0; r->turns == 0 || i < r->turns; i++) {
        OK(mam_rotate_keys(m, ANN));
        mam_buffer container = sealed(m, ANN, "text");
        piece one = {(uint32_t)container.length, {0}};
        CHECK(container.length <= ROOM);
        memcpy(one.bytes, container.data, container.length);
        CHECK(write(r->out, &one, sizeof one) == (ssize_t)sizeof one);
        mam_buffer_free(&container);
    }
    OK(mam_close(m));
}

/* The number of containers received; each of them opens. */
static int open_all(mam_t *m, int from) {
    piece one;
    int count = 0;
    for (; read(from, &one, sizeof one) == (ssize_t)sizeof one; count++) {
        mam_buffer container = {one.bytes, one.length};
        OK(opens_as(m, &container, "text"));
    }
    close(from);
    return count;
}

static void two_at_once_make_two_epochs(void **state) {
    const office *o = *state;
    int ends[2];
    mam_t *m = open_enrolled(o);
    CHECK(pipe(ends) == 0);
    rotator r = {o, ends[1], TURNS};
    pid_t children[2];
    for (int i = 0; i < 2; i++) children[i] = start_child(rotate_and_send, &r);
    close(ends[1]);
    CHECK_NUMBER(2 * TURNS, open_all(m, ends[0]));
    for (int i = 0; i < 2; i++) end_well(children[i]);
    CHECK_NUMBER(1 + 2 * TURNS, epoch_now(m));
    OK(mam_close(m));
}

static void killed_at_random(void **state) {
    const office *o = *state;
    int count = 0;
    OK(mam_close(open_enrolled(o)));
    for (int i = 0; i < 30; i++) {
        int ends[2], status;
        CHECK(pipe(ends) == 0);
        rotator r = {o, ends[1], 0};
        pid_t child = start_child(rotate_and_send, &r);
        close(ends[1]);
        sleep_ms((int)(random_number() % 60));
        kill(child, SIGKILL);
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        mam_t *m = open_quiet(o);
        count += open_all(m, ends[0]);
        long long before = epoch_now(m);
        OK(mam_rotate_keys(m, ANN));
        CHECK_NUMBER(before + 1, epoch_now(m));
        OK(mam_close(m));
    }
    if (count == 0) failed_at(__FILE__, __LINE__, "no kill met a process that had rotated");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_newest_seals_and_the_others_open),
        WITH_OFFICE(accounts_without_keys),
        WITH_OFFICE(epochs_go_on_after_unenrolling),
        WITH_OFFICE(a_missing_newest_key_is_noticed),
        WITH_OFFICE(a_damaged_former_key_is_noticed_when_needed),
        WITH_OFFICE(two_at_once_make_two_epochs),
        WITH_OFFICE(killed_at_random),
    };
    return cmocka_run_group_tests_name("rotation", tests, begin, NULL);
}
