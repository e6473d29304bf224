#define _GNU_SOURCE /* syscall */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <json-c/json.h>
#include <json-c/json_pointer.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

/* Ends what hangs, with enough time for a busy computer. */
enum { SUITE_SECONDS = 900, CHILD_SECONDS = 300, BUFFERS = 16 };

static pthread_t main_thread;
static pid_t main_process;
static unsigned child_seconds = CHILD_SECONDS;

/* The texts that functions below return belong to the calling thread. On the heap: some threads have the smallest stacks. */
typedef struct texts {
    char texts[BUFFERS][8192], paths[8][2 * PATH_SIZE], detail[1024], key[64];
    int next, next_path;
} texts_t;
static pthread_key_t texts_key;
static void make_texts_key(void) { CHECK_NUMBER(0, pthread_key_create(&texts_key, free)); }
static texts_t *mine(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_texts_key);
    texts_t *texts = pthread_getspecific(texts_key);
    if (texts == NULL) {
        texts = calloc(1, sizeof *texts);
        CHECK(texts != NULL && pthread_setspecific(texts_key, texts) == 0);
    }
    return texts;
}
static uint64_t seed;

/* ---- checks */

void failed_at(const char *file, int line, const char *format, ...) {
    va_list arguments;
    char text[2048];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s:%d: %s (last message: \"%s\"; seed %llu)\n", file, line, text, mam_last_message(), (unsigned long long)seed);
    if (getpid() == main_process && pthread_equal(pthread_self(), main_thread)) _fail(file, line);
    _exit(1);
}

bool has_messages(const char *json, const char *pointer) {
    char text[PATH_SIZE], key[PATH_SIZE];
    snprintf(text, sizeof text, "%s/userMessage", pointer);
    snprintf(key, sizeof key, "%s/messageKey", pointer);
    return *text_of(json, text) && !strpbrk(text_of(json, text), "/\n_\"%") && *text_of(json, key);
}

bool is_error_clear(mam_status status, const char **why) {
    char *json = NULL;
    const char *message = mam_last_message();
    bool clear = false;
    if (mam_last_status() != status) *why = "mam_last_status says otherwise";
    else if (status == MAM_OK) {
        *why = "there is a message although it succeeded";
        clear = *message == '\0' && *mam_last_user_message() == '\0';
    } else if (*message == '\0') *why = "no message";
    else if (strchr(message, '\n') != NULL) *why = "the message has several lines";
    else if (mam_last_error_json(&json) != MAM_OK || !is_json(json)) *why = "no error JSON";
    else if (number_of(json, "/status") != status) *why = "the error JSON has another status";
    else if (strcmp(text_of(json, "/name"), mam_status_name(status)) != 0) *why = "the error JSON has another name";
    else if (strcmp(text_of(json, "/message"), message) != 0) *why = "the error JSON has another message";
    else if (strcmp(text_of(json, "/userMessage"), mam_last_user_message()) != 0) *why = "the error JSON has another user message";
    else if (!has_messages(json, "")) *why = "the error JSON has no message for people";
    else if (count_of(json, "/detail") < 0) *why = "the error JSON has no detail";
    else clear = true;
    mam_free(json);
    return clear;
}

void ok_at(const char *file, int line, const char *call, mam_status status) {
    const char *why = "";
    if (status != MAM_OK) failed_at(file, line, "%s answers %d (%s) instead of MAM_OK", call, status, mam_status_name(status));
    if (!is_error_clear(MAM_OK, &why)) failed_at(file, line, "%s: %s", call, why);
}

void fails_at(const char *file, int line, const char *call, mam_status expected, mam_status status) {
    const char *why = "";
    if (status != expected)
        failed_at(
            file, line, "%s answers %d (%s) instead of %d (%s)", call, status, mam_status_name(status), expected,
            mam_status_name(expected));
    if (!is_error_clear(expected, &why)) failed_at(file, line, "%s: %s", call, why);
}

