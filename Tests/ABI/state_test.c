/* The files of the state, lost, truncated, changed and edited: a clear error, and no data lost; once repaired,
 * everything is there. */
#include "functions.h"
#include "saved_state.h"

#include <dirent.h>
#include <sys/stat.h>

/* ---- the root key and the shares */

static void a_missing_root_key(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    char path[LONG_PATH];
    size_t length, database_length, length_after;
    snprintf(path, sizeof path, "%s", in_group(o, "root.key"));
    uint8_t *key = read_whole(path, &length), *before = read_whole(in_group(o, "state.db"), &database_length);
    CHECK(unlink(path) == 0);
    refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
    CHECK(access(path, F_OK) != 0); /* none was created in its place */
    uint8_t *after = read_whole(in_group(o, "state.db"), &length_after);
    CHECK(length_after == database_length && memcmp(before, after, length_after) == 0);
    free(after);
    static const size_t sizes[] = {0, 1, 8, 32, 39};
    for (int i = 0; i < 5; i++) {
        write_whole(path, key, sizes[i]);
        refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
    }
    uint8_t *changed = malloc(length + 1);
    if (changed == NULL) abort();
    memcpy(changed, key, length);
    changed[length] = 0;
    write_whole(path, changed, length + 1);
    refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
    for (size_t i = 0; i < length; i++) {
        changed[i] ^= 0x10;
        write_whole(path, changed, length);
        refuses_to_open(o, MAM_ERR_KEY_UNAVAILABLE, path);
        changed[i] ^= 0x10;
    }
    write_whole(path, key, length);
    all_is_there(o, &k);
    free(changed);
    free(key);
    free(before);
    forget(&k);
}

/* The path of one of the shares. */
static void find_share(const office *o, char path[LONG_PATH]) {
    DIR *shares = opendir(in_group(o, "shares"));
    struct dirent *entry;
    do entry = readdir(shares);
    while (entry->d_name[0] == '.');
    snprintf(path, LONG_PATH, "%s/%s", in_group(o, "shares"), entry->d_name);
    closedir(shares);
}

static void a_share_is_hurt(const office *o, size_t new_length) {
    saved_state k = make_state(o);
    char path[LONG_PATH];
    find_share(o, path);
    size_t length;
    uint8_t *share = read_whole(path, &length);
    write_whole(path, share, new_length);
    mam_t *m = open_quiet(o);
    mam_policy_t *ann = NULL, *bob = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    OK(mam_policy_for_account(m, BOB, &bob));
    mam_status of_ann = opens_as(m, &k.ann, TEXT), of_bob = opens_as(m, &k.bob, TEXT);
    /* One account is closed, with a reason; the other works. */
    CHECK((of_ann == MAM_ERR_KEY_UNAVAILABLE && of_bob == MAM_OK) || (of_bob == MAM_ERR_KEY_UNAVAILABLE && of_ann == MAM_OK));
    const char *closed = of_ann == MAM_OK ? BOB : ANN, *open = of_ann == MAM_OK ? ANN : BOB;
    mam_buffer out = {NULL, 0};
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_protect(m, closed, (const uint8_t *)"x", 1, &out));
    CHECK(out.data == NULL);
    OK(mam_protect(m, open, (const uint8_t *)"x", 1, &out));
    mam_buffer_free(&out);
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(of_ann == MAM_OK ? bob : ann, MAM_SAVE_SHAREPOINT, closed));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(of_ann == MAM_OK ? ann : bob, MAM_SAVE_SHAREPOINT, open));
    OK(opens_as(m, &k.personal, TEXT));
    mam_policy_release(ann);
    mam_policy_release(bob);
    OK(mam_close(m));
    write_whole(path, share, length);
    all_is_there(o, &k);
    free(share);
    forget(&k);
}

static void a_truncated_share(void **state) { a_share_is_hurt(*state, 31); }
static void an_empty_share(void **state) { a_share_is_hurt(*state, 0); }

