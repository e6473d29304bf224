/* Open, ask, protect. cc -o ten-lines ten-lines.c $(pkg-config --cflags --libs mam); ./ten-lines SETTINGS ACCOUNT */
#include <mam.h>
#include <stdio.h>
int main(int count, char **word) {
    mam_t *m; mam_policy_t *policy; mam_buffer sealed;
    if (count != 3 || mam_open(word[1], &m) || mam_policy_for_account(m, word[2], &policy)) return puts(mam_last_message()), 1;
    printf("may be printed: %s\n", mam_policy_is_print_allowed(policy) ? "yes" : "no");
    if (mam_protect(m, word[2], (const uint8_t *)"a note", 6, &sealed)) return puts(mam_last_message()), 1;
    printf("sealed: %zu bytes\n", sealed.length);
    mam_buffer_free(&sealed), mam_policy_release(policy); return mam_close(m) != MAM_OK;
}