void number_at_line(const char *file, int line, const char *what, long long expected, long long got) {
    if (expected != got) failed_at(file, line, "%s is %lld instead of %lld", what, got, expected);
}

void text_at_line(const char *file, int line, const char *what, const char *expected, const char *got) {
    if (got == NULL || strcmp(expected, got) != 0)
        failed_at(file, line, "%s is \"%s\" instead of \"%s\"", what, got ? got : "(NULL)", expected);
}

const char *culprit(const char *key) {
    char *text = mine()->detail;
    char pointer[128];
    char *json = NULL;
    snprintf(pointer, sizeof pointer, "/detail/%s", key);
    if (mam_last_error_json(&json) != MAM_OK) return "";
    snprintf(text, sizeof mine()->detail, "%s", text_of(json, pointer));
    mam_free(json);
    return text;
}

const char *message_key(void) {
    char *key = mine()->key;
    char *json = NULL;
    if (mam_last_error_json(&json) != MAM_OK) return "";
    snprintf(key, sizeof mine()->key, "%s", text_of(json, "/messageKey"));
    mam_free(json);
    return key;
}

long long original_code(void) {
    char *json = NULL;
    if (mam_last_error_json(&json) != MAM_OK) return 0;
    long long code = number_of(json, "/detail/originalCode");
    mam_free(json);
    return code;
}

/* ---- JSON */

static struct json_object *at(const char *json, const char *pointer, struct json_object **root) {
    struct json_object *found = NULL;
    *root = json ? json_tokener_parse(json) : NULL;
    if (*root == NULL || json_pointer_get(*root, pointer, &found) != 0) return NULL;
    return found;
}

bool is_json(const char *json) {
    struct json_tokener *tokener = json_tokener_new();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    struct json_object *object = json ? json_tokener_parse_ex(tokener, json, (int)strlen(json) + 1) : NULL;
    bool is_one = json != NULL && json_tokener_get_error(tokener) == json_tokener_success;
    json_object_put(object);
    json_tokener_free(tokener);
    return is_one;
}

bool has(const char *json, const char *pointer) {
    struct json_object *root, *found = NULL;
    root = json ? json_tokener_parse(json) : NULL;
    bool is_there = root != NULL && json_pointer_get(root, pointer, &found) == 0;
    json_object_put(root);
    return is_there;
}

long long number_of(const char *json, const char *pointer) {
    struct json_object *root, *found = at(json, pointer, &root);
    long long number = found ? json_object_get_int64(found) : 0;
    json_object_put(root);
    return number;
}

bool truth_of(const char *json, const char *pointer) {
    struct json_object *root, *found = at(json, pointer, &root);
    bool truth = found && json_object_is_type(found, json_type_boolean) && json_object_get_boolean(found);
    json_object_put(root);
    return truth;
}

const char *text_of(const char *json, const char *pointer) {
    texts_t *t = mine();
    char *text = t->texts[t->next = (t->next + 1) % BUFFERS];
    struct json_object *root, *found = at(json, pointer, &root);
    snprintf(
        text, sizeof t->texts[0], "%s", found && json_object_is_type(found, json_type_string) ? json_object_get_string(found) : "");
    json_object_put(root);
    return text;
}

int count_of(const char *json, const char *pointer) {
    struct json_object *root, *found = at(json, pointer, &root);
    int count = -1;
    if (json_object_is_type(found, json_type_array)) count = (int)json_object_array_length(found);
    if (json_object_is_type(found, json_type_object)) count = json_object_object_length(found);
    json_object_put(root);
    return count;
}

bool is_same_json(const char *a, const char *b) {
    struct json_object *x = json_tokener_parse(a), *y = json_tokener_parse(b);
    bool same = json_object_equal(x, y);
    json_object_put(x);
    json_object_put(y);
    return same;
}

/* ---- the office */

