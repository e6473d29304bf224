#ifndef TRANSPORT_CURL_H
#define TRANSPORT_CURL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* The part of libcurl's ABI (libcurl.so.4) that is used, repeated here so that building needs no development package. */
typedef struct curl_list curl_list_t;
typedef struct curl_blob {
    void *data;
    size_t length;
    unsigned int flags;
} curl_blob_t;
typedef struct curl_address {
    int family, type, protocol;
    unsigned int length;
    struct sockaddr address;
} curl_address_t;
typedef struct curl_message {
    int kind;
    void *easy;
    union {
        void *unused;
        int result;
    } data;
} curl_message_t;

enum curl_option {
    OPT_HTTPGET = 80,
    OPT_POST = 47,
    OPT_TIMEOUT_MS = 155,
    OPT_CONNECTTIMEOUT_MS = 156,
    OPT_SSLVERSION = 32,
    OPT_FOLLOWLOCATION = 52,
    OPT_NOSIGNAL = 99,
    OPT_SSL_VERIFYPEER = 64,
    OPT_SSL_VERIFYHOST = 81,
    OPT_NETRC = 51,
    OPT_PROXYAUTH = 111,
    OPT_PROTOCOLS = 181,
    OPT_HTTP_VERSION = 84,
    OPT_FORBID_REUSE = 75,
    OPT_QUICK_EXIT = 322,
    OPT_SUPPRESS_CONNECT_HEADERS = 265,
    OPT_WRITEDATA = 10001,
    OPT_URL = 10002,
    OPT_PROXY = 10004,
    OPT_ERRORBUFFER = 10010,
    OPT_POSTFIELDS = 10015,
    OPT_HTTPHEADER = 10023,
    OPT_HEADERDATA = 10029,
    OPT_CAINFO = 10065,
    OPT_CAPATH = 10097,
    OPT_SSL_CTX_DATA = 10109,
    OPT_OPENSOCKETDATA = 10164,
    OPT_PROXYUSERNAME = 10175,
    OPT_PROXYPASSWORD = 10176,
    OPT_PINNEDPUBLICKEY = 10230,
    OPT_WRITEFUNCTION = 20011,
    OPT_HEADERFUNCTION = 20079,
    OPT_SSL_CTX_FUNCTION = 20108,
    OPT_OPENSOCKETFUNCTION = 20163,
    OPT_POSTFIELDSIZE_LARGE = 30120,
    OPT_CAINFO_BLOB = 40309,
};

enum { INFO_RESPONSE_CODE = 0x200000 + 2, INFO_SSL_VERIFYRESULT = 0x200000 + 13, INFO_CONNECT_CODE = 0x200000 + 22 };
enum { AUTH_BASIC = 1, AUTH_DIGEST = 2 };
enum { PROTOCOL_HTTPS = 2, VERSION_TLS12 = 6, VERSION_HTTP11 = 2, MESSAGE_DONE = 1 };
enum {
    RESULT_OK = 0,
    RESULT_NO_PROXY = 5,
    RESULT_NO_HOST = 6,
    RESULT_NO_CONNECTION = 7,
    RESULT_WRITE = 23,
    RESULT_NO_MEMORY = 27,
    RESULT_TIMEOUT = 28,
    RESULT_TLS = 35,
    RESULT_BAD_OPTION = 43,
    RESULT_NOT_TRUSTED = 60,
    RESULT_BAD_CA_FILE = 77,
    RESULT_WRONG_PIN = 90,
};

typedef struct curl {
    int (*global_init)(
        long, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t), char *(*)(const char *), void *(*)(size_t, size_t));
    void *(*easy_init)(void);
    int (*set)(void *, int, ...);
    int (*get_info)(void *, int, ...);
    void (*easy_cleanup)(void *);
    curl_list_t *(*append)(curl_list_t *, const char *);
    void (*list_free)(curl_list_t *);
    void *(*multi_init)(void);
    int (*multi_add)(void *, void *);
    int (*multi_remove)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned int, int, int *);
    curl_message_t *(*multi_next)(void *, int *);
    int (*multi_cleanup)(void *);
    uint64_t (*set_tls_options)(void *, uint64_t); /* of OpenSSL; NULL where libcurl has another library */
} curl_t;

/* NULL if no libcurl from 7.77 on can be opened. */
const curl_t *transport_curl(void);

#endif
