/* Files from one managed app to another: the apps that can read an exported file, and those that cannot. */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TEXT "the minutes of the meeting, which are confidential"

/* An app in a separate group: another state, another root key. */
static mam_t *open_elsewhere(const office *o, const char *app, const char *group) {
    char settings[4 * PATH_SIZE];
    mam_t *m = NULL;
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"%s\",\"group\":\"%s\"},\"stateDirectory\":\"%s\","
        "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}," QUIET "}",
        app, group, o->state, o->authority);
    OK(mam_open(settings, &m));
    return m;
}

static mam_t *open_mail(const office *o) { return open_elsewhere(o, OTHER_APP, "com.example.other"); }

/* Make a sealed file of Ann in an app; returns its path in one of eight static buffers. */
static const char *file_of_ann(const office *o, mam_t *m) {
    const char *path = in_office(o, "minutes");
    mam_buffer container = sealed(m, ANN, TEXT);
    write_whole(path, container.data, container.length);
    mam_buffer_free(&container);
    return path;
}

static bool shows_text(const char *path) {
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    bool shows = memmem(bytes, length, TEXT, strlen(TEXT)) != NULL;
    free(bytes);
    return shows;
}

/* The app reads this text from its file, which is sealed and Ann's. */
static void holds(mam_t *m, const char *path, const char *text) {
    mam_file_t *file = NULL;
    size_t count, length = strlen(text);
    char *room = calloc(1, length + 2), *info = NULL;
    if (room == NULL) abort();
    OK(mam_file_open(m, path, O_RDONLY, &file));
    OK(mam_file_read(file, (uint8_t *)room, length + 1, &count));
    mam_file_close(file);
    CHECK_NUMBER(length, count);
    CHECK(strcmp(room, text) == 0);
    free(room);
    OK(mam_file_info(m, path, &info));
    CHECK(truth_of(info, "/encrypted") && truth_of(info, "/authenticated"));
    CHECK_TEXT(ANN_ID, text_of(info, "/accountId"));
    CHECK_TEXT("both", text_of(info, "/known"));
    mam_free(info);
}

static void holds_text(mam_t *m, const char *path) { holds(m, path, TEXT); }

static void mail_takes_it_in(void *argument) {
    const office *o = argument;
    mam_t *mail = open_mail(o);
    enroll_well(mail, ANN);
    OK(mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "received")));
    CHECK(!shows_text(in_office(o, "received")));
    holds_text(mail, in_office(o, "received"));
    OK(mam_close(mail));
}

static void nobody_takes_it_in(void *argument) {
    const office *o = argument;
    mam_t *game = open_elsewhere(o, "com.example.game", "com.example.game");
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(game, in_office(o, "exported"), "", in_office(o, "stolen")));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(game, in_office(o, "exported"), ANN, in_office(o, "stolen")));
    enroll_well(game, BOB); /* managed, but not Ann's */
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(game, in_office(o, "exported"), BOB, in_office(o, "stolen")));
    CHECK(!is_there(in_office(o, "stolen")));
    OK(mam_close(game));
}

static void wiped_and_enrolled_again(void *argument) {
    const office *o = argument;
    mam_t *mail = open_mail(o);
    int64_t op;
    OK(mam_wipe_account(mail, ANN, &op));
    CHECK_NUMBER(104, code_of(mail, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "again")));
    enroll_well(mail, ANN);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "again")));
    CHECK(!is_there(in_office(o, "again")));
    OK(mam_close(mail));
}

/* Two apps of different groups in separate processes; an unmanaged program; the same two after their wipe. */
static void two_apps_exchange_a_file(void **state) {
    office *o = *state;
    mam_t *notes = open_enrolled(o);
    const char *exported = in_office(o, "exported");
    OK(mam_file_export(notes, file_of_ann(o, notes), MAM_SAVE_SHAREPOINT, ANN, exported));
    CHECK(!shows_text(exported));
    in_child(mail_takes_it_in, o);
    in_child(nobody_takes_it_in, o);
    /* The exporting app can read it too, and export it again. */
    OK(mam_file_import(notes, in_office(o, "exported"), ANN, in_office(o, "back")));
    holds_text(notes, in_office(o, "back"));
    OK(mam_file_export(notes, in_office(o, "exported"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "handed-on")));
    in_child(wiped_and_enrolled_again, o);
    int64_t op;
    OK(mam_wipe_account(notes, ANN, &op));
    CHECK_NUMBER(104, code_of(notes, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(notes, in_office(o, "exported"), ANN, in_office(o, "again")));
    enroll_well(notes, ANN);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(notes, in_office(o, "exported"), ANN, in_office(o, "again")));
    OK(mam_close(notes));
}

