"""A whole game played by itself at the simulated table, with the habits and slips of people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion.simulation.choreography import plan
from companion.simulation.habits import Habits, Pace
from companion.simulation.stage import Stage, Task
from companion.simulation.things import UNKNOWN, looks
from engine.api import Fumbles, Game, HidesHands, Move, Player, State
from engine.errors import IllegalMoveError
from engine.players import GreedyPlayer, RandomPlayer
from engine.types import Plausible, Severity
from vision.reading import Kind

MOVES_LOOKED_AT = 40
"""How many moves a simulated player weighs: enough to play sensibly, quick enough for a Pi."""

FIRST_LOOK_S = 1.0
"""Before anybody reaches for the first tile."""
BACK_AGAIN_S = 5.0
"""However hurried, people whose phones lost the table look up until the phones show it again."""
LAST_LOOK_S = 12.0
"""However hurried, people look at the last table and count before they clear it away."""
PUZZLING_S = (3.5, 6.0)
"""The same until they have understood one of the rarer mistakes."""
UNNOTICED_S = (9.0, 14.0)
"""How long it takes, however hurried people are, until somebody misses a piece or sees that the board was turned."""


@dataclass(frozen=True, slots=True)
class Manners:
    """What the people at the table are like."""

    pace: Pace = field(default_factory=Pace)
    slip_share: float = 0.04
    """How many of their moves go wrong at first."""
    tidy_share: float = 0.08
    """After how many moves somebody straightens a tile."""
    at_once: bool = True
    """Players who act independently do so at the same time."""
    aimless_share: float = 0.15
    """How many moves are made without much thought."""


@dataclass(slots=True)
class Story:
    """What really happened, in the shape of outcome.json."""

    setup: list[dict[str, Any]] = field(default_factory=list)
    """What was laid before round 1, where a game begins so."""
    moves: list[dict[str, Any]] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    slips: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    final: dict[str, Any] | None = None

    def outcome(self) -> dict[str, Any]:
        """A copy as outcome.json; `final` is left out while the game is not over."""
        result: dict[str, Any] = {
            "moves": [dict(move) for move in self.moves], "rounds": [dict(entry) for entry in self.rounds],
            "slips": [dict(slip) for slip in self.slips], "events": [dict(event) for event in self.events],
        }
        if self.setup:
            result["setup"] = [dict(move) for move in self.setup]
        if self.final is not None:
            result["final"] = dict(self.final)
        return result


class Sitting:
    """The people: they hold the true position and move the hands."""

    def __init__(
        self, game: Game, players: int, options: Mapping[str, Any] | None, stage: Stage, seed: int,
        manners: Manners, start_player: int = 1, state: State | None = None,
    ) -> None:
        self.game = game
        self.state: State = game.new(players, options, start_player) if state is None else state
        self._first_look_s = FIRST_LOOK_S if state is None else BACK_AGAIN_S
        if state is None and isinstance(game, HidesHands):
            # Somebody has to know what stands on the racks, or players would lay tiles that they do not hold.
            self.state = game.with_hidden(self.state, seed)
        self.story = Story()
        self.slip_wanted = False
        """Set to have the next move go wrong."""
        self.wishes: list[str] = []
        """Kinds of mistakes that are to be made at the first occasion, each once: some have few occasions in a game."""
        self.over = False
        self.slipping: Plausible | None = None
        """The mistake that lies on the table now."""
        self._rare: tuple[Plausible, ...] = ()
        """The mistakes of the last choice that the game does not list."""
        self._stage = stage
        self._rng = Random(f"{seed} sitting")
        self._manners = manners
        self._habits = Habits(stage, manners.pace, Random(f"{seed} habits"))
        self._players: Sequence[Player] = [GreedyPlayer(seed + n, MOVES_LOOKED_AT) for n in range(players)]
        self._aimless = RandomPlayer(seed)

    def expected(self) -> dict[str, Any]:
        """What a settled table shows: the position, with the mistake that lies on it."""
        return {**self.game.visible(self.state), **(self.slipping.places if self.slipping is not None else {})}

    def evening(self) -> Task:
        """The whole game; ends when it is over."""
        yield self._first_look_s
        while not self.game.is_over(self.state):
            movers = self.game.to_move(self.state)
            if not movers:
                yield from self._deal()
            elif len(movers) > 1:
                yield from self._several(movers)
            else:
                yield from self._turn(movers[0])
            self._note_round()
        self._note_end()
        yield from self._play_on()
        yield max(LAST_LOOK_S, self._rng.uniform(*self._manners.pace.think_s))
        self.over = True

    # -- parts -------------------------------------------------------------------------------------------------

    def _deal(self) -> Task:
        move = self.game.random_deal(self.state, self._rng.getrandbits(32))
        dealer = self._rng.choice(sorted(self._stage.actors))
        slip = self._misdealt(move)
        if slip is not None:
            yield from self._slip(dealer, slip)
            yield from self._think()
            return
        before, self.state = self.state, self.game.apply(self.state, move).state
        yield from self._habits.deal(dealer, self._transfers(before, self.state))
        yield from self._think()

    def _turn(self, player: int) -> Task:
        """One player thinks, moves, perhaps slips and puts it right, perhaps straightens a tile."""
        slip = self._pick_slip(player)
        if slip is not None:
            yield from self._slip(player, slip)
        else:
            move = self._choose(player)
            yield from self._make(player, move)
        if self._rng.random() < self._manners.tidy_share:
            yield from self._habits.tidy(player)
        yield from self._think()

    def _play_on(self) -> Task:
        """Somebody may not have noticed that the game is over."""
        yield from self._think()
        slip = self._pick_slip(None)
        if slip is not None:
            yield from self._slip(slip.slips[0].player or 1, slip)

    def _several(self, movers: Sequence[int]) -> Task:
        """Players who act independently: in any order, and all at once when they like."""
        order = self._rng.sample(list(movers), len(movers))
        slip = self._pick_slip(order[0])
        if slip is not None or not self._manners.at_once:
            yield from self._turn_with(order[0], slip)
            return
        steps: list[tuple[int, Move, State, State]] = []
        state = self.state
        for player in order:
            if player not in self.game.to_move(state):
                break
            move = self._choose(player, state)
            after = self.game.apply(state, move).state
            steps.append((player, move, state, after))
            state = after
        kept = self._kept(state)
        tasks = []
        claimed: set[str] = set()
        for player, _, before, after in steps:
            changed = self._changed(before, after)
            free = {name: content for name, content in changed.items() if name not in claimed}
            claimed |= set(changed)
            tasks.append(self._started_late(player, free, kept))
        self.state = state
        self._stage.half_done += 1
        yield from self._stage.together(tasks)
        self._stage.half_done -= 1
        for player, move, before, _ in steps:
            self._note_move(player, move, before)
        yield from self._think()

    def _started_late(self, player: int, wanted: Mapping[str, Any], kept: set[tuple[str, ...]]) -> Task:
        # Half done from the start: a table on which somebody has yet to begin is not settled.
        self._stage.half_done += 1
        yield self._rng.uniform(0.0, self._manners.pace.think_s[1] / 2)
        self._stage.half_done -= 1
        yield from self._habits.perform(player, plan(self._stage.top, wanted, kept))

    def _turn_with(self, player: int, slip: Plausible | None) -> Task:
        if slip is not None:
            yield from self._slip(player, slip)
        else:
            yield from self._make(player, self._choose(player))
        yield from self._think()

    def _make(self, player: int, move: Move) -> Task:
        before, after = self.state, self.game.apply(self.state, move).state
        self.state = after
        yield from self._habits.perform(player, self._transfers(before, after))
        self._note_move(player, move, before)

    def _slip(self, player: int, slip: Plausible) -> Task:
        """Do it wrong, look at it for a while, put it right; if nobody knows what was meant, take it all back."""
        culprit = slip.slips[0].player or player
        wrong = {name: content for name, content in slip.places.items() if content != UNKNOWN}
        turned = self._turned(slip)
        transfers = plan(self._stage.top, wrong, self._kept(self.state))
        if turned is not None:
            yield from self._habits.turn_board(culprit, *turned)
        else:
            yield from self._habits.perform(culprit, transfers)
        shown = self._stage.top.contents()
        first, self.slipping = self._stage.t_s, slip
        # What lies wrong is soon noticed; what is only gone or was left undone, or the board itself, is not looked at
        # twice.
        lies = turned is None and self._lies_wrong(slip, [transfer.target for transfer in transfers])
        rarely = PUZZLING_S if slip in self._rare else self._manners.pace.look_s
        yield self._rng.uniform(*(rarely if lies else UNNOTICED_S))
        self.slipping = None
        # Things that cannot lie as the slip would have them lie as after the move that was meant: that is no slip.
        expected = {**self.game.visible(self.state), **slip.places}
        is_shown = all(shown[name] == content for name, content in expected.items() if content != UNKNOWN)
        for named in slip.slips if is_shown or turned is not None else ():
            self.story.slips.append({
                "kind": named.slug, "player": named.player, "places": list(named.places),
                "t_start": round(first, 3), "t_end": round(self._stage.t_s, 3),
            })
        before = self.state
        after = self._meant(slip)
        if turned is not None:
            yield from self._habits.turn_board(culprit, *turned, back=True)
            wrong = {}
        if after is not None:
            self.state = after
        right = self.game.visible(self.state)
        names = sorted({*wrong, *self._changed(before, self.state)})
        wanted = {name: right[name] for name in names if name in right}
        yield from self._habits.perform(culprit, plan(self._stage.top, wanted, self._kept(self.state)))
        if after is not None:
            self._note_move(player, slip.move, before)
            return
        if self.game.is_over(self.state):
            return
        yield from self._think()
        yield from self._make(player, self._choose(player))

    def _turned(self, slip: Plausible) -> tuple[str, float] | None:
        """The board that a slip turns and how far; None for every other slip."""
        named = slip.slips[0]
        if "degrees" not in named.params:
            return None
        return self._stage.top.layout.places[named.places[0]].piece, float(named.params["degrees"])

    def _lies_wrong(self, slip: Plausible, targets: Iterable[str | None]) -> bool:
        """Whether something has come to lie where it may not, beside what was only left undone."""
        after = self._meant(slip)
        right = self.game.visible(self.state if after is None else after)
        return any(self._shows(place) and slip.places.get(place) != right.get(place) for place in targets if place)

    def _shows(self, place: str | None) -> bool:
        """Whether something that comes to this place is seen there at once: in a heap it is one among others."""
        return place is not None and self._stage.top.layout.places[place].kind is not Kind.HEAP

    def _meant(self, slip: Plausible) -> State | None:
        """The position after the legal move that was meant; None when there is none."""
        if slip.move is None:
            return None
        try:
            return self.game.apply(self.state, slip.move).state
        except IllegalMoveError:
            return None

    def _think(self) -> Task:
        yield self._rng.uniform(*self._manners.pace.think_s)

    # -- choosing ----------------------------------------------------------------------------------------------

    def _choose(self, player: int, state: State | None = None) -> Move:
        position = self.state if state is None else state
        moves = [move for move in self.game.legal_moves(position) if self.game.player_of(move) == player]
        aimless = self._rng.random() < self._manners.aimless_share
        chooser = self._aimless if aimless else self._players[player - 1]
        return chooser.choose(self.game, position, moves)

    def _pick_slip(self, player: int | None) -> Plausible | None:
        """A mistake that this player may make now, every kind as likely as another; None most of the time. Without a
        player the game is over, and somebody lays a piece all the same."""
        wanted = self.slip_wanted or self._rng.random() < self._manners.slip_share
        if not wanted and not self.wishes:
            return None
        kinds: dict[str, list[Plausible]] = {}
        bare = self.game.visible(self.state)
        if isinstance(self.game, Fumbles):
            self._rare = tuple(self.game.fumbles(self.state, self._rng.getrandbits(32)))
        for plausible in (*self.game.plausible_moves(self.state), *self._rare):
            mine = plausible.move is None or self.game.player_of(plausible.move) == player
            if player is None and any(bare[place] is not None for place in plausible.places):
                continue
            if plausible.slips and mine and plausible.slips[0].severity is not Severity.QUESTION:
                kinds.setdefault(plausible.slips[0].slug, []).append(plausible)
        wished = next((slug for slug in self.wishes if slug in kinds), None)
        if wished is not None:
            self.wishes.remove(wished)
            return self._rng.choice(kinds[wished])
        if not kinds or not wanted:
            return None
        self.slip_wanted = False
        return self._rng.choice(kinds[self._rng.choice(sorted(kinds))])

    def _misdealt(self, move: Move) -> Plausible | None:
        """A refill in which a place was forgotten or got a piece too few, as the rules name it, if that was wished."""
        if not self.wishes:
            return None
        now, right = self.game.visible(self.state), self._changed(self.state, self.game.apply(self.state, move).state)
        found: dict[str, list[Plausible]] = {}
        for place, content in right.items():
            fewer = [{**right, place: one} for one in _one_fewer(content)]
            for table in (*fewer, {name: each for name, each in right.items() if name != place}):
                slips = self.game.problems(self.state, {**now, **table})
                if len(slips) == 1 and slips[0].severity is not Severity.QUESTION:
                    found.setdefault(slips[0].slug, []).append(Plausible(move, table, slips))
        wished = next((slug for slug in self.wishes if slug in found), None)
        if wished is None:
            return None
        self.wishes.remove(wished)
        slip = self._rng.choice(found[wished])
        self._rare = (slip,)
        return slip

    # -- differences -------------------------------------------------------------------------------------------

    def _changed(self, before: State, after: State) -> dict[str, Any]:
        old, new = self.game.visible(before), self.game.visible(after)
        return {name: content for name, content in new.items() if old.get(name) != content}

    def _transfers(self, before: State, after: State) -> list[Any]:
        return plan(self._stage.top, self._changed(before, after), self._kept(after))

    def _kept(self, state: State) -> set[tuple[str, ...]]:
        """What the next deal is sure to ask for stays on the table, before its holder."""
        request = self.game.deal_request(state)
        if request is None:
            return set()
        kept: set[tuple[str, ...]] = set()
        for name, content in request.fixed.items():
            spec = self._stage.top.layout.places.get(name)
            if spec is not None:
                kept.update(look.key for look in looks(spec.kind, content))
        return kept

    # -- the story ----------------------------------------------------------------------------------------------

    def _note_move(self, player: int, move: Move, before: State) -> None:
        told = dict(self.game.describe(move))
        if not told:
            return
        t_s = round(self._stage.t_s, 3)
        if told.pop("setup", False):
            self.story.setup.append({"player": player, **told, "t": t_s})
            return
        story = self.story.moves
        story.append(
            {"n": len(story) + 1, "round": self.game.round(before), "player": player, **told, "t": t_s}
        )

    def _note_round(self) -> None:
        """A round is over when the next one begins or the game ends; what is turned up in between ends none."""
        number = len(self.story.rounds) + 1
        if self.game.has_rounds and (self.game.is_over(self.state) or self.game.round(self.state) > number):
            scores = list(self.game.scores(self.state))
            self.story.rounds.append({"round": number, "scores": scores, "t": round(self._stage.t_s, 3)})

    def _note_end(self) -> None:
        result = self.game.result(self.state)
        scores = [standing.score for standing in sorted(result.standings, key=lambda standing: standing.player)]
        self.story.final = {"scores": scores, "winners": list(result.winners)}


def _one_fewer(content: Any) -> list[dict[str, int]]:
    """A heap without one of its pieces, in every way; nothing for whatever is no heap."""
    counts = content if isinstance(content, dict) and all(isinstance(each, int) for each in content.values()) else {}
    return [
        {name: count - (name == less) for name, count in counts.items() if count > (name == less)} for less in counts
    ]
