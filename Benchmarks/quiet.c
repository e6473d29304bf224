/* quiet SETTINGS ACCOUNT: call every predicate while nothing changes; whether a container may be received is excluded,
 * because it verifies the container. With count.so preloaded, prints each predicate that allocates, frees or takes a lock;
 * under strace, their system calls are those between the two marks. */
#include "common.h"
#include <unistd.h>

extern unsigned long bench_count(void) __attribute__((weak));
static unsigned long counted(void) { return bench_count != NULL ? bench_count() : 0; }

static mam_policy_t *policy;
static const char *account;
static volatile long sink;

/* One list, used twice. */
/* clang-format off */
#define PLAIN(name) \
    static mam_bool call_##name(void) { return mam_policy_##name(policy); }
#define PREDICATES(of)                                                                                                          \
    of(is_pin_required) of(is_managed_browser_required) of(is_contact_sync_allowed) of(is_widget_content_sync_allowed)          \
        of(is_indexing_allowed) of(are_assistant_intents_allowed) of(are_app_intents_allowed) of(is_app_sharing_allowed)        \
            of(is_file_encryption_required) of(should_file_provider_encrypt) of(is_screen_capture_allowed) of(is_print_allowed) \
                of(is_backup_allowed) of(are_third_party_keyboards_allowed)
PREDICATES(PLAIN)

#define CALL(name, ...) \
    static mam_bool call_##name(void) { return mam_policy_##__VA_ARGS__; }
CALL(picker, is_document_picker_allowed(policy, MAM_PICKER_EXPORT))
CALL(save_local, is_save_to_allowed(policy, MAM_SAVE_LOCAL_DRIVE, NULL))
CALL(save_own, is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, account))
CALL(save_other, is_save_to_allowed(policy, MAM_SAVE_BOX, "bob@example.org"))
CALL(open_local, is_open_from_allowed(policy, MAM_OPEN_PHOTOS, NULL))
CALL(open_own, is_open_from_allowed(policy, MAM_OPEN_SHAREPOINT, account))
CALL(open_other, is_open_from_allowed(policy, MAM_OPEN_OTHER, "bob@example.org"))
CALL(receive_plain, can_receive_data(policy, (const uint8_t *)"plain", 5))

int main(int count, char **word) {
#define ENTRY(name) {#name, call_##name},
    static const struct {
        const char *name;
        mam_bool (*call)(void);
    } predicate[] = {PREDICATES(ENTRY) ENTRY(picker) ENTRY(save_local) ENTRY(save_own) ENTRY(save_other) ENTRY(open_local)
                         ENTRY(open_own) ENTRY(open_other) ENTRY(receive_plain)};
    /* clang-format on */
    enum { PREDICATE_COUNT = sizeof predicate / sizeof *predicate };
    unsigned long calls[PREDICATE_COUNT];
    if (count != 3) return 2;
    account = word[2];
    mam_t *m = open_enrolled(word[1], account);
    must(mam_policy_for_account(m, account, &policy), "mam_policy_for_account");

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
        if (calls[i] > 0) printf("%s\t%.3f\n", predicate[i].name, (double)calls[i] / 1000);
    mam_policy_release(policy);
    return mam_close(m) != MAM_OK;
}
