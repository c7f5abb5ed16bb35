"""Replaying a journal: the position that its entries lead to, and every step on the way.

Undo, resume and "what if entry 12 was really X" are all this. A step that no longer fits is named and held back, and
so is what follows it, until an agreed position gives firm ground again: nothing is fitted in quietly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.api import Game, State
from engine.errors import EngineError, IllegalMoveError
from engine.journal import Entry, Header, Journal, Kind, Source, StandingStep, add, standing
from engine.types import Reason, Slip


@dataclass(frozen=True, slots=True)
class Line:
    """One step as it was replayed."""

    slot: int
    """The number of the entry that first took the step: what a correction or an undo names."""
    entry: Entry
    """The entry whose notation counts."""
    move: Any
    """The game's own move or deal; None for an agreed position."""
    before: State
    after: State
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """The first step that does not fit any more."""

    slot: int
    notation: str
    sentence: str
    """Why, in one sentence."""
    slip: Slip | None
    """The slip it would be, where it breaks a rule."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A game as its journal tells it."""

    start: State
    lines: tuple[Line, ...]
    refusal: Refusal | None
    """None when every step fits."""
    held: tuple[int, ...]
    """The slots that were not played: the refused one and those that build on it."""

    @property
    def state(self) -> State:
        """The position now."""
        return self.lines[-1].after if self.lines else self.start

    def before(self, slot: int) -> State:
        """The position before a step; EngineError when that step was not played."""
        for line in self.lines:
            if line.slot == slot:
                return line.before
        raise EngineError(f"entry {slot} is no step of this game")


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A finished round with every point in it."""

    round: int
    scores: tuple[int, ...]
    """After the round, in player order."""
    reasons: tuple[Reason, ...]
    last_slot: int
    """The step that ended it."""


def first_position(game: Game, header: Header) -> State:
    """Where the game began; SetupError when the header does not describe a game that can be played."""
    if header.position is not None:
        return game.parse_position(header.position)
    return game.new(len(header.players), header.options, header.start_player)


def replay(game: Game, journal: Journal) -> Replay:
    """Play everything that stands."""
    start = first_position(game, journal.header)
    played = Replay(start, (), None, ())
    for step in standing(journal.entries):
        played = _play(game, played, step)
    return played


def advance(game: Game, played: Replay, journal: Journal) -> Replay:
    """The replay after the journal's last entry: one step where that is enough, from the start where it is not."""
    if not journal.entries:
        return replay(game, journal)
    last = journal.entries[-1]
    if last.kind is Kind.SLIP:
        return played
    if last.supersedes is not None:
        return replay(game, journal)
    return _play(game, played, StandingStep(last.n, last))


def _play(game: Game, played: Replay, step: StandingStep) -> Replay:
    notation = step.entry.notation
    kind = _kind(step.entry)
    if played.held and kind is not Kind.POSITION and _on_shaky_ground(played):
        return Replay(played.start, played.lines, played.refusal, (*played.held, step.slot))
    before = played.state
    try:
        if kind is Kind.POSITION:
            line = Line(step.slot, step.entry, None, before, game.parse_position(notation), ())
        else:
            move = game.parse_move(notation)
            done = game.apply(before, move)
            line = Line(step.slot, step.entry, move, before, done.state, done.reasons)
    except EngineError as error:
        refusal = played.refusal or Refusal(
            step.slot, notation, f"entry {step.slot} ('{notation}') does not fit any more: {error}",
            error.slip if isinstance(error, IllegalMoveError) else None,
        )
        return Replay(played.start, played.lines, refusal, (*played.held, step.slot))
    return Replay(played.start, (*played.lines, line), played.refusal, played.held)


def _kind(entry: Entry) -> Kind:
    """What a step is; a correction says in its data when it is a whole position."""
    if entry.kind is Kind.CORRECTION:
        return Kind(entry.data.get("kind", Kind.MOVE))
    return entry.kind


def _on_shaky_ground(played: Replay) -> bool:
    """True while the last step that was held back is later than the last one that was played."""
    return not played.lines or played.held[-1] > played.lines[-1].slot


# -- taking back and putting right --------------------------------------------------------------------------


def undo(journal: Journal, slot: int, t_seconds: float = 0.0, source: Source = Source.PERSON) -> Journal:
    """The journal in which an entry did not happen."""
    return add(journal, Kind.UNDO, source=source, t_seconds=t_seconds, supersedes=slot)


def correct(
    journal: Journal, slot: int, notation: str, t_seconds: float = 0.0, source: Source = Source.PERSON,
    kind: Kind = Kind.MOVE,
) -> Journal:
    """The journal in which an entry was really something else: a move or deal, or with `kind` a whole position."""
    data = {} if kind is Kind.MOVE else {"kind": kind.value}
    return add(
        journal, Kind.CORRECTION, notation, source=source, t_seconds=t_seconds, supersedes=slot, data=data
    )


def what_if(game: Game, journal: Journal, slot: int, notation: str) -> Replay:
    """What the game would be had an entry really been another move; its `refusal` is the first that no longer fits."""
    return replay(game, correct(journal, slot, notation))


def prefix(journal: Journal, n: int) -> Journal:
    """The journal as it was after its first n entries."""
    return Journal(journal.header, journal.entries[:n])


def rounds(game: Game, played: Replay) -> tuple[RoundSummary, ...]:
    """The finished rounds, from the reasons of their steps."""
    found: list[RoundSummary] = []
    reasons: list[Reason] = []
    for line in played.lines:
        reasons.extend(line.reasons)
        number = game.round(line.before)
        if game.round(line.after) != number or (game.is_over(line.after) and not game.is_over(line.before)):
            found.append(RoundSummary(number, game.scores(line.after), tuple(reasons), line.slot))
            reasons = []
    return tuple(found)
