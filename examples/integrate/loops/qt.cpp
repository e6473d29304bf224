// Events of libmam in a Qt event loop: ends with the first wipe.
// c++ -fPIC -o qt qt.cpp $(pkg-config --cflags --libs mam Qt5Core); ./qt SETTINGS
#include <QCoreApplication>
#include <QSocketNotifier>
#include <cstdio>
#include <cstring>
#include <mam.h>

static void take_events(mam_t *m) {
    char *event;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        std::puts(event);
        mam_json_t *parsed;
        if (mam_json_parse(event, &parsed) == MAM_OK && std::strcmp(mam_json_text(parsed, "/event"), "wipeDidComplete") == 0)
            QCoreApplication::quit();
        mam_json_release(parsed);
        mam_free(event);
    }
}

int main(int count, char **word) {
    QCoreApplication app(count, word);
    mam_t *m;
    if (mam_open(count > 1 ? word[1] : nullptr, &m) != MAM_OK) qFatal("%s", mam_last_message());
    {
        QSocketNotifier ready(mam_event_fd(m), QSocketNotifier::Read); // gone before mam_close
        QObject::connect(&ready, &QSocketNotifier::activated, [m] { take_events(m); });
        app.exec();
    }
    return mam_close(m) != MAM_OK;
}
