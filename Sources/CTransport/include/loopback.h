/* A listener on 127.0.0.1 to which a browser of this computer comes back. Nothing here waits. A forked child closes what it inherits. */
#ifndef LOOPBACK_H
#define LOOPBACK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOOPBACK_CONNECTIONS = 8, LOOPBACK_HEAD = 8192 };

typedef struct loopback loopback_t;

/* A listener at a port, 0 for any; NULL where the port is in use or the system refuses. */
loopback_t *_Nullable loopback_open(uint16_t port);
/* The port. */
uint16_t loopback_port(const loopback_t *_Nonnull loopback);
/* Take connections, and read what has come; the index of one whose request's head is complete, or -1. `now` in milliseconds. */
int32_t loopback_next(loopback_t *_Nonnull loopback, int64_t now);
/* The head of the request of a connection, as far as it came. */
const char *_Nonnull loopback_head(const loopback_t *_Nonnull loopback, int32_t index, size_t *_Nonnull length);
/* Answer a connection, and close it. */
void loopback_answer(loopback_t *_Nonnull loopback, int32_t index, const char *_Nonnull text, size_t length);
void loopback_free(loopback_t *_Nullable loopback);

#endif
