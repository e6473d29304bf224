/* Sealed buffers and strings: unprotecting returns the data, and never that of a changed container. */
#include "functions.h"

enum { GUARD = 64, GUARD_BYTE = 0xA5 };

typedef struct guarded {
    uint8_t *memory;
    size_t capacity;
} guarded;

/* A buffer with guard bytes on both sides. */
static guarded make_room(size_t capacity) {
    guarded room = {malloc(capacity + 2 * GUARD), capacity};
    if (room.memory == NULL) abort();
    memset(room.memory, GUARD_BYTE, capacity + 2 * GUARD);
    return room;
}

static uint8_t *inside(guarded room) { return room.memory + GUARD; }

static bool is_untouched(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != GUARD_BYTE) return false;
    return true;
}

static void check_guards(guarded room) {
    CHECK(is_untouched(room.memory, GUARD));
    CHECK(is_untouched(room.memory + GUARD + room.capacity, GUARD));
}

static void check_untouched(guarded room) { CHECK(is_untouched(room.memory, room.capacity + 2 * GUARD)); }

static uint8_t *pattern(size_t length) {
    uint8_t *bytes = malloc(length);
    if (bytes == NULL) abort();
    for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(i * 131 + (i >> 8) * 7 + 1);
    return bytes;
}

static const char *const owners[] = {ANN, EVE, ""};

static void round_trips(void **state) {
    static const size_t sizes[] = {1, 15, 16, 17, 31, 1000, 16383, 16384, 16385, 32767, 32768, 32769, 100000, 1 << 20};
    mam_t *m = open_enrolled(*state);
    for (size_t o = 0; o < 3; o++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t length = sizes[s], written = 0, bound = mam_protect_bound(length);
            uint8_t *plain = pattern(length);
            mam_buffer owned = {NULL, 0}, back = {NULL, 0};
            mam_bool was_protected = 0;
            CHECK(bound > length && bound <= length + MAM_PROTECT_OVERHEAD + length / 16384 * 16);
            OK(mam_protect(m, owners[o], plain, length, &owned));
            CHECK(owned.length <= bound);
            OK(mam_unprotect(m, owned.data, owned.length, MAM_STRICT, &back, &was_protected));
            CHECK_NUMBER(length, back.length);
            CHECK(was_protected == 1 && memcmp(back.data, plain, length) == 0);
            /* Only an unmanaged account's data is readable as it is. */
            bool shows = false;
            for (size_t i = 0; length >= 16 && !shows && i + 16 <= owned.length; i++)
                shows = memcmp(owned.data + i, plain, 16) == 0;
            if (length >= 16) CHECK_NUMBER(o != 0, shows);

            guarded room = make_room(bound);
            OK(mam_protect_into(m, owners[o], plain, length, inside(room), room.capacity, &written));
            CHECK_NUMBER(owned.length, written);
            check_guards(room);
            CHECK(memcmp(owned.data, inside(room), written) != 0 || o != 0);
            guarded plain_room = make_room(length);
            OK(mam_unprotect_into(m, inside(room), written, 0, inside(plain_room), length, &written, NULL));
            CHECK_NUMBER(length, written);
            check_guards(plain_room);
            CHECK(memcmp(inside(plain_room), plain, length) == 0);
            free(room.memory);
            free(plain_room.memory);
            free(plain);
            mam_buffer_free(&owned);
            mam_buffer_free(&back);
        }
    }
    OK(mam_close(m));
}

/* Only the longest possible account reaches the bound. */
static void the_bound_holds_for_the_longest_account(void **state) {
    const office *o = *state;
    char upn[MAM_ACCOUNT_MAX + 1];
    memset(upn, 'a', sizeof upn);
    memcpy(upn + MAM_ACCOUNT_MAX - 8, "@contoso", 9);
    admin(o, "{\"action\":\"user.add\",\"upn\":\"%s\",\"accountId\":\"%s\"}", upn, upn);
    mam_t *m = open_quiet(o);
    enroll_well(m, upn);
    upn[0] = 'b'; /* an unmanaged colleague */
    OK(mam_register_account(m, upn));
    static const size_t sizes[] = {1, 16383, 16384, 50000};
    for (size_t s = 0; s < 4; s++) {
        for (int labelled = 0; labelled < 2; labelled++) {
            uint8_t *plain = pattern(sizes[s]);
            mam_buffer out = {NULL, 0};
            upn[0] = labelled ? 'b' : 'a';
            OK(mam_protect(m, upn, plain, sizes[s], &out));
            CHECK(out.length <= mam_protect_bound(sizes[s]));
            if (!labelled) CHECK_NUMBER(mam_protect_bound(sizes[s]), out.length); /* "exact" */
            mam_buffer_free(&out);
            free(plain);
        }
    }
    OK(mam_close(m));
}

