/* Every function of mam.h that takes text, with every kind of bad text: the documented status, a message that names the
 * argument, outputs NULL or 0, and nothing changed. */
#include "arguments.h"

#include <fcntl.h>

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
            if (f->other_name == NULL) continue;
            good_arguments(f, &call, here, m, policy);
            call.other = bad[i].text;
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, bad[i].what);
            names(f, bad[i].what, "argument", f->other_name);
        }
    }
    for (size_t i = 0; i < 3; i++) free(bad[i].text);
    char *longest = repeated('a', MAM_ACCOUNT_MAX);
    mam_policy_t *unmanaged = NULL;
    OK(mam_policy_for_account(m, longest, &unmanaged));
    mam_policy_release(unmanaged);
    free(longest);
}

static void bad_windows(void **state) {
    (void)state;
    char *longest = repeated('w', MAM_WINDOW_MAX), *overlong = repeated('w', LONG);
    const char *const bad[] = {"", overlong, "w\377", "w\300\200", "\200", "w\355\240\200"};
    EACH(f, TAKES_WINDOW) {
        call_t call;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            good_arguments(f, &call, here, m, policy);
            call.window = bad[i];
            run_function(f, &call);
            failed_well(f, &call, MAM_ERR_ARGUMENT, "no name of a window");
            names(f, "no name of a window", "argument", "window");
        }
        good_arguments(f, &call, here, m, policy);
        call.window = longest;
        run_function(f, &call);
        ok_at(__FILE__, __LINE__, f->name, call.status);
    }
    free(longest);
    free(overlong);
}

/* The table at the top of mam.h, from vectors/functions.json. */
static void null_and_empty_accounts(void **state) {
    (void)state;
    EACH(f, TAKES_ACCOUNT) {
        for (int empty = 0; empty < 2; empty++) {
            call_t call;
            mam_status expected = empty ? f->empty_account : f->null_account;
            good_arguments(f, &call, here, m, policy);
            call.account = empty ? "" : NULL;
            run_function(f, &call);
            if (expected == MAM_OK) {
                ok_at(__FILE__, __LINE__, f->name, call.status);
                CHECK(call.is_whole);
            } else {
                failed_well(f, &call, expected, empty ? "\"\" as account" : "NULL as account");
                if (expected == MAM_ERR_ARGUMENT) names(f, "no account", "argument", "account");
            }
        }
    }
    int64_t op;
    mam_buffer out;
    FAILS(MAM_ERR_ARGUMENT, mam_protect(m, NULL, (const uint8_t *)"x", 1, &out));
    CHECK_NUMBER(101, original_code());
    FAILS(MAM_ERR_ARGUMENT, mam_register_and_enroll(m, "{}", &op));
    CHECK_NUMBER(207, original_code());
    static const char *const nobody[] = {
        NULL, "{}", "{\"upn\":\"\"}", "{\"accountId\":\"\"}", "{\"accountId\":\"ann\",\"upn\":\"\"}", "{\"tenantId\":\"t\"}",
    };
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        FAILS(MAM_ERR_ARGUMENT, mam_register_and_enroll(m, nobody[i], &op));
        CHECK_NUMBER(207, original_code());
    }
    FAILS(MAM_ERR_ARGUMENT, mam_login_and_enroll(m, "", &op));
    CHECK_NUMBER(207, original_code());
    FAILS(MAM_ERR_NOT_REGISTERED, mam_wipe_account(m, EVE, &op));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_deregister_and_unenroll(m, EVE, 1, &op));
    OK(mam_check_in(m, EVE, &op));
    CHECK_NUMBER(214, code_of(m, op));
}

/* An account and a path, or data, in each other's place: nothing is stored for a user with the name of a path. */
static void exchanged_arguments(void **state) {
    (void)state;
    int seen = 0;
    EACH(f, TAKES_ACCOUNT) {
        for (size_t i = 0; i < 2 && f->beside[i].name != NULL && f->beside[i].name[0] != '\0'; i++) {
            const bool is_data = f->beside[i].at == offsetof(call_t, data);
            static const char *const accounts[] = {"/tmp/a file", ("folder/" ANN), "a file", ""};
            for (size_t k = 0; k < 4; k++) {
                call_t call;
                good_arguments(f, &call, here, m, policy);
                call.account = accounts[k];
                if (k >= 2) {
                    const char *name = ANN;
                    if (*accounts[k] == '\0' && (is_data || strcmp(f->name, "mam_protect_string") == 0)) continue;
                    memcpy((char *)&call + f->beside[i].at, &name, sizeof name);
                    if (is_data) call.length = strlen(ANN);
                }
                run_function(f, &call);
                failed_well(f, &call, MAM_ERR_ARGUMENT, "exchanged arguments");
                names(f, "exchanged arguments", "argument", k < 2 ? "account" : f->beside[i].name);
                if (strstr(mam_last_message(), "exchanged?") == NULL)
                    failed_at(__FILE__, __LINE__, "%s does not say that arguments are exchanged: %s", f->name, mam_last_message());
                seen++;
            }
        }
    }
    CHECK(seen > 40);
    call_t call;
    const function *stream = function_named("mam_protect_stream_open");
    good_arguments(stream, &call, here, m, policy);
    call.account = "folder/file";
    run_function(stream, &call);
    failed_well(stream, &call, MAM_ERR_ARGUMENT, "a path as account");

    /* A file may have the name of its account, and text for nobody may be an address. */
    mam_file_t *file = NULL;
    char folder[4096];
    CHECK(getcwd(folder, sizeof folder) != NULL && chdir(in_office(here, "")) == 0);
    OK(mam_file_create(m, ANN, O_WRONLY, 0600, ANN, &file));
    OK(mam_file_close(file));
    FAILS(MAM_ERR_ARGUMENT, mam_file_create(m, ANN, O_WRONLY, 0600, EVE, &file));
    OK(mam_file_create(m, "./" EVE, O_WRONLY, 0600, EVE, &file));
    OK(mam_file_close(file));
    CHECK(chdir(folder) == 0);
    mam_buffer out;
    OK(mam_protect(m, "", (const uint8_t *)ANN, strlen(ANN), &out));
    mam_buffer_free(&out);
    OK(mam_protect(m, EVE, (const uint8_t *)"anm@contoso.example", 19, &out));
    mam_buffer_free(&out);
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
            if (strcmp(f->name, "mam_admin") == 0 || strncmp(f->name, "mam_file_", 9) == 0) continue; /* a path is bytes */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(bad_accounts),        TEST(null_and_empty_accounts),  TEST(exchanged_arguments),
        TEST(bad_windows),         TEST(bad_accounts_inside_json), TEST(bad_texts),
        TEST(nothing_was_changed),
    };
    return cmocka_run_group_tests_name("texts", tests, set_up_suite, tear_down_suite);
}
