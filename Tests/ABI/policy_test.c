/* Predicates: every answer equals mam_policy_check's and the map's; handles follow every change, and lock down. */
#include "functions.h"

static const struct {
    int32_t number;
    const char *name;
    bool has_no_account;
} saves[] =
    {
        {MAM_SAVE_OTHER, "other", false},
        {MAM_SAVE_ONEDRIVE_FOR_BUSINESS, "oneDriveForBusiness", false},
        {MAM_SAVE_SHAREPOINT, "sharePoint", false},
        {MAM_SAVE_BOX, "box", false},
        {MAM_SAVE_DROPBOX, "dropbox", false},
        {MAM_SAVE_GOOGLE_DRIVE, "googleDrive", false},
        {MAM_SAVE_LOCAL_DRIVE, "localDrive", true},
        {MAM_SAVE_CAMERA_ROLL, "cameraRoll", true},
        {MAM_SAVE_ACCOUNT_DOCUMENT, "accountDocument", false},
        {MAM_SAVE_IMANAGE, "iManage", false},
        {MAM_SAVE_EGNYTE, "egnyte", false},
},
  opens[] = {
      {MAM_OPEN_OTHER, "other", false},
      {MAM_OPEN_ONEDRIVE_FOR_BUSINESS, "oneDriveForBusiness", false},
      {MAM_OPEN_SHAREPOINT, "sharePoint", false},
      {MAM_OPEN_CAMERA, "camera", true},
      {MAM_OPEN_LOCAL_STORAGE, "localStorage", true},
      {MAM_OPEN_PHOTOS, "photos", true},
      {MAM_OPEN_ACCOUNT_DOCUMENT, "accountDocument", false},
      {MAM_OPEN_BOX, "box", false},
      {MAM_OPEN_IMANAGE, "iManage", false},
      {MAM_OPEN_EGNYTE, "egnyte", false},
};
enum { SAVES = sizeof saves / sizeof *saves, OPENS = sizeof opens / sizeof *opens };

static const char *const picker_modes[] = {"import", "open", "export", "move"};

static const char *quoted(const char *account) {
    static char texts[4][600];
    static int next;
    char *text = texts[next = (next + 1) % 4];
    if (account == NULL) return "null";
    snprintf(text, sizeof texts[0], "\"%s\"", account);
    return text;
}

/* The answer of mam_policy_check; the reply is well formed, and has a reason if it refuses. */
static bool checked(mam_t *m, bool is_requirement, const char *format, ...) {
    char request[2048], *reply = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    mam_status status = mam_policy_check(m, request, &reply);
    if (status != MAM_OK) failed_at(__FILE__, __LINE__, "mam_policy_check %s answers %d", request, status);
    const char *key = is_requirement ? "/required" : "/allowed";
    CHECK(has(reply, key));
    bool answer = truth_of(reply, key);
    if (answer == is_requirement) {
        CHECK(has(reply, "/reason/setting"));
        CHECK(*text_of(reply, "/reason/message"));
    } else {
        CHECK(!has(reply, "/reason"));
    }
    mam_free(reply);
    return answer;
}

static void same(const char *what, const char *account, const char *other, bool expected, mam_bool got) {
    mam_status last = mam_last_status();
    if (last != MAM_OK || got != (mam_bool)expected)
        failed_at(
            __FILE__, __LINE__, "%s of %s with %s is %d (status %d), mam_policy_check says %d", what, account ? account : "NULL",
            other ? other : "NULL", got, last, expected);
}

