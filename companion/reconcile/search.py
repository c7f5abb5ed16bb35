"""Several things in a row: looks for a chain of moves that explains what one move cannot."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from companion.reconcile.beam import Chain, Grown, Order, changed_by, is_loose, promise, widest
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
from companion.reconcile.explanation import Explanation, Fit, Twin, timeliness, weigh, weigh_all
from companion.reconcile.parts import Change, Key, changes_between
from companion.reconcile.under_way import Look, Weighing
from engine.errors import EngineError
from engine.types import UNKNOWN
from vision.reading import Kind

BEAM, WIDE_BEAM = 32, 128
"""How many beginnings are followed further; and how many where the fewer did not do, or much was made unseen."""
HUSHED_PRIOR = -1.5
"""What a step of which nothing shows takes from a run of moves, beside being one more."""
ENOUGH = 4.0
"""A chain that leaves less than this open needs no further step."""
TIRED_LEVELS = 2
"""So many steps that explain nothing more, and the search is given up; those that could not have been otherwise, such
as a refill or a pass, are only on the way."""
TOLD_MARGIN = 2.0
"""A refill that leads the next likeliest by less than this may as well have been that one."""
BOOK = 20
"""To list the slips that may have followed a run takes as long as to weigh so many."""
MOST_KNOWN = 12_000
"""How many explanations are remembered from one search to the next."""

MOST_DENIED = 100
"""Runs of one length that something speaks against are kept up to so many."""

Known = dict[tuple[Any, ...], Explanation]
"""Explanations by the position they start from and the moves they consist of, of one agreed position."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Legal moves after which a slip may have been made."""

    explanation: Explanation
    not_shown: frozenset[str]
    """Where the table does not look as if nothing else had happened: the slip must account for all of that …"""
    guessed: frozenset[str]
    """… and must not have to do with heaps of a refill that nobody saw: another refill may make a move of it."""


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
    look: Look,
    depth: int,
    slips: Iterable[Explanation] = (),
    known: Known | None = None,
    is_enough: Callable[[Explanation, Look], bool] = lambda *_: False,
    twins: Iterable[Twin] = (),
    least: int = 1,
    kept: Iterable[Explanation] = (),
    width: int = BEAM,
) -> Weighing:
    """Find the chains of at most `depth` steps that the evidence speaks for, best first, giving from time to time how
    many more have been weighed. Chains of one legal step are left out: the caller has seen them. `known` remembers
    explanations from one search to the next. Once `is_enough` says so of one that nothing speaks against, no longer
    ones are looked for, but for those of `least` steps. They may start from `twins` of the agreed position, too, and
    those that were `kept` from earlier searches are gone on with, however long they have become. Of the beginnings,
    `width` are followed further. Where other looks come meanwhile, all of one length is weighed in the last of them."""
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
    best, tired, first_look = -math.inf, 0, look
    earlier = [_as_chain(start, explanation, look.surprises) for explanation in kept]
    longest = max((len(chain.steps) for chain in earlier), default=0)
    for level in range(1, max(depth, longest + 1) + 1):
        beam += [chain for chain in earlier if len(chain.steps) == level - 1]
        is_forced, begun_in = bool(beam) and _is_forced(beam[0]), look
        stepped: list[tuple[Chain, Fit]] = []
        for chain in beam:
            steps = _next(chain, before, evidence, look, known)
            stepped += [(chain, fit) for fit in steps]
            look = (yield len(steps)) or look
        if look is not begun_in:
            # What was weighed in one look is not to be held against what was weighed in the next.
            stepped = _stepped_anew(stepped, evidence, look)
        grown, level_found, reached, order = list[Grown](), list[Fit](), best, Order(evidence, look)
        for chain, fit in stepped:
            reached = max(reached, fit.score - fit.unexplained)
            further = _extend(chain, fit.explanation, look.surprises)
            fit = _unless_hushed(fit, further)
            if _shows_more(chain, further):
                grown.append(Grown(further, fit, order.promise(fit, further)))
            if fit.support and (level > 1 if chain.slip is None else not further.seen <= chain.seen):
                # A step that shows no more than the slip before it was not made.
                level_found.append(fit)
        found += _worth_keeping(level_found)
        beam = widest(grown, width, evidence, look)
        tired = 0 if reached > best else tired + (not is_forced)
        best = reached
        if tired >= TIRED_LEVELS and level > longest:
            break
        if level >= least and _is_told(found, level, is_enough, evidence, look):
            break
    if look is not first_look:
        found = _weighed_anew(found, evidence, look)
    found.sort(key=lambda fit: -fit.score)
    return found


def _is_told(
    found: Iterable[Fit], level: int, is_enough: Callable[[Explanation, Look], bool], evidence: Evidence, look: Look
) -> bool:
    """Whether what was found among runs of up to some length explains so much that none is longer. A slip and some
    moves after it may as well have been one legal move more; so may a move that nobody could see."""
    plain, others = list[float](), list[float]()
    for fit in found:
        each = fit.explanation
        explains_all = fit.is_clean and (fit.unexplained < ENOUGH or is_enough(each, look))
        # One in which something came too early may be a longer one in its right order.
        if explains_all and timeliness(each, evidence, look.now_ns) >= 0:
            is_plain = (not each.slips and each.twin is None) or len(each.steps) < level
            (plain if is_plain else others).append(fit.score)
    return bool(plain) and max(plain) >= max(others, default=-math.inf)


