"""Runs trials and counts: games exact, questions asked, slips found, false alarms."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.catalogue import PlayedGame
from companion.reconcile.belief import Asked, Confirmed, SlipRaised
from companion.reconcile.reconciler import Reconciler
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.person import Person
from companion.trials.script import Played, Scene, scenes
from engine.api import Game
from engine.types import UNKNOWN, Slip

FRAME_NS = 200_000_000
"""Five frames a second."""
SHOWN_FRAMES = 7
"""A position has been shown when it lay at rest in this many frames outside a burst …"""
SEEN_FRAMES = 4
"""… and each place that changed was in sight in this many of them. One that looks like the last was not shown: of a
move that leaves every pile as it looked only what follows tells."""


SLIP_SHOWN_FRAMES = 45
"""A slip that lay there in fewer frames outside a burst need not be found: a lifted piece alone is left in somebody's
hand for eight seconds."""


@dataclass(slots=True)
class Trial:
    """What came of one game."""

    exact: bool = False
    questions: int = 0
    answers: int = 0
    """Questions that a person could answer with what was offered."""
    slips: int = 0
    found: int = 0
    false_alarms: int = 0
    made: Counter[str] = field(default_factory=Counter)
    """Slips by slug."""
    missed: Counter[str] = field(default_factory=Counter)
    """Slips that were not found, by slug."""
    named: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Slips that were taken for others: the true slug and the one that was raised."""
    frames: int = 0
    first_difference: str = ""
    silently_wrong: bool = False
    """Whether it ends otherwise than it was played, be it after questions, or went wrong without any."""


@dataclass(slots=True)
class Window:
    """One slip on the table, and whether it has been named."""

    slug: str
    names: frozenset[tuple[str, int | None]]
    """What it is called, and whose it is. Where nobody could see the position before it, the same table may have come
    from an earlier one, by a slip of another name."""
    until: int
    found: bool = False
    shown: int = 0
    """In how many frames outside a burst it lay there."""


def run_trial(
    played: PlayedGame, noise: Noise, seed: int, slip_rate: float = 0.0, wanted: set[str] | None = None,
    most_frames: int | None = None,
) -> Trial:
    """One game: its script shown to the reconciler through a noisy camera. With `most_frames` it is left off after
    about so many: then what was shown last need not be told yet, nor how it ends."""
    game = played.game
    camera = NoisyCamera(played.layout, noise, seed)
    kinds = {name: place.kind for name, place in played.layout.places.items()}
    trial = Trial()
    person = Person(played, kinds)
    reconciler: Reconciler | None = None
    rested: list[Any] = []
    seen: list[Any] = []
    windows: list[Window] = []
    last_state: Any = None
    last_table: Mapping[str, Any] = {}
    since_shown: list[Any] = []
    told = False
    told_until = 0
    for item in scenes(
        played, seed, noise.double, slip_rate, wanted, noise.most_unseen, unseen=lambda: since_shown[:-1],
    ):
        if most_frames is not None and trial.frames >= most_frames:
            break
        if isinstance(item, Played):
            # What was dealt just before a move of which nothing shows does not show that move.
            shows = last_state is None or bool(game.changes(last_state, item.state))
            last_state = item.state
            since_shown.append(last_state)
            told = (shows and bool(game.describe(item.move))) or game.is_over(item.state)
            continue
        if item.slip is not None:
            names = right_names(item, since_shown[:-1], game)
            windows.append(Window(item.slip.slug, names, trial.frames + item.frames + 10))
        shown = 0
        in_sight = {
            place: 0 for place, content in item.table.items() if content not in (last_table.get(place), UNKNOWN)
        }
        for _ in _frames(item, camera):
            trial.frames += 1
            observation = camera.look(item.table, trial.frames * FRAME_NS, item.hidden)
            if not camera.is_wild:
                observation = replace(observation, turned=turned_by(item.slip))
            shown += not camera.is_wild
            if item.slip is not None:
                windows[-1].shown = shown
            for place in in_sight:
                in_sight[place] += not camera.is_wild and not observation.readings[place].occluded
            is_shown = shown >= SHOWN_FRAMES and min(in_sight.values(), default=0) >= SEEN_FRAMES
            is_shown |= shown >= SHOWN_FRAMES and not in_sight and game.is_over(last_state)
            if item.at_rest and is_shown:
                last_table, since_shown[:] = item.table, [last_state]
                if told and (not rested or rested[-1] is not last_state):
                    rested.append(last_state)
            if reconciler is None:
                start = start_player(played, seed)
                reconciler = Reconciler(game, kinds, game.new(played.players, played.options, start))
            for event in reconciler.observe(observation).events:
                if isinstance(event, Confirmed):
                    seen.append(event.after)
                elif isinstance(event, Asked):
                    trial.questions += 1
                    person.hear(event, trial.frames)
                elif isinstance(event, SlipRaised):
                    match(trial, event, windows)
            counted = person.counted
            corrected = person.answer(reconciler, last_state, item.slip, trial.frames)
            trial.questions += person.counted - counted
            if corrected is not None:
                reconciler = corrected
                trial.answers += 1
                told_until = len(rested)
                seen.append(corrected.state)
    # Only a game that was left off on purpose need not end: one that does not end by itself is wrong.
    is_whole = most_frames is None or (last_state is not None and game.is_over(last_state))
    if not is_whole:
        rested = rested[:-1]
    elif last_state is not None and (not rested or rested[-1] is not last_state):
        # How a game ends is asked for, however little of that was shown.
        rested.append(last_state)
    due = [window for window in windows if window.found or window.shown >= SLIP_SHOWN_FRAMES]
    trial.slips, trial.found = len(due), sum(window.found for window in due)
    trial.made.update(window.slug for window in due)
    trial.missed.update(window.slug for window in due if not window.found)
    compare(trial, played, rested, seen, told_until, is_whole)
    return trial


