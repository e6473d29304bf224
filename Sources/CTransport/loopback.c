#define _GNU_SOURCE
#include "loopback.h"
#include "process_fork.h"
#include <netinet/in.h>
#include <pthread.h>
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
    uint64_t fork_hooks;
    pthread_mutex_t lock; /* of the descriptors: a fork sees each of them open and known, or closed */
    int32_t listener;     /* -1 when closed */
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

static void close_all(loopback_t *loopback) {
    for (size_t i = 0; i < LOOPBACK_CONNECTIONS; i++) drop(&loopback->connections[i]);
    if (loopback->listener >= 0) close(loopback->listener);
    loopback->listener = -1;
}

static void before_fork(void *context) { pthread_mutex_lock(&((loopback_t *)context)->lock); }
static void after_fork_in_parent(void *context) { pthread_mutex_unlock(&((loopback_t *)context)->lock); }
static void after_fork_in_child(void *context) {
    close_all(context);
    pthread_mutex_init(&((loopback_t *)context)->lock, NULL);
}

static bool listens(loopback_t *loopback, uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    loopback->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (loopback->listener < 0 || bind(loopback->listener, (const struct sockaddr *)&address, sizeof address) != 0
        || listen(loopback->listener, WAITING) != 0 || getsockname(loopback->listener, (struct sockaddr *)&address, &length) != 0)
        return false;
    loopback->port = ntohs(address.sin_port);
    return true;
}

loopback_t *loopback_open(uint16_t port) {
    loopback_t *loopback = calloc(1, sizeof *loopback);
    if (!loopback) return NULL;
    pthread_mutex_init(&loopback->lock, NULL);
    loopback->listener = -1;
    for (size_t i = 0; i < LOOPBACK_CONNECTIONS; i++) loopback->connections[i].descriptor = -1;
    loopback->fork_hooks = process_fork_hooks_add((process_fork_hooks_t){
        .context = loopback, .before = before_fork, .after_parent = after_fork_in_parent, .after_child = after_fork_in_child});
    pthread_mutex_lock(&loopback->lock);
    bool opened = listens(loopback, port);
    pthread_mutex_unlock(&loopback->lock);
    if (opened) return loopback;
    loopback_free(loopback);
    return NULL;
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

/* Take the connections that wait. */
static void take(loopback_t *loopback, int64_t now) {
    for (size_t taken = 0; taken < WAITING; taken++) {
        int descriptor = accept4(loopback->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (descriptor < 0) break;
        loopback_connection_t *connection = place(loopback);
        connection->descriptor = descriptor;
        connection->until = now + LIMIT_MS;
    }
}

int32_t loopback_next(loopback_t *loopback, int64_t now) {
    int32_t complete = -1;
    pthread_mutex_lock(&loopback->lock);
    take(loopback, now);
    for (int32_t i = 0; i < LOOPBACK_CONNECTIONS && complete < 0; i++) {
        loopback_connection_t *connection = &loopback->connections[i];
        if (connection->descriptor >= 0 && is_complete(connection, now)) complete = i;
    }
    pthread_mutex_unlock(&loopback->lock);
    return complete;
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
    pthread_mutex_lock(&loopback->lock);
    drop(connection);
    pthread_mutex_unlock(&loopback->lock);
}

void loopback_free(loopback_t *loopback) {
    if (!loopback) return;
    process_fork_hooks_remove(loopback->fork_hooks);
    close_all(loopback);
    pthread_mutex_destroy(&loopback->lock);
    free(loopback);
}
