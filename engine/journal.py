"""The journal: everything that was agreed at a table, in the order in which it was agreed.

Entries are only ever added. Taking something back or putting it right is an entry too, which names the one it
supersedes; the position is what replaying them gives. Nothing here touches a file: text goes in, text comes out.

- `move`, `deal`: what a hand did, in the game's move notation;
- `position`: the table as it lies became the agreed position ("accept as is"), in the game's position notation;
- `correction`: the entry it supersedes was really this move, deal or position;
- `undo`: the entry it supersedes did not happen (undoing an undo or a correction brings back what was before);
- `slip`: a slip was seen; kept for the history, it changes no position.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from engine.errors import EngineError, JournalError

FORMAT = "table-journal/1"


class Kind(StrEnum):
    """What an entry says."""

    MOVE = "move"
    DEAL = "deal"
    POSITION = "position"
    CORRECTION = "correction"
    UNDO = "undo"
    SLIP = "slip"


class Source(StrEnum):
    """Who says it. A person outranks the camera for good."""

    CAMERA = "camera"
    PERSON = "person"


STEPS = frozenset({Kind.MOVE, Kind.DEAL, Kind.POSITION})
"""Kinds that take the game from one position to the next."""
SUPERSEDING = frozenset({Kind.CORRECTION, Kind.UNDO})


@dataclass(frozen=True, slots=True)
class Header:
    """How the game began: enough to build its first position."""

    game: str
    players: tuple[str, ...]
    """The names, in turn order."""
    options: Mapping[str, Any] = field(default_factory=dict)
    start_player: int = 1
    position: str | None = None
    """The first position in notation, for a game that was joined in the middle."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was agreed."""

    n: int
    """Its number, from 1 without gaps: its identity for ever."""
    kind: Kind
    notation: str
    """A move, a deal or a position in the game's notation; the slug of a slip; empty for an undo."""
    source: Source = Source.CAMERA
    confidence: float = 1.0
    """How sure the source was, from 0 to 1; a person is sure."""
    t_seconds: float = 0.0
    """When it was settled, in seconds since the sitting began."""
    supersedes: int | None = None
    """The entry that an undo or a correction is about."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON that travels along: the slips that a position accepts, the places of a slip."""


@dataclass(frozen=True, slots=True)
class Journal:
    """A game's beginning and all its entries."""

    header: Header
    entries: tuple[Entry, ...] = ()

    def entry(self, n: int) -> Entry:
        """The entry with this number; EngineError when there is none."""
        if not 1 <= n <= len(self.entries):
            raise EngineError(f"there is no entry {n}: the journal holds {len(self.entries)}")
        return self.entries[n - 1]


def add(
    journal: Journal, kind: Kind, notation: str = "", *, source: Source = Source.CAMERA, confidence: float = 1.0,
    t_seconds: float = 0.0, supersedes: int | None = None, data: Mapping[str, Any] | None = None,
) -> Journal:
    """The journal with one more entry; EngineError when the entry cannot stand there."""
    entry = Entry(
        len(journal.entries) + 1, kind, notation, source, confidence, t_seconds, supersedes, dict(data or {})
    )
    fault = _fault(entry, journal.entries)
    if fault:
        raise EngineError(fault)
    return replace(journal, entries=(*journal.entries, entry))


def _fault(entry: Entry, earlier: Sequence[Entry]) -> str | None:
    """Why an entry cannot follow the earlier ones, in one sentence."""
    if (entry.supersedes is not None) != (entry.kind in SUPERSEDING):
        must = "must" if entry.kind in SUPERSEDING else "may not"
        return f"a '{entry.kind}' entry {must} name an entry that it supersedes"
    if not 0.0 <= entry.confidence <= 1.0:
        return f"the confidence is {entry.confidence}, but must lie between 0 and 1"
    if entry.supersedes is None:
        return None
    if not 1 <= entry.supersedes < entry.n:
        return f"entry {entry.n} supersedes entry {entry.supersedes}, but only an earlier entry can be superseded"
    old = earlier[entry.supersedes - 1]
    if old.kind is Kind.SLIP or (old.kind is Kind.UNDO and entry.kind is Kind.CORRECTION):
        return f"entry {old.n} is a '{old.kind}', which a '{entry.kind}' cannot supersede"
    if entry.source is Source.CAMERA and _authority(old, earlier) is Source.PERSON:
        return f"entry {old.n} was settled by a person, so the camera cannot supersede it"
    return None


def _authority(entry: Entry, earlier: Sequence[Entry]) -> Source:
    """Who settled an entry: a person, if a person made it or anything that was said about it later."""
    about = {entry.n}
    for other in earlier:
        if other.supersedes in about:
            about.add(other.n)
    persons = any(earlier[n - 1].source is Source.PERSON for n in about)
    return Source.PERSON if persons else Source.CAMERA


