"""Trials on recordings that show little: a frame or two of each position, as surely read as a camera reads them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.catalogue import PlayedGame
from companion.reconcile.belief import Asked, Confirmed, SlipRaised
from companion.reconcile.reconciler import Patience, Reconciler
from companion.trials.noise import Noise, NoisyCamera
from companion.trials.run import Trial, Window, compare, match, start_player
from companion.trials.script import MOST_MOVES, pick_slip
from engine.players import GreedyPlayer
from engine.types import UNKNOWN, Plausible, Slip
from vision.reading import Kind, Observation

FRAME_NS = 500_000_000
"""Two settled frames are this far apart; everything else is a multiple of it."""
SURE, FAIR, FAINT = (0.0005, 0.002), (0.005, 0.02), (0.05, 0.1)
"""What a reading leaves open, of a slot and of a heap."""
SHARES = (0.75, 0.20, 0.05)
"""How many readings are sure, fair and faint."""
WINDOW_FRAMES = 5
"""A slip is found until two seconds after it was last seen."""
MOVES_LOOKED_AT = 12
AIMLESS = 0.15
"""Which share of the moves is made at random."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame of a sparse recording."""

    frame: int
    """When, in frames half a second apart."""
    table: Mapping[str, Any]
    hidden: frozenset[str]
    state: Any
    """The position after the last move that was made."""
    slip: Slip | None = None
    """What lies wrong in it."""
    at_rest: bool = True
    """Whether it shows the position after a move that a record of the game tells."""


class SparseScript:
    """A whole game as the few frames of a sparse recording. Seeded."""

    def __init__(self, played: PlayedGame, seed: int, slip_rate: float) -> None:
        self._played = played
        self._chance = random.Random(seed)
        self._slip_rate = slip_rate
        self._player = GreedyPlayer(seed, MOVES_LOOKED_AT)
        self._kinds = {name: place.kind for name, place in played.layout.places.items()}
        self._most = Patience().strange_share * len(self._kinds)
        """A frame in which more places have changed is not believed."""
        self._frame = 2
        self._is_told = False
        self._state = played.game.new(played.players, played.options, self._chance.randint(1, played.players))
        self._table: dict[str, Any] = dict(played.game.visible(self._state))

    def shots(self) -> Iterator[Shot]:
        """The frames, in their order."""
        game = self._played.game
        yield self._shot(self._table)
        for _ in range(MOST_MOVES):
            if game.is_over(self._state):
                break
            slip = self._pick_slip() if self._chance.random() < self._slip_rate else None
            if slip is None:
                yield from self._moved(self._choose())
            else:
                yield from self._slipped(slip)
        yield self._shot(self._table, 2)

    def _shot(
        self, table: Mapping[str, Any], after: int = 0, hidden: Sequence[str] = (), slip: Slip | None = None,
        at_rest: bool = True,
    ) -> Shot:
        self._frame += after
        at_rest = at_rest and slip is None and self._is_told
        return Shot(self._frame, table, frozenset(hidden), self._state, slip, at_rest)

    def _slipped(self, plausible: Plausible) -> Iterator[Shot]:
        """A slip in two frames; then what was meant, or where that cannot be told everything as it was."""
        before, wrong = self._table, {**self._table, **plausible.places}
        changed = [place for place in wrong if wrong[place] != before.get(place)]
        yield self._shot(before, self._chance.randint(5, 8), self._under_hand(changed), at_rest=False)
        yield self._shot(wrong, 2, slip=plausible.slips[0])
        yield self._shot(wrong, 1, slip=plausible.slips[0])
        yield self._shot(wrong, 4, self._under_hand(changed), at_rest=False)
        if plausible.move is not None:
            self._play(plausible.move)
        yield self._shot(self._table, 2)

    def _moved(self, move: Any) -> Iterator[Shot]:
        """A move: loose pieces go, a hand comes, and the table is at rest; not each of them is always seen."""
        game, before = self._played.game, self._table
        is_deal = game.deal_request(self._state) is not None
        self._play(move)
        changed = [place for place in self._table if self._table[place] != before.get(place)]
        loose = [place for place in changed if self._kinds[place] is Kind.HEAP]
        wait = self._chance.randint(5, 8)
        if is_deal:
            begun = {place: self._table[place] for place in loose if self._chance.random() < 0.5}
            yield self._shot({**before, **begun}, wait, at_rest=False)
            yield self._shot(self._table, 6)
            return
        way = self._chance.randrange(3)
        gone = {place: self._table[place] for place in loose}
        if way < 2 and loose:
            yield self._shot({**before, **gone}, wait, at_rest=False)
            wait = 2
        if way > 0:
            shown = {**before, **gone} if way == 1 else before
            yield self._shot(shown, wait, self._under_hand(changed), at_rest=False)
            wait = 2
        yield self._shot(self._table, wait)

    def _play(self, move: Any) -> None:
        self._state = self._played.game.play(self._state, move)
        self._table = dict(self._played.game.visible(self._state))
        self._is_told = bool(self._played.game.describe(move)) or self._played.game.is_over(self._state)

    def _under_hand(self, changed: Sequence[str]) -> list[str]:
        """The places that a hand hides which works on those that change, and some around them."""
        pieces = self._played.layout.places
        worked = [place for place in changed if self._kinds[place] is not Kind.HEAP]
        boards = {pieces[place].piece for place in worked}
        near = [place for place in self._table if pieces[place].piece in boards]
        around = self._chance.sample(near, min(len(near), self._chance.randint(0, 18)))
        over = [place for place in changed if place not in worked and self._chance.random() < 0.3]
        return sorted({*worked, *around, *over})

    def _choose(self) -> Any:
        game, state = self._played.game, self._state
        if game.deal_request(state) is not None:
            return game.random_deal(state, self._chance.randrange(1 << 30))
        if self._chance.random() < AIMLESS:
            return self._chance.choice(list(game.legal_moves(state)))
        return self._player.choose(game, state)

    def _pick_slip(self) -> Plausible | None:
        """A slip that shows: loose pieces that are only gone cannot be told from those in a hand, and of a turned board
        the camera itself tells."""
        plausible = pick_slip(self._played, self._state, self._chance, None)
        if plausible is None or len(plausible.places) > self._most:
            return None
        return None if all(self._kinds[place] is Kind.HEAP for place in plausible.places) else plausible


