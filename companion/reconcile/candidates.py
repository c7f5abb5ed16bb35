"""The things that can have happened next, each as an explanation against the expected table."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from companion.reconcile.explanation import Explanation, table_with
from companion.reconcile.parts import Change, Key, changes_between, owner_of
from engine.api import Game, Sifting
from engine.types import UNKNOWN, Plausible
from vision.reading import Kind

LEGAL_PRIOR = -2.0
STEP_PRIOR = -3.0
"""Each further move that was missed between two looks."""
SLIP_PRIOR = -8.0
"""A slip must be seen more clearly than a legal move: an accusation costs more than a second of waiting."""
WARNING_PRIOR = -6.0
UNLISTED_PRIOR = -12.0
"""A slip that no list of likely ones holds must be clearer still."""

MANY_MOVES = 300
FEW_MOVES = 8
LAST_GROUPS = 2
"""Where no more groups of pieces than these are left to be taken, the phase is over soon."""

Deviations = Mapping[str, tuple[Any, Any]]
"""For each place that a slip left wrong, what should lie there and what does."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What explanations start from: the agreed position and what still lies wrong on the table."""

    game: Game
    kinds: Mapping[str, Kind]
    state: Any
    deviations: Deviations = field(default_factory=dict)

    def table(self) -> dict[str, Any]:
        """The table as it is expected to look now."""
        return table_with(self.kinds, self.game.visible(self.state), self.deviations)


def legal_explanation(
    ground: Ground, before: Mapping[str, Any], move: Any, steps: tuple[Any, ...] = (), since: Any = None
) -> Explanation:
    """The explanation that a legal move (after `steps`, if any) was made. `since` is the position that `before` shows,
    where nothing lies wrong: then only what has changed is looked at."""
    game = ground.game
    state = game.play(ground.state, move)
    if since is not None and not ground.deviations:
        table = dict(game.changes(since, state))
    else:
        after = table_with(ground.kinds, game.visible(state), ground.deviations)
        table = {place: content for place, content in after.items() if before.get(place) != content}
    hidden = [place for place, content in table.items() if content == UNKNOWN]
    return Explanation(
        steps=(*steps, move),
        state=state,
        table=table,
        changes=tuple(changes_between(ground.kinds, before, table)),
        late=game.late_places(ground.state, move),
        unread=frozenset(place for place in hidden if not before.get(place, True)),
        buried=_buried(ground, before, state, hidden) if hidden else frozenset(),
        prior=LEGAL_PRIOR + STEP_PRIOR * len(steps),
    )


def _buried(ground: Ground, before: Mapping[str, Any], state: Any, hidden: Iterable[str]) -> frozenset[str]:
    """The chips that were seen before and on which others lie by now, of those places that are not to be seen any
    more; one that has yet to be turned up is none."""
    buried = frozenset(
        place for place in hidden if ground.kinds.get(place) is Kind.CHIP and before.get(place, UNKNOWN) != UNKNOWN
    )
    request = ground.game.deal_request(state) if buried else None
    return buried if request is None else buried.difference(request.choices)


def relevant_moves(game: Game, moves: Sequence[Any], places: Iterable[str]) -> list[Any]:
    """The moves that can have to do with changes at the given places. Where a game has few moves that is all of them;
    where it has thousands, those that name one of the places as their source or goal, and those that name none."""
    if len(moves) <= MANY_MOVES:
        return list(moves)
    touched = list(places)
    return [move for move in moves if _names_one(game.describe(move), touched)]


def moves_towards(
    game: Game, state: Any, seen: Mapping[str, Any], covered: Collection[str]
) -> Sequence[Any] | None:
    """The moves that what shows speaks for, where a game can tell; None where it cannot, or need not."""
    sifting = _sifting(game)
    return None if sifting is None else sifting.moves_towards(state, seen, covered)


def _sifting(game: Game) -> Sifting | None:
    """A game that can sift its moves; None where it cannot."""
    return cast(Sifting, game) if _can_sift(type(game)) else None


@lru_cache(maxsize=8)
def _can_sift(kind: type[Game]) -> bool:
    """To ask whether a class keeps a protocol takes long, and it is asked in every look."""
    return issubclass(kind, Sifting)


def silent_moves(ground: Ground, table: Mapping[str, Any]) -> list[Any]:
    """The legal moves after which the table looks as it did: a pass, or what was laid on a pile whose top stays the
    same, taken from one whose top does too."""
    game, state = ground.game, ground.state
    return [move for move in _onto_piles(ground, table) if not game.changes(state, game.play(state, move))]