/* A copy of the state from before the wipe still has the former keys; later exports are not for it. */
static void a_wiped_app_reads_nothing_exported_afterwards(void **state) {
    const office *o = *state;
    char folder[LONG_PATH], copy[LONG_PATH];
    mam_t *notes = open_enrolled(o), *mail = open_mail(o);
    enroll_well(mail, ANN);
    OK(mam_file_export(notes, file_of_ann(o, notes), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "before")));
    OK(mam_file_import(mail, in_office(o, "before"), ANN, in_office(o, "received")));
    OK(mam_close(mail));
    snprintf(folder, sizeof folder, "%s/com.example.other", o->state);
    snprintf(copy, sizeof copy, "%s/copy", o->root);
    copy_tree(folder, copy);
    mail = open_mail(o);
    int64_t op;
    OK(mam_wipe_account(mail, ANN, &op));
    CHECK_NUMBER(104, code_of(mail, op));
    OK(mam_close(mail));
    OK(mam_file_export(notes, file_of_ann(o, notes), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "after")));
    remove_tree(folder);
    copy_tree(copy, folder);
    mail = open_mail(o);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(mail, in_office(o, "after"), ANN, in_office(o, "stolen")));
    CHECK_NUMBER(220, original_code());
    CHECK(!is_there(in_office(o, "stolen")));
    OK(mam_close(mail));
    OK(mam_close(notes));
}

/* The administrator's request suffices: an app that still has to wipe itself gets no key. */
static void an_app_to_be_wiped_gets_no_key(void **state) {
    const office *o = *state;
    mam_t *notes = open_enrolled(o), *mail = open_mail(o);
    enroll_well(mail, ANN);
    admin(o, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\",\"app\":\"" OTHER_APP "\"}");
    OK(mam_file_export(notes, file_of_ann(o, notes), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "stolen")));
    CHECK_NUMBER(102, original_code());
    FAILS(
        MAM_ERR_KEY_UNAVAILABLE, mam_file_export(mail, in_office(o, "exported"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "stolen")));
    CHECK(!is_there(in_office(o, "stolen")));
    OK(mam_close(notes));
    OK(mam_close(mail));
}

static void without_an_authority_former_keys_serve(void **state) {
    const office *o = *state;
    char away[LONG_PATH];
    mam_t *notes = open_enrolled(o), *mail = open_mail(o);
    enroll_well(mail, ANN);
    const char *minutes = file_of_ann(o, notes);
    snprintf(away, sizeof away, "%s.away", o->authority);
    CHECK(rename(o->authority, away) == 0);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_export(notes, minutes, MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    CHECK_NUMBER(204, original_code());
    CHECK(rename(away, o->authority) == 0);
    OK(mam_file_export(notes, minutes, MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    CHECK(rename(o->authority, away) == 0);
    OK(mam_file_export(notes, minutes, MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "received")));
    CHECK(rename(away, o->authority) == 0);
    OK(mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "received")));
    OK(mam_close(notes));
    OK(mam_close(mail));
}

/* An app that exchanges files gets new keys with a check-in, and then needs no authority. */
static void a_check_in_brings_new_keys(void **state) {
    const office *o = *state;
    char away[LONG_PATH];
    mam_t *notes = open_enrolled(o), *mail = open_mail(o);
    enroll_well(mail, ANN);
    const char *minutes = file_of_ann(o, notes);
    OK(mam_file_export(notes, minutes, MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    OK(mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "received")));
    admin(o, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\",\"deviceTag\":\"elsewhere\",\"force\":true}");
    OK(mam_file_export(notes, minutes, MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    CHECK_NUMBER(101, check_in(mail, ANN));
    snprintf(away, sizeof away, "%s.away", o->authority);
    CHECK(rename(o->authority, away) == 0);
    OK(mam_file_import(mail, in_office(o, "exported"), ANN, in_office(o, "received")));
    CHECK(rename(away, o->authority) == 0);
    OK(mam_close(notes));
    OK(mam_close(mail));
}

static void policy_refuses_with_its_reason(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    const char *minutes = file_of_ann(o, m), *target = in_office(o, "target"), *foreign = in_office(o, "foreign");
    char *error = NULL;
    write_whole(target, "before", 6);
    /* Listed or not, an account at a service that no policy can name is never the organisation's. */
    FAILS(MAM_ERR_DENIED, mam_file_export(m, minutes, MAM_SAVE_OTHER, ANN, target));
    CHECK(mam_last_error_json(&error) == MAM_OK);
    CHECK_TEXT("allowedOutboundDataTransferDestinations", text_of(error, "/detail/reason/setting"));
    mam_free(error);
    FAILS(MAM_ERR_DENIED, mam_file_export(m, minutes, MAM_SAVE_BOX, ANN, target));
    CHECK(mam_last_error_json(&error) == MAM_OK);
    CHECK_TEXT("saveAsBlocked", text_of(error, "/detail/reason/setting"));
    CHECK_TEXT(STRICT_POLICY, text_of(error, "/detail/reason/policyId"));
    mam_free(error);
    FAILS(MAM_ERR_DENIED, mam_file_export(m, minutes, MAM_SAVE_SHAREPOINT, EVE, target));
    write_whole(foreign, "a file of nobody known", 22);
    FAILS(MAM_ERR_DENIED, mam_file_import(m, foreign, ANN, target));
    CHECK(mam_last_error_json(&error) == MAM_OK);
    CHECK_TEXT("allowedInboundDataTransferSources", text_of(error, "/detail/reason/setting"));
    mam_free(error);
    FAILS(MAM_ERR_DENIED, mam_file_import(m, minutes, EVE, target)); /* Ann's file into a personal account */
    size_t length;
    uint8_t *bytes = read_whole(target, &length);
    CHECK(length == 6 && memcmp(bytes, "before", 6) == 0);
    free(bytes);
    /* A file without an owner goes anywhere that allows it, unchanged. */
    OK(mam_file_export(m, foreign, MAM_SAVE_OTHER, NULL, target));
    OK(mam_file_import(m, foreign, "", target));
    FAILS(MAM_ERR_DENIED, mam_file_export(m, foreign, MAM_SAVE_OTHER, ANN, target));
    OK(mam_close(m));
}

/* Labelled for a personal account, which encrypts nothing, and given to Ann afterwards: it is hers. */
static void a_label_releases_no_file_of_others(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    const char *path = in_office(o, "labelled"), *target = in_office(o, "target");
    const char *other = in_office(o, "other"); /* the index knows `path` as Ann's, even for another file */
    const char *const made_for[] = {EVE, ""};
    for (int i = 0; i < 2; i++) {
        mam_buffer container = sealed(m, made_for[i], TEXT);
        write_whole(path, container.data, container.length);
        mam_buffer_free(&container);
        OK(mam_file_protect(m, path, ANN));
        FAILS(MAM_ERR_DENIED, mam_file_export(m, path, MAM_SAVE_OTHER, NULL, target));
        FAILS(MAM_ERR_DENIED, mam_file_import(m, path, EVE, target));
        CHECK(!is_there(target));
        OK(mam_file_import(m, path, ANN, target));
        CHECK(!shows_text(target) && unlink(target) == 0);
        FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, ""));
        FAILS(MAM_ERR_DENIED, mam_file_unmanage(m, path, ""));
        CHECK(unlink(path) == 0);
        container = sealed(m, made_for[i], TEXT);
        write_whole(other, container.data, container.length);
        mam_buffer_free(&container);
        OK(mam_file_export(m, other, MAM_SAVE_OTHER, NULL, target));
        CHECK(shows_text(target) && unlink(target) == 0 && unlink(other) == 0);
    }
    OK(mam_close(m));
}

static mam_bool receives(mam_t *m, const char *account, const char *path) {
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, account, &policy));
    mam_bool answer = mam_policy_can_receive_file(policy, path);
    mam_policy_release(policy);
    return answer;
}