/* Every answer of a handle, through each function. */
static void all_answers_agree(mam_t *m, const char *account) {
    static const char *const others[] = {NULL, "", ANN, ANN_ID, "ANN@contoso.EXAMPLE", BOB, EVE};
    mam_policy_t *policy = NULL;
    mam_buffer from[3];
    static const char *const senders[] = {ANN, BOB, EVE};
    OK(mam_policy_for_account(m, account, &policy));
    for (size_t i = 0; i < predicate_count; i++) {
        bool answer =
            checked(m, predicates[i].is_requirement, "{\"action\":\"%s\",\"account\":%s}", predicates[i].action, quoted(account));
        same(predicates[i].action, account, "", answer, predicates[i].ask(policy));
    }
    for (int32_t mode = 0; mode < 4; mode++) {
        bool answer = checked(
            m, false, "{\"action\":\"documentPicker\",\"account\":%s,\"mode\":\"%s\"}", quoted(account), picker_modes[mode]);
        same(picker_modes[mode], account, "", answer, mam_policy_is_document_picker_allowed(policy, mode));
    }
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        char *map = NULL, pointer[64];
        OK(mam_policy_save_to_locations(policy, others[o], &map));
        CHECK_NUMBER(SAVES, count_of(map, ""));
        for (size_t i = 0; i < SAVES; i++) {
            bool answer = checked(
                m, false, "{\"action\":\"saveTo\",\"account\":%s,\"location\":\"%s\",\"locationAccount\":%s}", quoted(account),
                saves[i].name, quoted(others[o]));
            same(saves[i].name, account, others[o], answer, mam_policy_is_save_to_allowed(policy, saves[i].number, others[o]));
            snprintf(pointer, sizeof pointer, "/%s", saves[i].name);
            CHECK(has(map, pointer));
            same("the map's answer", account, others[o], answer, truth_of(map, pointer));
            if (saves[i].has_no_account && others[o] && *others[o]) CHECK(!answer);
        }
        mam_free(map);
        OK(mam_policy_open_from_locations(policy, others[o], &map));
        CHECK_NUMBER(OPENS, count_of(map, ""));
        for (size_t i = 0; i < OPENS; i++) {
            bool answer = checked(
                m, false, "{\"action\":\"openFrom\",\"account\":%s,\"location\":\"%s\",\"locationAccount\":%s}", quoted(account),
                opens[i].name, quoted(others[o]));
            same(opens[i].name, account, others[o], answer, mam_policy_is_open_from_allowed(policy, opens[i].number, others[o]));
            snprintf(pointer, sizeof pointer, "/%s", opens[i].name);
            CHECK(has(map, pointer));
            same("the map's answer", account, others[o], answer, truth_of(map, pointer));
            if (opens[i].has_no_account && others[o] && *others[o]) CHECK(!answer);
        }
        mam_free(map);
    }
    for (size_t i = 0; i < 3; i++) {
        from[i] = sealed(m, senders[i], "a shared text");
        bool answer = checked(m, false, "{\"action\":\"receive\",\"account\":%s,\"sender\":\"%s\"}", quoted(account), senders[i]);
        same("receive", account, senders[i], answer, mam_policy_can_receive_data(policy, from[i].data, from[i].length));
        mam_buffer_free(&from[i]);
    }
    bool from_unknown = checked(m, false, "{\"action\":\"receive\",\"account\":%s,\"sender\":null}", quoted(account));
    same("receive", account, "foreign bytes", from_unknown, mam_policy_can_receive_data(policy, (const uint8_t *)"hello", 5));
    mam_policy_release(policy);
}

static void answers_agree(void **state) {
    const office *o = *state;
    static const char *const documents[] = {
        "", /* as the office created it: strict */
        "\"allowedOutboundDataTransferDestinations\":\"none\",\"allowedInboundDataTransferSources\":\"none\"",
        "\"allowedOutboundDataTransferDestinations\":\"allApps\",\"allowedInboundDataTransferSources\":\"allApps\"",
        "\"allowedOutboundDataTransferDestinations\":\"managedApps\",\"allowedInboundDataTransferSources\":\"managedApps\","
        "\"saveAsBlocked\":true,\"allowedDataStorageLocations\":[\"localStorage\",\"photoLibrary\",\"box\"],"
        "\"blockDataIngestionIntoOrganizationDocuments\":true,\"allowedDataIngestionLocations\":[\"camera\"],"
        "\"printBlocked\":true,\"contactSyncBlocked\":true,\"thirdPartyKeyboardsBlocked\":true",
        "\"pinRequired\":true,\"disableAppPinIfDevicePinIsSet\":true,\"appDataEncryptionType\":\"afterDeviceRestart\"",
        "\"pinRequired\":\"perhaps\",\"allowedOutboundDataTransferDestinations\":\"mars\",\"printBlocked\":3",
    };
    mam_t *m = open_quiet(o);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        if (i > 0) {
            admin(
                o,
                "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
                "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Another\",%s}}",
                documents[i]);
            CHECK_NUMBER(100, check_in(m, NULL));
        }
        static const char *const accounts[] = {ANN, BOB_ID, EVE, "", NULL};
        for (size_t a = 0; a < 5; a++) all_answers_agree(m, accounts[a]);
    }
    OK(mam_close(m));
}

