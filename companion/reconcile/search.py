"""Several things in a row: looks for a chain of moves that explains what one move cannot."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, zip_longest
from typing import Any

from companion.reconcile.candidates import (
    LEGAL_PRIOR,
    STEP_PRIOR,
    Ground,
    SlipBook,
    after_slip,
    arriving_moves,
    legal_explanation,
    moves_towards,
)
from companion.reconcile.dealing import read_deals
from companion.reconcile.evidence import Evidence
from companion.reconcile.explanation import TIMELY, Explanation, Fit, Twin, timeliness, weigh, weigh_all
from companion.reconcile.parts import Change, Key, changes_between, owner_of
from engine.errors import EngineError
from engine.types import UNKNOWN
from vision.reading import Kind

BEAM = 32
"""How many beginnings are followed further …"""
BEAM_OF_SLIPS = 8
"""… and how many of them may begin with a slip: such a run is rare, and takes longest to work out."""
FIRM_PENALTY = 20.0
HUSHED_PRIOR = -1.5
"""What a step of which nothing shows takes from a run of moves, beside being one more."""
ENOUGH = 4.0
"""A chain that leaves less than this open needs no further step."""
TIRED_LEVELS = 2
"""So many steps that explain nothing more, and the search is given up; those that could not have been otherwise, such
as a refill or a pass, are only on the way."""
TOLD_MARGIN = 2.0
"""A refill that leads the next likeliest by less than this may as well have been that one."""
FLEETING_KINDS = (Kind.CELL, Kind.CHIP)
"""What lies there may be captured or turned over by what follows, and shows something else then."""
LOOSE_KINDS = (Kind.HEAP, Kind.PILE, Kind.COUNTER, *FLEETING_KINDS)
LOOSE_TRUST = 0.25
"""What a heap, a pile, a cell, a chip, a stone or any place that is nobody's own says of a beginning counts so much:
what follows may still take from it, add to it, move, turn or capture it."""
CLEAR = 12.0
"""What is clear is clear: more than this counts no more for a beginning, so that none comes first for being told by
many parts or looks rather than for being right."""
MOST_TIMELY = 20.0
"""Of two ways to a position, one that promises less by more than this is not the true one, whatever came first."""
CAPTURED = 0.5
"""A piece that lay where another lies now is likelier than one on a cell that nobody can see."""

SKIPPED, SKIPPED_LOOKS = 12.0, 4
"""What it takes from a beginning, for each place, that something was seen there so many looks before the last that it
tells of: what came first comes first in a run of moves."""

MOST_KNOWN = 4000
"""How many explanations are remembered from one search to the next."""

Known = dict[tuple[Any, ...], Explanation]
"""Explanations by the position they start from and the moves they consist of, of one agreed position."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A beginning: what has happened so far, and the ground the next step stands on."""

    ground: Ground
    steps: tuple[Any, ...] = ()
    slip: Explanation | None = None
    """A slip that nobody put right, made before the steps."""
    since: Any = None
    """The agreed position it began with, where nothing lies wrong."""
    stages: tuple[frozenset[Change], ...] = ()
    """What had changed after each of the steps."""
    untold: frozenset[str] = frozenset()
    """What the steps should have told, and could not."""
    seen: frozenset[Change] = frozenset()
    """What the table shows and the steps have brought about."""
    hushed: int = 0
    """How many of the steps show nothing at all, though another could have been made."""
    twin: Twin | None = None
    """The position it began with, where it is not the agreed one."""


@dataclass(frozen=True, slots=True)
class Grown:
    """A beginning with one more step."""

    chain: Chain
    fit: Fit
    promise: float
    """How much is to be expected of it."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Legal moves after which a slip may have been made."""

    explanation: Explanation
    not_shown: frozenset[str]
    """Where the table does not look as if nothing else had happened: the slip must account for all of that …"""
    guessed: frozenset[str]
    """… and must not have to do with heaps of a refill that nobody saw: another refill may make a move of it."""


class Order:
    """When what the table shows came to be seen."""

    def __init__(
        self, evidence: Evidence, surprises: Mapping[Key, tuple[Hashable, float]], now_ns: int
    ) -> None:
        stood = {key: evidence.stood(key, value, now_ns) for key, (value, _) in surprises.items()}
        self._since = {key: looks for key, (looks, _) in stood.items()}
        self._may_be_since = {Change(key, surprises[key][0]): most for key, (_, most) in stood.items()}

    def skipped_by(self, chain: Chain) -> int:
        """On how many places something came long before the last of what a beginning tells of, that it leaves open."""
        last = min((self._may_be_since[change] for change in chain.seen), default=math.inf) + SKIPPED_LOOKS
        told = {change.key for change in _changed(chain)}
        return len({key[0] for key, looks in self._since.items() if looks > last and key not in told})