static void same_address_and_overlap(void **state) {
    mam_t *m = open_enrolled(*state);
    static const size_t sizes[] = {1, 100, 16384, 70000};
    for (size_t o = 0; o < 3; o++) {
        for (size_t s = 0; s < 4; s++) {
            size_t length = sizes[s], written = 0, bound = mam_protect_bound(length);
            uint8_t *plain = pattern(length), *room = malloc(bound + 8);
            if (room == NULL) abort();
            memcpy(room, plain, length);
            OK(mam_protect_into(m, owners[o], room, length, room, bound, &written));
            size_t size = written;
            OK(mam_unprotect_into(m, room, size, 0, room, size, &written, NULL));
            CHECK_NUMBER(length, written);
            CHECK(memcmp(room, plain, length) == 0);
            /* Any other overlap is refused, and nothing is written. */
            memcpy(room, plain, length);
            if (length > 1) FAILS(MAM_ERR_ARGUMENT, mam_protect_into(m, owners[o], room, length, room + 1, bound, &written));
            if (length > 1) CULPRIT("argument", "out");
            FAILS(MAM_ERR_ARGUMENT, mam_protect_into(m, owners[o], room + 1, length, room, bound, &written));
            CHECK(memcmp(room, plain, length) == 0);
            OK(mam_protect_into(m, owners[o], plain, length, room, bound, &written));
            uint8_t *container = malloc(size);
            if (container == NULL) abort();
            memcpy(container, room, size);
            FAILS(MAM_ERR_ARGUMENT, mam_unprotect_into(m, room, size, 0, room + 1, size, &written, NULL));
            FAILS(MAM_ERR_ARGUMENT, mam_unprotect_into(m, room + 1, size - 1, 0, room, size, &written, NULL));
            CHECK(memcmp(room, container, size) == 0);
            free(container);
            free(room);
            free(plain);
        }
    }
    OK(mam_close(m));
}

static void a_short_capacity_reports_the_size(void **state) {
    mam_t *m = open_enrolled(*state);
    static const uint8_t plain[] = "forty bytes of plain text, more or less";
    for (size_t o = 0; o < 3; o++) {
        size_t size = 0, written = 0;
        FAILS(MAM_ERR_BUFFER, mam_protect_into(m, owners[o], plain, sizeof plain, NULL, 0, &size));
        for (size_t capacity = 0; capacity < size; capacity++) {
            guarded room = make_room(capacity);
            FAILS(MAM_ERR_BUFFER, mam_protect_into(m, owners[o], plain, sizeof plain, inside(room), capacity, &written));
            CHECK_NUMBER(size, written);
            check_untouched(room);
            free(room.memory);
        }
        mam_buffer container = {NULL, 0};
        OK(mam_protect(m, owners[o], plain, sizeof plain, &container));
        CHECK_NUMBER(size, container.length);
        for (size_t capacity = 0; capacity < sizeof plain; capacity++) {
            guarded room = make_room(capacity);
            mam_bool was_protected = 7;
            FAILS(
                MAM_ERR_BUFFER,
                mam_unprotect_into(m, container.data, container.length, 0, inside(room), capacity, &written, &was_protected));
            CHECK_NUMBER(sizeof plain, written);
            check_untouched(room);
            free(room.memory);
        }
        mam_buffer_free(&container);
    }
    size_t written = 0;
    uint8_t room[4] = {9, 9, 9, 9};
    FAILS(MAM_ERR_BUFFER, mam_unprotect_into(m, (const uint8_t *)"plain", 5, 0, room, 4, &written, NULL));
    CHECK_NUMBER(5, written);
    CHECK(room[0] == 9 && room[3] == 9);
    OK(mam_close(m));
}

