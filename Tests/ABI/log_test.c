/* The log files of an app: what is in them, who may read them, how large they get, and that they hinder nobody. */
#include "databases.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define VERBOSE "\"worker\":false,\"settings\":{\"VerboseLoggingEnabled\":true}"

/* The file as a text, "" where there is none; the caller frees it. */
static char *text_in(const char *path) {
    if (!is_there(path)) return calloc(1, 1);
    size_t length = 0;
    uint8_t *bytes = read_whole(path, &length);
    char *text = calloc(1, length + 1);
    if (text == NULL) abort();
    memcpy(text, bytes, length);
    free(bytes);
    return text;
}

static const char *log_of(const office *o, const char *app) {
    char name[200];
    snprintf(name, sizeof name, "%s.log", app);
    return in_group(o, name);
}

static int lines_with(const office *o, const char *words) {
    char *text = text_in(log_of(o, APP));
    int count = 0;
    for (char *at = text; (at = strstr(at, words)) != NULL; at += strlen(words)) count++;
    free(text);
    return count;
}

static long long lost_lines(mam_t *m) {
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    long long lost = number_of(json, "/logFiles/lostLines");
    mam_free(json);
    return lost;
}

/* A session in which nothing happens leaves the log to others. */
static void opening_alone_writes_nothing(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET);
    char *json = NULL;
    OK(mam_log_paths(m, &json));
    CHECK_TEXT("[]", json);
    mam_free(json);
    OK(mam_diagnostics(m, &json));
    CHECK_NUMBER(1, count_of(json, "/log"));
    mam_free(json);
    OK(mam_close(m));
    CHECK(!is_there(log_of(o, APP)));
}