/* The other shares exist, so a missing one counts as a wipe, and the wipe is finished. */
static void a_deleted_share(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    char path[LONG_PATH];
    find_share(o, path);
    CHECK(unlink(path) == 0);
    mam_t *m = open_quiet(o);
    mam_status of_ann = opens_as(m, &k.ann, TEXT), of_bob = opens_as(m, &k.bob, TEXT);
    CHECK((of_ann == MAM_ERR_KEY_UNAVAILABLE && of_bob == MAM_OK) || (of_bob == MAM_ERR_KEY_UNAVAILABLE && of_ann == MAM_OK));
    const char *wiped = of_ann == MAM_OK ? BOB : ANN;
    mam_buffer out = {NULL, 0};
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect(m, wiped, (const uint8_t *)"x", 1, &out));
    char *event = NULL;
    while (event == NULL) {
        OK(mam_run_due(m));
        event = next_event(m, "wipeDidComplete", 50);
    }
    CHECK_TEXT(of_ann == MAM_OK ? BOB_ID : ANN_ID, text_of(event, "/accountId"));
    mam_free(event);
    OK(mam_close(m));
    CHECK_NUMBER(1, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM accounts"));
    forget(&k);
}

/* ---- the database */

static void a_newer_schema(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    char path[LONG_PATH], statement[64];
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    long long version = sql_number(path, "PRAGMA user_version");
    CHECK(version >= 1);
    static const long long newer[] = {1, 1000, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        long long made = i < 2 ? version + newer[i] : newer[i];
        size_t length, length_after;
        snprintf(statement, sizeof statement, "PRAGMA user_version = %lld", made);
        sql(path, statement);
        uint8_t *before = read_whole(path, &length);
        refuses_to_open(o, MAM_ERR_VERSION, path);
        uint8_t *after = read_whole(path, &length_after);
        CHECK(length == length_after && memcmp(before, after, length) == 0);
        free(before);
        free(after);
    }
    snprintf(statement, sizeof statement, "PRAGMA user_version = %lld", version);
    sql(path, statement);
    all_is_there(o, &k);
    forget(&k);
}

static void a_foreign_database(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    char path[LONG_PATH];
    size_t length;
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    uint8_t *database = read_whole(path, &length);
    write_whole(
        path, "this is no database, but somebody's letter, and longer than a header of one hundred bytes would be....", 100);
    refuses_to_open(o, MAM_ERR_STORAGE, path);
    CHECK(unlink(path) == 0);
    sql(path, "CREATE TABLE letters (text); PRAGMA application_id = 77");
    CHECK(chmod(path, 0600) == 0);
    refuses_to_open(o, MAM_ERR_STORAGE, path);
    write_whole(path, database, length);
    all_is_there(o, &k);
    free(database);
    forget(&k);
}

/* Every call of a host on a state that may be damaged: each returns. */
static void use_it(const office *o, saved_state *k, const char *what, int *opened, int *refused) {
    mam_t *m = NULL;
    char *settings = settings_for(o, APP, QUIET), *json = NULL;
    mam_status status = mam_open(settings, &m);
    free(settings);
    if (status != MAM_OK) {
        const char *why = "";
        if (!is_error_clear(status, &why)) failed_at(__FILE__, __LINE__, "%s", why);
        if (status != MAM_ERR_STORAGE && status != MAM_ERR_TAMPERED && status != MAM_ERR_KEY_UNAVAILABLE)
            failed_at(__FILE__, __LINE__, "a corrupt database is status %d (%s)", status, mam_status_name(status));
        ++*refused;
        return;
    }
    ++*opened;
    mam_status statuses[4];
    mam_policy_t *ann = NULL;
    statuses[0] = opens_as(m, &k->ann, TEXT);
    statuses[1] = mam_enrolled_accounts(m, &json);
    mam_free(json);
    statuses[2] = opens_as(m, &k->personal, TEXT);
    statuses[3] = mam_policy_for_account(m, ANN, &ann);
    if (statuses[3] == MAM_OK && mam_policy_is_print_allowed(ann) != 0) /* must be closed, or as the policy says */
        failed_at(
            __FILE__, __LINE__, "%s: Ann may print: her policy is forgotten, and nobody is reported (her container is status %d)",
            what, statuses[0]);
    mam_policy_release(ann);
    for (int i = 0; i < 4; i++)
        if (statuses[i] != MAM_OK && statuses[i] != MAM_ERR_STORAGE && statuses[i] != MAM_ERR_TAMPERED
            && statuses[i] != MAM_ERR_KEY_UNAVAILABLE)
            failed_at(
                __FILE__, __LINE__, "use %d of a corrupt state is status %d (%s)", i, statuses[i], mam_status_name(statuses[i]));
    status = mam_close(m);
    CHECK_NUMBER(MAM_OK, status);
}

