#define _GNU_SOURCE
#include "curl.h"
#include <dlfcn.h>
#include <malloc.h>
#include <process_exit.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static curl_t curl;
static bool is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* libcurl's memory is zeroed when it is released, since it copies requests and replies, in which there are tokens. It is from
 * malloc, so that nobody else who uses libcurl notices; where somebody has initialised it before, theirs counts. */
static void zero_and_free(void *memory) {
    if (memory) explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void *zero_and_move(void *memory, size_t size) {
    if (!memory) return malloc(size);
    size_t held = malloc_usable_size(memory);
    void *moved = malloc(size ? size : 1);
    if (!moved) return NULL;
    memcpy(moved, memory, held < size ? held : size);
    zero_and_free(memory);
    return moved;
}

static void look_up(void) {
    const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        /* Lazily, as in programs that are linked with it: a sixth of the time goes into names that are never used. */
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return;
    const struct {
        void **function;
        const char *name;
    } all[] = {
        {(void **)&curl.global_init, "curl_global_init_mem"},
        {(void **)&curl.easy_init, "curl_easy_init"},
        {(void **)&curl.set, "curl_easy_setopt"},
        {(void **)&curl.get_info, "curl_easy_getinfo"},
        {(void **)&curl.easy_cleanup, "curl_easy_cleanup"},
        {(void **)&curl.append, "curl_slist_append"},
        {(void **)&curl.list_free, "curl_slist_free_all"},
        {(void **)&curl.multi_init, "curl_multi_init"},
        {(void **)&curl.multi_add, "curl_multi_add_handle"},
        {(void **)&curl.multi_remove, "curl_multi_remove_handle"},
        {(void **)&curl.multi_perform, "curl_multi_perform"},
        {(void **)&curl.multi_poll, "curl_multi_poll"},
        {(void **)&curl.multi_next, "curl_multi_info_read"},
        {(void **)&curl.multi_cleanup, "curl_multi_cleanup"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].function = dlsym(library, all[i].name);
        if (!*all[i].function) return;
    }
    const long everything = 3;
    is_available = curl.global_init(everything, malloc, zero_and_free, zero_and_move, strdup, calloc) == 0;
    *(void **)&curl.set_tls_options = dlsym(library, "SSL_CTX_set_options");
    /* OpenSSL is initialised now: whatever it does at exit comes after threads have ended. */
    process_exit_stop_early();
}

const curl_t *transport_curl(void) {
    pthread_once(&once, look_up);
    return is_available ? &curl : NULL;
}
