// SQLite as Swift cannot see it: macros that are casts, and one variadic function.
#ifndef SPEECHGATE_CSQLITE_SHIMS_H
#define SPEECHGATE_CSQLITE_SHIMS_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import. An empty text may come with a
// null pointer, which SQLite would take for NULL.
static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const void *text, int count) {
    return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT);
}

// SQLITE_STATIC: the bytes must live until the statement is reset.
static inline int csqlite_bind_text_borrow(sqlite3_stmt *statement, int index, const void *text, int count) {
    return sqlite3_bind_text(statement, index, (const char *)text, count, SQLITE_STATIC);
}

// As above, for blobs.
static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    if (count == 0) {
        return sqlite3_bind_zeroblob(statement, index, 0);
    }
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// SQLITE_STATIC: the bytes must live until the statement is reset.
static inline int csqlite_bind_blob_borrow(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    if (count == 0) {
        return sqlite3_bind_zeroblob(statement, index, 0);
    }
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

// sqlite3_db_config is variadic. A connection closed with this on never checkpoints: that is the writer's business.
static inline int csqlite_disable_checkpoint_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
