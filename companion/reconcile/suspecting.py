"""Says when something lies wrong: weighs the slips that may have been made, raises one, and sees it put right."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from companion.reconcile.agreeing import Agreeing
from companion.reconcile.belief import Event, TakenBack
from companion.reconcile.candidates import UNLISTED_PRIOR
from companion.reconcile.explanation import Explanation, Fit, weigh, weigh_all
from companion.reconcile.following import PLAIN_EVIDENCE
from companion.reconcile.judging import Surprises, is_half_done, names_of
from companion.reconcile.open_slips import OpenSlip
from companion.reconcile.parts import Change, Key, changes_between, owner_of
from companion.reconcile.search import chains
from companion.reconcile.second_opinion import FEWEST_PUZZLING
from companion.reconcile.under_way import Look, found_by
from engine.types import DealRequest
from vision.reading import Kind, Observation, split

AGAINST = 9.0
"""What a place that was seen and shows something else takes from a slip: one clear look."""
PLAIN = 0.8
"""What is at least this likely in a single look, beside the next likeliest, is plain to see. How much is left for all
the rest together says only how well the colours are known by now."""


class Suspecting(Agreeing):
    """The part that raises slips."""

    def _miss_late(self, now: int) -> None:
        """A piece that should have been laid beside the last move, and has not though nobody has moved since, is not
        waited for any longer. Stones are, and heaps: whoever counts takes their time."""
        since = max(self._busy_ns, self._doubted_ns, self._mended_ns, self._agreed_ns or 0)
        if not self._lagging or not self._dense or (now - since) / 1e9 < self.patience.lag_s:
            return
        missing = [
            place for place in self._lagging
            if self._kinds[place] not in (Kind.COUNTER, Kind.HEAP) and self.evidence.is_fresh(place)
        ]
        if missing:
            self._lagging = {place: pair for place, pair in self._lagging.items() if place not in missing}
            self._overdue = frozenset(missing)
            self._expect()

    def _take_back_undone(self, now: int, events: list[Event]) -> None:
        """Whoever is told what lies wrong beside the last move may take it back, and make another or none: then that is
        what lies there, and nothing is wrong with it."""
        if self.held is None or self._before_last is None or not self._dense:
            return
        lain_s = {
            (key, value): self.evidence.age(key, value, now)[1]
            for key, (value, _) in self.evidence.surprises(self.patience.loud).items()
        }
        shown = frozenset(each for each, seconds in lain_s.items() if seconds >= self.patience.rethink_s)
        before, move = self._before_last
        if self._undone == (self.held.id, shown) or self.game.player_of(move) is None:
            return
        if all(lain_s[each] >= (now - self.held.raised_ns) / 1e9 for each in shown):
            # That is the slip, and nobody has done anything about it yet.
            return
        self._undone = (self.held.id, shown)
        others = [step for step in self.game.legal_moves(before) if self._is_by_same(step, move)]
        for steps in ((), *((step,) for step in others)):
            state = self.game.play(before, steps[0]) if steps else before
            if shown == frozenset(changes_between(self._kinds, self._table or {}, self.game.visible(state))):
                self._clear_held(now, events)
                events.append(TakenBack((move,), now))
                self.state, self._turned_up, self._before_last = before, (), None
                self._unseen = self._half_seen = None
                self._part(())
                for step in steps:
                    self._apply(step, now, events, PLAIN_EVIDENCE)
                self._expect()
                return

    def _is_by_same(self, step: Any, move: Any) -> bool:
        return step != move and self.game.player_of(step) == self.game.player_of(move)

    def _play_on_beside(self, now: int, events: list[Event]) -> None:
        """Something that lies wrong on a player's own board, and that nobody has put right for long, does not keep the
        others from playing on: it is remembered as lying there, and what comes elsewhere is no part of it. Where it was
        meant for a move, that counts only once another has followed it."""
        if self.held is None or self.held.explanation.meant is not None:
            return
        if (now - self.held.raised_ns) / 1e9 < self.patience.ask_s:
            return
        lying = {change.key for change in self.held.explanation.changes}
        owners = {owner_of(key[0]) for key in lying}
        surprises = self.evidence.surprises(self.patience.loud)
        come = {key[0] for key in surprises if key not in lying and owner_of(key[0]) not in owners}
        if len(owners) == 1 and None not in owners and come and self._still_seen(self.held, surprises, now):
            self._commit_slip(self.held.explanation, now, events, 0.0)
            self._expect()

    def _slip_fits(self, surprises: Surprises, now: int) -> list[Fit]:
        """The slips that what was seen speaks for, best first; none while the last change has been seen only once."""
        loud = [(key, value) for key, (value, score) in surprises.items() if score >= self.patience.loud]
        ages = [self.evidence.age(key, value, now) for key, value in loud]
        if not ages or min(looks for looks, _ in ages) < self.patience.slip_looks:
            return []
        seconds = [age_s for _, age_s in ages]
        if self._dense and min(seconds) < self.patience.slip_dense_s and max(seconds) < self.patience.ask_s:
            # Whatever is so new could not be named yet, and nothing is named beside it.
            return []
        if self._is_refilling(loud, now):
            return []
        left_out = self._deal_that_left_out({key[0] for key, _ in loud})
        options = [] if left_out is not None else self._slips_showing(loud)
        named = self._named_by_rules(surprises, now, self.state if left_out is None else left_out)
        if named is not None:
            options.append(named)
        fits = weigh_all(options, self.evidence, surprises, now)
        good = [fit for fit in fits if fit.support]
        return sorted(good, key=lambda fit: -(fit.score - fit.unexplained - AGAINST * len(fit.against)))

    def _deal_that_left_out(self, places: set[str]) -> Any | None:
        """The position from which the last deal was made, when that did not bring what some places lack: nobody has
        taken it from them."""
        return self._dealt_from if places <= self._overdue else None

    def _is_refilling(self, loud: list[tuple[Key, Hashable]], now: int) -> bool:
        """Whether all that has changed belongs to a refill that is still under way."""
        request = self.game.deal_request(self.state)
        if request is None:
            return False
        awaited = {*(place for place, count in request.places.items() if count), *request.choices}
        come = {key[0] for key, value in loud if self._may_be_dealt(request, key, value)}
        if come.isdisjoint(awaited):
            return False
        shared = awaited | {*request.places, *request.fixed}
        if self._dense and self._came_after(loud, shared, now):
            return True
        if awaited <= come:
            return False
        missing = awaited - come
        if come <= shared:
            return not self._is_forgotten(missing, loud, now)
        return any(not self.evidence.is_fresh(place) for place in missing)

    def _is_forgotten(self, missing: set[str], loud: list[tuple[Key, Hashable]], now: int) -> bool:
        """Whether a refill stopped before its last place: that has lain bare and in sight, and nothing else has come,
        for longer than anybody holds the last piece in the hand."""
        waited_s = min(self.evidence.age(key, value, now)[1] for key, value in loud)
        return self._dense and len(missing) == 1 and all(
            self.evidence.is_fresh(place) and min(waited_s, self.evidence.open_s(place, now)) >= self.patience.air_s
            for place in missing
        )

    def _may_be_dealt(self, request: DealRequest, key: Key, value: Hashable) -> bool:
        """Whether what a part shows may belong to a refill: a chip that still lies face down has not been turned up."""
        place, part = key
        options = request.choices.get(place)
        return options is None or any(dict(split(self._kinds[place], each)).get(part) == value for each in options)

    def _came_after(self, loud: list[tuple[Key, Hashable]], filled: set[str], now: int) -> bool:
        """Whether something came to lie elsewhere after the refill had begun: that is a move which followed it."""
        ages = {key: self.evidence.age(key, value, now)[1] for key, value in loud}
        begun = max((age for key, age in ages.items() if key[0] in filled), default=0.0)
        return any(age <= begun for key, age in ages.items() if key[0] not in filled)

    def _named_by_rules(self, surprises: Surprises, now: int, state: Any) -> Explanation | None:
        """What the rules say of the table as it looks from a position, for slips that nobody listed beforehand. A table
        on its way to a legal move is left alone."""
        if any(is_half_done(option, self.evidence, surprises) for option in self._legal):
            return None
        fits = weigh_all(self._legal, self.evidence, surprises, now)
        if any(
            fit.is_clean and fit.evidence >= self.patience.legal and not self._lands(fit.explanation) for fit in fits
        ):
            # A legal move of which nothing was seen to arrive is waited for: what lies beside it shows when it counts.
            return None
        slips, table = self._problems_seen(state, surprises)
        changes = tuple(changes_between(self._kinds, self._table or {}, table))
        return Explanation((), self.state, table, changes, slips, prior=UNLISTED_PRIOR) if slips and changes else None

    def _suspect(
        self, slips: list[Fit], legal: list[Fit], surprises: Surprises, now: int, observation: Observation,
        events: list[Event],
    ) -> None:
        """Raise the likeliest slip once all of it has been seen clearly, twice, but for what shows faintly however long
        it lies there, and nothing legal explains it."""
        fit = slips[0]
        explanation = fit.explanation
        lain = self._lain(fit, now)
        likely = [other for other in legal if not self._is_ruled_out(other, lain)]
        rivals = [
            other for other in likely
            if not self._is_far_fetched(other.explanation, now, self.patience.at_once_share)
        ]
        rival = max(map(self._possible_score, rivals), default=0.0)
        ages = [
            self.evidence.age(change.key, change.value, now) for change in explanation.changes
            if change.key[0] not in fit.unseen
        ]
        good = (
            fit.is_clean
            and (not fit.unseen or (self._dense and self._is_only_faint(fit, now)))
            and fit.evidence >= self.patience.slip
            and min(looks for looks, _ in ages) >= self.patience.slip_looks
            and min(seconds for _, seconds in ages) >= self._slip_wait_s(explanation)
            and (len(likely) == len(rivals) or self._would_be_gone_on_with(ages, likely, surprises, now))
            and (
                # A part that was misread for a look does not put off what all the others have long shown.
                self._lands(explanation) or median(seconds for _, seconds in ages) >= self.patience.air_s
                # Where frames come rarely, two alike show a table at rest; only loose pieces may be in a hand.
                or not (self._dense or self._is_loose(explanation))
            )
            and fit.score > rival + self.patience.margin
            and not self._leaves_open(explanation, surprises, now)
            and not self._is_too_soon(explanation, now)
            and not observation.hand
            and self._is_done(fit)
            and self._is_pointed_at(explanation)
            and not (self._dense and (self._has_just_come_to_light(surprises, now) or self._is_newly_expected(now)))
            and self._is_plain(explanation, slips)
            and (not self._dense or self._is_fresh_table(now) or self._is_seen_again(explanation))
        )
        changes = frozenset(explanation.changes)
        known = self.held is not None and frozenset(self.held.explanation.changes) == changes
        if not good or known or self._may_lie_hidden(fit, surprises, now) or self._is_thought_over(explanation, ages):
            return
        shown = {change.key: (change.value, 0.0) for change in explanation.changes}
        if self.held is not None and self._is_mending(self.held, shown, now):
            return
        if self.held is not None and names_of(self.held.slips) == names_of(explanation.slips):
            # The same slip, half put right: it has been said.
            self.held = replace(self.held, explanation=explanation)
            return
        self._clear_held(now, events)
        self.held = self._open(explanation, now, events)

    def _would_be_gone_on_with(
        self, ages: Sequence[tuple[int, float]], legal: list[Fit], surprises: Surprises, now: int
    ) -> bool:
        """Whether something has lain there for so long that the next player would have moved by now, if it had come by
        moves. Where moves explain all of it, though hardly anybody is so quick, that is waited for, though not long."""
        if not any(each.is_clean and not self._leaves_open(each.explanation, surprises, now) for each in legal):
            return True
        usual_s, most_s = self._usual_s(), self.patience.air_s
        wait_s = self.patience.tidy_dense_s if usual_s is None else min(most_s, self.patience.next_share * usual_s)
        return min(seconds for _, seconds in ages) >= wait_s

    @property
    def _has_piles(self) -> bool:
        """Whether what lies under others may have been another move that left the same behind."""
        return Kind.PILE in self._kinds.values()

    def _is_thought_over(self, explanation: Explanation, ages: Sequence[tuple[int, float]]) -> bool:
        """Whether moves that came to be seen together, or with something hidden beside them, may still turn out to have
        been others, after which nothing lies wrong: that is found out first, for a moment."""
        if not self._dense or self.held is not None or not self._has_piles:
            return False
        places = {change.key[0] for change in explanation.changes}
        is_open = self._unseen is not None and len(ages) >= FEWEST_PUZZLING
        is_open |= self._half_seen is not None and not places.isdisjoint(self._half_seen.covered)
        if self._second is not None:
            return is_open and self._second.is_waited_for(self.patience.fair_looks)
        return is_open and min(seconds for _, seconds in ages) < self.patience.rethink_s + self.patience.others_s

    def _is_too_soon(self, explanation: Explanation, now: int) -> bool:
        """Whether something lies wrong only because nobody has had the time to turn it up yet."""
        due = self._to_turn_up()
        awaited = [change for change in explanation.changes if change.key[0] in due]
        if not awaited or self._agreed_ns is None:
            return False
        wait_s = self.patience.air_s if self._dense else self.patience.tidy_dense_s
        # The move may have been agreed on long after it was made; what it brought to light lies there since then. But
        # whoever has a slip to put right does that first.
        lain_s = min(
            min(self._wrong_s(change, self._agreed_ns, now), self.evidence.open_s(change.key[0], now))
            for change in awaited
        )
        waited_s = max((now - self._agreed_ns) / 1e9, lain_s)
        return min(waited_s, (now - self._mended_ns) / 1e9) < wait_s

    def _wrong_s(self, change: Change, agreed_ns: int, now: int) -> float:
        """For how long a place has looked wrong: what was right until something was agreed on, since that was laid."""
        _, seconds = self.evidence.age(*change, now)
        return seconds if now - round(seconds * 1e9) < agreed_ns else (now - self._laid_ns) / 1e9

    def _is_newly_expected(self, now: int) -> bool:
        """Whether something was agreed on so short a time ago that what should lie there since then, and does not, is
        not seen to be missing yet: it may make another slip of it."""
        return self._agreed_ns is not None and (now - self._agreed_ns) / 1e9 < self.patience.slip_dense_s

    def _may_lie_hidden(self, fit: Fit, surprises: Surprises, now: int) -> bool:
        """Whether a legal move, or two in a row, explain as much as a slip, and the rest of it lies where nothing can
        be seen now."""
        hidden, covered = set(self.evidence.hidden()), set(self.evidence.covered())
        if not covered:
            return False
        self._build_legal(self.ground, self._table or {}, hidden)
        least, lain = fit.score - self.patience.margin, self._lain(fit, now)
        options = [option for option in self._legal if not hidden.isdisjoint(option.table)]
        rivals = weigh_all(options, self.evidence, surprises, now)
        # Of two moves, what the first one laid would have been seen if its place had been in sight since.
        since_s = min(self.evidence.age(change.key, change.value, now)[1] for change in fit.explanation.changes)
        since = {place for place in covered if self.evidence.unseen_s(place, now) >= since_s}
        since |= covered & {key[0] for key in surprises}
        if self._dense and since:
            rivals += [
                each for each in found_by(chains(self.ground, self.evidence, Look(surprises, now), 2, (), self._known))
                if not since.isdisjoint(each.explanation.table) and not self._ends_with_deal(each.explanation)
            ]
        return any(
            self._possible_score(rival) >= least and not self._is_ruled_out(rival, lain)
            for rival in rivals if rival.support
        )

    def _ends_with_deal(self, run: Explanation) -> bool:
        """Whether the last that happens in a run is that something is turned up: that may be so after a slip as well,
        and says nothing for the move before it."""
        return self.game.player_of(run.steps[-1]) is None

    def _has_just_come_to_light(self, surprises: Surprises, now: int) -> bool:
        """Whether a place that was covered shows something new in this look for the first time: that may be the move
        without which the rest looks like a slip."""
        return any(
            self.evidence.age(key, value, now)[0] < self.patience.slip_looks <= self.evidence.oldest(key, value, now)
            for key, (value, _) in surprises.items()
        )

    def _is_loose(self, explanation: Explanation) -> bool:
        """Whether only loose pieces have come and gone: somebody may hold them."""
        return all(self._kinds[change.key[0]] in (Kind.HEAP, Kind.PILE) for change in explanation.changes)

    def _is_plain(self, explanation: Explanation, slips: list[Fit]) -> bool:
        """Whether what an accusation points at was plain to see in the last look at it: many faint looks share one
        mistake, and however many there are, nobody is accused because of them. A 6 that may be a 9 is one as well as
        the other, where both are the same mistake."""
        pointed = {place for slip in explanation.slips for place in slip.places}
        named = names_of(explanation.slips)
        same = {
            change for fit in slips if names_of(fit.explanation.slips) == named for change in fit.explanation.changes
        }
        for key in {change.key for change in explanation.changes if change.key[0] in pointed}:
            reading = self.evidence.reading(key[0])
            table = {} if reading is None else reading.parts.get(key[1], {})
            meant = {each.value for each in same if each.key == key}
            shown = sum(math.exp(value) for content, value in table.items() if content in meant)
            other = max((math.exp(value) for content, value in table.items() if content not in meant), default=0)
            if table and shown < PLAIN * (shown + other):
                return False
        return True

    def _is_seen_again(self, explanation: Explanation) -> bool:
        """Whether all of it was seen just now: what was gathered before may be of a slip that has been put right."""
        return all(
            self.evidence.affirmations(change.key, change.value) >= self.patience.slip_looks
            for change in explanation.changes
        )

    def _is_done(self, fit: Fit) -> bool:
        """While players tidy up, a thing left undone is no slip until their stone has moved."""
        late = fit.explanation.late
        return not late or bool(late & (fit.support | fit.against)) or not any(
            change.key[0] in late for change in fit.explanation.changes
        )

    def _is_fading(self, surprises: Surprises, now: int) -> bool:
        """Whether the slip that is held may have been put right, but not for sure: where looks come all the time, one
        that does not show it may be mistaken."""
        return self.held is not None and self._dense and not self._is_gone(self.held) and not self._still_seen(
            self.held, surprises, now
        )

    def _is_gone(self, slip: OpenSlip) -> bool:
        """Whether a part of a slip has looked otherwise, and always the same, for some looks."""
        return any(
            self.evidence.denials(change.key, change.value) > self.patience.slip_looks
            for change in slip.explanation.changes
        )

    def _still_seen(self, slip: OpenSlip, surprises: Surprises, now: int) -> bool:
        fit = weigh(slip.explanation, self.evidence, surprises, now)
        return fit.evidence > 0 and not fit.against

    def _is_mending(self, slip: OpenSlip, shown: Surprises, now: int) -> bool:
        """Whether nothing is to be seen but what a slip left, some of it on its way back: however that looks by
        the way, it is no other slip, unless it stays so."""
        since = now if slip.mending_ns is None else slip.mending_ns
        return is_half_done(slip.explanation, self.evidence, shown) and (now - since) / 1e9 < self.patience.ask_s

    def _mend(self, slip: OpenSlip, surprises: Surprises, now: int, events: list[Event]) -> None:
        """A slip is no longer to be seen as it was: it is over, or on its way to be."""
        left = self._loud_picture(surprises, now)
        is_legal = any(left == set(option.changes) for option in self._legal)
        if left and not is_legal and self._is_mending(slip, {key: surprises[key] for key, _ in left}, now):
            self.held = replace(slip, mending_ns=now if slip.mending_ns is None else slip.mending_ns)
        else:
            self._clear_held(now, events)