def _worth_keeping(fits: Iterable[Fit]) -> list[Fit]:
    """What nothing speaks against, and the best of the rest: a slip may have followed those. All that a search weighs
    would take the memory of a small computer."""
    ranked = sorted(fits, key=lambda fit: -fit.score)
    return [fit for number, fit in enumerate(ranked) if fit.is_clean or number < MOST_DENIED]


def _weighed_anew(fits: Iterable[Fit], evidence: Evidence, look: Look) -> list[Fit]:
    return weigh_all([fit.explanation for fit in fits], evidence, look.surprises, look.now_ns)


def _stepped_anew(stepped: Sequence[tuple[Chain, Fit]], evidence: Evidence, look: Look) -> list[tuple[Chain, Fit]]:
    """The same beginnings, each with its next step, by what a later look shows."""
    chains_by_id = {id(chain): chain for chain, _ in stepped}
    shown = {
        number: replace(chain, seen=_shown_by(chain.stages[-1], look.surprises)) if chain.stages else chain
        for number, chain in chains_by_id.items()
    }
    fits = _weighed_anew([fit for _, fit in stepped], evidence, look)
    return [(shown[id(chain)], fit) for (chain, _), fit in zip(stepped, fits, strict=True)]


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
        hushed=sum(one == other for one, other in pairwise((frozenset[Change](), *stages))),
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
    look: Look,
) -> Weighing:
    """Find a slip made after legal moves that have not been agreed on yet, weighed together with them, best first. The
    steps are those of the legal moves; the slip is left to be raised when they have been agreed on."""
    before = start.table()
    fits = []
    for each in begun:
        beginning = each.explanation
        ground = Ground(start.game, start.kinds, beginning.state, start.deviations)
        between = ground.table()
        # What the move brought and is gone again shows nothing new beside the agreed position.
        seen = {**beginning.table, **evidence.noticed()}
        slips = SlipBook(ground, between, seen, evidence.covered()).at_all(each.not_shown)
        for slip in slips:
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
            ), evidence, look.surprises, look.now_ns))
        later = yield BOOK + len(slips)
        look = later or look
    fits = _weighed_anew(fits, evidence, look)
    return sorted((fit for fit in fits if fit.support), key=lambda fit: -fit.score)


def promising(fits: Iterable[Fit], evidence: Evidence, number: int) -> list[Explanation]:
    """The legal explanations from which most can be expected, whatever followed them."""
    legal = [fit for fit in fits if fit.explanation.steps and not fit.explanation.slips]
    return [fit.explanation for fit in sorted(legal, key=lambda fit: -promise(fit, evidence))[:number]]


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


def _shows_more(chain: Chain, further: Chain) -> bool:
    """Whether a step brought about something that the table shows. One that lays nothing down where it stays need not,
    nor need a refill: what it brought may have been taken before it was seen."""
    if not further.seen <= chain.seen:
        return True
    ground = chain.ground
    laid = [change for change in further.stages[-1] - changed_by(chain) if not is_loose(change.key[0], ground.kinds)]
    return not laid or ground.game.deal_request(ground.state) is not None


def _is_hushed(chain: Chain, changes: frozenset[Change]) -> bool:
    """Whether a step shows nothing, and was not the only one there was."""
    return changes == changed_by(chain) and not _is_forced(chain)


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
    look: Look,
    known: Known,
) -> list[Fit]:
    """Every next step of a chain, weighed against the table the chain started from."""
    ground = chain.ground
    done = {change.key for change in chain.seen}
    # Of a piece, all must be told: another of the same face may have come to lie there, as on a pile more of a colour,
    # be it one that looks in all else like what lay there before.
    told = {key[0] for key in done if evidence.kinds[key[0]] is not Kind.PILE}.difference(
        [key[0] for key in look.surprises if key not in done], [key[0] for key, _ in changed_by(chain) - chain.seen]
    )
    # What was clear a moment ago may only be out of favour for one look.
    seen, covered = evidence.changed().difference(told), evidence.covered()
    touched = {change.key[0] for change in changed_by(chain)}
    moves = moves_towards(
        ground.game, ground.state, {**dict.fromkeys(touched, UNKNOWN), **evidence.noticed()}, covered
    )
    if moves is None:
        moves = ground.game.legal_moves(ground.state)
    moves = arriving_moves(ground.game, moves, seen.union(covered), before)
    options = [_explained(chain, before, move, known) for move in moves]
    deals = deal_explanations(ground, before, evidence, chain.steps)
    options += [deal for deal, margin in deals if margin >= TOLD_MARGIN]
    return weigh_all([_after(chain, option, before) for option in options], evidence, look.surprises, look.now_ns)


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