def deal_explanations(
    ground: Ground, before: Mapping[str, Any], evidence: Evidence, steps: tuple[Any, ...] = ()
) -> list[tuple[Explanation, float]]:
    """The refills that the evidence shows, each with its margin, best first; none when no refill is awaited or it
    cannot be read."""
    request = ground.game.deal_request(ground.state)
    if request is None:
        return []
    found = []
    for reading in read_deals(evidence, request, ground.table):
        try:
            move = ground.game.deal(ground.state, reading.contents)
        except EngineError:
            continue
        explanation = legal_explanation(ground, before, move, steps)
        # What lies open and cannot be told was turned over after it had been taken: that will not be told any more.
        untold = frozenset(
            place for place, content in reading.contents.items() if content == UNKNOWN and not evidence.is_fresh(place)
        )
        late = explanation.late | frozenset(request.fixed)
        found.append((replace(explanation, late=late, untold=untold), reading.margin))
    return found


def chains(
    start: Ground,
    evidence: Evidence,
    surprises: Mapping[Key, tuple[Hashable, float]],
    now_ns: int,
    depth: int,
    slips: Iterable[Explanation] = (),
    known: Known | None = None,
    is_enough: Callable[[Explanation], bool] = lambda _: False,
    twins: Iterable[Twin] = (),
    least: int = 1,
    kept: Iterable[Explanation] = (),
    width: int = BEAM,
) -> list[Fit]:
    """The chains of at most `depth` steps that the evidence speaks for, best first. Chains of one legal step are
    left out: the caller has seen them. `known` remembers explanations from one search to the next. Once `is_enough`
    says so of one that nothing speaks against, no longer ones are looked for, but for those of `least` steps. They may
    start from `twins` of the agreed position, too, and those that were `kept` from earlier searches are gone on with,
    however long they have become. Of the beginnings, `width` are followed further."""
    known = {} if known is None else known
    before = start.table()
    beam = [Chain(start, since=None if start.deviations else start.state)]
    beam += [
        Chain(after_slip(start, slip), slip=slip, seen=frozenset(slip.changes))
        for slip in slips if slip.meant is not None
    ]
    beam += [
        Chain(
            Ground(start.game, start.kinds, twin.state, start.deviations),
            since=None if start.deviations else twin.state, twin=twin,
        )
        for twin in twins
    ]
    found: list[Fit] = []
    best, tired = -math.inf, 0
    order = Order(evidence, surprises, now_ns)
    earlier = [_as_chain(start, explanation, surprises) for explanation in kept]
    longest = max((len(chain.steps) for chain in earlier), default=0)
    for level in range(1, max(depth, longest + 1) + 1):
        beam += [chain for chain in earlier if len(chain.steps) == level - 1]
        grown: list[Grown] = []
        reached = best
        is_forced = bool(beam) and _is_forced(beam[0])
        for chain in beam:
            for fit in _next(chain, before, evidence, surprises, now_ns, known):
                reached = max(reached, fit.score - fit.unexplained)
                further = _extend(chain, fit.explanation, surprises)
                fit = _unless_hushed(fit, further)
                if _shows_more(chain, further):
                    grown.append(Grown(further, fit, _promise(fit, evidence) - SKIPPED * order.skipped_by(further)))
                if fit.support and (level > 1 if chain.slip is None else not further.seen <= chain.seen):
                    # A step that shows no more than the slip before it was not made.
                    found.append(fit)
        beam = _widest(grown, width, lambda fit: timeliness(fit.explanation, evidence, now_ns))
        tired = 0 if reached > best else tired + (not is_forced)
        best = reached
        enough = [
            fit.explanation for fit in found
            if fit.is_clean and (fit.unexplained < ENOUGH or is_enough(fit.explanation))
            # One in which something came too early may be a longer one in its right order.
            and timeliness(fit.explanation, evidence, now_ns) >= 0
        ]
        # A slip and some moves after it may as well have been one legal move more; so may a move that nobody could see.
        plain = [each for each in enough if (not each.slips and each.twin is None) or len(each.steps) < level]
        if (tired >= TIRED_LEVELS and level > longest) or (plain and level >= least):
            break
    found.sort(key=lambda fit: -fit.score)
    return found


