/* quiet SETTINGS ACCOUNT: call every predicate while nothing changes. With count.so preloaded, prints each that
 * allocates, frees or takes a lock; under strace, what stands between the two marks is what they call of the system. */
#include "common.h"
#include <unistd.h>

extern unsigned long bench_count(void) __attribute__((weak));
static unsigned long counted(void) { return bench_count != NULL ? bench_count() : 0; }

static mam_policy_t *policy;
static const char *account;
static mam_buffer container;
static volatile long sink;

#define PLAIN(name) static mam_bool call_##name(void) { return mam_policy_##name(policy); }
#define PREDICATES(of)                                                                                        \
    of(is_pin_required) of(is_managed_browser_required) of(is_contact_sync_allowed)                           \
    of(is_widget_content_sync_allowed) of(is_indexing_allowed) of(are_assistant_intents_allowed)              \
    of(are_app_intents_allowed) of(is_app_sharing_allowed) of(is_file_encryption_required)                    \
    of(should_file_provider_encrypt) of(is_screen_capture_allowed) of(is_print_allowed) of(is_backup_allowed) \
    of(are_third_party_keyboards_allowed)
PREDICATES(PLAIN)

static mam_bool call_is_document_picker_allowed(void) { return mam_policy_is_document_picker_allowed(policy, MAM_PICKER_EXPORT); }
static mam_bool call_is_save_to_allowed(void) {
    return mam_policy_is_save_to_allowed(policy, MAM_SAVE_LOCAL_DRIVE, NULL) +
           mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, account) +
           mam_policy_is_save_to_allowed(policy, MAM_SAVE_BOX, "bob@example.org");
}
static mam_bool call_is_open_from_allowed(void) {
    return mam_policy_is_open_from_allowed(policy, MAM_OPEN_PHOTOS, NULL) +
           mam_policy_is_open_from_allowed(policy, MAM_OPEN_SHAREPOINT, account) +
           mam_policy_is_open_from_allowed(policy, MAM_OPEN_OTHER, "bob@example.org");
}
static mam_bool call_can_receive_data(void) {
    return mam_policy_can_receive_data(policy, container.data, container.length) +
           mam_policy_can_receive_data(policy, (const uint8_t *)"plain", 5);
}

int main(int count, char **word) {
#define ENTRY(name) {#name, call_##name},
    static const struct { const char *name; mam_bool (*call)(void); } predicate[] = {
        PREDICATES(ENTRY) ENTRY(is_document_picker_allowed) ENTRY(is_save_to_allowed) ENTRY(is_open_from_allowed)
        ENTRY(can_receive_data)
    };
    enum { PREDICATE_COUNT = sizeof predicate / sizeof *predicate };
    unsigned long calls[PREDICATE_COUNT];
    if (count != 3) return 2;
    account = word[2];
    mam_t *m = open_enrolled(word[1], account);
    must(mam_policy_for_account(m, account, &policy), "mam_policy_for_account");
    must(mam_protect(m, account, (const uint8_t *)"a note", 6, &container), "mam_protect");

    unsigned long before = counted();
    char *volatile proof = malloc(16);
    free(proof);
    if (bench_count != NULL && counted() < before + 2) return fprintf(stderr, "the counter does not count\n"), 1;

    for (int i = 0; i < PREDICATE_COUNT; i++) sink += predicate[i].call();
    if (write(-1, "begin", 5) >= 0) return 1; /* a mark in the trace */
    for (int i = 0; i < PREDICATE_COUNT; i++) {
        before = counted();
        for (int k = 0; k < 1000; k++) sink += predicate[i].call();
        calls[i] = counted() - before;
    }
    if (write(-1, "end", 3) >= 0) return 1;
    for (int i = 0; i < PREDICATE_COUNT; i++)
        if (calls[i] > 0) printf("mam_policy_%s\t%.3f\n", predicate[i].name, (double)calls[i] / 1000);
    mam_buffer_free(&container);
    mam_policy_release(policy);
    return mam_close(m) != MAM_OK;
}
