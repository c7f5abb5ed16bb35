"""Holds a replay against the truth that lies beside a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.replay import Look, Replay, Start, looks, start_replay
from engine.types import UNKNOWN
from vision.reading import Kind

MOVE_KEYS = ("round", "player", "action", "from", "colour", "count", "to", "rotation", "face", "captured")
GRACE_S = 2.0
"""A slip may be raised this long after it was put right."""
GROUPS = {Kind.HEAP: "heaps", Kind.PILE: "heaps", Kind.COUNTER: "stones"}
"""Which figure a kind of place counts in; all others are slots."""
RELIABILITY_EDGES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)


@dataclass(slots=True)
class Share:
    """So many right of so many."""

    right: int = 0
    of: int = 0

    def count(self, is_right: bool) -> None:
        self.right += is_right
        self.of += 1

    def add(self, other: Share) -> None:
        self.right += other.right
        self.of += other.of

    def to_json(self) -> dict[str, int]:
        return {"right": self.right, "of": self.of}

    def __str__(self) -> str:
        return f"{self.right}/{self.of}" + (f" {100 * self.right / self.of:.2f} %" if self.of else "")


@dataclass(frozen=True, slots=True)
class Misreading:
    """A place that was read wrong in a settled frame."""

    folder: str
    t_s: float
    place: str
    kind: Kind
    true: Any
    seen: Any
    probability: float


@dataclass(slots=True)
class Figures:
    """What an evaluation counts."""

    slots: Share = field(default_factory=Share)
    heaps: Share = field(default_factory=Share)
    stones: Share = field(default_factory=Share)
    frames: Share = field(default_factory=Share)
    moves: Share = field(default_factory=Share)
    rounds: Share = field(default_factory=Share)
    final: Share = field(default_factory=Share)
    slips_found: int = 0
    slips_of: int = 0
    slips_false: int = 0
    questions: int = 0
    skipped: int = 0
    seconds: float = 0.0
    looks: int = 0
    misread: list[Misreading] = field(default_factory=list)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a slot with the first content was read as the second."""
    reliability: dict[float, Share] = field(default_factory=dict)
    """For each lower edge of a probability bin, how many readings in it were right."""

    SHARES = ("slots", "heaps", "stones", "frames", "moves", "rounds", "final")

    def add(self, other: Figures) -> None:
        for name in Figures.SHARES:
            getattr(self, name).add(getattr(other, name))
        for name in ("slips_found", "slips_of", "slips_false", "questions", "skipped", "seconds", "looks"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.misread.extend(other.misread)
        self.confusion.update(other.confusion)
        for edge, share in other.reliability.items():
            self.reliability.setdefault(edge, Share()).add(share)

    def to_json(self) -> dict[str, Any]:
        """The object that the recording format describes."""
        data: dict[str, Any] = {name: getattr(self, name).to_json() for name in Figures.SHARES}
        data["slips"] = {"found": self.slips_found, "of": self.slips_of, "false": self.slips_false}
        data["questions"] = self.questions
        data["skipped"] = self.skipped
        data["ms_per_frame"] = round(1000 * self.seconds / self.looks, 2) if self.looks else 0.0
        return data


Progress = Callable[[Iterable[Look], int], Iterable[Look]]
"""Wraps the frames of a replay, of which the number is given, to show how far it is."""


def evaluate_folder(
    folder: Path, start: Start, readings_only: bool = False, progress: Progress | None = None
) -> Figures:
    """Replay one recording and count what came out right."""
    replay = start_replay(folder, start)
    truth = {line["t"]: line for line in replay.recording.truth()}
    figures = Figures()
    frames: Iterable[Look] = looks(replay, readings_only)
    if progress is not None:
        frames = progress(frames, len(replay.recording.frames))
    for look in frames:
        figures.seconds += look.seconds
        figures.looks += 1
        line = truth.get(look.file.t_s)
        if line is not None and line["settled"]:
            count_frame(figures, look, line["places"], replay)
    figures.skipped = len(replay.skipped)
    outcome = replay.recording.outcome()
    if outcome is not None and not readings_only:
        count_game(figures, replay.book.to_json(), outcome)
        figures.questions = replay.book.questions
    return figures


def count_frame(figures: Figures, look: Look, places: Mapping[str, Any], replay: Replay) -> None:
    """Compare one settled frame, place by place; places that cannot be seen are left out."""
    layout = replay.played.layout
    all_right = True
    for place, true in places.items():
        spec = layout.places.get(place)
        if true == UNKNOWN or spec is None:
            continue
        reading = look.observation.readings.get(place)
        hidden = reading is None or reading.occluded or not reading.parts
        seen, probability = (UNKNOWN, 0.0) if reading is None or hidden else reading.best()
        right = same_content(spec.kind, true, seen)
        all_right &= right
        group = GROUPS.get(spec.kind, "slots")
        getattr(figures, group).count(right)
        if not hidden:
            edge = max(edge for edge in RELIABILITY_EDGES[:-1] if edge <= probability + 1e-12)
            figures.reliability.setdefault(edge, Share()).count(right)
        if group == "slots" and spec.kind is Kind.SLOT:
            figures.confusion[str(true), str(seen)] += 1
        if not right:
            figures.misread.append(
                Misreading(replay.recording.folder.name, look.file.t_s, place, spec.kind, true, seen, probability)
            )
    figures.frames.count(all_right)


def same_content(kind: Kind, one: Any, other: Any) -> bool:
    """Whether two contents are the same, whatever the order or the zeros they are written with."""
    if UNKNOWN in (one, other):
        return False
    if kind is Kind.HEAP:
        return _without_zeros(one) == _without_zeros(other)
    if kind is Kind.CHIP and isinstance(one, list) and isinstance(other, list):
        return set(one) == set(other) and len(one) == len(other)
    return bool(one == other)


def _without_zeros(heap: Mapping[str, int] | None) -> dict[str, int]:
    return {name: count for name, count in (heap or {}).items() if count}


def count_game(figures: Figures, seen: Mapping[str, Any], true: Mapping[str, Any]) -> None:
    """Compare the game that was followed with the one that was played."""
    moves = seen.get("moves", [])
    for index, move in enumerate(true.get("moves", [])):
        figures.moves.count(index < len(moves) and _same(move, moves[index], MOVE_KEYS))
    rounds = seen.get("rounds", [])
    for index, each in enumerate(true.get("rounds", [])):
        figures.rounds.count(index < len(rounds) and _same(each, rounds[index], ("round", "scores")))
    if true.get("final"):
        final = seen.get("final") or {}
        figures.final.count(_same(true["final"], final, ("scores", "winners")))
    count_slips(figures, seen.get("slips", []), true.get("slips", []))


def _same(true: Mapping[str, Any], seen: Mapping[str, Any], keys: Iterable[str]) -> bool:
    return all(seen.get(key) == true[key] for key in keys if key in true)


def count_slips(figures: Figures, seen: list[Mapping[str, Any]], true: list[Mapping[str, Any]]) -> None:
    """A slip is found when one of its kind and player is raised within its window; others are false."""

    def fits(raised: Mapping[str, Any], slip: Mapping[str, Any]) -> bool:
        same = raised["kind"] == slip["kind"] and raised["player"] == slip["player"]
        return bool(same and slip["t_start"] <= raised["t_start"] <= slip["t_end"] + GRACE_S)

    figures.slips_of += len(true)
    figures.slips_found += sum(any(fits(raised, slip) for raised in seen) for slip in true)
    figures.slips_false += sum(not any(fits(raised, slip) for slip in true) for raised in seen)