def _as_chain(start: Ground, explanation: Explanation, surprises: Mapping[Key, tuple[Hashable, float]]) -> Chain:
    """A run of moves that was found before, to be gone on with."""
    stages = explanation.every_stage
    state = start.state if explanation.twin is None else explanation.twin.state
    return Chain(
        Ground(start.game, start.kinds, explanation.state, start.deviations),
        explanation.steps,
        since=None if start.deviations else state,
        stages=stages,
        untold=explanation.untold,
        seen=_shown_by(stages[-1], surprises),
        hushed=sum(one == other for one, other in pairwise(stages)),
        twin=explanation.twin,
    )


def _shown_by(changes: frozenset[Change], surprises: Mapping[Key, tuple[Hashable, float]]) -> frozenset[Change]:
    """Those of some changes that the table shows."""
    return frozenset(
        change for change in changes if change.key in surprises and surprises[change.key][0] == change.value
    )


def slips_after(
    start: Ground,
    begun: Iterable[Begun],
    evidence: Evidence,
    surprises: Mapping[Key, tuple[Hashable, float]],
    now_ns: int,
) -> list[Fit]:
    """A slip made after legal moves that have not been agreed on yet, weighed together with them, best first. The steps
    are those of the legal moves; the slip is left to be raised when they have been agreed on."""
    before = start.table()
    fits = []
    for each in begun:
        beginning = each.explanation
        ground = Ground(start.game, start.kinds, beginning.state, start.deviations)
        between = ground.table()
        # What the move brought and is gone again shows nothing new beside the agreed position.
        seen = {**beginning.table, **evidence.noticed()}
        for slip in SlipBook(ground, between, seen, evidence.covered()).at_all(each.not_shown):
            if not each.guessed.isdisjoint(change.key[0] for change in slip.changes):
                continue
            table = {**beginning.table, **slip.table}
            fits.append(weigh(replace(
                beginning,
                table=table,
                changes=tuple(changes_between(start.kinds, before, table)),
                slips=slip.slips,
                meant=slip.meant,
                stages=beginning.every_stage,
                prior=beginning.prior + slip.prior,
            ), evidence, surprises, now_ns))
    return sorted((fit for fit in fits if fit.support), key=lambda fit: -fit.score)


def promising(fits: Iterable[Fit], evidence: Evidence, number: int) -> list[Explanation]:
    """The legal explanations from which most can be expected, whatever followed them."""
    legal = [fit for fit in fits if fit.explanation.steps and not fit.explanation.slips]
    return [fit.explanation for fit in sorted(legal, key=lambda fit: -_promise(fit, evidence))[:number]]


def with_beginnings(start: Ground, runs: Iterable[Explanation]) -> list[Explanation]:
    """Runs of moves, and what each of them begins with: its last moves may only make up for a slip."""
    before = start.table()
    found: dict[Any, Explanation] = {}
    for run in runs:
        ground = start if run.twin is None else replace(start, state=run.twin.state)
        for number, move in enumerate(run.steps[:-1]):
            begun = legal_explanation(ground, before, move, run.steps[:number])
            ground = replace(ground, state=begun.state)
            prior = begun.prior + (0.0 if run.twin is None else run.twin.prior)
            begun = replace(begun, stages=run.stages[:number], untold=run.untold, twin=run.twin, prior=prior)
            found.setdefault(begun.steps, begun)
        found.setdefault(run.steps, run)
    return list(found.values())


