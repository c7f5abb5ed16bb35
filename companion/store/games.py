"""Games on disk: each a header and a growing list of journal entries. Used by the table's thread alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from companion.store.database import SCHEMA, Opened, in_memory, open_database
from engine.errors import JournalError
from engine.journal import Entry, Header, Journal, format_entry, format_header, parse_entry, parse_header

FILE = "games.sqlite3"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One player as the table remembers them."""

    name: str
    colour: str


@dataclass(frozen=True, slots=True)
class GameRow:
    """One game of the list."""

    number: int
    header: Header
    seats: tuple[SeatRow, ...]
    started_s: float
    """Seconds since 1970."""
    ended_s: float | None = None
    """None while it is played."""
    summary: Mapping[str, Any] | None = None
    """The last snapshot of a game that has ended."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the store: a key and the words that go with it."""

    key: str
    """`damaged`, `unwritable` or `torn`."""
    detail: str


class GameStore:
    """All games, behind one connection. A write that fails moves everything into memory and says so: play goes on."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        opened = open_database(self._path)
        self._connection = opened.connection
        self.troubles: list[Trouble] = []
        self.lasting = opened.problem != "unwritable"
        """False while games are only kept in memory."""
        self._note(opened)

    def _note(self, opened: Opened) -> None:
        if opened.problem:
            self.troubles.append(Trouble(opened.problem, opened.detail))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    # -- writing -------------------------------------------------------------------------------------------

    def begin(self, header: Header, seats: Sequence[SeatRow], started_s: float) -> int:
        """A new game; its number."""
        texts = json.dumps([[seat.name, seat.colour] for seat in seats], ensure_ascii=False)

        def write(connection: sqlite3.Connection) -> int:
            cursor = connection.execute(
                "INSERT INTO games (header, seats, started_s) VALUES (?, ?, ?)",
                (format_header(header), texts, started_s),
            )
            return int(cursor.lastrowid or 0)

        return self._write(write)

    def append(self, number: int, entries: Sequence[Entry]) -> None:
        """More entries of a game. When this returns they are on the disk, or the store has said that it is not
        lasting any more."""
        rows = [(number, entry.n, format_entry(entry)) for entry in entries]
        self._write(lambda connection: connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows))

    def end(self, number: int, ended_s: float | None, summary: Mapping[str, Any] | None) -> None:
        """Mark a game as ended with its last snapshot, or as being played again."""
        text = None if summary is None else json.dumps(summary, ensure_ascii=False)
        self._write(lambda connection: connection.execute(
            "UPDATE games SET ended_s = ?, summary = ? WHERE number = ?", (ended_s, text, number)))

    def delete(self, number: int) -> bool:
        """Remove a game for good; False when there was none."""

        def write(connection: sqlite3.Connection) -> bool:
            found = connection.execute("DELETE FROM games WHERE number = ?", (number,)).rowcount > 0
            connection.execute("DELETE FROM entries WHERE game = ?", (number,))
            connection.execute("DELETE FROM simulated WHERE game = ?", (number,))
            return found

        return self._write(write)

    def set_fact(self, name: str, value: Any) -> None:
        """Remember something small."""
        text = json.dumps(value, ensure_ascii=False)
        self._write(lambda connection: connection.execute(
            "INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text)))

    def set_simulated(self, number: int, seed: int, state: Any) -> None:
        """What really lies on the simulated table, so that it comes back as it was."""
        text = json.dumps(state, ensure_ascii=False)
        self._write(lambda connection: connection.execute(
            "INSERT OR REPLACE INTO simulated VALUES (?, ?, ?)", (number, seed, text)))

    def _write(self, write: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return self._transaction(write)
        except sqlite3.Error as error:
            if not self.lasting:
                raise
            self._go_on_in_memory(str(error))
            return self._transaction(write)

    def _transaction(self, write: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = write(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _go_on_in_memory(self, detail: str) -> None:
        """The disk takes no more: copy what can still be read into memory. The file stays as it is."""
        old, opened = self._connection, in_memory(detail)
        tables = [line.split("(")[0].split()[-1] for line in SCHEMA.split("CREATE TABLE")[1:]]
        for table in tables:
            try:
                rows = old.execute(f"SELECT * FROM {table}").fetchall()
            except sqlite3.Error:
                continue
            for row in rows:
                marks = ", ".join("?" * len(row))
                opened.connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)
        self._connection = opened.connection
        self.lasting = False
        self._note(opened)
        old.close()

    # -- reading -------------------------------------------------------------------------------------------

    def fact(self, name: str) -> Any:
        """Something small that was remembered; None when it was not."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def games(self) -> list[GameRow]:
        """All games, the newest first."""
        rows = self._connection.execute(
            "SELECT number, header, seats, started_s, ended_s, summary FROM games ORDER BY number DESC").fetchall()
        return [_row(row) for row in rows]

    def game(self, number: int) -> GameRow | None:
        """One game of the list."""
        row = self._connection.execute(
            "SELECT number, header, seats, started_s, ended_s, summary FROM games WHERE number = ?", (number,)
        ).fetchone()
        return None if row is None else _row(row)

    def unfinished(self) -> GameRow | None:
        """The latest game that has not ended."""
        return next((game for game in self.games() if game.ended_s is None), None)

    def journal(self, game: GameRow) -> Journal:
        """All entries of a game. A line that cannot be read ends it there, and that is told."""
        lines = self._connection.execute(
            "SELECT line FROM entries WHERE game = ? ORDER BY n", (game.number,)).fetchall()
        entries: list[Entry] = []
        for number, (line,) in enumerate(lines, start=1):
            try:
                entries.append(parse_entry(line, entries, number))
            except JournalError as error:
                self.troubles.append(Trouble("torn", str(error)))
                self._keep_aside(game.number, number)
                break
        return replace(Journal(game.header), entries=tuple(entries))

    def _keep_aside(self, number: int, first: int) -> None:
        """What follows an unreadable line builds on what is lost: it stays in the file, under a number nobody plays."""
        self._write(lambda connection: connection.execute(
            "UPDATE OR REPLACE entries SET game = -game WHERE game = ? AND n >= ?", (number, first)))

    def simulated(self, number: int) -> tuple[int, Any] | None:
        """The seed and state of the simulated table of a game; None when it was played elsewhere."""
        row = self._connection.execute("SELECT seed, state FROM simulated WHERE game = ?", (number,)).fetchone()
        return None if row is None else (int(row[0]), json.loads(row[1]))


def _row(row: Sequence[Any]) -> GameRow:
    number, header, seats, started_s, ended_s, summary = row
    return GameRow(
        int(number), parse_header(header), tuple(SeatRow(name, colour) for name, colour in json.loads(seats)),
        float(started_s), None if ended_s is None else float(ended_s), None if summary is None else json.loads(summary),
    )