/* Each page in turn is overwritten: with ones, with zeros, from its middle on. */
static void corrupted_pages(void **state) {
    const office *o = *state;
    saved_state k = make_state(o);
    static const char *const ways[] = {"ones", "zeros", "zeros in its second half"};
    char path[LONG_PATH], what[96];
    size_t length, page;
    int opened = 0, refused = 0;
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    uint8_t *good = read_whole(path, &length);
    page = (size_t)good[16] << 8 | good[17];
    CHECK(page >= 512 && length % page == 0 && length / page > 5);
    uint8_t *changed = malloc(length);
    if (changed == NULL) abort();
    for (size_t at = 0; at < length; at += page) {
        for (int way = 0; way < 3; way++) {
            memcpy(changed, good, length);
            memset(changed + at + (way == 2 ? page / 2 : 0), way == 0 ? 0xFF : 0, way == 2 ? page / 2 : page);
            write_whole(path, changed, length);
            unlink(in_group(o, "state.db-wal"));
            unlink(in_group(o, "state.db-shm"));
            snprintf(what, sizeof what, "page %zu of %zu with %s", at / page + 1, length / page, ways[way]);
            use_it(o, &k, what, &opened, &refused);
        }
    }
    for (size_t cut = page / 2; cut < length; cut += page) { /* and truncated within each page */
        write_whole(path, good, cut);
        unlink(in_group(o, "state.db-wal"));
        unlink(in_group(o, "state.db-shm"));
        snprintf(what, sizeof what, "cut to %zu of %zu bytes", cut, length);
        use_it(o, &k, what, &opened, &refused);
    }
    CHECK(refused > 0);
    write_whole(path, good, length);
    unlink(in_group(o, "state.db-wal"));
    unlink(in_group(o, "state.db-shm"));
    all_is_there(o, &k);
    free(good);
    free(changed);
    forget(&k);
}

