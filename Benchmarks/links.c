/* links SETTINGS ACCOUNT PATTERNS ROUNDS: whether a URL may be opened, beside one pass over its bytes and the patterns'; and
 * the full decision, beside json-c's parse of the answer.
 *
 * PATTERNS is the text of the policy's list. The pass only looks each byte up in a table and adds. */
#include "common.h"
#include <json-c/json.h>

enum { CALLS = 20000, LONG_CALLS = 200, LONG = 65536 };

static unsigned char classes[256];
static volatile size_t sink;

static void sort_bytes(void) {
    for (int c = 0; c < 256; c++)
        classes[c] = c <= 0x20 || c == 0x7F || c == '\\' ? 1 : strchr(":/?#@", c) ? 2 : c >= 'A' && c <= 'Z' ? 3 : 0;
}

static size_t pass(const char *text) {
    size_t sum = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) sum += classes[*c];
    return sum;
}

static double one_pass(const char *url, const char *patterns, int calls) {
    double begin = now_ns();
    for (int i = 0; i < calls; i++) sink += pass(url) + pass(patterns);
    return (now_ns() - begin) / calls;
}

static double allowed(const mam_policy_t *policy, const char *url, int calls) {
    double begin = now_ns();
    for (int i = 0; i < calls; i++) sink += (size_t)mam_policy_is_url_allowed(policy, url, 0);
    return (now_ns() - begin) / calls;
}

static double told(const mam_policy_t *policy, const char *url, int calls) {
    double begin = now_ns();
    for (int i = 0; i < calls; i++) {
        char *json;
        must(mam_policy_url(policy, url, &json), "mam_policy_url");
        mam_free(json);
    }
    return (now_ns() - begin) / calls;
}

static double parse(const char *reply) {
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) json_object_put(json_tokener_parse(reply));
    return (now_ns() - begin) / CALLS;
}

int main(int count, char **word) {
    if (count != 5) return 2;
    static char long_url[LONG + 1] = "https://evil.contoso.example/";
    memset(long_url + strlen(long_url), 'a', LONG - strlen(long_url));
    static const char short_url[] = "https://evil.contoso.example/some/page?of=theirs";
    sort_bytes();
    mam_t *m = open_enrolled(word[1], word[2]);
    mam_policy_t *policy;
    must(mam_policy_for_account(m, word[2], &policy), "mam_policy_for_account");
    if (mam_policy_is_url_allowed(policy, short_url, 0) != 0 || mam_last_status() != MAM_OK
        || mam_policy_is_url_allowed(policy, "https://host49.contoso.example/a", 0) != 1)
        return fprintf(stderr, "a link is answered otherwise than expected\n"), 1;
    char *reply;
    must(mam_policy_url(policy, short_url, &reply), "mam_policy_url");
    for (int i = -1, rounds = atoi(word[4]); i < rounds; i++) { /* one to warm up */
        double peer = one_pass(short_url, word[3], CALLS), ours = allowed(policy, short_url, CALLS);
        double parsed = parse(reply), all = told(policy, short_url, CALLS);
        double long_peer = one_pass(long_url, word[3], LONG_CALLS), long_ours = allowed(policy, long_url, LONG_CALLS);
        if (i < 0) continue;
        row("short", ours, peer);
        row("told", all, parsed);
        row("long", long_ours, long_peer);
    }
    mam_free(reply);
    mam_policy_release(policy);
    return mam_close(m) != MAM_OK;
}