class UnevenCamera(NoisyCamera):
    """Reads nothing wrong, but some places less surely than others. Seeded."""

    def uneven_look(self, shot: Shot) -> Observation:
        """One frame of a sparse recording."""
        readings = {}
        for name, place in self._layout.places.items():
            if name in shot.table:
                slot, heap = self._random.choices((SURE, FAIR, FAINT), SHARES)[0]
                error = heap if place.kind is Kind.HEAP else slot
                content = UNKNOWN if name in shot.hidden else shot.table[name]
                readings[name] = self._read(place, content, error, False)
        return Observation(shot.frame * FRAME_NS, readings, hand=bool(shot.hidden))


def run_sparse(played: PlayedGame, seed: int, slip_rate: float = 0.0) -> Trial:
    """One game, followed from the few frames of a sparse recording."""
    game = played.game
    kinds = {name: place.kind for name, place in played.layout.places.items()}
    camera = UnevenCamera(played.layout, Noise(), seed)
    reconciler = Reconciler(game, kinds, game.new(played.players, played.options, start_player(played, seed)))
    trial, rested, seen, windows = Trial(), list[Any](), list[Any](), list[Window]()
    lying: Slip | None = None
    for shot in SparseScript(played, seed, slip_rate).shots():
        trial.frames = shot.frame
        if shot.slip is not None and shot.slip is not lying:
            names = frozenset({(shot.slip.slug, shot.slip.player)})
            windows.append(Window(shot.slip.slug, names, shot.frame + WINDOW_FRAMES))
        lying = shot.slip
        if shot.at_rest and (not rested or rested[-1] is not shot.state):
            rested.append(shot.state)
        for event in reconciler.observe(camera.uneven_look(shot)).events:
            if isinstance(event, Confirmed):
                seen.append(event.after)
            elif isinstance(event, Asked):
                trial.questions += 1
            elif isinstance(event, SlipRaised):
                match(trial, event, windows)
    trial.slips, trial.found = len(windows), sum(window.found for window in windows)
    trial.made.update(window.slug for window in windows)
    trial.missed.update(window.slug for window in windows if not window.found)
    compare(trial, played, rested, seen, 0)
    return trial