def _frames(scene: Scene, camera: NoisyCamera) -> Iterator[None]:
    """As many frames as a scene has; of the end of a game, as many outside a burst."""
    left = scene.frames
    while left > 0:
        yield
        left -= not (scene.is_end and camera.is_wild)


def start_player(played: PlayedGame, seed: int) -> int:
    """Who begins the game of a seed."""
    return random.Random(seed).randint(1, played.players)


def turned_by(slip: Slip | None) -> dict[str, int]:
    """The piece that a slip has left turned, and by how many degrees: of that the camera itself tells, because it no
    longer finds the piece as it lay."""
    degrees = None if slip is None else slip.params.get("degrees")
    if slip is None or not isinstance(degrees, int):
        return {}
    return {place.split(".")[0]: degrees for place in slip.places}


def right_names(scene: Scene, earlier: Iterable[Any], game: Game) -> frozenset[tuple[str, int | None]]:
    """What the slip of a scene may be called: whatever else leaves the very same table from one of the `earlier`
    positions, from the last that was shown to the one before that in which it was made."""
    assert scene.slip is not None
    tables = [(state, game.visible(state)) for state in earlier]
    return frozenset({(scene.slip.slug, scene.slip.player)}) | {
        (each.slips[0].slug, each.slips[0].player) for state, table in tables for each in game.plausible_moves(state)
        if each.slips and {**table, **each.places} == scene.table
    }


def match(trial: Trial, event: SlipRaised, windows: list[Window]) -> None:
    """Tick off the slip that an alarm names; an alarm that names none is false."""
    for slip in event.slips[:1]:
        current = [window for window in windows if window.until >= trial.frames]
        for window in current:
            if (slip.slug, slip.player) in window.names:
                window.found = True
                return
        if current:
            trial.named[current[-1].slug, slip.slug] += 1
        else:
            trial.false_alarms += 1


def compare(
    trial: Trial, played: PlayedGame, rested: list[Any], seen: list[Any], told_until: int, is_whole: bool = True
) -> None:
    """A game is exact when every position that was shown at rest after a player's move was agreed on, in order, and
    the last is the end. (Two moves made between two frames, or within one burst, can often be told in either order,
    and players tile in any order: then the position after them counts.) What lay between the last position that was
    agreed on and an answer is not asked for, nor the end of a game that was left off."""
    game = played.game
    tables = [_shown(game, state) for state in seen]
    ends_right = not is_whole or bool(
        rested and seen and game.is_over(rested[-1]) and tables[-1] == _shown(game, rested[-1])
    )
    position = 0
    for number, state in enumerate(rested):
        try:
            position = tables.index(_shown(game, state), position)
        except ValueError:
            if number < told_until:
                continue
            trial.first_difference = f"position {number + 1}: {game.format_position(state)}"
            break
    trial.exact = ends_right and not trial.first_difference
    trial.silently_wrong = not trial.exact and (trial.questions == 0 or not ends_right)


def _shown(game: Game, state: Any) -> tuple[Any, ...]:
    """What everybody can see of a position, and whose turn it is: after an answer the hidden supplies may be known less
    exactly."""
    return game.visible(state), game.to_move(state), game.is_over(state)