/* Editing the owner's name in a label, or marking sealed data as plain, gains nothing. */
static void forged_labels_are_not_believed(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *ann = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    mam_buffer own = sealed(m, ANN, "text"), forged = sealed(m, "ann-ix", "text");
    CHECK_NUMBER(1, mam_policy_can_receive_data(ann, own.data, own.length));
    CHECK_NUMBER(0, mam_policy_can_receive_data(ann, forged.data, forged.length));
    size_t edits = 0;
    for (size_t i = 0; i + 6 <= forged.length; i++)
        if (memcmp(forged.data + i, "ann-ix", 6) == 0) forged.data[i + 5] = 'd', edits++;
    CHECK_NUMBER(1, edits);
    CHECK_NUMBER(0, mam_policy_can_receive_data(ann, forged.data, forged.length));
    mam_status status = opens_as(m, &forged, "text");
    CHECK(status == MAM_ERR_AUTHENTICATION || status == MAM_ERR_DAMAGED);
    for (size_t i = 4; i < own.length; i++) { /* no bit of Eve's makes it Ann's */
        mam_buffer eves = sealed(m, EVE, "text");
        if (i < eves.length) eves.data[i] ^= 1;
        CHECK_NUMBER(0, mam_policy_can_receive_data(ann, eves.data, eves.length));
        mam_buffer_free(&eves);
    }
    mam_buffer_free(&own);
    mam_buffer_free(&forged);
    mam_policy_release(ann);
    OK(mam_close(m));
}

/* A value that is not understood counts as the most restrictive one, and is reported. */
static void unknown_values_are_strict(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Odd\",\"allowedOutboundDataTransferDestinations\":\"mars\"}}");
    CHECK_NUMBER(100, check_in(m, ANN));
    mam_policy_t *ann = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    CHECK_NUMBER(0, mam_policy_is_app_sharing_allowed(ann));
    char *warning = next_event(m, "warning", SOON);
    CHECK(warning != NULL && strstr(warning, "mars") != NULL);
    CHECK(strstr(warning, "allowedOutboundDataTransferDestinations") != NULL);
    mam_free(warning);
    mam_policy_release(ann);
    OK(mam_close(m));
}

static void invalid_locations(void **state) {
    const office *o = *state;
    static const int32_t bad[] = {-1,      3,       5,         1 << 10,   1 << 11,
                                  1 << 12, 1 << 30, INT32_MAX, INT32_MIN, MAM_SAVE_BOX | MAM_SAVE_EGNYTE};
    static const char *const accounts[] = {NULL, "", ANN, EVE};
    mam_t *m = open_enrolled(o);
    mam_policy_t *policies[2];
    OK(mam_policy_for_account(m, ANN, &policies[0]));
    OK(mam_policy_for_account(m, EVE, &policies[1])); /* everything else is allowed for her */
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            for (size_t a = 0; a < 4; a++) {
                if (bad[i] != 1 << 10) {
                    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policies[p], bad[i], accounts[a]));
                    FAILS(MAM_ERR_ARGUMENT, mam_last_status());
                    CULPRIT("argument", "location");
                }
                CHECK_NUMBER(0, mam_policy_is_open_from_allowed(policies[p], bad[i], accounts[a]));
                FAILS(MAM_ERR_ARGUMENT, mam_last_status());
                CULPRIT("argument", "location");
            }
        }
        CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policies[p], 1 << 10, NULL));
        FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    }
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policies[1], MAM_SAVE_EGNYTE, NULL));
    CHECK_NUMBER(1, mam_policy_is_open_from_allowed(policies[1], MAM_OPEN_EGNYTE, NULL));
    mam_policy_release(policies[0]);
    mam_policy_release(policies[1]);
    OK(mam_close(m));
}

/* ---- following changes */

static void print_block(const office *o, bool blocked) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Print\",\"printBlocked\":%s}}",
        blocked ? "true" : "false");
}

static void check_in_elsewhere(void *argument) {
    mam_t *m = open_quiet(argument);
    CHECK_NUMBER(100, check_in(m, ANN));
    OK(mam_close(m));
}

