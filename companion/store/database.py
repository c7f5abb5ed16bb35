"""Opens the database file with care: checked, set aside when damaged, never in the way of play."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    number INTEGER PRIMARY KEY AUTOINCREMENT, header TEXT NOT NULL, seats TEXT NOT NULL, started_s REAL NOT NULL,
    ended_s REAL, summary TEXT
);
CREATE TABLE IF NOT EXISTS entries (
    game INTEGER NOT NULL, n INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (game, n)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS simulated (game INTEGER PRIMARY KEY, seed INTEGER NOT NULL, state TEXT NOT NULL);
"""
VERSION = 1
OWNER = 0x7AB1EC0
"""Marks the file as ours."""
NOT_THE_FILE = frozenset({
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
})
"""Errors of the disk or of somebody else who uses the file: it is not damaged and stays where it is."""
SIDE_FILES = ("-wal", "-shm", "-journal")


class NewerError(Exception):
    """A database of a later version, which must not be touched."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A database that can be used, and what had to be done for it."""

    connection: sqlite3.Connection
    problem: str = ""
    """A key of what went wrong: `damaged`, `unwritable`; empty when all is well."""
    detail: str = ""
    """The sentence or the file that goes with it."""


def open_database(path: Path) -> Opened:
    """The database at `path`. A damaged one is set aside and kept; where nothing can be written, a database in memory
    takes its place so that play can go on."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Opened(_connect(path))
    except NewerError as error:
        return in_memory(str(error))
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in NOT_THE_FILE:
            return in_memory(str(error))
        try:
            kept = set_aside(path)
            return Opened(_connect(path), "damaged", kept.name)
        except (OSError, sqlite3.Error) as second:
            return in_memory(str(second))
    except OSError as error:
        return in_memory(error.strerror or str(error))


def in_memory(detail: str) -> Opened:
    """A database that lasts as long as the program, with the reason why."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(SCHEMA)
    return Opened(connection, "unwritable", detail)


def set_aside(path: Path) -> Path:
    """Rename a damaged database with all its files; nothing is deleted."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for ending in ("", *SIDE_FILES):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(kept.with_name(kept.name + ending))
    return kept


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found is None or found[0] != "ok":
            raise sqlite3.DatabaseError(f"the database is damaged: {found}")
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if owner not in (0, OWNER) or (owner == 0 and version):
            raise sqlite3.DatabaseError("this is no file with games")
        if version > VERSION:
            raise NewerError(f"{path.name} was written by a newer companion; update this one")
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA application_id={OWNER}")
        connection.execute(f"PRAGMA user_version={VERSION}")
        # Proves that the disk takes what is written, now and not at the first move.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT OR REPLACE INTO facts VALUES ('opened', ?)", (str(time.time()),))
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection

