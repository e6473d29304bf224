/* Messages for people: every refusal has one, in the language of the session, whatever the host's locale is. */
#include "support.h"

#include <fcntl.h>
#include <locale.h>

#define DISK "Your organisation does not allow saving to this computer."
#define DISK_DE "Ihre Organisation erlaubt nicht, auf diesem Computer zu speichern."
#define PRINT "Your organisation does not allow printing."
#define PRINT_DE "Ihre Organisation erlaubt das Drucken nicht."

static mam_t *open_in(const office *o, const char *language) {
    char more[PATH_SIZE];
    snprintf(more, sizeof more, QUIET ",\"language\":\"%s\"", language);
    return open_app(o, APP, more);
}

static char *ask(mam_t *m, const char *question) {
    char request[PATH_SIZE], *reply = NULL;
    snprintf(request, sizeof request, "{\"account\":\"" ANN "\",%s}", question);
    OK(mam_policy_check(m, request, &reply));
    return reply;
}

static void refuses(mam_t *m, const char *question, const char *key, const char *text) {
    char *reply = ask(m, question);
    CHECK_TEXT(key, text_of(reply, "/reason/messageKey"));
    CHECK_TEXT(text, text_of(reply, "/reason/userMessage"));
    CHECK(strstr(text_of(reply, "/reason/message"), "refused"));
    mam_free(reply);
}

static void refuses_in(const office *o, const char *language, const char *disk, const char *print) {
    mam_t *m = open_in(o, language);
    refuses(m, "\"action\":\"saveTo\",\"location\":\"localDrive\"", "refusedSaveToLocalDrive", disk);
    refuses(m, "\"action\":\"print\"", "refusedPrint", print);
    OK(mam_close(m));
}

static void the_language_of_the_session(void **state) {
    const office *o = *state;
    OK(mam_close(open_enrolled(o)));
    refuses_in(o, "de", DISK_DE, PRINT_DE);
    refuses_in(o, "de_AT:de", DISK_DE, PRINT_DE);
    refuses_in(o, "fr:de-CH", DISK_DE, PRINT_DE);
    refuses_in(o, "en_GB", DISK, PRINT);
    refuses_in(o, "fr", DISK, PRINT);
    FAILS(MAM_ERR_JSON, try_open(o, QUIET ",\"language\":7"));
}

static void two_sessions_with_two_languages(void **state) {
    const office *o = *state;
    mam_t *english = open_enrolled(o), *german = open_in(o, "de");
    for (int round = 0; round < 3; round++) {
        refuses(english, "\"action\":\"print\"", "refusedPrint", PRINT);
        refuses(german, "\"action\":\"print\"", "refusedPrint", PRINT_DE);
    }
    OK(mam_close(english));
    OK(mam_close(german));
}

static void in_environment(const office *o, const char *language, const char *messages, const char *print) {
    CHECK(setenv("LC_MESSAGES", messages, 1) == 0 && unsetenv("LC_ALL") == 0);
    CHECK(language ? setenv("LANGUAGE", language, 1) == 0 : unsetenv("LANGUAGE") == 0);
    mam_t *m = open_quiet(o);
    refuses(m, "\"action\":\"print\"", "refusedPrint", print);
    OK(mam_close(m));
}