static void wipe_elsewhere(void *argument) {
    mam_t *m = open_quiet(argument);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_close(m));
}

static void follows(const office *o, const char *more) {
    mam_t *m = open_app(o, APP, more);
    mam_policy_t *ann = NULL, *eve = NULL;
    enroll_well(m, ANN);
    OK(mam_policy_for_account(m, ANN, &ann));
    OK(mam_policy_for_account(m, EVE, &eve));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    for (int i = 0; i < 6; i++) {
        print_block(o, i % 2 == 1);
        in_child(check_in_elsewhere, (void *)(uintptr_t)o);
        CHECK_NUMBER(i % 2 == 0, mam_policy_is_print_allowed(ann));
        OK(mam_last_status());
        CHECK_NUMBER(1, mam_policy_is_print_allowed(eve));
    }
    char *json = NULL;
    OK(mam_policy_json(ann, &json));
    CHECK(truth_of(json, "/managed") && has(json, "/lockDown") && !truth_of(json, "/lockDown"));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    CHECK_TEXT(STRICT_POLICY, text_of(json, "/policies/0/id"));
    mam_free(json);
    in_child(wipe_elsewhere, (void *)(uintptr_t)o);
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(eve));
    OK(mam_policy_json(ann, &json));
    CHECK(truth_of(json, "/lockDown"));
    mam_free(json);
    mam_policy_release(ann);
    mam_policy_release(eve);
    OK(mam_close(m));
}

static void follows_other_processes_without_a_worker(void **state) { follows(*state, QUIET); }
static void follows_other_processes_with_a_worker(void **state) { follows(*state, WORKER); }

static void all_closed(const mam_policy_t *policy) {
    for (size_t i = 0; i < function_count; i++) {
        const function *f = &functions[i];
        if (!(f->takes & IS_PREDICATE)) continue;
        call_t call;
        memset(&call, 0, sizeof call);
        call.policy = (mam_policy_t *)(uintptr_t)policy;
        call.location = MAM_SAVE_ONEDRIVE_FOR_BUSINESS;
        call.account = ANN;
        call.data = (const uint8_t *)"hello";
        call.length = 5;
        run_function(f, &call);
        if (call.answer != f->closed)
            failed_at(__FILE__, __LINE__, "%s of a wiped account answers %d, which is not closed", f->name, call.answer);
    }
}

static void locks_down_until_released(void **state) {
    const office *o = *state;
    print_block(o, false);
    mam_t *m = open_enrolled(o);
    mam_policy_t *held = NULL, *by_id = NULL, *fresh = NULL;
    int64_t op;
    OK(mam_policy_for_account(m, ANN, &held));
    OK(mam_policy_for_account(m, ANN_ID, &by_id));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(held));
    OK(mam_wipe_account(m, ANN, &op));
    all_closed(held);
    all_closed(by_id);
    CHECK_NUMBER(104, code_of(m, op));
    all_closed(held);
    enroll_well(m, ANN);
    all_closed(held);
    all_closed(by_id);
    OK(mam_policy_for_account(m, ANN, &fresh));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(fresh));
    OK(mam_last_status());
    mam_policy_release(held);
    mam_policy_release(by_id);
    mam_policy_release(fresh);
    OK(mam_close(m));
}

/* A user who is enrolled while a handle for the name is held is managed from then on. */
static void becomes_managed_while_held(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    mam_policy_t *ann = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(ann));
    enroll_well(m, ANN);
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    mam_policy_release(ann);
    OK(mam_close(m));
}

static void unknown_identities(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET ",\"unknownIdentities\":\"error\"");
    enroll_well(m, ANN);
    mam_policy_t *policy = (mam_policy_t *)1;
    char *json = (char *)1;
    mam_buffer buffer;
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_for_account(m, EVE, &policy));
    CHECK(policy == NULL);
    FAILS(MAM_ERR_NOT_FOUND, mam_protect(m, EVE, (const uint8_t *)"x", 1, &buffer));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_check(m, "{\"action\":\"print\",\"account\":\"" EVE "\"}", &json));
    CHECK(json == NULL);
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_OTHER, EVE));
    FAILS(MAM_ERR_NOT_FOUND, mam_last_status());
    CHECK_NUMBER(0, mam_policy_is_open_from_allowed(policy, MAM_OPEN_OTHER, EVE));
    FAILS(MAM_ERR_NOT_FOUND, mam_last_status());
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_save_to_locations(policy, EVE, &json));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
    mam_policy_release(policy);
    OK(mam_policy_for_account(m, "", &policy));
    mam_policy_release(policy);
    OK(mam_close(m));
}

