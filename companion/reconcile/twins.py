"""Positions that look alike: what a pile hides decides which is the true one, and only what comes later tells."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from companion.reconcile.belief import Event, TakenBack
from companion.reconcile.candidates import STEP_PRIOR, Ground, Options, silent_moves, uncovering_moves
from companion.reconcile.explanation import SUPPORT, Explanation, Fit, TurnedUp, Twin, weigh_all
from companion.reconcile.judging import Surprises, contradict, shared
from companion.reconcile.parts import UNKNOWN, Change, Key, owner_of, table_from_parts
from companion.reconcile.rivals import Rivals
from companion.reconcile.search import BEAM, HUSHED_PRIOR, WIDE_BEAM, chains, deal_explanations
from companion.reconcile.under_way import Look, found_by
from companion.reconcile.unique_pieces import has_unique_pieces
from engine.errors import EngineError
from vision.reading import Kind, split

MOST_TWINS = 32
MOST_ALIKE = 6
"""How many of the runs that show the same as the best are gone on with from every twin, too."""
MOST_APART = 40
"""Positions that still look alike after so many steps differ in nothing that matters any more, but where no two pieces
are alike: one that was captured before it was read may be told by one that is laid at the end of the game."""
PAUSE = 6
"""What comes so many looks after the rest may be a move of its own."""
MISSED = 1
"""How many steps more than show may have been made while the table could not be seen."""
LONG_RUN = 5
"""Where so many steps may have been made unseen, more beginnings are followed than usual before they are agreed on."""
MOST_SEVERAL = 4
"""How many steps may show no more than one does."""
PAUSED_MOVES = 2
"""When nothing has shown for as long as so many moves take, a second one after one that cannot be seen is as likely as
any other."""
MISREAD_PRIOR = -4.0
"""How likely it is that a piece that was turned up is another than was read, as a natural logarithm …"""
MISREAD_PARTS = 1
"""… in so many of its parts: a print or a shadow may make one look otherwise for as long as it lies there."""
NEARLY = 2.0
"""Runs whose scores differ by less than this are told apart by their pace."""
TWIN_MARGIN = 8.0
"""A position that is less likely than the agreed one by more than this is not kept in mind."""


class Twins(Rivals):
    """The part that keeps in mind what else the agreed position may be."""

    def _lookalikes(self) -> tuple[Twin, ...]:
        """The twins of the agreed position, and what it becomes by a move that cannot be seen, or by two of them when
        there was time for two; worked out only when the agreed position alone does not explain what is seen."""
        misread = self._misread()
        if self._silent is None:
            own = [Twin(self.state, self._since, 0.0), *self._twins]
            self._silent = _likeliest(after for twin in own for after in self._after_silent(twin))
        if self._silent_pairs is None and self._silent and self._has_paused():
            self._silent_pairs = _likeliest(
                after for twin in self._silent for after in self._after_silent(twin, hushed=0.0)
            )
        known = {self.state, *(twin.state for twin in self._twins)}
        silent = (*self._silent, *(self._silent_pairs or ()))
        return (*self._twins, *misread, *(twin for twin in silent if twin.state not in known))

    def _misread(self) -> tuple[Twin, ...]:
        """Where a piece that was turned up is gone, and one came to lie elsewhere that it may have been, but for how it
        was read: the positions in which it was that one."""
        surprises = {key: value for key, (value, _) in self.evidence.surprises(self.patience.loud).items()}
        for each in reversed(self._turned_up):
            request = self.game.deal_request(each.state)
            places = () if request is None else request.choices.keys() & {key[0] for key in surprises}
            is_open = self._since[-len(each.steps):] == each.steps
            if not places or (self._twins and not is_open):
                # Of what was agreed on before the twins parted, nothing is open any more.
                continue
            before = self._since[: -len(each.steps)] if is_open else ()
            found = tuple(
                Twin(state, (*before, deal, *each.steps[1:]), MISREAD_PRIOR)
                for place in places for deal, state in self._if_it_was_another(each, place, surprises)
            )
            if found and not is_open:
                self._parted, self._since, self._silent, self._silent_pairs = each.state, each.steps, None, None
                # Those that start from a twin count their steps from where the positions parted before.
                self._chains = [chain for chain in self._chains if chain.twin is None]
            if found:
                return found
        return ()

    def _if_it_was_another(
        self, turned_up: TurnedUp, place: str, surprises: Mapping[Key, Hashable]
    ) -> Iterator[tuple[Any, Any]]:
        """The deals that turned up one of the pieces on this place that came to lie elsewhere, and where the same moves
        led from there."""
        game, kind, state = self.game, self._kinds[place], turned_up.state
        request = game.deal_request(state)
        assert request is not None
        table = game.visible(game.play(state, turned_up.steps[0]))
        was = {each: table[each] for each in request.choices}
        shown = table_from_parts(self._kinds, self._table or {}, surprises)
        read = dict(split(kind, was[place]))
        come = [
            dict(split(kind, content)) for other, content in shown.items()
            if other not in was and self._kinds[other] is kind and content is not None and content != UNKNOWN
        ]
        # Where its like lay before, and does not now or cannot be seen, it may have come from there.
        hidden = self.evidence.hidden()
        others = [
            dict(split(kind, content)) for other, content in (self._table or {}).items()
            if other != place and self._kinds.get(other) is kind and owner_of(other) is None
            and content not in (None, UNKNOWN) and (other in hidden or shown.get(other, content) != content)
        ]
        for option in request.choices[place]:
            parts = dict(split(kind, option))
            is_misread = sum(read.get(part) != value for part, value in parts.items()) == MISREAD_PARTS
            if not is_misread or parts not in come or parts in others:
                continue
            with suppress(EngineError):
                deal = game.deal(state, {**was, place: option})
                after = game.play(state, deal)
                for step in turned_up.steps[1:]:
                    after = game.apply(after, step).state
                yield deal, after

    def _after_silent(self, twin: Twin, hushed: float = HUSHED_PRIOR) -> Iterable[Twin]:
        moves = silent_moves(self._ground_at(twin.state), self._table or {})
        prior = twin.prior + STEP_PRIOR + (hushed if len(moves) > 1 or not self._is_forced(twin) else 0.0)
        return (Twin(self.game.play(twin.state, move), (*twin.steps, move), prior) for move in moves)

    def _has_paused(self) -> bool:
        """Whether nothing has shown for as long as it takes to make two moves and more at this table."""
        usual_s = self._usual_s()
        return usual_s is not None and ((self._last_ns or 0) - self._laid_ns) / 1e9 > PAUSED_MOVES * usual_s

    def _is_forced(self, twin: Twin) -> bool:
        return len(self.game.legal_moves(twin.state)) == 1

    def _ground_at(self, state: Any) -> Ground:
        """The ground that another position stands on: what lies wrong lies wrong for it, too."""
        return Ground(self.game, self._kinds, state, self.ground.deviations)

    def _twin_fits(self, twins: Sequence[Twin], surprises: Surprises, now: int) -> list[Fit]:
        """What may have happened next if the true position is one of the twins."""
        places = {key[0] for key in surprises}
        before, fits = self._table or {}, list[Fit]()
        seen = self.evidence.spoken_for(SUPPORT)
        for twin in twins:
            ground = self._ground_at(twin.state)
            options = self._twin_options.get(twin)
            if options is None:
                options = self._twin_options[twin] = Options(self.game, twin.state)
            options.build(ground, before, places, self.evidence.noticed(), self.evidence.covered())
            found = options.showing(seen)
            found += [
                deal for deal, margin in deal_explanations(ground, before, self.evidence)[:1]
                if margin >= self.patience.margin
            ]
            fits += weigh_all((starting_from(twin, option) for option in found), self.evidence, surprises, now)
        return [fit for fit in fits if fit.support]

    def _parting(self, best: Fit, fits: Sequence[Fit], surprises: Surprises, now: int) -> tuple[Twin, ...]:
        """The positions that look like the one that is agreed on now, and are nearly as likely."""
        if best.explanation.mends and not best.explanation.steps:
            return self._twins
        if best.explanation.slips:
            return ()
        weighed = {fit.explanation.twin for fit in fits}
        # Nobody who looks the same after a move of which nothing shows is forgotten.
        unasked = [twin for twin in self._lookalikes() if twin not in weighed]
        changes = set(best.explanation.changes)
        near = [
            fit for fit in (*fits, *self._twin_fits(unasked, surprises, now))
            if self._may_be_instead(fit.explanation, best.explanation) and set(fit.explanation.changes) == changes
            and fit.score >= best.score - TWIN_MARGIN
        ]
        own = [fit for fit in near if fit.explanation.twin is None][:MOST_ALIKE]
        path = (*self._path(best.explanation), *best.explanation.steps)
        found = (
            *(self._becoming(fit.explanation, fit.score - best.score) for fit in near),
            *(twin for fit in (best, *own) for twin in self._going_along(fit.explanation, fit.score - best.score)),
            *self._as_two(best.explanation),
        )
        return _likeliest(
            twin for twin in found
            if len(path) - len(shared((path, twin.steps))) < MOST_APART or has_unique_pieces(type(self.game))
        )

    def _becoming(self, run: Explanation, more: float) -> Twin:
        """What an explanation leads to, which is so much likelier than the best one; below zero, less likely."""
        return Twin(run.state, (*self._path(run), *run.steps), min(0.0, more))

    def _may_be_instead(self, other: Explanation, best: Explanation) -> bool:
        """Whether an explanation leads to another position than the best, and leaves nothing open."""
        return bool(other.steps) and other.state != best.state and not (other.slips or other.mends or other.untold)

    def _as_two(self, single: Explanation) -> Iterator[Twin]:
        """The pairs of moves that show the same as a single one that left another piece, or its like, on top of a pile:
        the next may have been taken from it at once, and laid where nothing shows of it."""
        if len(single.steps) != 1 or single.twin is not None:
            return
        changes, shown = set(single.changes), self.game.visible(single.state)
        for option in self._legal:
            others = changes.symmetric_difference(option.changes)
            if others and all(self._kinds[change.key[0]] is Kind.PILE for change in others):
                for move in uncovering_moves(self._ground_at(option.state), shown):
                    steps = (*self._since, *option.steps, move)
                    yield Twin(self.game.play(option.state, move), steps, STEP_PRIOR + HUSHED_PRIOR)

    def _going_along(self, run: Explanation, more: float) -> Iterator[Twin]:
        """What becomes of the twins where the same moves can be made from them, and show the same: a search keeps only
        the likeliest of long runs. The run is so much likelier than the best one."""
        shown = self.game.visible(run.state)
        likely = more - (0.0 if run.twin is None else run.twin.prior)
        for twin in self._twins:
            if twin == run.twin:
                continue
            with suppress(EngineError):
                state = twin.state
                for step in run.steps:
                    state = self.game.apply(state, step).state
                if self.game.visible(state) == shown:
                    yield Twin(state, (*twin.steps, *run.steps), min(0.0, twin.prior + likely))

    def _awaits_twin(self, best: Fit, surprises: Surprises, now: int) -> bool:
        """Whether a twin of the agreed position goes on otherwise, which shows as soon as a place is uncovered that is
        hidden for a moment, or seems to show already where nobody has looked for long."""
        if not self._dense or not self._twins:
            return False
        if best.explanation.twin is not None:
            return self._takes_back(best.explanation.twin) and self._was_just_covered(best, now)
        hidden, least, lain = set(self.evidence.hidden()), best.score - TWIN_MARGIN, self._lain(best, now)
        return any(
            fit.is_clean and fit.score > least and not (hidden.isdisjoint(fit.unseen) and fit.support <= best.support)
            and contradict(fit.explanation, best.explanation) and not self._is_ruled_out(fit, lain)
            for fit in self._twin_fits(self._twins, surprises, now)
        )

    def _takes_back(self, twin: Twin) -> bool:
        """Whether moves that were agreed on would have to be taken back for a twin."""
        return len(shared((self._since, twin.steps))) < len(self._since)

    def _was_just_covered(self, fit: Fit, now: int) -> bool:
        """Whether somewhere in the middle a hand may have taken something a moment ago, which shows in the next look:
        then one move more may explain what seems to tell of others than those that were agreed on."""
        return self._lain(fit, now) < self.patience.hidden_looks and any(
            owner_of(place) is None and not self.evidence.is_blind(place)
            and self.evidence.seen_between(place, self._busy_ns + 1, now + 1) < self.patience.slip_looks
            for place in self._kinds
        )

    def _several(self, best: Fit, surprises: Surprises, now: int) -> list[Fit]:
        """The runs of moves that may explain more than a shorter one, where the table could not be seen, some came long
        after the rest, or a place showed something else in between: whoever takes from several piles takes from all at
        once. They are looked for in one look, before the table goes on, and anew when it has."""
        most = self._most_several(best.explanation, now) if self._dense else 0
        if not most:
            return []
        picture = most, best.explanation.steps, frozenset(key[0] for key, _ in self._ripe_picture(surprises, now))
        if self._longer is None or self._longer[0] != picture:
            found = found_by(chains(
                self.ground, self.evidence, Look(surprises, now), most, (), self._known, least=most,
                width=BEAM if most < LONG_RUN else WIDE_BEAM,
            ))
            self._longer = picture, [fit.explanation for fit in found if fit.is_clean]
        # Those that were found in earlier looks may not have stayed so.
        return [fit for fit in weigh_all(self._longer[1], self.evidence, surprises, now) if fit.is_clean]

    def _awaits_several(self, best: Fit, runs: Iterable[Fit], now: int) -> bool:
        """Whether one of them says more than the best, which shows once a place has been seen twice that is hidden for
        a moment, or was until just now, or has come to show that in the very last look."""
        changes, steps = set(best.explanation.changes), best.explanation.steps
        looks, lain = self.patience.slip_looks, self._lain(best, now)
        return self._newest(best, now) < self.patience.hidden_looks and any(
            changes < set(fit.explanation.changes) and fit.explanation.steps[: len(steps)] != steps
            and self._possible_score(fit) >= best.score - self.patience.margin and not self._is_ruled_out(fit, lain)
            and any(
                self.evidence.in_sight(change.key[0]) < looks or 0 < self.evidence.age(*change, now)[0] < looks
                for change in set(fit.explanation.changes) - changes
            )
            for fit in runs
        )

    def _as_several(self, best: Fit, clean: Sequence[Fit]) -> list[Fit]:
        """Those of some runs that show the same as a shorter one: two moves may show no more than one does."""
        steps = best.explanation.steps
        further = [
            fit for fit in clean
            if len(fit.explanation.steps) > len(steps) and fit.explanation.steps[: len(steps)] == steps
        ]
        return [
            fit for fit in clean if self._shows_the_same(fit.explanation, best.explanation)
            # One that tells more than the best is no better for it, where the best goes on to tell as much.
            and not any(
                set(other.explanation.changes) == set(fit.explanation.changes) and other.score >= fit.score
                for other in further
            )
        ]

    def _most_several(self, explanation: Explanation, now: int) -> int:
        """How many steps there may have been where fewer show the same; none where they were all seen one by one."""
        changes, steps = explanation.changes, len(explanation.steps)
        came = [(looks, most) for looks, most in (self.evidence.stood(*change, now) for change in changes) if looks]
        if self._came_in_doubt(explanation, now):
            return steps + MISSED
        if len(changes) < 2:
            return 0
        told = set(changes).union(*explanation.stages)
        if any(
            Change(change.key, value) not in told for change in changes
            for value in self.evidence.bygone.passing(change.key, self._agreed_ns or 0)
        ):
            return max(MOST_SEVERAL, steps + MISSED)
        if steps != 1:
            return 0
        first, last = max((looks for looks, _ in came), default=0), min((most for _, most in came), default=0)
        return 2 if first - last >= PAUSE else 0

    def _came_in_doubt(self, explanation: Explanation, now: int) -> bool:
        """Whether the first of it came while nobody could look, or just after."""
        came = max((self.evidence.age(*change, now)[0] for change in explanation.changes), default=0)
        return self._looks_since_doubt - came < self.patience.hidden_looks

    def _shows_the_same(self, run: Explanation, single: Explanation) -> bool:
        """Whether a run of moves changes the same as a shorter one that it does not merely go on with, but for places
        of which nobody knew what lies there."""
        table, more = self._table or {}, set(run.changes).difference(single.changes)
        return (
            run.steps[: len(single.steps)] != single.steps and set(single.changes).issubset(run.changes)
            and all(table.get(change.key[0]) == UNKNOWN for change in more)
        )

    def _evenest(self, clean: Sequence[Fit], now: int) -> Fit:
        """The best of some fits; of several that are nearly equal, and show the same after as many moves, the one in
        which people moved at the most even pace: what does not show was done where there was time for it."""
        best, changes = clean[0], set(clean[0].explanation.changes)
        alike = [
            fit for fit in clean
            if best.score - fit.score < NEARLY and set(fit.explanation.changes) == changes
            and len(self._all_steps(fit.explanation)) == len(self._all_steps(best.explanation))
        ]
        if len(alike) < 2:
            return best
        moves = sum(self.game.player_of(step) is not None for step in self._all_steps(best.explanation))
        # Where the pace is not known yet, that of these moves is.
        usual_s = self._usual_s() or max((now - self._laid_ns) / 1e9, 1.0) / max(1, moves)
        return max(alike, key=lambda fit: fit.score - self._unevenness(fit.explanation, now, usual_s))

    def _all_steps(self, run: Explanation) -> tuple[Any, ...]:
        """The steps of a run from the agreed position on, with those of which nothing shows before it."""
        return (() if run.twin is None else run.twin.steps[len(self._since):]) + run.steps

    def _may_have_been_laid(self, fit: Fit, now: int) -> bool:
        """Whether one of the moves may have been another instead, by the same player, that has laid something where
        nobody can see it for the moment, or where it has only just come to light, and of which all else shows as well:
        that is waited for."""
        run, most, few = fit.explanation, self.patience.hidden_looks, self.patience.beyond_looks
        covered = {place for place in self.evidence.hidden() if self.evidence.hidden_looks(place) < most}
        covered |= {place for place in self.evidence.changed() if 0 < self.evidence.in_sight(place) < few}
        covered -= fit.support
        # Where no two pieces are alike, any of those that nobody has seen yet may lie under any sleeve: what comes to
        # light tells, and nothing can wait for all of them.
        if not covered or has_unique_pieces(type(self.game)):
            return False
        state = self.state
        if run.twin is not None and self._takes_back(run.twin):
            # Nothing that was told is taken back while the next move may lie there.
            after_next = (self.game.play(state, move) for move in self.game.legal_moves(state))
            return any(_differ_only_on(covered, {}, self.game.changes(state, each)) for each in after_next)
        hushed = (frozenset[Change](),) * (len(self._all_steps(run)) - len(run.steps))
        for step, new in zip(self._all_steps(run), (*hushed, *run.news), strict=False):
            after = self.game.play(state, step)
            player, shown = self.game.player_of(step), self.game.changes(state, after)
            came_s = max((self.evidence.age(*change, now)[1] for change in new), default=0.0)
            # What has been seen since the move came shows whether something was laid there.
            since_ns = now - round(came_s * 1e9)
            unseen = {place for place in covered if self.evidence.seen_between(place, since_ns, now + 1) < few}
            if player is not None and unseen and any(
                _differ_only_on(unseen, shown, self.game.changes(state, self.game.play(state, move)))
                for move in self.game.legal_moves(state) if self.game.player_of(move) == player
            ):
                return True
            state = after
        return False

    def _unevenness(self, run: Explanation, now: int, usual_s: float) -> float:
        """How far the moves of a run would have been from the usual pace, by when each was seen."""
        hushed = self._all_steps(run)[: -len(run.steps)]
        uneven, last_ns = 0.0, self._laid_ns
        moves = sum(self.game.player_of(step) is not None for step in hushed)
        for step, new in zip(run.steps, run.news, strict=False):
            moves += self.game.player_of(step) is not None
            lain_s = [seconds for looks, seconds in (self.evidence.age(*change, now) for change in new) if looks]
            if lain_s and moves:
                came_ns = now - round(max(lain_s) * 1e9)
                took_s = max((came_ns - last_ns) / 1e9, 0.1 * usual_s)
                uneven += abs(math.log(took_s / (moves * usual_s)))
                last_ns, moves = came_ns, 0
        return uneven

    def _path(self, explanation: Explanation) -> tuple[Any, ...]:
        """The moves since the positions parted that lead to what an explanation starts from."""
        return self._since if explanation.twin is None else explanation.twin.steps

    def _turn_to(self, twin: Twin, now: int, events: list[Event], evidence: float) -> None:
        """Take a twin for the true position from now on: what it has in common with the agreed one stands."""
        same = len(shared((self._since, twin.steps)))
        wrong, right = self._since[same:], twin.steps[same:]
        if wrong:
            self._unseen, self._half_seen, self._turned_up = None, None, ()
            events.append(TakenBack(wrong, now))
            state = self._parted
            for move in twin.steps[:same]:
                state = self.game.play(state, move)
            self.state, self._since = state, twin.steps[:same]
        for move in right:
            self._apply(move, now, events, evidence)

    def _part(self, twins: tuple[Twin, ...]) -> None:
        """Keep these in mind from now on; where there are none, nothing that was agreed on is open any more."""
        self._twins = twins
        if not twins:
            self._parted, self._since = self.state, ()

    def _steps_to_tell(self, explanation: Explanation) -> tuple[Any, ...] | None:
        """The moves that lead from the agreed position to an explanation; None where one that was agreed on would have
        to be taken back first."""
        if explanation.twin is None:
            return explanation.steps
        told = len(self._since)
        if explanation.twin.steps[:told] != self._since:
            return None
        return (*explanation.twin.steps[told:], *explanation.steps)


def starting_from(twin: Twin, option: Explanation) -> Explanation:
    """The same, if a twin is the true position."""
    return replace(option, twin=twin, prior=option.prior + twin.prior)


def _likeliest(twins: Iterable[Twin]) -> tuple[Twin, ...]:
    """The likeliest of some twins, each position once."""
    best: dict[Any, Twin] = {}
    for twin in sorted(twins, key=lambda each: -each.prior):
        best.setdefault(twin.state, twin)
    return tuple(best.values())[:MOST_TWINS]


def _differ_only_on(places: set[str], one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two changes of a table are not the same, but differ on these places alone."""
    apart = [
        place for place in {*one, *other} if place not in one or place not in other or one[place] != other[place]
    ]
    return bool(apart) and places.issuperset(apart)