static void the_environment_where_none_is_given(void *argument) {
    const office *o = argument;
    in_environment(o, NULL, "de_DE.UTF-8", PRINT_DE);
    in_environment(o, "de_AT:de", "en_US.UTF-8", PRINT_DE);
    in_environment(o, "en", "de_DE.UTF-8", PRINT);
    in_environment(o, "de", "C", PRINT);
    /* The host's locale is the host's: it is neither read nor set. */
    CHECK(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
    CHECK(setlocale(LC_ALL, "C.UTF-8") != NULL);
    in_environment(o, "de", "de_DE.UTF-8", PRINT_DE);
    CHECK(strcmp(setlocale(LC_MESSAGES, NULL), "C.UTF-8") == 0);
}

static void the_environment(void **state) {
    OK(mam_close(open_enrolled(*state)));
    in_child(the_environment_where_none_is_given, *state);
}

static void every_refusal(void **state) {
    static const char *const questions[] = {
        "\"action\":\"print\"",
        "\"action\":\"backup\"",
        "\"action\":\"screenCapture\"",
        "\"action\":\"contactSync\"",
        "\"action\":\"widgetContentSync\"",
        "\"action\":\"indexing\"",
        "\"action\":\"assistantIntents\"",
        "\"action\":\"appIntents\"",
        "\"action\":\"appSharing\"",
        "\"action\":\"thirdPartyKeyboards\"",
        "\"action\":\"pinRequired\"",
        "\"action\":\"managedBrowserRequired\"",
        "\"action\":\"fileEncryptionRequired\"",
        "\"action\":\"fileProviderEncrypt\"",
        "\"action\":\"notification\"",
        "\"action\":\"notificationOrgData\"",
        "\"action\":\"documentPicker\",\"mode\":\"import\"",
        "\"action\":\"documentPicker\",\"mode\":\"export\"",
        "\"action\":\"saveTo\",\"location\":\"dropbox\"",
        "\"action\":\"openFrom\",\"location\":\"camera\"",
        "\"action\":\"receive\",\"sender\":\"" EVE "\"",
        "\"action\":\"url\",\"url\":\"zoommtg:1\"",
        "\"action\":\"url\",\"url\":\"no link\"",
        "\"action\":\"universalLink\",\"url\":\"https://zoom.us/j/1\"",
        "\"action\":\"clipboard\",\"length\":1000,\"receiver\":\"" EVE "\"",
        "\"action\":\"clipboard\",\"length\":1000,\"sender\":\"" EVE "\"",
    };
    mam_t *m = open_enrolled(*state);
    int refused = 0;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        char *reply = ask(m, questions[i]);
        if (has(reply, "/reason")) {
            refused++;
            if (!has_messages(reply, "/reason")) failed_at(__FILE__, __LINE__, "%s: %s", questions[i], reply);
        }
        mam_free(reply);
    }
    CHECK(refused >= 8);
    OK(mam_close(m));
}

static void says(const char *key, const char *text) {
    char *json = NULL;
    CHECK(mam_last_error_json(&json) == MAM_OK);
    CHECK_TEXT(key, text_of(json, "/messageKey"));
    CHECK_TEXT(text, text_of(json, "/userMessage"));
    mam_free(json);
}

static void errors(void **state) {
    const office *o = *state;
    mam_t *m = open_in(o, "de");
    char *json = NULL;
    CHECK(mam_wait(m, 4711, 0, &json) == MAM_ERR_NOT_FOUND);
    says("errorNotFound", "Das Element wurde nicht gefunden. Möglicherweise wurde es verschoben oder gelöscht.");
    OK(mam_close(m));
    /* Without a session, what the settings say; a failure clears with the next success. */
    CHECK(try_open(o, QUIET ",\"language\":\"de\",\"colour\":1") == MAM_ERR_JSON);
    says("errorSettings", "Diese App ist nicht richtig eingerichtet. Wenden Sie sich an den Support der App.");
    m = open_quiet(o);
    says("", "");
    OK(mam_close(m));
}

static void opens_badly(const office *o, const char *settings, mam_status status, const char *names) {
    mam_t *m = NULL;
    mam_status found = *settings == ',' ? try_open(o, settings + 1) : mam_open(settings, &m);
    if (found != status) failed_at(__FILE__, __LINE__, "%s answers %d", settings, found);
    CHECK_TEXT("errorSettings", message_key());
    if (strstr(mam_last_message(), names) == NULL) failed_at(__FILE__, __LINE__, "%s does not name %s", settings, names);
}