static void a_line_has_time_level_process_and_message(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *json = NULL;
    OK(mam_log_paths(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    CHECK_TEXT(log_of(o, APP), text_of(json, "/0"));
    mam_free(json);
    char *text = text_in(log_of(o, APP)), word[64], level[16];
    int process = 0, place = 0;
    CHECK_NUMBER(3, sscanf(text, "%63s %15s %d %n", word, level, &process, &place));
    CHECK_NUMBER(24, strlen(word));
    CHECK(word[10] == 'T' && word[23] == 'Z');
    CHECK_TEXT("info", level);
    CHECK_NUMBER(getpid(), process);
    const char *opened = "opened app " APP " in group " GROUP ", libmam " MAM_VERSION "\n";
    CHECK(strncmp(text + place, opened, strlen(opened)) == 0);
    CHECK_NUMBER(1, lines_with(o, "opened app"));
    free(text);
    struct stat s;
    CHECK(stat(log_of(o, APP), &s) == 0);
    CHECK_NUMBER(0600, s.st_mode & 07777);
    OK(mam_close(m));
}

static void each_app_has_its_own(void **state) {
    const office *o = *state;
    mam_t *one = open_enrolled(o), *two = open_app(o, OTHER_APP, QUIET);
    char *json = NULL;
    enroll_well(two, ANN);
    OK(mam_log_paths(two, &json));
    CHECK_TEXT(log_of(o, OTHER_APP), text_of(json, "/0"));
    mam_free(json);
    CHECK_NUMBER(1, lines_with(o, "opened app " APP));
    CHECK_NUMBER(0, lines_with(o, "opened app " OTHER_APP));
    OK(mam_close(one));
    OK(mam_close(two));
}

static void only_verbose_lines_name_people(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *json = NULL, id[64], enrolled[100];
    OK(mam_diagnostics(m, &json));
    snprintf(id, sizeof id, "%s", text_of(json, "/accounts/0/account"));
    CHECK_NUMBER(32, strlen(id));
    mam_free(json);
    snprintf(enrolled, sizeof enrolled, "account %s enrolled", id);
    CHECK_NUMBER(1, lines_with(o, enrolled));
    CHECK_NUMBER(0, lines_with(o, ANN));
    CHECK_NUMBER(0, lines_with(o, ANN_ID));
    OK(mam_close(m));
}

static void count_lines(void *user, int32_t level, const char *message) {
    int *counts = user;
    (void)message;
    counts[level]++;
}

/* The setting counts for files and diagnostics, also while the session is open; the host's function gets the level that
 * it was set for. */
static void verbose_logging(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, VERBOSE);
    int counts[4] = {0};
    OK(mam_set_log(m, MAM_LOG_INFO, count_lines, counts));
    enroll_well(m, ANN);
    CHECK(lines_with(o, " verbose ") > 0);
    CHECK(lines_with(o, " is " ANN) > 0);
    CHECK_NUMBER(0, counts[MAM_LOG_VERBOSE]);
    CHECK(counts[MAM_LOG_INFO] > 0);
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    CHECK(strstr(json, "\"level\":0") != NULL);
    mam_free(json);
    OK(mam_set_override(m, "VerboseLoggingEnabled", "false"));
    int before = lines_with(o, " verbose ");
    mam_free(wipe_ann(m));
    CHECK_NUMBER(before, lines_with(o, " verbose "));
    OK(mam_set_override(m, "VerboseLoggingEnabled", "true"));
    OK(mam_set_log(m, MAM_LOG_VERBOSE, count_lines, counts));
    enroll_well(m, BOB);
    CHECK(lines_with(o, " verbose ") > before);
    CHECK(counts[MAM_LOG_VERBOSE] > 0);
    OK(mam_close(m));
}

/* A configuration of everybody with a value that a host hides, and one that none does. */
static void configure(const office *o) {
    admin(
        o,
        "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"t\",\"displayName\":\"t\",\"customSettings\":["
        "{\"name\":\"Password\",\"value\":\"swordfish\"},{\"name\":\"server\",\"value\":\"mail.contoso.example\"}]}}");
    admin(o, "{\"action\":\"config.assign\",\"config\":\"t\",\"allUsers\":true}");
    admin(o, "{\"action\":\"config.target\",\"config\":\"t\",\"app\":\"" APP "\"}");
}

static void hidden_values(void **state) {
    const office *o = *state;
    configure(o);
    mam_t *m = open_app(
        o, APP, "\"worker\":false,\"settings\":{\"VerboseLoggingEnabled\":true,\"ValuesToScrubFromLogging\":[\"Password\"]}");
    enroll_well(m, ANN);
    CHECK_NUMBER(1, lines_with(o, "\"server\" is \"mail.contoso.example\""));
    CHECK_NUMBER(1, lines_with(o, "\"Password\" is hidden"));
    CHECK_NUMBER(0, lines_with(o, "swordfish"));
    OK(mam_close(m));
}

/* A list that another session was given, later too: mamctl is such a session. */
static void hidden_values_of_another_session(void **state) {
    const office *o = *state;
    configure(o);
    mam_t *m = open_app(o, APP, VERBOSE);
    enroll_well(m, ANN);
    CHECK_NUMBER(1, lines_with(o, "swordfish"));
    OK(mam_close(open_app(o, APP, "\"worker\":false,\"settings\":{\"ValuesToScrubFromLogging\":[\"Password\"]}")));
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    CHECK(strstr(json, "swordfish") == NULL);
    CHECK(strstr(json, "\\\"Password\\\" is hidden") != NULL);
    CHECK(strstr(json, "\\\"server\\\" is \\\"mail.contoso.example\\\"") != NULL);
    mam_free(json);
    /* An override joins it instead of taking its place. */
    OK(mam_set_override(m, "ValuesToScrubFromLogging", "[\"server\"]"));
    mam_free(wipe_ann(m));
    enroll_well(m, ANN);
    CHECK_NUMBER(1, lines_with(o, "swordfish"));
    CHECK_NUMBER(1, lines_with(o, "\"server\" is \"mail.contoso.example\""));
    CHECK_NUMBER(1, lines_with(o, "\"Password\" is hidden"));
    CHECK_NUMBER(1, lines_with(o, "\"server\" is hidden"));
    OK(mam_close(m));
}

/* ---- hindrances: no call fails or takes notice, and the lines that are lost are counted */

static void goes_on(const office *o, const char *in_the_way) {
    mam_t *m = open_app(o, APP, QUIET);
    char *json = NULL;
    enroll_well(m, ANN);
    CHECK(lost_lines(m) >= 1);
    OK(mam_log_paths(m, &json));
    CHECK_TEXT("[]", json);
    mam_free(json);
    CHECK(is_there(in_the_way));
    OK(mam_close(m));
}

static void a_link_is_not_followed(void **state) {
    const office *o = *state;
    OK(try_open(o, QUIET));
    CHECK(symlink(in_office(o, "elsewhere"), log_of(o, APP)) == 0);
    goes_on(o, log_of(o, APP));
    CHECK(!is_there(in_office(o, "elsewhere")));
}

static void a_pipe_is_not_waited_for(void **state) {
    const office *o = *state;
    OK(try_open(o, QUIET));
    CHECK(mkfifo(log_of(o, APP), 0600) == 0);
    goes_on(o, log_of(o, APP));
}

/* A damaged database of Ann: reading it writes a line to the log, and needs no other file. */
static sqlite3 *open_damaged(const office *o) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", in_office(o, "notes.db"));
    sqlite3 *db = open_with(path, "mam");
    run(db, "CREATE TABLE notes (text); INSERT INTO notes VALUES (zeroblob(20000))");
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    bytes[length - 100] ^= 1;
    write_whole(path, bytes, length);
    free(bytes);
    db = open_with(path, "mam");
    CHECK_NUMBER(1, number(db, "SELECT count(*) FROM sqlite_schema"));
    return db;
}