/* ---- changed containers */

static bool is_refusal(mam_status status) {
    return status == MAM_ERR_DAMAGED || status == MAM_ERR_AUTHENTICATION || status == MAM_ERR_KEY_UNAVAILABLE
        || status == MAM_ERR_VERSION;
}

/* Unprotect it: an error without output, or (if the magic is changed and `flags` is 0) unchanged bytes. */
static void is_refused(
    mam_t *m, const uint8_t *changed, size_t length, uint32_t flags, const uint8_t *plain, size_t plain_length, const char *what) {
    bool is_container = length >= 4 && memcmp(changed, "MAM\001", 4) == 0;
    bool is_other = length >= 4 && memcmp(changed, "MAM", 3) == 0 && changed[3] >= 2 && changed[3] <= 4;
    guarded room = make_room(length);
    size_t written = 7;
    mam_bool was_protected = 7;
    mam_status status = mam_unprotect_into(m, changed, length, flags, inside(room), length, &written, &was_protected);
    if (!is_container && !is_other && flags == 0 && length > 0) {
        if (status != MAM_OK || was_protected != 0 || written != length || memcmp(inside(room), changed, length) != 0)
            failed_at(__FILE__, __LINE__, "%s: not a container any more, but answers %d", what, status);
    } else {
        bool fits = length == 0 ? status == MAM_ERR_EMPTY
            : is_container      ? is_refusal(status)
                                : status == (is_other ? MAM_ERR_UNSUPPORTED : MAM_ERR_NOT_PROTECTED);
        if (!fits) failed_at(__FILE__, __LINE__, "%s answers %d (%s)", what, status, mam_status_name(status));
        if (written != 0 || was_protected != 0) failed_at(__FILE__, __LINE__, "%s: outputs are set", what);
        const char *why = "";
        if (!is_error_clear(status, &why)) failed_at(__FILE__, __LINE__, "%s: %s", what, why);
        /* No eight bytes of the plain text are anywhere in out. */
        size_t window = plain_length < 8 ? plain_length : 8;
        for (size_t i = 0; plain_length <= 4096 && i + window <= length; i++)
            for (size_t k = 0; k + window <= plain_length; k += window)
                if (memcmp(inside(room) + i, plain + k, window) == 0)
                    failed_at(__FILE__, __LINE__, "%s: plain text was released", what);
        for (size_t i = 0; plain_length > 4096 && i + window <= length && i + window <= plain_length; i++)
            if (memcmp(inside(room) + i, plain + i, window) == 0)
                failed_at(__FILE__, __LINE__, "%s: plain text was released at %zu", what, i);
    }
    check_guards(room);
    free(room.memory);
}