def uncovering_moves(ground: Ground, table: Mapping[str, Any]) -> list[Any]:
    """The legal moves after which the table looks like another: what was laid on a pile whose top stays the same, taken
    from one on which something else lies now."""
    game, state = ground.game, ground.state
    return [move for move in _onto_piles(ground, table) if game.visible(game.play(state, move)) == table]


def _onto_piles(ground: Ground, table: Mapping[str, Any]) -> Sequence[Any]:
    """The legal moves that lay something on a pile, or all if they are few."""
    game, moves = ground.game, ground.game.legal_moves(ground.state)
    if len(moves) <= FEW_MOVES:
        return moves
    piles = {place for place, content in table.items() if ground.kinds.get(place) is Kind.PILE and content}
    return [move for move in moves if f"p{game.player_of(move)}.{game.describe(move).get('to')}" in piles]


def arriving_moves(
    game: Game, moves: Sequence[Any], places: Iterable[str], before: Mapping[str, Any]
) -> list[Any]:
    """The moves whose goal is one of the places, and those that name none: where something has been laid, it shows,
    unless the goal was full `before` and it went out of the game, or is a pile that shows only its top. What shows on
    one player's board is no other player's doing. A few moves are not sifted, nor those with the last pieces that lie
    there: what is laid down at the end of a phase may be tidied away before it is seen."""
    if len(moves) <= FEW_MOVES or _are_last(game, moves):
        return list(moves)
    wanted: dict[tuple[int | None, Any], bool] = {}
    touched = [(owner_of(place), f".{place}.") for place in places]
    own: dict[int | None, list[str]] = {}
    arriving = []
    for move in moves:
        player = game.player_of(move)
        if player not in own:
            own[player] = [place for owner, place in touched if owner in (None, player)]
        told = game.describe(move)
        goal = told.get("to")
        if (player, goal) not in wanted:
            wanted[player, goal] = _arrives(goal, own[player]) or _is_full(goal, player, before)
        if wanted[player, goal] or _is_pile(before.get(f"p{player}.{goal}")):
            arriving.append(move)
    return arriving


def _are_last(game: Game, moves: Iterable[Any]) -> bool:
    """Whether all moves take one of the few groups of pieces that are left."""
    groups = set[tuple[Any, Any]]()
    for move in moves:
        told = game.describe(move)
        groups.add((told.get("from"), told.get("colour")))
        if len(groups) > LAST_GROUPS or None in (told.get("from"), told.get("colour")):
            return False
    return True


def _is_pile(content: Any) -> bool:
    return isinstance(content, Mapping) and "top" in content


def _is_full(goal: Any, player: int | None, table: Mapping[str, Any]) -> bool:
    name = f"p{player}.{goal}."
    first = table.get(f"{name}1")
    return first is not None and all(content is not None for place, content in table.items() if place.startswith(name))


def _arrives(goal: Any, touched: Iterable[str]) -> bool:
    return not goal or any(f".{goal}." in place for place in touched)


def _names_one(told: Mapping[str, Any], places: Iterable[str]) -> bool:
    names = [told.get("from"), told.get("to"), *(told.get("sources") or ())]
    words = [str(name) for name in names if name]
    if not words:
        return True
    return any(f".{word}." in f".{place}." for word in words for place in places)


class Options:
    """The legal moves of one position as explanations, each worked out once and only when it is wanted."""

    def __init__(self, game: Game, state: Any) -> None:
        self._game = game
        self._state = state
        self._built: set[Any] = set()
        self._by_change: dict[tuple[Key, Hashable], list[int]] = {}
        self.moves = game.legal_moves(state)
        self.legal: list[Explanation] = []

    def build(
        self, ground: Ground, before: Mapping[str, Any], places: Iterable[str], seen: Mapping[str, Any],
        covered: Collection[str],
    ) -> None:
        """Work out those that can have to do with some places."""
        if len(self._built) == len(self.moves):
            return
        since = None if ground.deviations else self._state
        towards = moves_towards(self._game, self._state, seen, covered)
        for move in relevant_moves(self._game, self.moves, places) if towards is None else towards:
            if move not in self._built:
                self._built.add(move)
                explanation = legal_explanation(ground, before, move, since=since)
                for change in explanation.changes:
                    self._by_change.setdefault(change, []).append(len(self.legal))
                self.legal.append(explanation)

    def showing(self, seen: Iterable[tuple[Key, Hashable]]) -> list[Explanation]:
        """Those that bring one of the things that were seen: no other has anything that speaks for it."""
        found = {number for each in seen for number in self._by_change.get(each, ())}
        return [self.legal[number] for number in sorted(found)]


