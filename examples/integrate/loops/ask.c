/* The questions of a launch at a terminal: a PIN, a new one twice, a sign-in. Usage: ask SETTINGS
 * cc -o ask ask.c $(pkg-config --cflags --libs mam) */
#define _DEFAULT_SOURCE /* explicit_bzero, also with -std=c99 */
#include <mam.h>
#include <stdio.h>
#include <string.h>

/* Your dialog; 0 where nothing is typed. */
static int typed(const char *prompt, char *line, int size) {
    fprintf(stderr, "%s\n", prompt);
    if (fgets(line, size, stdin) == NULL) return 0;
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

static int pin_typed(mam_json_t *asked, char *pin, int size) {
    char again[128];
    int is_new = strcmp(mam_json_text(asked, "/purpose"), "new") == 0;
    do {
        if (!typed(mam_json_text(asked, "/userMessage"), pin, size)) return 0;
        if (is_new && !typed("The same again:", again, sizeof again)) return 0;
    } while (is_new && strcmp(pin, again) != 0);
    return 1;
}

/* Your organisation's sign-in; here a name is typed. There is no fingerprint reader: libmam then asks for the PIN. */
static int has_signed_in(mam_json_t *asked) {
    char name[257];
    if (strcmp(mam_json_text(asked, "/methods/0"), "biometrics") == 0) return 0;
    return typed(mam_json_text(asked, "/userMessage"), name, sizeof name) && strcmp(name, mam_json_text(asked, "/upn")) == 0;
}

static void answer(void *session, mam_question_t *question, const char *question_json) {
    mam_t *m = session;
    int64_t id = mam_question_id(question);
    mam_json_t *asked = NULL;
    char pin[128], signed_in[300];
    const char *kind = mam_json_parse(question_json, &asked) == MAM_OK ? mam_json_text(asked, "/question") : "";
    mam_status status;
    if (strcmp(kind, "pin") == 0 && pin_typed(asked, pin, sizeof pin))
        status = strcmp(pin, "?") == 0 ? mam_answer(m, id, "{\"forgot\":true}") : /* a sign-in, then a new PIN */
            mam_answer_secret(m, id, (const uint8_t *)pin, strlen(pin));
    else if (strcmp(kind, "authenticate") == 0 && has_signed_in(asked)) {
        snprintf(signed_in, sizeof signed_in, "{\"accountId\":\"%s\"}", mam_json_text(asked, "/accountId"));
        status = mam_answer(m, id, signed_in);
    } else status = mam_answer(m, id, "null"); /* the default */
    if (status != MAM_OK) fprintf(stderr, "%s: %s\n", kind, mam_last_message());
    explicit_bzero(pin, sizeof pin);
    mam_json_release(asked);
}

int main(int count, char **word) {
    mam_t *m;
    int64_t op;
    char *reply;
    mam_json_t *report;
    if (mam_open(count > 1 ? word[1] : NULL, &m) != MAM_OK) return fprintf(stderr, "%s\n", mam_last_message()), 1;
    if (mam_set_delegate(m, answer, m) != MAM_OK || mam_launch(m, &op) != MAM_OK || mam_wait(m, op, -1, &reply) != MAM_OK)
        return fprintf(stderr, "%s\n", mam_last_message()), 1;
    if (mam_json_parse(reply, &report) == MAM_OK) puts(mam_json_text(report, "/outcome"));
    mam_json_release(report);
    mam_free(reply);
    return mam_close(m) != MAM_OK;
}
