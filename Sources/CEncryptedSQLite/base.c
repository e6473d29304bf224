#include "internal.h"

/* Calls of the file in the base VFS. */

int base_read(file *f, void *out, int amount, sqlite3_int64 offset) {
    return f->base->pMethods->xRead(f->base, out, amount, offset);
}

int base_write(file *f, const void *in, int amount, sqlite3_int64 offset) {
    return f->base->pMethods->xWrite(f->base, in, amount, offset);
}

int base_size(file *f, sqlite3_int64 *size) { return f->base->pMethods->xFileSize(f->base, size); }

int base_close(file *f) {
    int result = f->base->pMethods ? f->base->pMethods->xClose(f->base) : SQLITE_OK;
    pthread_mutex_destroy(&f->lock);
    access_release(f->access);
    f->file.pMethods = NULL;
    return result;
}
