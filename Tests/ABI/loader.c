/* loader STATE AUTHORITY: load libmam as a plug-in would, use it, unload it, repeatedly. */
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <mam.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 50 };

static int failed(const char *what, const char *why) {
    printf("%s: %s\n", what, why ? why : "");
    return 1;
}

/* This thread ends after libmam was unloaded: its thread-local data must be released all the same. */
static pthread_barrier_t failed_once, unloaded;

static void *fail_and_stay(void *user) {
    mam_status (*run_due)(mam_t *);
    *(void **)&run_due = user;
    long status = run_due(NULL);
    pthread_barrier_wait(&failed_once);
    pthread_barrier_wait(&unloaded);
    return (void *)status;
}

int main(int count, char **words) {
    char settings[4096];
    if (count != 3) return 2;
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"com.example.plugin\"},\"stateDirectory\":\"%s\","
        "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
        words[1], words[2]);
    for (int i = 0; i < TIMES; i++) {
        void *library = dlopen("libmam.so.0", RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) return failed("dlopen", dlerror());
        const char *(*version)(void);
        mam_status (*open)(const char *, mam_t **), (*close)(mam_t *), (*run_due)(mam_t *);
        *(void **)&version = dlsym(library, "mam_version");
        *(void **)&open = dlsym(library, "mam_open");
        *(void **)&close = dlsym(library, "mam_close");
        *(void **)&run_due = dlsym(library, "mam_run_due");
        if (!version || !open || !close || !run_due) return failed("dlsym", dlerror());
        if (strcmp(version(), MAM_VERSION) != 0) return failed("mam_version", version());
        pthread_t thread;
        void *status = NULL;
        pthread_barrier_init(&failed_once, NULL, 2);
        pthread_barrier_init(&unloaded, NULL, 2);
        void *function = *(void **)&run_due;
        if (pthread_create(&thread, NULL, fail_and_stay, function) != 0) return failed("pthread_create", NULL);
        mam_t *m = NULL;
        if (open(settings, &m) != MAM_OK) return failed("mam_open", NULL);
        if (i % 2 == 0 && close(m) != MAM_OK) return failed("mam_close", NULL); /* or left open */
        pthread_barrier_wait(&failed_once);
        if (dlclose(library) != 0) return failed("dlclose", dlerror());
        pthread_barrier_wait(&unloaded);
        pthread_join(thread, &status);
        if ((long)status != MAM_ERR_ARGUMENT) return failed("mam_run_due(NULL)", NULL);
    }
    puts("good");
    return 0;
}
