/* decide SETTINGS ACCOUNT LIBPOLICY|- ROUNDS: predicates on a held policy, beside the hand-written decision `may_save`
 * of LIBPOLICY; and mam_policy_check, beside json-c's parse of the same request.
 *
 * Both decide the same eight requests: a managed and an unmanaged owner, each saving to four places under a policy that
 * allows two of them to the managed one. */
#include "common.h"
#include <dlfcn.h>
#include <json-c/json.h>

enum { CALLS = 1000000, CHECKS = 20000 };

static void *(*policy_new)(void);
static int (*may_save)(void *, const char *, const char *);
static void *hand_written;
static volatile long sink;

static double peer_decision(void) {
    static const char *user[] = {"alice@contoso.com", "bob@example.org"};
    static const char *location[] = {"SharePoint", "LocalStorage", "Box", "DropBox"};
    if (may_save == NULL) return -1;
    long sum = 0;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) sum += may_save(hand_written, user[i & 1], location[(i >> 1) & 3]);
    sink = sum;
    return (now_ns() - begin) / CALLS;
}

static double print_allowed(const mam_policy_t *policy) {
    long sum = 0;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) sum += mam_policy_is_print_allowed(policy);
    sink = sum;
    return (now_ns() - begin) / CALLS;
}

static mam_policy_t *held[2];
static const char *owner[2];

static mam_bool may_save_here(int i) {
    static const int32_t location[] = {MAM_SAVE_SHAREPOINT, MAM_SAVE_LOCAL_DRIVE, MAM_SAVE_BOX, MAM_SAVE_DROPBOX};
    int place = (i >> 1) & 3; /* a local drive has no account */
    return mam_policy_is_save_to_allowed(held[i & 1], location[place], place == 1 ? NULL : owner[i & 1]);
}

static double save_to(void) {
    long sum = 0;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) sum += may_save_here(i);
    sink = sum;
    return (now_ns() - begin) / CALLS;
}

/* The location belongs to another account, which must be identified. */
static double save_to_other(void) {
    long sum = 0;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) sum += mam_policy_is_save_to_allowed(held[i & 1], MAM_SAVE_SHAREPOINT, owner[~i & 1]);
    sink = sum;
    return (now_ns() - begin) / CALLS;
}

static double check(mam_t *m, const char *request) {
    char *reply;
    double begin = now_ns();
    for (int i = 0; i < CHECKS; i++) {
        must(mam_policy_check(m, request, &reply), "mam_policy_check");
        mam_free(reply);
    }
    return (now_ns() - begin) / CHECKS;
}

static double parse(const char *request) {
    double begin = now_ns();
    for (int i = 0; i < CHECKS; i++) json_object_put(json_tokener_parse(request));
    return (now_ns() - begin) / CHECKS;
}

int main(int count, char **word) {
    if (count != 5) return 2;
    if (strcmp(word[3], "-") != 0) {
        void *library = dlopen(word[3], RTLD_NOW);
        if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
        policy_new = (void *(*)(void))dlsym(library, "policy_new");
        may_save = (int (*)(void *, const char *, const char *))dlsym(library, "may_save");
        if (policy_new == NULL || may_save == NULL) return fprintf(stderr, "%s has no may_save\n", word[3]), 1;
        hand_written = policy_new();
    }
    mam_t *m = open_enrolled(word[1], word[2]);
    owner[0] = word[2], owner[1] = "bob@example.org";
    for (int i = 0; i < 2; i++) must(mam_policy_for_account(m, owner[i], &held[i]), "mam_policy_for_account");
    for (int i = 0; i < 8; i++) { /* SharePoint and Box, or not managed */
        mam_bool expected = i % 2 == 1 || i / 2 % 2 == 0;
        if (may_save_here(i) != expected) return fprintf(stderr, "request %d is answered otherwise than expected\n", i), 1;
    }

    char refused[512], allowed[512];
    snprintf(
        refused, sizeof refused, "{\"action\":\"saveTo\",\"account\":\"%s\",\"location\":\"localDrive\",\"locationAccount\":null}",
        word[2]);
    snprintf(
        allowed, sizeof allowed,
        "{\"action\":\"saveTo\",\"account\":\"%s\",\"location\":\"sharePoint\",\"locationAccount\":\"%s\"}", word[2], word[2]);

    for (int i = -1, rounds = atoi(word[4]); i < rounds; i++) { /* one to warm up */
        double first = peer_decision(), print = print_allowed(held[0]);
        double second = peer_decision(), save = save_to(), third = peer_decision(), other = save_to_other();
        double parse_refused = parse(refused), check_refused = check(m, refused);
        double parse_allowed = parse(allowed), check_allowed = check(m, allowed);
        if (i < 0) continue;
        row("print", print, first);
        row("save", save, second);
        row("other", other, third);
        row("refused", check_refused, parse_refused);
        row("allowed", check_allowed, parse_allowed);
    }
    for (int i = 0; i < 2; i++) mam_policy_release(held[i]);
    return mam_close(m) != MAM_OK;
}
