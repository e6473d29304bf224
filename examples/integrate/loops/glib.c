/* Events of libmam in a GLib main loop, so also in GTK: ends with the first wipe.
 * cc -o glib glib.c $(pkg-config --cflags --libs mam glib-2.0); ./glib SETTINGS */
#include <glib-unix.h>
#include <mam.h>

static GMainLoop *loop;

static gboolean take_events(gint fd, GIOCondition condition, gpointer m) {
    char *event;
    (void)fd, (void)condition;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        g_print("%s\n", event);
        mam_json_t *parsed;
        if (mam_json_parse(event, &parsed) == MAM_OK && g_str_equal(mam_json_text(parsed, "/event"), "wipeDidComplete"))
            g_main_loop_quit(loop);
        mam_json_release(parsed);
        mam_free(event);
    }
    return G_SOURCE_CONTINUE;
}

int main(int count, char **word) {
    mam_t *m;
    if (mam_open(count > 1 ? word[1] : NULL, &m) != MAM_OK) g_error("%s", mam_last_message());
    loop = g_main_loop_new(NULL, FALSE);
    guint source = g_unix_fd_add(mam_event_fd(m), G_IO_IN, take_events, m);
    g_main_loop_run(loop);
    g_source_remove(source); /* before mam_close, which closes the descriptor */
    return mam_close(m) != MAM_OK;
}