def _widest(grown: list[Grown], width: int, timely: Callable[[Fit], float]) -> list[Chain]:
    """The most promising beginnings, one for each position they lead to; half of them whatever they begin with, the
    others in turn from each first step: the true one may show little until all of the run is there."""
    best: dict[Any, Grown] = {}
    slips = 0
    for each in sorted(grown, key=lambda item: -item.promise):
        chain = each.chain
        way = (chain.ground.state, chain.slip is None)
        if way in best:
            if _came_rather(each, best[way], timely):
                best[way] = each
            continue
        if chain.slip is not None and slips == BEAM_OF_SLIPS:
            continue
        best[way] = each
        slips += chain.slip is not None
    ranked = [each.chain for each in best.values()]
    if len(ranked) <= width:
        return ranked
    beam, others = ranked[: width // 2], dict[Any, list[Chain]]()
    for chain in ranked[width // 2 :]:
        others.setdefault((chain.slip is None, chain.twin, chain.steps[0]), []).append(chain)
    in_turn = (chain for turn in zip_longest(*others.values()) for chain in turn if chain is not None)
    beam += islice(in_turn, width - len(beam))
    return beam + _with_other_tops(beam, ranked)[:width]


def _with_other_tops(beam: Sequence[Chain], ranked: Iterable[Chain]) -> list[Chain]:
    """The beginnings that differ from one that is followed only in what their last step left on top of a pile, or how
    far it moved a stone: nothing tells those apart before whatever was taken from there, or moved it on, is told."""
    followed = {chain.steps for chain in beam}
    looks = {_but_for_tops(chain) for chain in beam}
    return [chain for chain in ranked if chain.steps not in followed and _but_for_tops(chain) in looks]


def _but_for_tops(chain: Chain) -> tuple[Any, ...]:
    """The steps of a beginning but for the last, and what that one changed but for stones and the piles of all."""
    return chain.twin, chain.steps[:-1], frozenset(
        change for change in _changed(chain) if not _is_passing(change.key[0], chain.ground.kinds[change.key[0]])
    )


def _is_passing(place: str, kind: Kind) -> bool:
    """Whether what one step leaves on a place is mostly changed by the next that has to do with it."""
    return kind is Kind.COUNTER or (kind is Kind.PILE and owner_of(place) is None)


def _came_rather(one: Grown, other: Grown, timely: Callable[[Fit], float]) -> bool:
    """Whether of two ways to the same position the less promising one was rather seen to come in its order."""
    if other.promise - one.promise > MOST_TIMELY:
        return False
    # Where nothing speaks against one, the order is part of what it promises.
    worth, others = (each.promise + (TIMELY * timely(each.fit) if each.fit.against else 0.0) for each in (one, other))
    return worth > others


def _is_loose(place: str, kinds: Mapping[str, Kind]) -> bool:
    """Whether what lies on a place may be taken away, covered or captured by what follows."""
    return kinds.get(place) in LOOSE_KINDS or owner_of(place) is None


def _promise(fit: Fit, evidence: Evidence) -> float:
    """How much a beginning promises. Heaps, piles, cells and chips may still change by what follows; any other piece
    that was laid stays, and so does one on a cell to which nothing has come."""
    changed, kinds = evidence.changed(), evidence.kinds
    stays = [place for place in fit.against if not _is_loose(place, kinds) or _is_bare(place, kinds, changed)]
    parts: dict[str, list[float]] = {}
    for change in fit.explanation.changes:
        parts.setdefault(change.key[0], []).append(evidence.weighed(*change)[0])
    for place in fit.explanation.late.intersection(parts):
        if sum(parts[place]) < 0:
            # What may come late and has not come is no objection, and promises nothing either.
            del parts[place]
    said = 0.0
    for place, scores in parts.items():
        if kinds[place] is Kind.COUNTER:
            # Where a stone stands in the end says nothing of how far a first step moved it.
            continue
        # A place of many parts says no more of a beginning than one of a single part.
        clear = min(sum(scores) / len(scores), CLEAR)
        if not _is_loose(place, kinds):
            said += clear
        elif kinds[place] in FLEETING_KINDS and place in changed and min(scores) < 0:
            # Whatever lay there was captured or turned over: nothing tells any more which it was.
            said += CAPTURED
        else:
            said += LOOSE_TRUST * clear
    return fit.score - sum(map(sum, parts.values())) + said - FIRM_PENALTY * len(stays)


def _is_bare(place: str, kinds: Mapping[str, Kind], changed: Collection[str]) -> bool:
    """Whether nothing new shows where a piece that came would have left something."""
    return kinds[place] in FLEETING_KINDS and place not in changed


def _shows_more(chain: Chain, further: Chain) -> bool:
    """Whether a step brought about something that the table shows. One that lays nothing down where it stays need not,
    nor need a refill: what it brought may have been taken before it was seen."""
    if not further.seen <= chain.seen:
        return True
    ground = chain.ground
    laid = [change for change in further.stages[-1] - _changed(chain) if not _is_loose(change.key[0], ground.kinds)]
    return not laid or ground.game.deal_request(ground.state) is not None


def _changed(chain: Chain) -> frozenset[Change]:
    return chain.stages[-1] if chain.stages else frozenset()


def _is_hushed(chain: Chain, changes: frozenset[Change]) -> bool:
    """Whether a step shows nothing, and was not the only one there was."""
    return changes == _changed(chain) and not _is_forced(chain)


def _is_forced(chain: Chain) -> bool:
    """Whether there is only one thing that can come next."""
    game, state = chain.ground.game, chain.ground.state
    return game.deal_request(state) is not None or len(game.legal_moves(state)) <= 1


def _unless_hushed(fit: Fit, chain: Chain) -> Fit:
    """A run of moves is less likely for every step that nothing speaks for."""
    if not chain.hushed:
        return fit
    prior = fit.explanation.prior + HUSHED_PRIOR * chain.hushed
    return replace(fit, explanation=replace(fit.explanation, prior=prior))


def _extend(chain: Chain, explanation: Explanation, surprises: Mapping[Key, tuple[Hashable, float]]) -> Chain:
    changes = frozenset(explanation.changes)
    seen = _shown_by(changes, surprises)
    ground = Ground(chain.ground.game, chain.ground.kinds, explanation.state, chain.ground.deviations)
    hushed = chain.hushed + _is_hushed(chain, changes)
    return Chain(
        ground, explanation.steps, chain.slip, chain.since, (*chain.stages, changes), explanation.untold, seen, hushed,
        chain.twin,
    )


def _next(
    chain: Chain,
    before: Mapping[str, Any],
    evidence: Evidence,
    surprises: Mapping[Key, tuple[Hashable, float]],
    now_ns: int,
    known: Known,
) -> list[Fit]:
    """Every next step of a chain, weighed against the table the chain started from."""
    ground = chain.ground
    done = {change.key for change in chain.seen}
    # Of a piece, all must be told: another of the same face may have come to lie there, as on a pile more of a colour,
    # be it one that looks in all else like what lay there before.
    told = {key[0] for key in done if evidence.kinds[key[0]] is not Kind.PILE}.difference(
        [key[0] for key in surprises if key not in done], [key[0] for key, _ in _changed(chain) - chain.seen]
    )
    # What was clear a moment ago may only be out of favour for one look.
    seen, covered = evidence.changed().difference(told), evidence.covered()
    touched = {change.key[0] for change in _changed(chain)}
    moves = moves_towards(
        ground.game, ground.state, {**dict.fromkeys(touched, UNKNOWN), **evidence.noticed()}, covered
    )
    if moves is None:
        moves = ground.game.legal_moves(ground.state)
    moves = arriving_moves(ground.game, moves, seen.union(covered), before)
    options = [_explained(chain, before, move, known) for move in moves]
    deals = deal_explanations(ground, before, evidence, chain.steps)
    options += [deal for deal, margin in deals if margin >= TOLD_MARGIN]
    return weigh_all([_after(chain, option, before) for option in options], evidence, surprises, now_ns)


def _after(chain: Chain, option: Explanation, before: Mapping[str, Any]) -> Explanation:
    """A next step of a chain, with what the steps before it left behind."""
    if chain.slip is not None:
        option = _with_slip(option, chain.slip, chain.ground, before)
    elif chain.stages:
        option = replace(option, stages=chain.stages, untold=option.untold | chain.untold)
    if chain.twin is not None:
        option = replace(option, twin=chain.twin, prior=option.prior + chain.twin.prior)
    return option


def _explained(chain: Chain, before: Mapping[str, Any], move: Any, known: Known) -> Explanation:
    """A next step of a chain as an explanation, worked out once."""
    if chain.slip is not None:
        return legal_explanation(chain.ground, before, move, chain.steps)
    way = (chain.twin, *chain.steps, move)
    found = known.get(way)
    if found is None:
        found = legal_explanation(chain.ground, before, move, chain.steps, chain.since)
        if len(known) < MOST_KNOWN:
            known[way] = found
    return found


def _with_slip(option: Explanation, slip: Explanation, ground: Ground, before: Mapping[str, Any]) -> Explanation:
    """A step after a slip that lies open: the deviations are part of what it must explain."""
    table = {**{place: actual for place, (_, actual) in ground.deviations.items()}, **option.table}
    return replace(
        option,
        slips=slip.slips,
        meant=slip.meant,
        table=table,
        changes=tuple(changes_between(ground.kinds, before, {**slip.table, **option.table})),
        prior=slip.prior + LEGAL_PRIOR + STEP_PRIOR * len(option.steps),
    )
