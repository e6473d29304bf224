#include <CPostgreSQL.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static postgresql_library_t library;
static bool is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
    void *opened = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!opened) return;
    const struct {
        void **function;
        const char *name;
    } all[] = {
        {(void **)&library.connect, "PQconnectdbParams"},
        {(void **)&library.finish, "PQfinish"},
        {(void **)&library.status, "PQstatus"},
        {(void **)&library.transaction_status, "PQtransactionStatus"},
        {(void **)&library.error, "PQerrorMessage"},
        {(void **)&library.server_version, "PQserverVersion"},
        {(void **)&library.run, "PQexec"},
        {(void **)&library.run_with_values, "PQexecParams"},
        {(void **)&library.prepare, "PQprepare"},
        {(void **)&library.run_prepared, "PQexecPrepared"},
        {(void **)&library.result_status, "PQresultStatus"},
        {(void **)&library.result_field, "PQresultErrorField"},
        {(void **)&library.result_error, "PQresultErrorMessage"},
        {(void **)&library.changed_rows, "PQcmdTuples"},
        {(void **)&library.row_count, "PQntuples"},
        {(void **)&library.type, "PQftype"},
        {(void **)&library.value, "PQgetvalue"},
        {(void **)&library.length, "PQgetlength"},
        {(void **)&library.is_null, "PQgetisnull"},
        {(void **)&library.clear, "PQclear"},
        {(void **)&library.parse, "PQconninfoParse"},
        {(void **)&library.free_options, "PQconninfoFree"},
        {(void **)&library.free_text, "PQfreemem"},
        {(void **)&library.set_notices, "PQsetNoticeProcessor"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].function = dlsym(opened, all[i].name);
        if (!*all[i].function) return;
    }
    is_available = true;
}

const postgresql_library_t *postgresql_library(void) {
    pthread_once(&once, look_up);
    return is_available ? &library : NULL;
}

static void ignore(void *context, const char *message) {
    (void)context;
    (void)message;
}

void postgresql_ignore_notices(postgresql_connection_t *connection) { library.set_notices(connection, ignore, NULL); }
