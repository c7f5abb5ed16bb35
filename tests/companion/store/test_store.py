"""If one of these fails, a game can be lost."""

from __future__ import annotations

import resource
import signal
import sqlite3
from pathlib import Path
from random import Random

import pytest

from companion.store.games import FILE, GameStore, SeatRow
from engine.journal import Entry, Header, Journal, Kind, add

HEADER = Header("azul", ("Ann", "Bo"))
SEATS = [SeatRow("Ann", "blue"), SeatRow("Bo", "red")]


def entries(count: int) -> tuple[Entry, ...]:
    journal = Journal(HEADER)
    for number in range(count):
        journal = add(journal, Kind.MOVE, f"move {number}")
    return journal.entries


def filled(folder: Path, count: int = 5) -> GameStore:
    store = GameStore(folder)
    store.append(store.begin(HEADER, SEATS, 100.0), entries(count))
    return store


def test_a_game_comes_back_whole(tmp_path: Path) -> None:
    filled(tmp_path).close()
    store = GameStore(tmp_path)
    row = store.unfinished()
    assert row is not None and row.header == HEADER and list(row.seats) == SEATS
    assert store.journal(row).entries == entries(5)
    assert not store.troubles and store.lasting


def test_nothing_waits_in_memory_after_an_entry_was_written(tmp_path: Path) -> None:
    """A second reader, as after a crash, sees every entry without the first one closing anything."""
    store = filled(tmp_path)
    other = sqlite3.connect(tmp_path / FILE)
    assert other.execute("SELECT count(*) FROM entries").fetchone() == (5,)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_games_are_listed_ended_and_deleted(tmp_path: Path) -> None:
    store = filled(tmp_path)
    second = store.begin(HEADER, SEATS, 200.0)
    store.end(1, 300.0, {"players": []})
    assert [row.number for row in store.games()] == [2, 1]
    assert store.delete(1) and not store.delete(1)
    assert [row.number for row in store.games()] == [second]
    third = store.begin(HEADER, SEATS, 300.0)
    assert third == 3, "a number was given out twice"


@pytest.mark.parametrize("where", [0, 40, 4096])
def test_a_damaged_file_is_kept_and_told_and_play_begins_anew(tmp_path: Path, where: int) -> None:
    filled(tmp_path, 200).close()
    path = tmp_path / FILE
    data = bytearray(path.read_bytes())
    data[where : where + 2000] = Random(where).randbytes(2000)
    path.write_bytes(bytes(data))
    store = GameStore(tmp_path)
    assert store.troubles[0].key == "damaged"
    assert (tmp_path / store.troubles[0].detail).exists(), "the damaged file was not kept"
    assert store.lasting
    store.append(store.begin(HEADER, SEATS, 1.0), entries(1))


def test_a_torn_wal_loses_nothing_that_was_committed_before_it(tmp_path: Path) -> None:
    store = filled(tmp_path, 5)
    wal = tmp_path / f"{FILE}-wal"
    whole = wal.read_bytes()
    copy = tmp_path / "after-the-crash"
    copy.mkdir()
    (copy / FILE).write_bytes((tmp_path / FILE).read_bytes())
    # The plug is pulled while the next page is written: its frame is cut off.
    store.append(1, [add(Journal(HEADER, entries(5)), Kind.MOVE, "the last").entries[-1]])
    longer = wal.read_bytes()
    (copy / f"{FILE}-wal").write_bytes(longer[: (len(whole) + len(longer)) // 2])
    store.close()
    again = GameStore(copy)
    row = again.unfinished()
    assert row is not None and again.journal(row).entries[:5] == entries(5)
    assert again.lasting and not again.troubles


def test_an_unreadable_line_ends_the_game_there_and_is_told(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store._connection.execute("UPDATE entries SET line = '{' WHERE n = 4")
    row = store.unfinished()
    assert row is not None
    journal = store.journal(row)
    assert journal.entries == entries(5)[:3]
    assert [trouble.key for trouble in store.troubles] == ["torn"]
    store.append(row.number, [add(journal, Kind.MOVE, "on we go").entries[-1]])
    kept = store._connection.execute("SELECT count(*) FROM entries WHERE game < 0").fetchone()
    assert kept == (2,), "what could not be read was thrown away"


def test_a_disk_that_is_full_is_told_and_play_goes_on_in_memory(tmp_path: Path) -> None:
    store = filled(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = (tmp_path / f"{FILE}-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        for entry in entries(60)[5:]:
            store.append(1, [entry])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert not store.lasting
    assert store.troubles[-1].key == "unwritable"
    row = store.unfinished()
    assert row is not None and len(store.journal(row).entries) == 60, "the game in memory has a gap"
    again = GameStore(tmp_path)
    kept = again.journal(again.games()[0]).entries
    assert kept[:5] == entries(5), "what was on the disk before is gone"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    store = GameStore(blocked / "games")
    assert not store.lasting and store.troubles[0].key == "unwritable"
    store.append(store.begin(HEADER, SEATS, 1.0), entries(3))
    row = store.unfinished()
    assert row is not None and len(store.journal(row).entries) == 3