static void every_bit_counts(void **state) {
    mam_t *m = open_enrolled(*state);
    static const uint8_t plain[] = "a plain text that is easy to recognise";
    char what[96];
    for (size_t o = 0; o < 3; o++) {
        mam_buffer container = {NULL, 0};
        OK(mam_protect(m, owners[o], plain, sizeof plain, &container));
        for (size_t bit = 0; bit < container.length * 8; bit++) {
            snprintf(what, sizeof what, "bit %zu of %zu bytes of \"%s\"", bit, container.length, owners[o]);
            container.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            is_refused(m, container.data, container.length, MAM_STRICT, plain, sizeof plain, what);
            is_refused(m, container.data, container.length, 0, plain, sizeof plain, what);
            char *info = (char *)1;
            mam_status status = mam_protection_info(m, container.data, container.length, &info);
            /* One bit makes it another of libmam's forms. */
            if (bit < 32) FAILS(container.data[3] == 3 ? MAM_ERR_UNSUPPORTED : MAM_ERR_NOT_PROTECTED, status);
            if (status == MAM_OK) mam_free(info); /* a label without a key here, or an intact one */
            else CHECK(info == NULL && (is_refusal(status) || bit < 32));
            container.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        is_refused(m, (const uint8_t *)"", 0, 0, plain, sizeof plain, "nothing");
        mam_buffer_free(&container);
    }
    OK(mam_close(m));
}

static void truncated_and_extended(void **state) {
    mam_t *m = open_enrolled(*state);
    static const uint8_t plain[] = "a plain text that is easy to recognise";
    char what[96];
    for (size_t o = 0; o < 3; o++) {
        mam_buffer container = {NULL, 0};
        OK(mam_protect(m, owners[o], plain, sizeof plain, &container));
        for (size_t length = 0; length < container.length; length++) {
            snprintf(what, sizeof what, "cut to %zu of %zu bytes of \"%s\"", length, container.length, owners[o]);
            is_refused(m, container.data, length, MAM_STRICT, plain, sizeof plain, what);
            is_refused(m, container.data, length, 0, plain, sizeof plain, what);
            if (length > 0) is_refused(m, container.data + 1, length, MAM_STRICT, plain, sizeof plain, "the first byte cut");
        }
        uint8_t *longer = calloc(1, 2 * container.length);
        if (longer == NULL) abort();
        memcpy(longer, container.data, container.length);
        static const size_t more[] = {1, 2, 15, 16, 17, 32};
        for (size_t i = 0; i < 6; i++) is_refused(m, longer, container.length + more[i], 0, plain, sizeof plain, "extended");
        memcpy(longer + container.length, container.data, container.length);
        is_refused(m, longer, 2 * container.length, 0, plain, sizeof plain, "twice in a row");
        free(longer);
        mam_buffer_free(&container);
    }
    OK(mam_close(m));
}

/* Of several chunks: a bit of each byte, a truncation near each border, chunks exchanged. */
static void large_containers(void **state) {
    enum { LENGTH = 3 * 16384 + 100 };
    mam_t *m = open_enrolled(*state);
    uint8_t *plain = pattern(LENGTH);
    char what[96];
    for (size_t o = 0; o < 2; o++) {
        mam_buffer container = {NULL, 0};
        OK(mam_protect(m, owners[o], plain, LENGTH, &container));
        for (size_t i = 4; i < container.length; i += i < 256 || i + 64 > container.length ? 1 : 1 + random_number() % 64) {
            uint8_t bit = (uint8_t)(1u << random_number() % 8);
            snprintf(what, sizeof what, "byte %zu of %zu, bits %02x", i, container.length, bit);
            container.data[i] ^= bit;
            mam_buffer out = {NULL, 0};
            mam_status status = mam_unprotect(m, container.data, container.length, 0, &out, NULL);
            if (!is_refusal(status) || out.data != NULL || out.length != 0)
                failed_at(__FILE__, __LINE__, "%s answers %d", what, status);
            if (i % 512 == 0) is_refused(m, container.data, container.length, 0, plain, LENGTH, what);
            container.data[i] ^= bit;
        }
        size_t header = container.length - LENGTH;
        for (size_t chunk = 1; chunk <= 3; chunk++) {
            for (int delta = -20; delta <= 20; delta++) {
                size_t length = header + chunk * 16400 + (size_t)(delta + 20) - 100;
                is_refused(m, container.data, length, 0, plain, LENGTH, "cut at a chunk's border");
            }
        }
        if (o == 0) { /* exchange two chunks of 16,384 bytes and their tags */
            uint8_t *first = container.data + (container.length - (3 * 16400 + 116)), *second = first + 16400;
            uint8_t *kept = malloc(16400);
            if (kept == NULL) abort();
            memcpy(kept, first, 16400);
            memcpy(first, second, 16400);
            memcpy(second, kept, 16400);
            is_refused(m, container.data, container.length, 0, plain, LENGTH, "chunks exchanged");
            free(kept);
        }
        mam_buffer_free(&container);
    }
    free(plain);
    OK(mam_close(m));
}

/* One account's body under another's header, the old key of a wiped account. */
static void mixed_containers(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    static const uint8_t plain[] = "a plain text that is easy to recognise";
    mam_buffer ann = sealed(m, ANN, (const char *)plain), bob = sealed(m, BOB, (const char *)plain);
    CHECK_NUMBER(ann.length, bob.length); /* both account ids have six letters */
    for (size_t i = 4; i < ann.length; i++) {
        uint8_t *mixed = malloc(ann.length);
        if (mixed == NULL) abort();
        memcpy(mixed, ann.data, i);
        memcpy(mixed + i, bob.data + i, ann.length - i);
        if (memcmp(mixed, ann.data, ann.length) != 0 && memcmp(mixed, bob.data, ann.length) != 0)
            is_refused(m, mixed, ann.length, 0, plain, sizeof plain - 1, "half Ann's, half Bob's");
        free(mixed);
    }
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    enroll_well(m, ANN);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &ann, (const char *)plain));
    mam_buffer_free(&ann);
    mam_buffer_free(&bob);
    OK(mam_close(m));
}

