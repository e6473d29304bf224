/* One HTTPS request and its reply, by libcurl, which is opened on first use: whoever uses no network needs no libcurl. */
#ifndef CTRANSPORT_H
#define CTRANSPORT_H
#include "loopback.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRANSPORT_OK = 0,          /* a reply came, whatever its status */
    TRANSPORT_NO_LIBRARY = 1,  /* libcurl cannot be opened, or is too old */
    TRANSPORT_NO_NAME = 2,     /* the host's name is not known */
    TRANSPORT_NO_ANSWER = 3,   /* no connection, or it ended before the reply did */
    TRANSPORT_NOT_TRUSTED = 4, /* the certificate or the TLS handshake is refused */
    TRANSPORT_WRONG_PIN = 5,   /* the server's key is none of the pinned ones */
    TRANSPORT_TIMEOUT = 6,
    TRANSPORT_INTERRUPTED = 7,
    TRANSPORT_TOO_LARGE = 8,      /* the reply is longer than the limit */
    TRANSPORT_FAILED = 9,         /* no memory, or settings that libcurl refuses */
    TRANSPORT_WRONG_HOST = 10,    /* the certificate is another host's */
    TRANSPORT_NOT_YET_VALID = 11, /* the certificate is valid later by this computer's clock */
    TRANSPORT_PROXY_LOGIN = 12,   /* the proxy wants a user and a password, or others */
};

enum { TRANSPORT_REASON = 256 };

typedef struct transport_request {
    const char *_Nonnull method;                  /* "GET" or "POST" */
    const char *_Nonnull url;                     /* https only; redirects are not followed */
    const char *_Nonnull const *_Nullable fields; /* "Name: value" */
    size_t field_count;
    const void *_Nullable body;
    size_t body_length;
    const char *_Nullable ca;         /* PEM certificates that are trusted alone; NULL: ca_file */
    const char *_Nullable ca_file;    /* NULL: those of the system */
    const char *_Nullable pins;       /* "sha256//…;sha256//…" on top of the chain */
    const char *_Nullable proxy;      /* NULL: that of the environment; "": none */
    const char *_Nullable proxy_user; /* for a proxy that asks; NULL: those of its URL */
    const char *_Nullable proxy_password;
    int64_t timeout_ms; /* of the whole exchange */
    int64_t connect_timeout_ms;
    size_t reply_limit; /* of the body, in bytes */
    /* Asked every 20 ms on the calling thread; true ends the exchange. */
    bool (*_Nonnull is_interrupted)(void *_Nullable context);
    void *_Nullable context;
    /* Called around the work of libcurl, which a forked child could not go on with; not while it waits. */
    void (*_Nonnull hold_forks)(void);
    void (*_Nonnull let_forks)(void);
    /* Where the connection stays open for a next exchange, which may be to another host; transport_close ends it. NULL: it is
     * closed. One thread at a time uses it. */
    void *_Nullable *_Nullable connection;
} transport_request_t;

typedef struct transport_reply {
    long status;
    /* Lines of the header without the status line, each with CR LF. */
    char *_Nullable fields;
    size_t fields_length;
    char *_Nullable body;
    size_t body_length;
    char reason[TRANSPORT_REASON]; /* libcurl's reason of a failure; "" for none */
} transport_reply_t;

/* Perform one exchange on the calling thread, with SIGPIPE blocked. Always followed by transport_reply_clear. */
int32_t transport_exchange(const transport_request_t *_Nonnull request, transport_reply_t *_Nonnull reply);
/* Close what an exchange left open, with forks held; nothing for NULL. */
void transport_close(void *_Nullable connection);
/* Zero and release what a reply has. */
void transport_reply_clear(transport_reply_t *_Nonnull reply);
/* Zero and release a text from malloc; nothing for NULL. */
void transport_text_free(char *_Nullable text);

#endif