/* The line is lost under a limit, and the next one is written without it. */
static void reads_under(const office *o, int resource, rlim_t limit) {
    mam_t *m = open_registered(o);
    sqlite3 *db = open_damaged(o);
    struct rlimit before, low;
    CHECK(getrlimit((unsigned)resource, &before) == 0);
    char *log = text_in(log_of(o, APP)), *after;
    low = (struct rlimit){limit == 0 ? strlen(log) + 10 : limit, before.rlim_max};
    CHECK(setrlimit((unsigned)resource, &low) == 0);
    int result = sqlite3_exec(db, "SELECT sum(length(text)) FROM notes WHERE text = 'x'", NULL, NULL, NULL);
    CHECK(setrlimit((unsigned)resource, &before) == 0);
    after = text_in(log_of(o, APP));
    CHECK_NUMBER(SQLITE_IOERR_DATA, sqlite3_extended_errcode(db));
    CHECK_NUMBER(SQLITE_IOERR, result & 0xff);
    CHECK_TEXT(log, after); /* nothing of the line is left */
    CHECK_NUMBER(1, lost_lines(m));
    CHECK_NUMBER(0, lines_with(o, "does not verify"));
    (void)sqlite3_exec(db, "SELECT sum(length(text)) FROM notes WHERE text = 'x'", NULL, NULL, NULL);
    CHECK_NUMBER(1, lines_with(o, "does not verify"));
    CHECK_NUMBER(1, lost_lines(m));
    free(log), free(after);
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    OK(mam_close(m));
}

static void no_descriptor_is_left(void **state) {
    int next = dup(0);
    CHECK(next >= 0 && close(next) == 0);
    reads_under(*state, RLIMIT_NOFILE, (rlim_t)next);
}

static void a_limited_file_size(void **state) { reads_under(*state, RLIMIT_FSIZE, 0); }

/* ---- processes */

static void no_file_stays_open(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    DIR *all = opendir("/proc/self/fd");
    CHECK(all != NULL);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        char path[LONG_PATH] = "";
        ssize_t length = readlinkat(dirfd(all), entry->d_name, path, sizeof path - 1);
        CHECK(length < 0 || strstr(path, APP ".log") == NULL);
    }
    closedir(all);
    OK(mam_close(m));
}

static void ask_in_a_child(void *user) {
    mam_t *m = user;
    int64_t op = 0;
    char *json = NULL;
    CHECK_NUMBER(MAM_ERR_FORKED, mam_register_and_enroll(m, "{\"upn\":\"" ANN "\"}", &op));
    CHECK_NUMBER(MAM_ERR_FORKED, mam_log_paths(m, &json));
    OK(mam_close(m));
}

static void a_forked_child_writes_nothing(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    int before = lines_with(o, "\n");
    in_child(ask_in_a_child, m);
    CHECK_NUMBER(before, lines_with(o, "\n"));
    OK(mam_close(m));
}

enum { PROCESSES = 4, EACH = 40 };

static void ask_often(void *user) {
    mam_t *m = open_app(user, APP, QUIET);
    for (int i = 0; i < EACH; i++) (void)enroll(m, ANN);
    OK(mam_close(m));
}

static void processes_write_whole_lines(void **state) {
    office *o = *state;
    pid_t children[PROCESSES];
    OK(mam_close(open_enrolled(o)));
    int before = lines_with(o, "\n");
    for (int i = 0; i < PROCESSES; i++) children[i] = start_child(ask_often, o);
    for (int i = 0; i < PROCESSES; i++) end_well(children[i]);
    CHECK_NUMBER(PROCESSES * EACH, lines_with(o, " an enrolled account was registered again; ignored\n"));
    CHECK_NUMBER(before + PROCESSES * EACH + PROCESSES, lines_with(o, "\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(opening_alone_writes_nothing),
        WITH_OFFICE(a_line_has_time_level_process_and_message),
        WITH_OFFICE(each_app_has_its_own),
        WITH_OFFICE(only_verbose_lines_name_people),
        WITH_OFFICE(verbose_logging),
        WITH_OFFICE(hidden_values),
        WITH_OFFICE(hidden_values_of_another_session),
        WITH_OFFICE(a_link_is_not_followed),
        WITH_OFFICE(a_pipe_is_not_waited_for),
        WITH_OFFICE(no_descriptor_is_left),
        WITH_OFFICE(a_limited_file_size),
        WITH_OFFICE(no_file_stays_open),
        WITH_OFFICE(a_forked_child_writes_nothing),
        WITH_OFFICE(processes_write_whole_lines),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