# -- what stands --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StandingStep:
    """A step that stands once everything that was superseded is left out."""

    slot: int
    """The entry that first took this step; corrections keep its place in the order."""
    entry: Entry
    """The entry whose notation counts: that one, or its latest standing correction."""


def standing(entries: Sequence[Entry]) -> tuple[StandingStep, ...]:
    """The steps that count, in order."""
    undone: dict[int, int] = {}
    # From the last to the first: whether an entry is undone depends only on later ones.
    for entry in reversed(entries):
        if entry.kind is Kind.UNDO and entry.n not in undone and entry.supersedes is not None:
            undone.setdefault(entry.supersedes, entry.n)
    slots: dict[int, Entry] = {}
    root: dict[int, int] = {}
    for entry in entries:
        if entry.kind in STEPS:
            root[entry.n] = entry.n
            if entry.n not in undone:
                slots[entry.n] = entry
        elif entry.kind is Kind.CORRECTION and entry.supersedes is not None:
            root[entry.n] = root[entry.supersedes]
            # A correction that is older than the undo of its slot went with it; a newer one brings the slot back.
            if entry.n not in undone and undone.get(root[entry.n], 0) < entry.n:
                slots[root[entry.n]] = entry
    return tuple(StandingStep(slot, slots[slot]) for slot in sorted(slots))


def last_standing(journal: Journal) -> int | None:
    """The entry that a plain "undo" is about: the slot of the last step that stands."""
    steps = standing(journal.entries)
    return steps[-1].slot if steps else None


# -- text -----------------------------------------------------------------------------------------------------


def format_header(header: Header) -> str:
    """The first line."""
    data = {"format": FORMAT, **asdict(header)}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def format_entry(entry: Entry) -> str:
    """One line: what `parse_entry` reads. Fields that say nothing are left out."""
    data: dict[str, Any] = {
        "n": entry.n, "kind": entry.kind.value, "notation": entry.notation, "source": entry.source.value,
        "confidence": entry.confidence, "t": entry.t_seconds,
    }
    if entry.supersedes is not None:
        data["supersedes"] = entry.supersedes
    if entry.data:
        data["data"] = dict(entry.data)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def format_journal(journal: Journal) -> str:
    """The whole journal as JSON lines."""
    lines = [format_header(journal.header), *(format_entry(entry) for entry in journal.entries)]
    return "".join(f"{line}\n" for line in lines)


def parse_header(line: str) -> Header:
    """The first line; JournalError when this is no journal."""
    data = _json_object(line, 1)
    if data.get("format") != FORMAT:
        raise JournalError(f"line 1: this is no journal: its format is {data.get('format')!r}, not '{FORMAT}'", 1)
    try:
        return Header(
            str(data["game"]), tuple(str(name) for name in data["players"]), dict(data.get("options", {})),
            int(data.get("start_player", 1)), data.get("position"),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise JournalError(f"line 1: the journal's first line is not complete: {error!r}", 1) from error


def parse_entry(line: str, earlier: Sequence[Entry] = (), line_number: int = 1) -> Entry:
    """One line after `earlier`; JournalError says what is wrong with it."""
    data = _json_object(line, line_number)
    try:
        supersedes = data.get("supersedes")
        entry = Entry(
            int(data["n"]), Kind(data["kind"]), str(data["notation"]), Source(data["source"]),
            float(data["confidence"]), float(data["t"]), None if supersedes is None else int(supersedes),
            dict(data.get("data", {})),
        )
    except KeyError as error:
        raise JournalError(f"line {line_number}: the key {error} is missing in {line!r}", line_number) from error
    except (TypeError, ValueError, OverflowError) as error:
        raise JournalError(f"line {line_number}: {error} in {line!r}", line_number) from error
    if entry.n != len(earlier) + 1:
        raise JournalError(
            f"line {line_number}: the entry is numbered {entry.n}, but {len(earlier) + 1} was expected", line_number
        )
    fault = _fault(entry, earlier)
    if fault:
        raise JournalError(f"line {line_number}: {fault}", line_number)
    return entry


def parse_journal(text: str) -> tuple[Journal, JournalError | None]:
    """A journal from its lines, and what was wrong with the first line that could not be read.

    What stands before that line is kept; what follows it is not, since it builds on what is lost. Only a first line
    that is no journal's raises.
    """
    lines = text.split("\n")
    journal = Journal(parse_header(lines[0]))
    entries: list[Entry] = []
    problem: JournalError | None = None
    for line_number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            entries.append(parse_entry(line, entries, line_number))
        except JournalError as error:
            problem = error
            break
    return replace(journal, entries=tuple(entries)), problem


def _json_object(line: str, line_number: int) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JournalError(f"line {line_number}: torn or not JSON: {line[:60]!r}", line_number) from error
    if not isinstance(data, dict):
        raise JournalError(f"line {line_number}: expected an object, got {line[:60]!r}", line_number)
    return data