/* The account in it counts as the sender if one of the app's keys verifies it, whoever copied it here. */
static void an_exported_file_is_its_accounts(void **state) {
    const office *o = *state;
    mam_t *notes = open_enrolled(o), *mail = open_mail(o), *game = open_elsewhere(o, "com.example.game", "com.example.game");
    const char *exported = in_office(o, "exported"), *foreign = in_office(o, "foreign"), *changed = in_office(o, "changed");
    enroll_well(mail, ANN);
    enroll_well(game, BOB);
    OK(mam_file_export(notes, file_of_ann(o, notes), MAM_SAVE_SHAREPOINT, ANN, exported));
    write_whole(foreign, "a file of nobody known", 22);
    CHECK_NUMBER(1, receives(notes, ANN, exported));
    CHECK_NUMBER(0, receives(notes, ANN, foreign));
    /* Without the key it counts as any account's. */
    CHECK_NUMBER(0, receives(mail, ANN, exported));
    CHECK_NUMBER(0, receives(game, BOB, exported));
    OK(mam_file_import(mail, exported, ANN, in_office(o, "received")));
    CHECK_NUMBER(1, receives(mail, ANN, exported));
    CHECK_NUMBER(0, receives(mail, EVE, exported));
    size_t length;
    uint8_t *bytes = read_whole(exported, &length);
    bytes[39] ^= 1; /* the account */
    write_whole(changed, bytes, length);
    CHECK_NUMBER(0, receives(mail, ANN, changed));
    free(bytes);
    OK(mam_close(game));
    OK(mam_close(mail));
    OK(mam_close(notes));
}

static void paths_that_are_not_files(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    const char *minutes = file_of_ann(o, m), *pipe_path = in_office(o, "pipe"), *link = in_office(o, "link");
    const char *there = in_office(o, "there"), *target = in_office(o, "target");
    CHECK(mkfifo(pipe_path, 0600) == 0 && symlink("there", link) == 0);
    write_whole(there, "before", 6);
    FAILS(MAM_ERR_NOT_FOUND, mam_file_export(m, in_office(o, "missing"), MAM_SAVE_SHAREPOINT, ANN, target));
    CHECK_NUMBER(104, original_code());
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, o->root, MAM_SAVE_SHAREPOINT, ANN, target));
    CHECK_NUMBER(105, original_code());
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, pipe_path, MAM_SAVE_SHAREPOINT, ANN, target));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, "/dev/null", MAM_SAVE_SHAREPOINT, ANN, target));
    CHECK(!is_there(target));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, minutes, MAM_SAVE_SHAREPOINT, ANN, link));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, minutes, MAM_SAVE_SHAREPOINT, ANN, pipe_path));
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, minutes, MAM_SAVE_SHAREPOINT, ANN, o->root));
    FAILS(MAM_ERR_ARGUMENT, mam_file_export(m, minutes, 3, ANN, target));
    CULPRIT("argument", "location");
    struct stat facts;
    CHECK(lstat(link, &facts) == 0 && S_ISLNK(facts.st_mode) && lstat(there, &facts) == 0 && facts.st_size == 6);
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_export(m, link, MAM_SAVE_SHAREPOINT, ANN, target));
    OK(mam_close(m));
}

/* Files of every kind: sealed in place, and plain ones that attribute and index give an owner. */
static void files_of_every_kind(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    const char *sealed_path = in_office(o, "sealed"), *tagged = in_office(o, "tagged"), *target = in_office(o, "target");
    mam_file_t *file = NULL;
    size_t count;
    OK(mam_file_create(m, sealed_path, O_RDWR, 0600, ANN, &file));
    OK(mam_file_write(file, (const uint8_t *)TEXT, strlen(TEXT), &count));
    mam_file_close(file);
    write_whole(tagged, TEXT, strlen(TEXT));
    OK(mam_file_protect(m, tagged, ANN));
    const char *const paths[] = {sealed_path, tagged};
    for (int i = 0; i < 2; i++) {
        FAILS(MAM_ERR_DENIED, mam_file_export(m, paths[i], MAM_SAVE_OTHER, NULL, target));
        FAILS(MAM_ERR_DENIED, mam_file_import(m, paths[i], EVE, target));
        CHECK(!is_there(target));
        OK(mam_file_export(m, paths[i], MAM_SAVE_SHAREPOINT, ANN, target));
        CHECK(!shows_text(target));
        OK(mam_file_import(m, target, ANN, in_office(o, "back")));
        holds_text(m, in_office(o, "back"));
        OK(mam_file_import(m, paths[i], ANN, in_office(o, "copy")));
        holds_text(m, in_office(o, "copy"));
        unlink(target);
    }
    OK(mam_close(m));
}