/* Registered and refused, or unenrolled without a wipe: an unmanaged user, not an unknown name. */
static void known_is_not_managed(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET ",\"unknownIdentities\":\"error\"");
    int64_t op;
    char *json;
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_check(m, "{\"action\":\"print\",\"account\":\"" EVE "\"}", &json));
    OK(mam_register_and_enroll(m, "{\"upn\":\"" EVE "\"}", &op));
    CHECK_NUMBER(203, code_of(m, op));
    OK(mam_policy_check(m, "{\"action\":\"print\",\"account\":\"" EVE "\"}", &json));
    CHECK(truth_of(json, "/allowed"));
    mam_free(json);
    CHECK_NUMBER(0, mam_is_account_managed(m, EVE));
    enroll_well(m, ANN);
    CHECK_NUMBER(1, mam_is_account_managed(m, ANN));
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    OK(mam_policy_check(m, "{\"action\":\"print\",\"account\":\"" ANN "\"}", &json));
    CHECK(!truth_of(json, "/allowed"));
    mam_free(json);
    CHECK_NUMBER(0, mam_is_account_managed(m, ANN));
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_policy_check(m, "{\"action\":\"print\",\"account\":\"" ANN "\"}", &json));
    CHECK(!truth_of(json, "/allowed"));
    mam_free(json);
    OK(mam_close(m));
}

static void the_origin_of_each_setting(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"policy-second\",\"displayName\":\"Second\",\"printBlocked\":true,\"contactSyncBlocked\":true}}");
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"policy-second\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"policy-second\",\"app\":\"" APP "\"}");
    CHECK_NUMBER(100, check_in(m, ANN));
    mam_policy_t *ann = NULL;
    char *json = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(ann));
    OK(mam_policy_json(ann, &json));
    CHECK_NUMBER(2, count_of(json, "/policies"));
    int seen = 0;
    for (int i = 0; i < count_of(json, "/settings"); i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/settings/%d/setting", i);
        const char *setting = text_of(json, pointer);
        snprintf(pointer, sizeof pointer, "/settings/%d/policyId", i);
        if (strcmp(setting, "contactSyncBlocked") == 0) CHECK_TEXT("policy-second", text_of(json, pointer)), seen++;
        if (strcmp(setting, "pinRequired") == 0) CHECK_TEXT(STRICT_POLICY, text_of(json, pointer)), seen++;
        if (strcmp(setting, "printBlocked") == 0) {
            snprintf(pointer, sizeof pointer, "/settings/%d/alsoIn", i);
            CHECK_NUMBER(1, count_of(json, pointer));
            seen++;
        }
    }
    CHECK_NUMBER(3, seen);
    mam_free(json);
    mam_policy_release(ann);
    OK(mam_close(m));
}

/* Losing the policy does not end the account: a held handle still follows it. */
static void loses_its_policy_and_gets_it_back(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    admin(o, "{\"action\":\"policy.untarget\",\"policy\":\"" STRICT_POLICY "\",\"allApps\":true}");
    CHECK_NUMBER(103, check_in(m, ANN));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"" STRICT_POLICY "\",\"allApps\":true}");
    CHECK_NUMBER(100, check_in(m, ANN));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    OK(mam_last_status());
    mam_policy_release(policy);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(answers_agree),
        WITH_OFFICE(forged_labels_are_not_believed),
        WITH_OFFICE(unknown_values_are_strict),
        WITH_OFFICE(invalid_locations),
        WITH_OFFICE(follows_other_processes_without_a_worker),
        WITH_OFFICE(follows_other_processes_with_a_worker),
        WITH_OFFICE(locks_down_until_released),
        WITH_OFFICE(becomes_managed_while_held),
        WITH_OFFICE(loses_its_policy_and_gets_it_back),
        WITH_OFFICE(unknown_identities),
        WITH_OFFICE(known_is_not_managed),
        WITH_OFFICE(the_origin_of_each_setting),
    };
    return cmocka_run_group_tests_name("policy", tests, begin, NULL);
}