static void foreign_bytes_come_back_unchanged(void **state) {
    mam_t *m = open_quiet(*state); /* even if nothing is managed */
    for (int managed = 0; managed < 2; managed++) {
        static const char *const foreign[] = {"x", "MAM", "MAM\005 and more", "mam\001 and more", "\377\376 bytes"};
        for (size_t i = 0; i < 5; i++) {
            size_t length = strlen(foreign[i]);
            mam_buffer out = {NULL, 0};
            mam_bool was_protected = 7;
            OK(mam_unprotect(m, (const uint8_t *)foreign[i], length, 0, &out, &was_protected));
            CHECK(was_protected == 0 && out.length == length && memcmp(out.data, foreign[i], length) == 0);
            mam_buffer_free(&out);
            FAILS(MAM_ERR_NOT_PROTECTED, mam_unprotect(m, (const uint8_t *)foreign[i], length, MAM_STRICT, &out, NULL));
            CHECK_NUMBER(104, original_code());
            char *json = (char *)1;
            FAILS(MAM_ERR_NOT_PROTECTED, mam_protection_info(m, (const uint8_t *)foreign[i], length, &json));
            CHECK(json == NULL);
        }
        if (!managed) enroll_well(m, ANN);
    }
    OK(mam_close(m));
}

static void info_tells_the_owner(void **state) {
    mam_t *m = open_enrolled(*state);
    static const char *const expected[] = {ANN_ID, EVE, ""};
    for (size_t o = 0; o < 3; o++) {
        mam_buffer container = sealed(m, owners[o], "twelve bytes");
        char *json = NULL, *text = NULL;
        OK(mam_protection_info(m, container.data, container.length, &json));
        CHECK_TEXT(expected[o], text_of(json, "/accountId"));
        CHECK_NUMBER(o == 0, truth_of(json, "/encrypted"));
        CHECK(truth_of(json, "/authenticated"));
        CHECK_TEXT("data", text_of(json, "/contentType"));
        CHECK_NUMBER(12, number_of(json, "/length"));
        CHECK_NUMBER(32, strlen(text_of(json, "/keyId")));
        CHECK_NUMBER(o == 0, number_of(json, "/epoch"));
        CHECK(has(json, "/algorithm"));
        mam_free(json);
        OK(mam_protect_string(m, owners[o], "twelve bytes", &text));
        OK(mam_protection_info_string(m, text, &json));
        CHECK_TEXT(expected[o], text_of(json, "/accountId"));
        CHECK_TEXT("string", text_of(json, "/contentType"));
        mam_free(json);
        mam_free(text);
        mam_buffer_free(&container);
    }
    OK(mam_close(m));
}

static char *prefix_info(mam_t *m, const uint8_t *data, size_t length) {
    char *json = NULL;
    OK(mam_protection_info_prefix(m, data, length, &json));
    return json;
}

