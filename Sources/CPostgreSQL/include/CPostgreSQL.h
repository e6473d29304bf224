/* The part of libpq's ABI (libpq.so.5) that is used, repeated here so that building needs no development package. libpq is opened on
 * first use: a service on SQLite needs none. */
#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H
#include <stdint.h>

typedef struct postgresql_connection postgresql_connection_t;
typedef struct postgresql_result postgresql_result_t;

/* PQconninfoOption */
typedef struct postgresql_option {
    const char *_Nonnull keyword;
    const char *_Nullable variable;
    const char *_Nullable compiled;
    const char *_Nullable value;
    const char *_Nonnull label;
    const char *_Nonnull mode;
    int size;
} postgresql_option_t;

/* ExecStatusType */
enum { POSTGRESQL_COMMAND_OK = 1, POSTGRESQL_TUPLES_OK = 2 };
/* PGTransactionStatusType */
enum { POSTGRESQL_IDLE = 0, POSTGRESQL_IN_TRANSACTION = 2, POSTGRESQL_IN_ERROR = 3 };
/* PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY */
enum { POSTGRESQL_SQLSTATE = 'C', POSTGRESQL_MESSAGE = 'M' };

typedef struct postgresql_library {
    postgresql_connection_t *_Nullable (*_Nonnull connect)(
        const char *_Nullable const *_Nonnull, const char *_Nullable const *_Nonnull, int);
    void (*_Nonnull finish)(postgresql_connection_t *_Nullable);
    int (*_Nonnull status)(const postgresql_connection_t *_Nullable); /* 0: connected */
    int (*_Nonnull transaction_status)(const postgresql_connection_t *_Nullable);
    const char *_Nullable (*_Nonnull error)(const postgresql_connection_t *_Nullable);
    int (*_Nonnull server_version)(const postgresql_connection_t *_Nullable);
    postgresql_result_t *_Nullable (*_Nonnull run)(postgresql_connection_t *_Nullable, const char *_Nonnull);
    postgresql_result_t *_Nullable (*_Nonnull run_with_values)(
        postgresql_connection_t *_Nullable, const char *_Nonnull, int, const uint32_t *_Nullable,
        const char *_Nullable const *_Nullable, const int *_Nullable, const int *_Nullable, int);
    postgresql_result_t *_Nullable (*_Nonnull prepare)(
        postgresql_connection_t *_Nullable, const char *_Nonnull, const char *_Nonnull, int, const uint32_t *_Nullable);
    postgresql_result_t *_Nullable (*_Nonnull run_prepared)(
        postgresql_connection_t *_Nullable, const char *_Nonnull, int, const char *_Nullable const *_Nullable, const int *_Nullable,
        const int *_Nullable, int);
    int (*_Nonnull result_status)(const postgresql_result_t *_Nullable);
    const char *_Nullable (*_Nonnull result_field)(const postgresql_result_t *_Nullable, int);
    const char *_Nullable (*_Nonnull result_error)(const postgresql_result_t *_Nullable);
    const char *_Nullable (*_Nonnull changed_rows)(postgresql_result_t *_Nullable); /* decimal digits, or "" */
    int (*_Nonnull row_count)(const postgresql_result_t *_Nullable);
    uint32_t (*_Nonnull type)(const postgresql_result_t *_Nullable, int);
    const char *_Nullable (*_Nonnull value)(const postgresql_result_t *_Nullable, int, int);
    int (*_Nonnull length)(const postgresql_result_t *_Nullable, int, int);
    int (*_Nonnull is_null)(const postgresql_result_t *_Nullable, int, int);
    void (*_Nonnull clear)(postgresql_result_t *_Nullable);
    postgresql_option_t *_Nullable (*_Nonnull parse)(const char *_Nonnull, char *_Nullable *_Nullable);
    void (*_Nonnull free_options)(postgresql_option_t *_Nullable);
    void (*_Nonnull free_text)(void *_Nullable);
    void (*_Nullable (*_Nonnull set_notices)(
        postgresql_connection_t *_Nullable, void (*_Nullable)(void *_Nullable, const char *_Nullable),
        void *_Nullable))(void *_Nullable, const char *_Nullable);
} postgresql_library_t;

/* NULL if no libpq can be opened. */
const postgresql_library_t *_Nullable postgresql_library(void);

/* Notices of the server, which libpq prints otherwise. */
void postgresql_ignore_notices(postgresql_connection_t *_Nullable connection);

#endif