/* Wrong settings: the administrator reads which, and a person that the app is not set up. */
static void bad_settings(void **state) {
    const office *o = *state;
#define AUTHORITY "\"authority\":{\"type\":\"embedded\",\"path\":\"/none\"}"
    static const struct {
        const char *settings; /* after a comma: beside good ones */
        mam_status status;
        const char *names;
    } rows[] = {
        {"{", MAM_ERR_JSON, "settings_json"},
        {"[]", MAM_ERR_JSON, "settings_json"},
        {"{" AUTHORITY "}", MAM_ERR_JSON, "app"},
        {"{\"app\":{\"id\":\"a.b\"}}", MAM_ERR_JSON, "authority"},
        {"{\"app\":{\"id\":\"a b\"}," AUTHORITY "}", MAM_ERR_ARGUMENT, "app.id"},
        {"{\"app\":{\"id\":\"a.b\"},\"stateDirectory\":\"state\"," AUTHORITY "}", MAM_ERR_ARGUMENT, "stateDirectory"},
        {"{\"app\":{\"id\":\"a.b\"},\"stateDirectory\":\"/proc/x\"," AUTHORITY "}", MAM_ERR_NOT_FOUND, "/proc/x"},
        {",\"worker\":7", MAM_ERR_JSON, "worker"},
        {",\"questionTimeout\":\"30s\"", MAM_ERR_ARGUMENT, "questionTimeout"},
        {",\"settings\":{\"MultiIdentity\":\"yes\"}", MAM_ERR_JSON, "MultiIdentity"},
        {",\"settings\":{\"ContainingAppBundleId\":\"com.example.none\"}", MAM_ERR_DENIED, "com.example.none"},
        {",\"infoPlist\":\"/none.plist\"", MAM_ERR_NOT_FOUND, "/none.plist"},
        {",\"device\":{\"platform\":\"beos\"}", MAM_ERR_ARGUMENT, "device.platform"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) opens_badly(o, rows[i].settings, rows[i].status, rows[i].names);
    OK(try_open(o, QUIET));
}

/* Data and handles of an account that was wiped. */
static void after_a_wipe(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    mam_decision_t *decision = NULL;
    mam_file_t *file = NULL;
    mam_buffer container = sealed(m, ANN, "text");
    uint8_t byte;
    size_t count;
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_file_create(m, in_office(o, "file"), O_RDWR, 0600, ANN, &file));
    OK(mam_file_write(file, (const uint8_t *)"text", 4, &count));
    copy_tree(in_office(o, "file"), in_office(o, "copy"));
    mam_free(wipe_ann(m));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &container, ""));
    CHECK_TEXT("errorDataRemoved", message_key());
    CHECK(strstr(mam_last_message(), "the account was wiped in this app") != NULL);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_decrypt(m, in_office(o, "copy")));
    CHECK_TEXT("errorDataRemoved", message_key());
    FAILS(MAM_ERR_CLOSED, mam_file_pread(file, 0, &byte, 1, &count));
    CHECK_TEXT("errorDataRemoved", message_key());
    OK(mam_policy_reason(policy, MAM_ASK_PRINT, &decision));
    CHECK_TEXT("errorAccountRemoved", mam_decision_message_key(decision));
    mam_decision_release(decision);
    mam_policy_release(policy);
    OK(mam_file_close(file));
    mam_buffer_free(&container);
    OK(mam_close(m));
}

static void message_is(const char *expected, const char *key, const char *language) {
    char *text = NULL;
    OK(mam_message(key, language, &text));
    CHECK_TEXT(expected, text);
    mam_free(text);
}

static void by_key_in_the_environment(void *unused) {
    (void)unused;
    CHECK(setenv("LC_ALL", "de_DE.UTF-8", 1) == 0 && unsetenv("LANGUAGE") == 0);
    message_is(PRINT_DE, "refusedPrint", NULL);
    message_is(PRINT, "refusedPrint", "en");
    message_is(PRINT, "refusedPrint", "");
}

/* Without a session, in the language of the call or else of the environment. */
static void by_key(void **state) {
    char *text = (char *)1;
    message_is(PRINT, "refusedPrint", "fr");
    message_is(PRINT_DE, "refusedPrint", "fr:de-CH");
    message_is("Restart this app to apply your organisation's rules.", "questionRestartApplication", "en");
    message_is("Your organisation does not allow sharing its data with other apps.", "refusedAppSharing", "en");
    message_is("Choose a longer PIN. Minimum length: %d.", "pinTooShort", "en");
    in_child(by_key_in_the_environment, *state);
    FAILS(MAM_ERR_NOT_FOUND, mam_message("refusedprint", "en", &text));
    CHECK(text == NULL);
    FAILS(MAM_ERR_NOT_FOUND, mam_message("", NULL, &text));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_language_of_the_session),
        WITH_OFFICE(two_sessions_with_two_languages),
        WITH_OFFICE(the_environment),
        WITH_OFFICE(every_refusal),
        WITH_OFFICE(errors),
        WITH_OFFICE(bad_settings),
        WITHOUT_PIN(after_a_wipe),
        WITH_OFFICE(by_key),
    };
    return cmocka_run_group_tests_name("messages", tests, begin, NULL);
}