static void hang(int number) {
    static const char text[] = "the suite hangs: it was ended\n";
    (void)number;
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(1);
}

int begin(void **state) {
    (void)state;
    const char *given = getenv("MAM_SEED"), *seconds = getenv("MAM_HANG_SECONDS");
    main_thread = pthread_self();
    main_process = getpid();
    seed = given ? strtoull(given, NULL, 10) : ((uint64_t)time(NULL) << 20 ^ (uint64_t)getpid());
    signal(SIGALRM, hang);
    unsigned limit = seconds ? (unsigned)atoi(seconds) : SUITE_SECONDS; /* more under a sanitizer */
    if (limit > SUITE_SECONDS) child_seconds = limit / 2;
    alarm(limit);
    umask(077);
    return 0;
}

static const char *join(const char *folder, const char *name) {
    texts_t *t = mine();
    char *path = t->paths[t->next_path = (t->next_path + 1) % 8];
    snprintf(path, sizeof t->paths[0], "%s/%s", folder, name);
    return path;
}

const char *in_office(const office *o, const char *name) { return join(o->root, name); }

const char *in_group(const office *o, const char *name) {
    char group[PATH_SIZE + 64];
    snprintf(group, sizeof group, "%s/%s", o->state, GROUP);
    return join(group, name);
}

static char *format_text(const char *format, va_list arguments) {
    char *text = NULL;
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = malloc((size_t)length + 1);
    if (text == NULL) abort();
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *admin_reply(const office *o, const char *format, ...) {
    va_list arguments;
    char *reply = NULL;
    va_start(arguments, format);
    char *request = format_text(format, arguments);
    va_end(arguments);
    mam_status status = mam_admin(o->authority, request, &reply);
    if (status != MAM_OK) failed_at(__FILE__, __LINE__, "mam_admin %s answers %d", request, status);
    free(request);
    return reply;
}

void admin(const office *o, const char *format, ...) {
    va_list arguments;
    char *reply = NULL;
    va_start(arguments, format);
    char *request = format_text(format, arguments);
    va_end(arguments);
    mam_status status = mam_admin(o->authority, request, &reply);
    if (status != MAM_OK) failed_at(__FILE__, __LINE__, "mam_admin %s answers %d", request, status);
    free(request);
    mam_free(reply);
}

static void import_policy(const office *o, const char *destinations, bool blocks_saving, bool wants_pin) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Strict\","
        "\"allowedInboundDataTransferSources\":\"managedApps\","
        "\"allowedOutboundDataTransferDestinations\":\"%s\","
        "\"saveAsBlocked\":%s,\"allowedDataStorageLocations\":[\"oneDriveForBusiness\",\"sharePoint\"],"
        "\"blockDataIngestionIntoOrganizationDocuments\":true,"
        "\"allowedDataIngestionLocations\":[\"oneDriveForBusiness\"],"
        "\"printBlocked\":true,\"dataBackupBlocked\":true,\"contactSyncBlocked\":false,"
        "\"screenCaptureConfigurationState\":\"blocked\",\"thirdPartyKeyboardsBlocked\":false,"
        "\"allowWidgetContentSync\":false,\"managedBrowserToOpenLinksRequired\":true,"
        "\"appDataEncryptionType\":\"whenDeviceLocked\",\"pinRequired\":%s}}",
        destinations, blocks_saving ? "true" : "false", wants_pin ? "true" : "false");
}

void office_policy(const office *o, bool wants_pin) { import_policy(o, "managedApps", true, wants_pin); }

void office_permissive_policy(const office *o) { import_policy(o, "allApps", false, true); }

void office_blocks_disabled(const office *o) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"disabled\",\"displayName\":\"Disabled\",\"appActionIfUnableToAuthenticateUser\":\"block\"}}");
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"disabled\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"disabled\",\"allApps\":true}");
}

