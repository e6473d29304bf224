/* A host under a debugging allocator forks while another thread holds the allocator's lock. Until fork returns in the child,
 * libmam may neither allocate nor free there. */
#include "attack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { PATIENCE = 120 }; /* seconds, for milliseconds of work */

static void (*renew)(void), (*dawdle)(void);
static atomic_bool is_over;
static volatile pid_t forked;
static mam_t *m;
static volatile long number;

static void hang(int signal) {
    (void)signal;
    if (forked > 0) kill(forked, SIGKILL);
    BREAKS("fork %ld hangs", number);
}

static void *hold(void *ignored) {
    (void)ignored;
    while (!atomic_load(&is_over)) dawdle();
    return NULL;
}

/* Sessions with data that their fork hooks drop: running calls of the log function, a lease. */
static void *call(void *ignored) {
    (void)ignored;
    while (!atomic_load(&is_over)) {
        int64_t op;
        OK(mam_check_in(m, ANN, &op));
        finish(m, op);
        char *json = NULL;
        OK(mam_diagnostics(m, &json));
        mam_free(json);
    }
    return NULL;
}

static void log_line(void *user, int32_t level, const char *message) { (void)user, (void)level, (void)message, dawdle(); }

static void once(void) {
    alarm(PATIENCE);
    pid_t pid = fork();
    HOLDS(pid >= 0);
    if (pid == 0) {
        renew();
        OK(mam_close(m));
        _exit(HELD);
    }
    int status = 0;
    forked = pid;
    HOLDS(waitpid(pid, &status, 0) == pid);
    forked = 0;
    if (status != 0) BREAKS("fork %ld: the child ended with %#x", number, (unsigned)status);
}

/* Restart with the allocator. */
static void preload(char **arguments) {
    const char *folder = getenv("BUILD");
    char path[PATH_SIZE];
    if (folder == NULL || getenv("LD_PRELOAD") != NULL) skip("the allocator cannot be preloaded: BUILD is not set");
    HOLDS(snprintf(path, sizeof path, "%s/allocator_preload.so", folder) < PATH_SIZE);
    if (access(path, R_OK) != 0) skip("there is no allocator_preload.so");
    setenv("LD_PRELOAD", path, 1);
    execv("/proc/self/exe", arguments);
    BREAKS("the program does not start again");
}

int main(int count, char **arguments) {
    (void)count;
    *(void **)&renew = dlsym(RTLD_DEFAULT, "allocator_renew");
    *(void **)&dawdle = dlsym(RTLD_DEFAULT, "allocator_dawdle");
    if (renew == NULL || dawdle == NULL) preload(arguments);
    long forks = scale(300, 3000);
    office o;
    office_make(&o);
    m = session_of(&o, "\"worker\":true");
    enroll(m, ANN);
    OK(mam_set_log(m, 0, log_line, NULL));
    pthread_t holds, calls;
    HOLDS(pthread_create(&holds, NULL, hold, NULL) == 0 && pthread_create(&calls, NULL, call, NULL) == 0);
    signal(SIGALRM, hang);
    for (number = 1; number <= forks; number++) once();
    alarm(0);
    atomic_store(&is_over, true);
    HOLDS(pthread_join(holds, NULL) == 0 && pthread_join(calls, NULL) == 0);
    OK(mam_close(m));
    office_remove(&o);
    printf("%ld forks while another thread holds the allocator's lock, no child hangs\n", forks);
    return HELD;
}