/* Larger than any buffer. */
static void large_files(void **state) {
    const office *o = *state;
    enum { LENGTH = 5000001 };
    mam_t *m = open_enrolled(o);
    char *text = malloc(LENGTH + 1);
    if (text == NULL) abort();
    for (size_t i = 0; i < LENGTH; i++) text[i] = (char)('a' + (i * 131 + i / 4096) % 26);
    text[LENGTH] = 0;
    write_whole(in_office(o, "tagged"), text, LENGTH);
    OK(mam_file_protect(m, in_office(o, "tagged"), ANN));
    OK(mam_file_export(m, in_office(o, "tagged"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    OK(mam_file_import(m, in_office(o, "exported"), ANN, in_office(o, "received")));
    holds(m, in_office(o, "received"), text);
    OK(mam_file_export(m, in_office(o, "received"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "again")));
    OK(mam_file_import(m, in_office(o, "again"), ANN, in_office(o, "received")));
    holds(m, in_office(o, "received"), text);
    free(text);
    OK(mam_close(m));
}

/* Every byte of an exported file counts. */
static void changed_files(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    size_t length;
    OK(mam_file_export(m, file_of_ann(o, m), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    uint8_t *bytes = read_whole(in_office(o, "exported"), &length);
    const char *changed = in_office(o, "changed"), *target = in_office(o, "target");
    for (size_t i = 4; i <= length; i++) {
        if (i < length) bytes[i] ^= 0x20;
        write_whole(changed, bytes, i < length ? length : length - 1); /* finally it is truncated */
        mam_status status = mam_file_import(m, changed, ANN, target);
        if (status != MAM_ERR_DAMAGED && status != MAM_ERR_AUTHENTICATION && status != MAM_ERR_KEY_UNAVAILABLE)
            failed_at(__FILE__, __LINE__, "byte %zu: status %d", i, status);
        CHECK(!is_there(target));
        if (i < length) bytes[i] ^= 0x20;
    }
    free(bytes);
    OK(mam_close(m));
}

static void export_for_ever(void *argument) {
    const office *o = argument;
    mam_t *m = open_quiet(o);
    for (;;) OK(mam_file_export(m, in_office(o, "minutes"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
}

/* Killed at any time: either the former copy or the new one is there, and complete. */
static void killed_at_random(void **state) {
    office *o = *state;
    mam_t *m = open_enrolled(o);
    size_t size = 300000;
    char *text = calloc(1, size + 1);
    if (text == NULL) abort();
    memset(text, 'x', size);
    mam_buffer container = sealed(m, ANN, text);
    write_whole(in_office(o, "minutes"), container.data, container.length);
    mam_buffer_free(&container);
    OK(mam_file_export(m, in_office(o, "minutes"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "exported")));
    for (int i = 0; i < 40; i++) {
        pid_t child = start_child(export_for_ever, o);
        sleep_ms(30 + (int)(random_number() % 60));
        kill(child, SIGKILL);
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        OK(mam_file_import(m, in_office(o, "exported"), ANN, in_office(o, "received")));
        holds(m, in_office(o, "received"), text);
    }
    free(text);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(two_apps_exchange_a_file),
        WITH_OFFICE(a_wiped_app_reads_nothing_exported_afterwards),
        WITH_OFFICE(an_app_to_be_wiped_gets_no_key),
        WITH_OFFICE(without_an_authority_former_keys_serve),
        WITH_OFFICE(a_check_in_brings_new_keys),
        WITH_OFFICE(policy_refuses_with_its_reason),
        WITH_OFFICE(a_label_releases_no_file_of_others),
        WITH_OFFICE(an_exported_file_is_its_accounts),
        WITH_OFFICE(paths_that_are_not_files),
        WITH_OFFICE(files_of_every_kind),
        WITH_OFFICE(large_files),
        WITH_OFFICE(changed_files),
        WITH_OFFICE(killed_at_random),
    };
    return cmocka_run_group_tests_name("exchange", tests, begin, NULL);
}
