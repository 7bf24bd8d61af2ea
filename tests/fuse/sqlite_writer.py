# SPDX-License-Identifier: LGPL-2.1-or-later
"""sqlite_writer.py DATABASE JOURNAL: commit one row after the other, and print its number after that, until killed."""
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
db.execute("pragma journal_mode=" + sys.argv[2])
db.execute("pragma synchronous=extra")
db.execute("create table if not exists t (n integer primary key, x blob)")
n = db.execute("select coalesce(max(n), 0) from t").fetchone()[0]
while True:
    n += 1
    with db:
        db.execute("insert into t values (?, ?)", (n, bytes([n % 256]) * (n * 37 % 5000)))
    print(n, flush=True)