void office_make(office *o) {
    const char *folder = getenv("TMPDIR");
    memset(o, 0, sizeof *o);
    snprintf(o->root, sizeof o->root, "%s/mam-test-XXXXXX", folder ? folder : "/tmp");
    CHECK(mkdtemp(o->root) != NULL);
    snprintf(o->authority, sizeof o->authority, "%s/authority.db", o->root);
    snprintf(o->state, sizeof o->state, "%s/state", o->root);
    admin(o, "{\"action\":\"authority.create\",\"name\":\"Contoso\",\"tenantId\":\"contoso\"}");
    admin(o, "{\"action\":\"user.add\",\"upn\":\"" ANN "\",\"accountId\":\"" ANN_ID "\"}");
    admin(o, "{\"action\":\"user.add\",\"upn\":\"" BOB "\",\"accountId\":\"" BOB_ID "\"}");
    office_policy(o, true);
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"" STRICT_POLICY "\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"" STRICT_POLICY "\",\"allApps\":true}");
}

void office_remove(office *o) {
    if (o->root[0] != '\0') remove_tree(o->root);
}

int set_up(void **state) {
    office *o = malloc(sizeof *o);
    if (o == NULL) return -1;
    office_make(o);
    *state = o;
    return 0;
}

int set_up_without_pin(void **state) {
    int result = set_up(state);
    if (result == 0) office_policy(*state, false);
    return result;
}

int tear_down(void **state) {
    office_remove(*state);
    free(*state);
    return 0;
}

char *settings_for(const office *o, const char *app, const char *more) {
    size_t size = strlen(more) + 4 * PATH_SIZE;
    char *settings = malloc(size);
    if (settings == NULL) abort();
    snprintf(
        settings, size,
        "{\"app\":{\"id\":\"%s\",\"version\":\"1.0\",\"group\":\"" GROUP "\"},\"stateDirectory\":\"%s\","
        "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}%s%s}",
        app, o->state, o->authority, *more ? "," : "", more);
    return settings;
}

mam_t *open_app(const office *o, const char *app, const char *more) {
    mam_t *m = NULL;
    char *settings = settings_for(o, app, more);
    mam_status status = mam_open(settings, &m);
    free(settings);
    if (status != MAM_OK) failed_at(__FILE__, __LINE__, "mam_open answers %d", status);
    return m;
}

mam_status open_with_app(const office *o, const char *app, const char *more_of_app, const char *more, mam_t **m) {
    size_t size = strlen(more_of_app) + strlen(more) + 4 * PATH_SIZE;
    char *settings = malloc(size);
    if (settings == NULL) abort();
    snprintf(
        settings, size,
        "{\"app\":{\"id\":\"%s\",\"group\":\"" GROUP "\"%s},\"stateDirectory\":\"%s\","
        "\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"},%s}",
        app, more_of_app, o->state, o->authority, more);
    mam_status status = mam_open(settings, m);
    free(settings);
    return status;
}

void list_as_extension(const office *o) {
    mam_t *m = NULL;
    OK(open_with_app(o, CONTAINING_APP, ",\"extensions\":[\"" APP "\"]", QUIET, &m));
    OK(mam_close(m));
}

mam_status try_open(const office *o, const char *more) {
    mam_t *m = (mam_t *)1;
    char *settings = settings_for(o, APP, more);
    mam_status status = mam_open(settings, &m);
    free(settings);
    if (status == MAM_OK) OK(mam_close(m));
    else CHECK(m == NULL);
    return status;
}

int code_of(mam_t *m, int64_t op) {
    char *status = NULL;
    OK(mam_wait(m, op, SOON, &status));
    int code = (int)number_of(status, "/code");
    CHECK(has(status, "/accountId") && has(status, "/identity") && has(status, "/didSucceed"));
    CHECK(*text_of(status, "/name") && *text_of(status, "/message") && *text_of(status, "/time"));
    CHECK(has_messages(status, ""));
    CHECK_NUMBER(code >= 100 && code < 200, truth_of(status, "/didSucceed"));
    mam_free(status);
    return code;
}

