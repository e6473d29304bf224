/* exiting STATE [openssl]: leave with exit() while a request to a service is under way. With "openssl" the host has
 * initialised OpenSSL before libmam is used, as Python's ssl does, so that OpenSSL's clean-up is registered first. */
#define _GNU_SOURCE
#include "silent_service.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static int failed(const char *what) {
    printf("%s: %s\n", what, mam_last_message());
    return 1;
}

/* Whether OpenSSL could be initialised and has made a context for TLS. */
static int use_openssl(void) {
    void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) return 0;
    int (*initialise)(uint64_t, const void *);
    const void *(*method)(void);
    void *(*context)(const void *);
    *(void **)&initialise = dlsym(library, "OPENSSL_init_ssl");
    *(void **)&method = dlsym(library, "TLS_client_method");
    *(void **)&context = dlsym(library, "SSL_CTX_new");
    return initialise && method && context && initialise(0, NULL) == 1 && context(method()) != NULL;
}

int main(int count, char **words) {
    char settings[4096];
    int port = 0, listener = silent_service(&port);
    int64_t op = 0;
    mam_t *m = NULL;
    if (count < 2 || listener < 0) return 2;
    if (count > 2 && !use_openssl()) {
        printf("no OpenSSL");
        return 3;
    }
    silent_settings(settings, sizeof settings, port, words[1], "");
    if (mam_open(settings, &m) != MAM_OK) return failed("mam_open");
    if (ask_silent_service(m, &op) != MAM_OK) return failed("mam_register_and_enroll");
    if (accept(listener, NULL, NULL) < 0) return failed("accept");
    exit(0);
}