/* An item that is still arriving has its owner in its first bytes. */
static void a_prefix_tells_the_owner(void **state) {
    static const char *const expected[] = {ANN_ID, EVE, ""};
    mam_t *m = open_enrolled(*state);
    uint8_t *plain = pattern(100000);
    for (size_t o = 0; o < 3; o++) {
        mam_buffer container = {NULL, 0};
        OK(mam_protect(m, owners[o], plain, 100000, &container));
        char *json = prefix_info(m, container.data, MAM_PROTECT_OVERHEAD);
        CHECK_TEXT(expected[o], text_of(json, "/accountId"));
        CHECK_NUMBER(o == 0, truth_of(json, "/encrypted"));
        CHECK_NUMBER(o == 0, truth_of(json, "/authenticated")); /* the end verifies the label of personal data */
        CHECK_NUMBER(100000, number_of(json, "/length"));
        mam_free(json);
        /* The whole is a prefix too, and fewer bytes than the label has are damaged data. */
        mam_free(prefix_info(m, container.data, container.length));
        size_t length = MAM_PROTECT_OVERHEAD;
        while (length > 0 && mam_protection_info_prefix(m, container.data, length, &json) == MAM_OK) {
            mam_free(json);
            length--;
        }
        CHECK(length >= 38 && json == NULL);
        while (length > 4) FAILS(MAM_ERR_DAMAGED, mam_protection_info_prefix(m, container.data, length--, &json));
        FAILS(MAM_ERR_NOT_PROTECTED, mam_protection_info_prefix(m, container.data, 3, &json));
        if (o == 0) {
            container.data[29] ^= 1; /* the length is part of the label */
            FAILS(MAM_ERR_AUTHENTICATION, mam_protection_info_prefix(m, container.data, MAM_PROTECT_OVERHEAD, &json));
        }
        mam_buffer_free(&container);
    }
    free(plain);
    OK(mam_close(m));
}

/* ---- strings */

static void strings(void **state) {
    mam_t *m = open_enrolled(*state);
    static const char *const texts[] = {"x", "two", "gr\303\274n \360\237\215\200", "line\nline\ttab"};
    for (size_t o = 0; o < 3; o++) {
        for (size_t i = 0; i < 4; i++) {
            char *text = NULL, *back = NULL;
            mam_bool was_protected = 7;
            OK(mam_protect_string(m, owners[o], texts[i], &text));
            CHECK_NUMBER(0, strlen(text) % 4);
            CHECK_NUMBER(strlen(text), strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="));
            OK(mam_unprotect_string(m, text, MAM_STRICT, &back, &was_protected));
            CHECK_TEXT(texts[i], back);
            CHECK_NUMBER(1, was_protected);
            mam_free(text);
            mam_free(back);
        }
    }
    static const char *const foreign[] = {"x", "hello", "TUFN", "TUFNAQ", "aGVsbG8=", "not base64 at all!"};
    for (size_t i = 0; i < 4; i++) {
        char *back = NULL;
        mam_bool was_protected = 7;
        if (i == 3) continue; /* base64 of a magic and nothing else: a damaged container, below */
        OK(mam_unprotect_string(m, foreign[i], 0, &back, &was_protected));
        CHECK_TEXT(foreign[i], back);
        CHECK_NUMBER(0, was_protected);
        mam_free(back);
        FAILS(MAM_ERR_NOT_PROTECTED, mam_unprotect_string(m, foreign[i], MAM_STRICT, &back, NULL));
        CHECK(back == NULL);
    }
    OK(mam_close(m));
}

static void refused_text(mam_t *m, const char *text, const char *what) {
    for (uint32_t flags = 0; flags < 2; flags++) {
        char *back = (char *)1;
        mam_bool was_protected = 7;
        mam_status status = mam_unprotect_string(m, text, flags, &back, &was_protected);
        if (status != MAM_ERR_DAMAGED) failed_at(__FILE__, __LINE__, "%s (flags %u) answers %d", what, flags, status);
        CHECK(back == NULL && was_protected == 0);
    }
}

static void base64_has_one_form(void **state) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    mam_t *m = open_enrolled(*state);
    char *by_padding[3] = {NULL, NULL, NULL}, changed[4096];
    for (size_t length = 1; length <= 3; length++) {
        char *text = NULL;
        OK(mam_protect_string(m, ANN, length == 1 ? "x" : length == 2 ? "xx" : "xxx", &text));
        size_t padding = strlen(text) - strcspn(text, "=");
        CHECK(padding < 3 && by_padding[padding] == NULL);
        by_padding[padding] = text;
    }
    for (size_t padding = 0; padding < 3; padding++) {
        const char *text = by_padding[padding];
        size_t length = strlen(text);
        snprintf(changed, sizeof changed, "%s\n", text);
        refused_text(m, changed, "a new line at the end");
        snprintf(changed, sizeof changed, "%s ", text);
        refused_text(m, changed, "a space at the end");
        snprintf(changed, sizeof changed, "%.8s\n%s", text, text + 8);
        refused_text(m, changed, "a new line inside");
        snprintf(changed, sizeof changed, "%s=", text);
        refused_text(m, changed, "padding added");
        snprintf(changed, sizeof changed, "%.*s", (int)length - 1, text);
        refused_text(m, changed, "the last letter cut");
        if (padding > 0) {
            snprintf(changed, sizeof changed, "%.*s", (int)(length - padding), text);
            refused_text(m, changed, "padding cut");
            snprintf(changed, sizeof changed, "%s", text);
            char *last = &changed[length - padding - 1];
            *last = alphabet[(strchr(alphabet, *last) - alphabet) | 1];
            CHECK(strcmp(changed, text) != 0);
            refused_text(m, changed, "a bit beyond the last byte set");
        }
    }
    for (size_t i = 0; i < 3; i++) mam_free(by_padding[i]);
    OK(mam_close(m));
}