int enroll(mam_t *m, const char *upn) {
    char account[MAM_ACCOUNT_MAX + 64];
    int64_t op = 0;
    snprintf(account, sizeof account, "{\"upn\":\"%s\"}", upn);
    OK(mam_register_and_enroll(m, account, &op));
    CHECK(op > 0);
    return code_of(m, op);
}

void enroll_well(mam_t *m, const char *upn) { CHECK_NUMBER(100, enroll(m, upn)); }

int check_in(mam_t *m, const char *account) {
    int64_t op = 0;
    OK(mam_check_in(m, account, &op));
    return code_of(m, op);
}

mam_t *open_enrolled(const office *o) {
    mam_t *m = open_quiet(o);
    enroll_well(m, ANN);
    return m;
}

void finish_wipes(mam_t *m) {
    for (long long until = now_ms() + SOON;;) {
        char *json = NULL;
        OK(mam_run_due(m));
        OK(mam_diagnostics(m, &json));
        int waiting = count_of(json, "/wipes");
        mam_free(json);
        if (waiting == 0) return;
        if (now_ms() > until) failed_at(__FILE__, __LINE__, "%d wipes do not end", waiting);
        poll(NULL, 0, 50);
    }
}

char *next_event(mam_t *m, const char *name, int timeout_ms) {
    long long until = now_ms() + timeout_ms;
    for (;;) {
        char *event = NULL;
        long long left = until - now_ms();
        mam_status status = mam_event_next(m, left > 0 ? (int32_t)left : 0, &event);
        if (status == MAM_ERR_TIMEOUT) {
            CHECK(event == NULL);
            return NULL;
        }
        OK(status);
        CHECK(is_json(event));
        CHECK(*text_of(event, "/time") && has_messages(event, ""));
        if (has(event, "/status")) CHECK(has_messages(event, "/status"));
        if (strcmp(text_of(event, "/event"), name) == 0) return event;
        mam_free(event);
    }
}

char *wipe_ann(mam_t *m) {
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    char *event = next_event(m, "wipeDidComplete", SOON);
    CHECK(event != NULL);
    return event;
}

mam_buffer sealed(mam_t *m, const char *account, const char *text) {
    mam_buffer container = {NULL, 0};
    OK(mam_protect(m, account, (const uint8_t *)text, strlen(text), &container));
    CHECK(container.data != NULL && container.length > strlen(text));
    return container;
}

mam_status opens_as(mam_t *m, const mam_buffer *container, const char *text) {
    mam_buffer plain = {NULL, 0};
    mam_bool was_protected = 0;
    mam_status status = mam_unprotect(m, container->data, container->length, MAM_STRICT, &plain, &was_protected);
    if (status == MAM_OK) {
        CHECK_NUMBER(1, was_protected);
        CHECK_NUMBER(strlen(text), plain.length);
        CHECK(memcmp(plain.data, text, plain.length) == 0);
        mam_buffer_free(&plain);
    } else {
        CHECK(plain.data == NULL && plain.length == 0);
    }
    return status;
}

/* ---- databases */

void sql(const char *path, const char *statement) {
    sqlite3 *database = NULL;
    char *error = NULL;
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    if (sqlite3_exec(database, statement, NULL, NULL, &error) != SQLITE_OK)
        failed_at(__FILE__, __LINE__, "%s: %s", statement, error);
    CHECK(sqlite3_close(database) == SQLITE_OK);
}

long long sql_number(const char *path, const char *query) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(database, query, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    long long number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    CHECK(sqlite3_close(database) == SQLITE_OK);
    return number;
}

/* ---- processes, threads and files */

