"""What the pages may know of the table: snapshots come out of `TablePort`, commands go in.

Everything here is plain JSON once `to_json` has been called. Words are keys and parameters, never sentences: the
phone that shows them chooses the language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PlayerView:
    """One player as the pages show them."""

    player: int
    name: str
    colour: str
    """A CSS-safe colour key of the page's own palette, or the game's colour where the player has one."""
    score: int
    to_move: bool


@dataclass(frozen=True, slots=True)
class MoveView:
    """One journal entry that is a move."""

    n: int
    """Its number in the list of moves, from 1."""
    entry: int
    """Its number in the journal, with which a correction names it."""
    round: int
    player: int | None
    key: str
    """What to say of it: `move.take`, `move.tile` …, a key of the game's strings."""
    params: Mapping[str, Any]
    notation: str
    source: str
    """`camera` or `person`."""
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """Each place that changed, with what lay there before and after: the pages animate it."""


@dataclass(frozen=True, slots=True)
class ReasonView:
    """Why a score changed: a key of the game's strings with its parameters."""

    player: int
    key: str
    points: int
    places: Sequence[str]
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RoundView:
    """A finished round: every point of it with its reason, and the scores after it."""

    round: int
    scores: Sequence[int]
    reasons: Sequence[ReasonView]


@dataclass(frozen=True, slots=True)
class AlertView:
    """A slip that lies on the table now."""

    id: str
    slug: str
    player: int | None
    places: Sequence[str]
    rule: str
    severity: str
    """`error`, `warning` or `question`."""
    params: Mapping[str, Any]
    crop: str | None
    """The address of a picture of the place, below `/api/crops/`."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer to a question."""

    id: str
    key: str
    """`answer.move`, `answer.slip`, `answer.count` …: a key of the page's strings or of the game's."""
    params: Mapping[str, Any]
    """May hold `steps` (each {player, key, params} as in a MoveView) and `slips` (each {player, slug, params} as in an
    AlertView): the page then says those instead of the key."""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """What the companion asks because it is not sure."""

    id: str
    key: str
    """A key of the page's strings or of the game's."""
    params: Mapping[str, Any]
    """Where all answers are numbers (`answer.count`), `count` is the one that counts until somebody answers."""
    answers: Sequence[AnswerView]
    places: Sequence[str]
    crop: str | None


@dataclass(frozen=True, slots=True)
class ResultView:
    """How the game ended."""

    scores: Sequence[int]
    winners: Sequence[int]
    decided_by: str
    """`score`, `tie-break` or `shared`."""
    reasons: Sequence[ReasonView]
    """The end bonuses."""
    tie_breaks: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class HealthView:
    """One check: what is wrong, what follows from it, what to do; keys with parameters."""

    check: str
    level: str
    """`ok`, `info`, `warning` or `problem`."""
    key: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole table at one moment. Versions only grow; a newer one replaces an older one entirely."""

    version: int
    game: str | None
    """None while no game is set up."""
    game_number: int | None
    options: Mapping[str, Any]
    phase: str
    """A key of the game's strings, or `idle` while no game is set up."""
    round: int
    verdict: str
    """`unchanged`, `in-progress`, `confirmed`, `ambiguous`, `slip` or `unexplained`."""
    camera: str
    """`ok`, `lost`, `dark` or `starting`."""
    source: str
    """`simulated`, `webcam`, `pi` or `recording`."""
    players: Sequence[PlayerView]
    places: Mapping[str, Any]
    """The agreed content of every place."""
    moves: Sequence[MoveView]
    rounds: Sequence[RoundView]
    alerts: Sequence[AlertView]
    question: QuestionView | None
    result: ResultView | None
    health: Sequence[HealthView]
    recording: bool
    history: Sequence[Sequence[int]] = ()
    """The scores of all players after each round, for the chart."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a command."""

    ok: bool
    key: str = "ok"
    """When not ok: a key of the page's strings that says why and what to do."""
    params: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None


class TablePort(Protocol):
    """All that the pages can ask of the table. Every method may be called from any thread."""

    def snapshot(self) -> Snapshot: ...

    def subscribe(self, on_snapshot: Callable[[Snapshot], None]) -> Callable[[], None]:
        """Be told of each new snapshot (never block in it); returns how to stop."""
        ...

    def command(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        """Hand a command to the table's thread and wait for its reply. Names: `answer` {question, answer},
        `accept` {alert}, `misread` {alert}, `undo` {entry}, `correct` {entry, notation}, `set-place` {place, content},
        `new-game` {game, options, players: [{name, colour, seat}], start_player}, `end-game`,
        `delete-game` {game_number}, `record` {on}, `relight`,
        `simulate` {what: slip|nudge|lamp|blur|freeze|drop|camera}, and the set-up commands:

        - `setup-propose` {game, options, players}: data = {width, height, pieces: [{piece, frame, points, sure}]} with
          points in pixels of the picture `setup`: four corners, middle and rim of a disc, or the corners of an area;
        - `setup-place` {piece, points}: data = the same piece as it was refined;
        - `setup-colours` {samples: [{colour, at: [[x, y]], face}]}: loose tiles that a person named on the picture;
        - `setup-check`: data = {read: {place: content}, unsure: [place], groups: {group: place}, width, height,
          outlines: {group: {piece: [four corners of a place in pixels]}}}; the picture `overlay` shows it;
        - `setup-adjust` {group, across, down}: moves a group of places by small steps; `setup-drag` {group, points}: as
          far as from the first of two points of the picture to the second; data of both as for `setup-check`;
        - `setup-finish` {name}: keeps the table; `setup-load` {name}: uses one, data as for `setup-propose`."""
        ...

    def picture(self, name: str) -> bytes | None:
        """A JPEG: `table` (now, racks masked), `crop/<id>` with the place outlined, `setup`, `overlay`; None when there
        is none."""
        ...

    def query(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Things that are looked up; None (or LookupError) when there is no such thing. All are plain JSON:

        - `games`: past games, newest first: [{game_number, game, started, ended, players: [{name, colour}], scores,
          winners, rounds}] (`started` and `ended` in seconds since 1970, `ended` None while it is played);
        - `game` {game_number}: the same, with `snapshot`: the last one of it as JSON;
        - `export` {game_number, form: json|text};
        - `layout`: the fields of `vision.layout.Layout` of the table in play, for drawing (None when there is no game);
        - `catalogue`: [{game, players: [2, 3, 4], options: {name: [values, default first]}, lists,
          colours: [keys], faces: [keys]}];
          `lists` names the options that take a list of the values;
        - `strings` {language}: {game: {texts, …}}; `rules` {game, language}: [{id, title, text}];
        - `tables`: remembered tables: [{name, game, options, players: [{name, colour}], saved}];
        - `legal` {entry}: what else a move could have been: [{key, params, notation}], the likeliest first;
        - `health`: the checks as `HealthView`s."""
        ...
