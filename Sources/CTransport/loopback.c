#define _GNU_SOURCE
#include "loopback.h"
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct loopback_connection {
    int32_t descriptor; /* -1 for none */
    size_t length;
    int64_t until; /* when it is closed without an answer */
    char head[LOOPBACK_HEAD];
} loopback_connection_t;

struct loopback {
    int32_t listener; /* -1 when closed */
    uint16_t port;
    loopback_connection_t connections[LOOPBACK_CONNECTIONS];
};

/* How long a connection may take for its request, and how many wait between two calls. */
enum { LIMIT_MS = 10000, WAITING = 64 };

static void drop(loopback_connection_t *connection) {
    if (connection->descriptor >= 0) close(connection->descriptor);
    /* A code may have come. */
    explicit_bzero(connection->head, connection->length);
    connection->length = 0;
    connection->descriptor = -1;
}

loopback_t *loopback_open(uint16_t port) {
    loopback_t *loopback = calloc(1, sizeof *loopback);
    if (!loopback) return NULL;
    for (size_t i = 0; i < LOOPBACK_CONNECTIONS; i++) loopback->connections[i].descriptor = -1;
    loopback->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (loopback->listener < 0 || bind(loopback->listener, (const struct sockaddr *)&address, sizeof address) != 0
        || listen(loopback->listener, WAITING) != 0 || getsockname(loopback->listener, (struct sockaddr *)&address, &length) != 0) {
        loopback_free(loopback);
        return NULL;
    }
    loopback->port = ntohs(address.sin_port);
    return loopback;
}

/* The place for a new connection; the oldest makes room. */
static loopback_connection_t *place(loopback_t *loopback) {
    loopback_connection_t *oldest = &loopback->connections[0];
    for (size_t i = 0; i < LOOPBACK_CONNECTIONS; i++) {
        loopback_connection_t *connection = &loopback->connections[i];
        if (connection->descriptor < 0) return connection;
        if (connection->until < oldest->until) oldest = connection;
    }
    drop(oldest);
    return oldest;
}

/* Read what has come; true once the head is complete. */
static bool is_complete(loopback_connection_t *connection, int64_t now) {
    size_t room = LOOPBACK_HEAD - connection->length;
    ssize_t count = recv(connection->descriptor, connection->head + connection->length, room, MSG_DONTWAIT);
    if (count > 0) connection->length += (size_t)count;
    if (connection->length && memmem(connection->head, connection->length, "\r\n\r\n", 4)) return true;
    if (count == 0 || connection->length == LOOPBACK_HEAD || now >= connection->until) drop(connection);
    return false;
}

int32_t loopback_next(loopback_t *loopback, int64_t now) {
    for (size_t taken = 0; taken < WAITING; taken++) {
        int descriptor = accept4(loopback->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor < 0) break;
        loopback_connection_t *connection = place(loopback);
        connection->descriptor = descriptor;
        connection->until = now + LIMIT_MS;
    }
    for (int32_t i = 0; i < LOOPBACK_CONNECTIONS; i++) {
        loopback_connection_t *connection = &loopback->connections[i];
        if (connection->descriptor >= 0 && is_complete(connection, now)) return i;
    }
    return -1;
}

uint16_t loopback_port(const loopback_t *loopback) { return loopback->port; }

const char *loopback_head(const loopback_t *loopback, int32_t index, size_t *length) {
    *length = loopback->connections[index].length;
    return loopback->connections[index].head;
}

void loopback_answer(loopback_t *loopback, int32_t index, const char *text, size_t length) {
    loopback_connection_t *connection = &loopback->connections[index];
    /* It is short: what a new connection's buffer does not take is lost, and so is what a browser that went away does not. */
    (void)!send(connection->descriptor, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(connection->descriptor, SHUT_WR);
    drop(connection);
}

void loopback_close(loopback_t *loopback) {
    for (size_t i = 0; i < LOOPBACK_CONNECTIONS; i++) drop(&loopback->connections[i]);
    if (loopback->listener >= 0) close(loopback->listener);
    loopback->listener = -1;
}

void loopback_free(loopback_t *loopback) {
    if (!loopback) return;
    loopback_close(loopback);
    free(loopback);
}
