"""Fills a store with answered calls, by SQL: a million take a minute. The gateway must not run.

    python3 seed_store.py STATE_DIRECTORY CLIENT COUNT [USER]

Without USER the calls are of a thousand users. Call number n has the key `seed-n` and the record `seed_n`.
"""

import hashlib
import pathlib
import sqlite3
import struct
import sys
import time

BODY_BYTES = 1024


def scope(client, user, key):
    """The hash under which the gateway finds a key: client, user and key, each behind its length."""

    def field(text):
        return struct.pack(">I", len(text)) + text.encode()

    return hashlib.sha256(field(client) + b"\x01" + field(user) + field(key)).digest()[:16]


def seed(state, client, count, user=None):
    database = sqlite3.connect(pathlib.Path(state) / "speechgate.db", isolation_level=None)
    database.execute("PRAGMA cache_size = -400000")
    database.execute("PRAGMA synchronous = OFF")
    # A million calls need no log: whoever is interrupted here begins anew.
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("BEGIN")
    first, answered = database.execute("SELECT next_id, answered FROM state").fetchone()
    now = int(time.time() * 1000)
    fingerprint = bytes(32)
    filler = "x" * BODY_BYTES

    def calls():
        for number in range(count):
            yield number, first + number, user or f"user-{number % 1000}", f"seed-{number}", now - count + number

    for table, columns, row in [
        (
            "keys", 10,
            lambda n, i, u, k, at: (
                i, scope(client, u, k), client, u, k, "evaluate", fingerprint, "seeded", f"{n:032x}", at
            ),
        ),
        (
            "answers", 9,
            lambda n, i, u, k, at: (
                i, fingerprint, 200, 0, "application/json", f"seed_{n}", at, 0,
                (f'{{"recordId":"seed_{n}","filler":"{filler}')[: BODY_BYTES - 2].encode() + b'"}',
            ),
        ),
        (
            "records", 11,
            lambda n, i, u, k, at: (
                i, f"seed_{n}", client, u, "evaluate", "sentence", 80.0, k, "seeded", f"{n:032x}", at
            ),
        ),
    ]:  # fmt: skip
        places = ",".join("?" * columns)
        database.executemany(f"INSERT INTO {table} VALUES ({places})", (row(*call) for call in calls()))
    database.execute("UPDATE state SET next_id = ?, answered = ?", (first + count, answered + count))
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


if __name__ == "__main__":
    seed(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:5])