uint64_t random_number(void) {
    static uint64_t state;
    if (state == 0) state = seed;
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void sleep_ms(int milliseconds) {
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

pid_t this_thread(void) { return (pid_t)syscall(SYS_gettid); }

static bool is_asleep(pid_t thread) {
    char path[PATH_SIZE], line[PATH_SIZE] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    const char *read = fgets(line, sizeof line, file), *name_end = read ? strrchr(line, ')') : NULL;
    fclose(file);
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}

void until_asleep(volatile pid_t *thread) {
    long long until = now_ms() + SOON;
    for (int looks = 0; looks < 10; looks = *thread != 0 && is_asleep(*thread) ? looks + 1 : 0) {
        CHECK(now_ms() < until);
        sleep_ms(20);
    }
}

pid_t start_child(void (*function)(void *), void *argument) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0) return child;
    alarm(child_seconds);
    function(argument);
    fflush(NULL);
    _exit(0);
}

void end_well(pid_t child) {
    int status = 0;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    CHECK_NUMBER(child, ended);
    if (WIFSIGNALED(status)) failed_at(__FILE__, __LINE__, "a child died of signal %d", WTERMSIG(status));
    CHECK_NUMBER(0, WEXITSTATUS(status));
}

void in_child(void (*function)(void *), void *argument) { end_well(start_child(function, argument)); }

const char *tool(const char *name) {
    char self[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(length > 0);
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    return join(self, name);
}

int run_program(char *const words[], const char *preload, char *output, size_t size) {
    int pipe_ends[2], status = 0;
    size_t got = 0;
    CHECK(pipe(pipe_ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (preload != NULL) setenv("LD_PRELOAD", preload, 1);
        dup2(pipe_ends[1], STDOUT_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        alarm(child_seconds);
        execvp(words[0], words);
        _exit(127);
    }
    close(pipe_ends[1]);
    for (;;) {
        char scrap[4096];
        bool fits = output != NULL && got + 1 < size;
        ssize_t n = read(pipe_ends[0], fits ? output + got : scrap, fits ? size - got - 1 : sizeof scrap);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        if (fits) got += (size_t)n;
    }
    if (output != NULL) output[got] = '\0';
    close(pipe_ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool is_there(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0;
}

uint8_t *read_whole(const char *path, size_t *length) {
    struct stat s;
    int file = open(path, O_RDONLY);
    CHECK(file >= 0 && fstat(file, &s) == 0);
    uint8_t *bytes = malloc((size_t)s.st_size + 1);
    CHECK(bytes != NULL && read(file, bytes, (size_t)s.st_size) == s.st_size);
    close(file);
    *length = (size_t)s.st_size;
    return bytes;
}

void write_whole(const char *path, const void *bytes, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0 && write(file, bytes, length) == (ssize_t)length);
    CHECK(close(file) == 0);
}

void make_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    CHECK(end >= 0 && bind(end, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(close(end) == 0);
}

static const char *tree_from, *tree_to;

static int copy_one(const char *path, const struct stat *s, int type, struct FTW *where) {
    char target[2 * PATH_SIZE];
    (void)where;
    snprintf(target, sizeof target, "%s%s", tree_to, path + strlen(tree_from));
    if (type == FTW_D) return mkdir(target, s->st_mode & 07777) == 0 || errno == EEXIST ? 0 : -1;
    if (type != FTW_F) return 0;
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    write_whole(target, bytes, length);
    free(bytes);
    return chmod(target, s->st_mode & 07777);
}

void copy_tree(const char *from, const char *to) {
    tree_from = from;
    tree_to = to;
    CHECK(nftw(from, copy_one, 16, FTW_PHYS) == 0);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)s, (void)type, (void)where;
    return remove(path);
}

void remove_tree(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

const char *only_file_in(const char *folder) {
    const char *found = NULL;
    DIR *directory = opendir(folder);
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        if (found != NULL) failed_at(__FILE__, __LINE__, "%s holds more than one file", folder);
        found = join(folder, entry->d_name);
    }
    closedir(directory);
    if (found == NULL) failed_at(__FILE__, __LINE__, "%s is empty", folder);
    return found;
}
