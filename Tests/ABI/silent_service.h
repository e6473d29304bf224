/* A service that accepts connections and never answers, and a session of an app that asks it. */
#ifndef SILENT_SERVICE_H
#define SILENT_SERVICE_H
#include <arpa/inet.h>
#include <mam.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Listen on loopback; returns the descriptor and sets the port, or -1. */
static inline int silent_service(int *port) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 8) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -1;
    *port = ntohs(address.sin_port);
    return listener;
}

/* Settings for it, or for one behind a proxy, with the key of RFC 8037, appendix A. */
static inline void proxied_settings(char *text, size_t size, int port, const char *proxy, const char *state, const char *more) {
    snprintf(
        text, size,
        "{\"app\":{\"id\":\"com.example.notes\"},\"stateDirectory\":\"%s\",\"authority\":{\"type\":\"https\","
        "\"url\":\"https://127.0.0.1:%d\",\"proxy\":\"%s\",\"timeout\":\"PT5M\",\"keys\":[{\"use\":\"sign\","
        "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k\","
        "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}%s}",
        state, port, proxy, more);
}

static inline void silent_settings(char *text, size_t size, int port, const char *state, const char *more) {
    proxied_settings(text, size, port, "none", state, more);
}

/* Ask it to enroll somebody. */
static inline mam_status ask_silent_service(mam_t *m, int64_t *op) {
    return mam_register_and_enroll(m, "{\"upn\":\"ann@contoso.example\"}", op);
}

#endif