/* Any letter exchanged after those of the magic: an error, strict or not. */
static void every_letter_counts(void **state) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    mam_t *m = open_enrolled(*state);
    for (size_t o = 0; o < 2; o++) {
        char *text = NULL;
        OK(mam_protect_string(m, owners[o], "a text", &text));
        for (size_t i = 0; text[i] != '\0' && text[i] != '='; i++) {
            char kept = text[i];
            text[i] = alphabet[((size_t)(strchr(alphabet, kept) - alphabet) + 1 + random_number() % 62) % 64];
            if (text[i] == kept) continue;
            char *back = (char *)1;
            mam_status status = mam_unprotect_string(m, text, MAM_STRICT, &back, NULL);
            bool fits = is_refusal(status) || (i < 6 && status == MAM_ERR_NOT_PROTECTED);
            if (!fits || back != NULL) failed_at(__FILE__, __LINE__, "letter %zu answers %d", i, status);
            if (i >= 6) {
                status = mam_unprotect_string(m, text, 0, &back, NULL);
                if (!is_refusal(status)) failed_at(__FILE__, __LINE__, "letter %zu, not strict, answers %d", i, status);
            }
            text[i] = kept;
        }
        mam_free(text);
    }
    OK(mam_close(m));
}

/* A string is not bytes and vice versa; but a container is a container. */
static void data_as_text(void **state) {
    mam_t *m = open_enrolled(*state);
    char *text = NULL;
    mam_buffer plain = {NULL, 0}, bytes = {NULL, 0};
    OK(mam_protect_string(m, ANN, "a text", &text));
    OK(mam_unprotect(m, (const uint8_t *)text, strlen(text), 0, &plain, NULL)); /* base64 is not a container: unchanged */
    CHECK(plain.length == strlen(text));
    mam_buffer_free(&plain);
    mam_free(text);
    OK(mam_protect(m, ANN, (const uint8_t *)"a\0b", 3, &bytes));
    OK(mam_unprotect(m, bytes.data, bytes.length, MAM_STRICT, &plain, NULL));
    CHECK(plain.length == 3 && memcmp(plain.data, "a\0b", 3) == 0);
    mam_buffer_free(&plain);
    mam_buffer_free(&bytes);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(round_trips),
        WITH_OFFICE(the_bound_holds_for_the_longest_account),
        WITH_OFFICE(same_address_and_overlap),
        WITH_OFFICE(a_short_capacity_reports_the_size),
        WITH_OFFICE(every_bit_counts),
        WITH_OFFICE(truncated_and_extended),
        WITH_OFFICE(large_containers),
        WITH_OFFICE(mixed_containers),
        WITH_OFFICE(foreign_bytes_come_back_unchanged),
        WITH_OFFICE(info_tells_the_owner),
        WITH_OFFICE(a_prefix_tells_the_owner),
        WITH_OFFICE(strings),
        WITH_OFFICE(base64_has_one_form),
        WITH_OFFICE(every_letter_counts),
        WITH_OFFICE(data_as_text),
    };
    return cmocka_run_group_tests_name("protect", tests, begin, NULL);
}