/* An edited sealed value: the account's data is closed, nothing is deleted, others go on. */
static void edited_rows(void **state) {
    const office *o = *state;
    static const struct {
        const char *edit;
        bool heals; /* by a check-in */
    } rows[] = {
        {"UPDATE policies SET record = " CHANGED_BYTE("record", 60) " WHERE rowid = (SELECT min(rowid) FROM policies)", true},
        {"UPDATE accounts SET record = " CHANGED_BYTE("record", 60) " WHERE number = 1", false},
        {"UPDATE account_keys SET wrapped = " CHANGED_BYTE(
             "wrapped", 60) " WHERE account = (SELECT id FROM accounts WHERE number = 1)",
         false},
        {"UPDATE account_keys SET key_id = zeroblob(16) WHERE account = (SELECT id FROM accounts WHERE number = 1)", false},
        /* Rows moved from one account to the other. */
        {"UPDATE accounts SET record = (SELECT record FROM accounts WHERE number = 2) WHERE number = 1", false},
        {"UPDATE policies SET record = (SELECT record FROM policies WHERE account = (SELECT id FROM accounts WHERE number = 2)) "
         "WHERE account = (SELECT id FROM accounts WHERE number = 1)",
         true},
    };
    saved_state k = make_state(o);
    char path[LONG_PATH];
    size_t length;
    snprintf(path, sizeof path, "%s", in_group(o, "state.db"));
    uint8_t *good = read_whole(path, &length);
    size_t counted;
    uint8_t *counter = read_whole(in_group(o, "counter"), &counted);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sql(path, rows[i].edit);
        mam_t *m = open_quiet(o);
        mam_status of_ann = opens_as(m, &k.ann, TEXT), of_bob = opens_as(m, &k.bob, TEXT);
        bool is_ann = of_ann != MAM_OK;
        if (is_ann == (of_bob != MAM_OK)) failed_at(__FILE__, __LINE__, "edit %zu: Ann's is %d, Bob's %d", i, of_ann, of_bob);
        if ((is_ann ? of_ann : of_bob) != MAM_ERR_TAMPERED)
            failed_at(__FILE__, __LINE__, "edit %zu: status %d instead of tampered", i, is_ann ? of_ann : of_bob);
        const char *hurt = is_ann ? ANN : BOB;
        mam_buffer *container = is_ann ? &k.ann : &k.bob, out = {NULL, 0};
        mam_policy_t *policy = NULL;
        FAILS(MAM_ERR_TAMPERED, mam_protect(m, hurt, (const uint8_t *)"x", 1, &out));
        OK(mam_policy_for_account(m, hurt, &policy));
        CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, hurt));
        CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(policy));
        CHECK_NUMBER(1, mam_policy_is_pin_required(policy));
        mam_policy_release(policy);
        OK(opens_as(m, &k.personal, TEXT));
        if (rows[i].heals) {
            int code = check_in(m, hurt);
            if (code != 100) failed_at(__FILE__, __LINE__, "edit %zu: the check-in ends with %d", i, code);
            OK(opens_as(m, container, TEXT));
            OK(mam_policy_for_account(m, hurt, &policy));
            CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, hurt));
            mam_policy_release(policy);
        }
        OK(mam_close(m));
        /* Restore the counter's copy too, because the check-in advanced it. */
        write_whole(path, good, length);
        write_whole(in_group(o, "counter"), counter, counted);
        unlink(in_group(o, "state.db-wal"));
        unlink(in_group(o, "state.db-shm"));
        all_is_there(o, &k);
    }
    free(good);
    free(counter);
    forget(&k);
}

/* Truncating a mapped file kills its reader: no file is mapped for which this could happen. */
static void asks_while_files_are_cut(void *argument) {
    const office *o = argument;
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, TEXT);
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    for (int i = 0; i < 3; i++) { /* the index of SQLite's log: rebuilt */
        CHECK(truncate(in_group(o, "state.db-shm"), i * 4096) == 0);
        OK(mam_set_override(m, "SupportsDarkMode", i % 2 ? "true" : "false"));
        CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
        OK(opens_as(m, &container, TEXT));
    }
    CHECK(truncate(in_group(o, "generation"), 0) == 0);
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    sleep_ms(300);
    FAILS(MAM_ERR_TAMPERED, opens_as(m, &container, TEXT));
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    CHECK(truncate(in_group(o, "state.db-shm"), 0) == 0);
    OK(mam_close(m));
    m = open_quiet(o);
    OK(opens_as(m, &container, TEXT));
    CHECK(truncate(in_group(o, "state.db-shm"), 0) == 0);
    pid_t child = fork();
    if (child == 0) _exit(0);
    end_well(child);
    OK(opens_as(m, &container, TEXT));
    OK(mam_close(m));
    mam_buffer_free(&container);
}

static void files_truncated_under_a_session(void **state) { in_child(asks_while_files_are_cut, *state); }

/* Move the directory away and back. */
static void a_moved_directory(void **state) {
    office *o = *state;
    saved_state k = make_state(o);
    CHECK(rename(o->state, in_office(o, "moved")) == 0);
    mam_t *m = open_quiet(o);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &k.ann, TEXT));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &k.personal, TEXT));
    OK(mam_close(m));
    snprintf(o->state, sizeof o->state, "%s/moved", o->root);
    all_is_there(o, &k);
    forget(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(a_missing_root_key), WITH_OFFICE(a_deleted_share), WITH_OFFICE(a_truncated_share),
        WITH_OFFICE(an_empty_share),     WITH_OFFICE(a_newer_schema),  WITH_OFFICE(a_foreign_database),
        WITH_OFFICE(corrupted_pages),    WITH_OFFICE(edited_rows),     WITH_OFFICE(files_truncated_under_a_session),
        WITH_OFFICE(a_moved_directory),
    };
    return cmocka_run_group_tests_name("state", tests, begin, NULL);
}