class SlipBook:
    """The plausible slips of one agreed position, by the places they change; each explained when it is first wanted."""

    def __init__(
        self, ground: Ground, before: Mapping[str, Any], seen: Mapping[str, Any], covered: Collection[str] = ()
    ) -> None:
        self._ground = ground
        self._before = before
        game, state = ground.game, ground.state
        sifting = _sifting(game)
        towards = None if sifting is None else sifting.plausible_towards(state, seen, covered)
        self.is_sifted = towards is not None
        """Whether only slips were listed that have to do with what shows something new."""
        self._plausible = [
            each for each in (game.plausible_moves(state) if towards is None else towards) if each.slips
        ]
        self._explained: dict[int, Explanation] = {}
        self._by_place: dict[str, list[int]] = {}
        for number, each in enumerate(self._plausible):
            for place in each.places:
                self._by_place.setdefault(place, []).append(number)

    def at(self, places: Iterable[str]) -> list[Explanation]:
        """The slips that change one of the places."""
        return [self._explain(number) for number in sorted({n for p in places for n in self._by_place.get(p, ())})]

    def hiding(self, places: Collection[str], unseen: Collection[str]) -> list[Explanation]:
        """The slips that change all of the places, something unseen, and nothing else: only few are to be explained."""
        numbers = self._changing(places)
        if self._ground.deviations:
            return [self._explain(number) for number in sorted(numbers)]
        return [
            self._explain(number) for number in sorted(numbers)
            if any(place in unseen for place in self._plausible[number].places)
            and all(place in unseen or place in places for place in self._plausible[number].places)
        ]

    def at_all(self, places: Collection[str]) -> list[Explanation]:
        """The slips that change all of the places."""
        return [self._explain(number) for number in sorted(self._changing(places))]

    def _changing(self, places: Collection[str]) -> set[int]:
        return set.intersection(*(set(self._by_place.get(place, ())) for place in places))

    def _explain(self, number: int) -> Explanation:
        found = self._explained.get(number)
        if found is None:
            found = self._explained[number] = slip_explanation(self._ground, self._before, self._plausible[number])
        return found


def slip_explanation(ground: Ground, before: Mapping[str, Any], plausible: Plausible) -> Explanation:
    """The explanation that a slip was made."""
    table = table_with(ground.kinds, plausible.places, ground.deviations)
    worst = min(plausible.slips, key=lambda slip: slip.severity != "error")
    late = frozenset() if plausible.move is None else ground.game.late_places(ground.state, plausible.move)
    return Explanation(
        steps=(),
        state=ground.state,
        table=table,
        changes=tuple(changes_between(ground.kinds, before, table)),
        slips=plausible.slips,
        meant=plausible.move,
        late=late,
        prior=SLIP_PRIOR if worst.severity == "error" else WARNING_PRIOR,
    )


def turned_slip(ground: Ground, before: Mapping[str, Any], turned: Mapping[str, int]) -> Explanation | None:
    """The slip of a board that lies turned by so many degrees; None where the game knows of none."""
    for plausible in ground.game.plausible_moves(ground.state):
        for slip in plausible.slips:
            if any(slip.params.get("degrees") == degrees and any(place.split(".")[0] == piece for place in slip.places)
                   for piece, degrees in turned.items()):
                return slip_explanation(ground, before, plausible)
    return None


def mending_explanation(ground: Ground, before: Mapping[str, Any], slip_id: str, deviations: Deviations) -> Explanation:
    """The explanation that an open slip was put right."""
    rest = {place: pair for place, pair in ground.deviations.items() if place not in deviations}
    table = table_with(ground.kinds, ground.game.visible(ground.state), rest)
    changes: tuple[Change, ...] = tuple(changes_between(ground.kinds, before, table))
    return Explanation(
        steps=(), state=ground.state, table={place: table[place] for place in deviations if place in table},
        changes=changes, mends=(slip_id,), prior=LEGAL_PRIOR,
    )


def after_slip(ground: Ground, slip: Explanation) -> Ground:
    """The ground on which play goes on when nobody put a slip right: the move that was meant counts, and what lies
    wrong is remembered."""
    game = ground.game
    state = ground.state if slip.meant is None else game.play(ground.state, slip.meant)
    rightful = game.visible(state)
    actual = {**ground.table(), **slip.table}
    deviations = dict(ground.deviations)
    for place, content in rightful.items():
        if actual.get(place, content) != content:
            deviations[place] = (content, actual[place])
    return Ground(game, ground.kinds, state, deviations)
