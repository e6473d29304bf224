#include "internal.h"
#include <process_secrets.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t slot;
static bool started;

static void release_workspace(void *leaving) {
    sealing_workspace_t *workspace = leaving;
    if (workspace->cipher) sealing_context_release(workspace->cipher);
    process_secret_free(workspace, sizeof *workspace);
}

static sealing_workspace_t *make_workspace(void) {
    sealing_workspace_t *workspace = process_secret_alloc(NULL, sizeof *workspace);
    if (!workspace) return NULL;
    workspace->cipher = sealing_context_acquire();
    if (workspace->cipher && pthread_setspecific(slot, workspace) == 0) return workspace;
    release_workspace(workspace);
    return NULL;
}

static void start(void) { started = sealing_start() && pthread_key_create(&slot, release_workspace) == 0; }

sealing_workspace_t *sealing_workspace(void) {
    pthread_once(&once, start);
    if (!started) return NULL;
    sealing_workspace_t *workspace = pthread_getspecific(slot);
    if (workspace && workspace->cipher && workspace->cipher->context) return workspace;
    if (workspace) release_workspace(workspace);
    return make_workspace();
}
