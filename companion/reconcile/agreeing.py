"""Agreeing on legal moves, deals and corrected slips, when they are clear enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.reconcile.beginnings import KEPT_CHAINS, Beginnings
from companion.reconcile.belief import Event, SlipCleared, Withdrawn
from companion.reconcile.candidates import SlipBook, after_slip
from companion.reconcile.explanation import Explanation, Fit, Twin, is_out_of_order, weigh_all
from companion.reconcile.following import LAG
from companion.reconcile.judging import Surprises, is_half_done
from companion.reconcile.parts import UNKNOWN, Change, owner_of, parts_of
from companion.reconcile.search import BEAM, WIDE_BEAM, chains
from companion.reconcile.second_opinion import FEWEST_UNSEEN, RESTING_KINDS, Unseen
from companion.reconcile.under_way import Look, Search
from vision.reading import Kind, Observation

RESUMED_CHAINS = 8
"""How many of the runs that were found are gone on with in the next search."""
MOST_OUT_OF_TURN = 2
"""So many moves made the wrong way round are the same moves all the same; of more, others leave the same table."""
LONG_RUNS = 1000
"""A search that has weighed more runs than this was a long one."""


class Agreeing(Beginnings):
    """The part that moves the agreed position on."""

    def _agree(self, now: int, observation: Observation, events: list[Event]) -> tuple[bool, list[Fit]]:
        """Agree on one more legal thing, if what was seen is clear enough; also the fits that were weighed."""
        self._under_way.is_open = False
        surprises = self.evidence.surprises(self.patience.surprise)
        if not surprises or (self._dense and not self._is_repeated(surprises, now)):
            self._under_way.runs = None
            return False, []
        fits = self._single_fits(surprises, now)
        if self._play_forced(now, surprises, events):
            return True, []
        mend = self._put_right(fits, now, observation, surprises)
        if mend is not None:
            self._commit(mend, now, events)
            return True, []
        best = self._decide(fits, now, observation, surprises)
        if best is None or self._leaves_open(best.explanation, surprises, now):
            self._drop_outdated()
            if self._under_way.runs is None and self._may_search(now, observation, surprises, fits):
                self._under_way.runs = self._begin_search(surprises, now)
            if self._under_way.runs is not None:
                self._go_on_searching(self._under_way.runs, surprises, now)
            lookalikes = self._lookalikes()
            deeper = weigh_all(self._chains, self.evidence, surprises, now)
            deeper += self._twin_fits(lookalikes, surprises, now)
            fits = sorted(fits + deeper, key=lambda fit: -fit.score)
            whole = self._decide(fits, now, observation, surprises, whole=True) if deeper else None
            if whole is not None and not whole.explanation.is_run:
                # A single step has had its say; with the runs of moves beside it, it can only be one of several.
                whole = None
            best = whole if best is None or whole is not None else self._unless_outdone(best, deeper, surprises, now)
            # A run that explains all is enough, but for one that was found before the table could be believed again.
            is_enough = (
                whole is not None and whole.explanation.twin is None and self._has_seen_all_again(now)
                and not self._may_be_another(whole, surprises, now)
            )
            if best is not None and best.explanation.steps and not is_enough and self._awaits_search(
                now, observation, surprises
            ):
                best = None
        else:
            self._under_way.runs = None
        if best is not None and (
            self._is_one_of_two(best, fits, surprises, now) or self._awaits_twin(best, surprises, now)
            or self._may_come_from_elsewhere(best, now)
        ):
            return False, fits
        if best is None:
            best = self._before_slip(fits, now, observation, surprises, events)
        if best is None:
            return False, fits
        runs = self._several(best, surprises, now)
        if self._awaits_several(best, runs, now):
            return False, fits
        several = self._as_several(best, runs)
        # Where what lay there between two moves was seen, they were two.
        best = max([best, *several], key=lambda fit: fit.score)
        twins = self._parting(best, fits + several, surprises, now)
        self._commit(best, now, events)
        self._part(twins)
        return True, []

    def _put_right(self, fits: list[Fit], now: int, observation: Observation, surprises: Surprises) -> Fit | None:
        """Something that lay wrong or lagged behind and has been put right, whatever else has happened beside it."""
        mends = [fit for fit in fits if fit.explanation.mends]
        if not mends or not self._dense:
            return None
        others = [fit for fit in fits if not fit.explanation.mends]
        best = self._decide(mends + others, now, observation, surprises)
        return best if best is not None and best.explanation.mends else None

    def _is_repeated(self, surprises: Surprises, now: int) -> bool:
        """Whether anything surprising was there in the look before, too: where looks come all the time, nothing is
        agreed on for a single one."""
        looks = self.patience.slip_looks
        return any(self.evidence.age(key, value, now)[0] >= looks for key, (value, _) in surprises.items())

    def _drop_outdated(self) -> None:
        """Forget runs of moves in which a piece could not be read that has come to be seen since."""
        kept = [
            chain for chain in self._chains
            if not any(self.evidence.is_told(place, self.patience.loud) for place in chain.untold)
        ]
        if len(kept) < len(self._chains):
            self._chains, self._searched = kept, None

    def _begin_search(self, surprises: Surprises, now: int) -> Search:
        """Begin to look for several things in a row."""
        loud = self._ripe_picture(surprises, now)
        again = self._searched == loud
        self._search_wait_s = 2 * self._search_wait_s if again else 2 * self.patience.search_s
        self._searched = loud
        held = [] if self.held is None else [self.held.explanation]
        roots = self._slip_roots(held, surprises, now)
        kept = [chain for chain in self._chains if chain.steps and not chain.slips][:RESUMED_CHAINS]
        return Search(chains(
            self.ground, self.evidence, Look(surprises, now), self.patience.depth, roots, self._known,
            lambda explanation, look: not self._leaves_open(explanation, look.surprises, look.now_ns),
            self._lookalikes(), kept=kept,
            # What was not found among the most promising beginnings may begin with one that promises less.
            width=WIDE_BEAM if again else BEAM,
        ))

    def _go_on_searching(self, search: Search, surprises: Surprises, now: int) -> None:
        """Look on for several things in a row, and keep the best finds for the looks to come once that was all."""
        found = self._look_on(search, surprises, now)
        if found is None:
            return
        self._under_way.runs, self._runs, self._searched_ns = None, list(found), now
        self._search_rest_ns = self._rested_ns(search.weighed / LONG_RUNS, now)
        # What an earlier look made likely may only be out of favour for one look.
        found += weigh_all(self._chains, self.evidence, surprises, now)
        best: dict[Any, Fit] = {}
        for fit in sorted(found, key=lambda fit: -fit.score):
            explanation = fit.explanation
            way = (explanation.twin, explanation.steps, tuple(slip.slug for slip in explanation.slips))
            best.setdefault(way, fit)
        self._chains = [fit.explanation for fit in list(best.values())[:KEPT_CHAINS]]

    def _play_forced(self, now: int, surprises: Surprises, events: list[Event]) -> bool:
        """Play the only legal move where it shows nothing, such as a pass that is compulsory, once something shows that
        may follow it: until then whoever has to make it may do something else. Not while a slip explains all that is
        seen."""
        options = self._options
        if options is None or len(options.moves) != 1 or not options.legal or options.legal[0].changes:
            return False
        if self._explain_all(self._slips_showing(self._loud_picture(surprises, now)), surprises, now):
            return False
        if not self._goes_on_from(options.legal[0].state, surprises, now):
            return False
        self._apply(options.moves[0], now, events, 0.0)
        self._expect()
        return True

    def _explain_all(self, slips: list[Explanation], surprises: Surprises, now: int) -> bool:
        """Whether one of some slips explains all that is seen."""
        fits = weigh_all(slips, self.evidence, surprises, now)
        return any(fit.is_clean and not self._leaves_open(fit.explanation, surprises, now) for fit in fits)

    def _goes_on_from(self, state: Any, surprises: Surprises, now: int) -> bool:
        """Whether something shows that may follow a position, right or wrong, or whatever else must be played from
        there and shows nothing; or whether nothing can follow."""
        moves = self.game.legal_moves(state)
        while len(moves) == 1 and not self.game.changes(state, self.game.play(state, moves[0])):
            state = self.game.play(state, moves[0])
            moves = self.game.legal_moves(state)
        then = Twin(state, (), 0.0)
        if self.game.is_over(state) or any(fit.is_clean for fit in self._twin_fits((then,), surprises, now)):
            return True
        places = {key[0] for key, _ in self._loud_picture(surprises, now)}
        book = SlipBook(self._ground_at(state), self._table or {}, self.evidence.noticed(), self.evidence.covered())
        return self._explain_all(book.at(places), surprises, now) or bool(self._problems_seen(state, surprises)[0])

    def _decide(
        self, fits: list[Fit], now: int, observation: Observation, surprises: Surprises, whole: bool = False
    ) -> Fit | None:
        """The explanation that is clear enough to be agreed on. With `whole` it must explain everything."""
        clean = [fit for fit in fits if fit.is_clean and (fit.explanation.steps or fit.explanation.mends)]
        if not clean:
            return None
        best = self._evenest(clean, now) if whole else self._first_made(clean[0], fits, now)
        if not best.is_clean:
            # What came first is only misread in this look.
            return None
        explanation = best.explanation
        steps = max(1, len(explanation.steps))
        if best.evidence < self._needed(explanation) * steps:
            return None
        if whole and explanation.is_run and (
            self._yet_to_see(best) or self._leaves_open(explanation, surprises, now)
        ):
            return None
        is_bold = steps > 1 or self._is_two_for_one(explanation, now, self.patience.soon_share)
        if whole and (is_bold or self._reads_anew(explanation)) and self._may_be_slip(best, surprises, now):
            return None
        if whole and self._dense and steps > MOST_OUT_OF_TURN and is_out_of_order(explanation, self.evidence, now):
            return None
        if explanation.slips and self.held is None and self._is_new(explanation, now):
            # Nobody is accused sooner for having played on, nor after a single look: a stone may be on its way.
            return None
        if self._may_be_told(explanation, now) or self._lacks(explanation):
            return None
        if self._dense and self._was_taken_late(explanation, now):
            return None
        places = {change.key[0] for change in explanation.changes} - explanation.late
        if len(best.support) < min(2, len(places)):
            return None
        if self._has_rival(best, clean, fits, now, observation.hand) or self._is_barely_more(best, clean, now):
            return None
        if self._dense and self._may_lie_below(best, fits, surprises, now):
            return None
        if best.unseen and not (self._has_landed(best) and self._may_stay_unseen(best, now, observation)):
            return None
        if self._dense and self._lands_out_of_sight(best):
            return None
        if self._may_be_covered_yet(best, now, observation.hand):
            return None
        if self._dense and not self._lies_still(best, now, observation.hand):
            return None
        if self._is_only_glimpsed(best, now, observation.hand):
            return None
        if self._may_be_in_air(best, now, observation.hand) if steps == 1 else self._only_undoes(best, now):
            return None
        if self.held is not None and not self._outdoes_held(explanation):
            return None
        if self._dense and (self._may_have_missed(best, now) or self._goes_on_below(best)):
            return None
        if self._dense and (self._may_hide_more(best, now) or self._may_hide_slip(best, now)):
            return None
        explained = {change.key for change in explanation.changes}
        if self._dense and not self.evidence.wavering(self.patience.hidden_looks) <= explained:
            # What lay there until the look before may only be misread in this one.
            return None
        loud = [key for key in surprises if key not in explained and self._is_loud(key, surprises[key], now)]
        if loud and explanation.steps and self._slip_is_better(best, loud, surprises, now):
            return None
        if whole and self._dense and self._may_have_been_laid(best, now):
            return None
        return best

    def _first_made(self, best: Fit, fits: list[Fit], now: int) -> Fit:
        """The best of some fits; or where another move, too, may have been the next, and what shows of it lay there
        before anything of the best did, that one: the best was made after it, be it out of turn."""
        if not self._dense or len(best.explanation.steps) != 1:
            return best
        oldest = max(self._ages_s(best, now), default=0.0)
        for fit in fits:
            ages = self._ages_s(fit, now) if len(fit.explanation.steps) == 1 and len(fit.support) > 1 else []
            if (
                min(ages, default=0.0) > oldest and fit.evidence >= self._needed(fit.explanation)
                and not self._is_ruled_out(fit, self._lain(fit, now))
            ):
                best, oldest = fit, max(ages)
        return best

    def _ages_s(self, fit: Fit, now: int) -> list[float]:
        """For how long what shows of an explanation has been there, part by part."""
        ages = (self.evidence.age(change.key, change.value, now) for change in fit.explanation.changes)
        return [seconds for looks, seconds in ages if looks]

    def _is_new(self, explanation: Explanation, now: int) -> bool:
        """Whether something of a slip has come only just now."""
        ages = [self.evidence.age(change.key, change.value, now)[1] for change in explanation.changes]
        return min(ages, default=0.0) < self._slip_wait_s(explanation)

    def _needed(self, explanation: Explanation) -> float:
        """How much evidence a step needs. What must be turned up now is only a matter of telling which it is."""
        state = self.state if explanation.twin is None else explanation.twin.state
        request = self.game.deal_request(state)
        if request is not None and not request.places and len(explanation.steps) == 1:
            return self.patience.margin
        return self.patience.legal

    def _may_search(self, now: int, observation: Observation, surprises: Surprises, fits: list[Fit]) -> bool:
        """A longer search is for a table at rest that has clearly changed in several places, and not on the way to
        what a single step makes of it."""
        busy = observation.hand or not observation.still
        loud = self._ripe_picture(surprises, now)
        # What a refill brought may have been taken at once: then only where it lies now shows anything.
        least = 2 if self.game.deal_request(self.state) is None else 1
        shown = {key[0] for key, _ in loud} | {key[0] for key in self.evidence.uncovered(self.patience.loud)}
        if not loud or (busy and self._dense) or len(shown) < least:
            return False
        if self._dense and now < self._search_rest_ns:
            return False
        wait_s = self._search_wait_s if self._searched == loud else self.patience.search_s
        if (now - self._searched_ns) / 1e9 < wait_s if self._dense else self._searched == loud:
            return False
        if self.held is not None and not self._goes_beyond_held(loud):
            return False
        clear = {key: surprises[key] for key, _ in loud} if self._dense else surprises
        # What has lain there for as long as a slip must is not on its way any more.
        lain_s = min(self.evidence.age(key, value, now)[1] for key, value in loud) if self._dense else 0.0
        if lain_s < self.patience.slip_dense_s and any(
            is_half_done(option, self.evidence, clear) for option in self._legal
        ):
            return False
        return not (self._dense and any(
            fit.is_clean and not self._leaves_open(fit.explanation, surprises, now) for fit in fits
        ))

    def _has_seen_all_again(self, now: int) -> bool:
        """Whether the table has been believed for long, or each place has been seen again since it could not be."""
        return self._looks_since_doubt >= self.patience.hidden_looks or all(
            self.evidence.seen_between(place, self._doubted_ns + 1, now + 1) >= self.patience.again_looks
            for place in self._kinds if not self.evidence.is_blind(place)
        )

    def _may_be_another(self, run: Fit, surprises: Surprises, now: int) -> bool:
        """Whether some of a run has come to be seen only just now, after runs of moves were looked for, and a place is
        covered from which it may have been brought about otherwise."""
        is_old = self._under_way.runs is not None or self._searched != self._ripe_picture(surprises, now)
        is_new = min(self._ages_s(run, now), default=0.0) < 2 * self.patience.search_s
        return is_old and is_new and bool(self.evidence.hidden())

    def _awaits_search(self, now: int, observation: Observation, surprises: Surprises) -> bool:
        """Whether a search is under way, or the table has come to look otherwise since the last one and the next is due
        in a moment: what was found before, or leaves something open, is not agreed on until then."""
        if not self._dense or observation.hand or not observation.still or self.held is not None:
            return False
        is_due = (now - self._searched_ns) / 1e9 < self.patience.search_s or now < self._search_rest_ns
        return self._under_way.runs is not None or (is_due and self._searched != self._ripe_picture(surprises, now))

    def _slip_roots(self, held: list[Explanation], surprises: Surprises, now: int) -> list[Explanation]:
        """Slips from which play may have gone on: the one that is held, or in a phase that ends by itself those
        that fit what was seen."""
        if held:
            return held
        if not any(option.late for option in self._legal):
            return []
        slips = (slip for slip in self._slips_at(surprises) if slip.meant is not None and slip.late)
        fits = weigh_all(slips, self.evidence, surprises, now)
        good = sorted((fit for fit in fits if fit.is_clean), key=lambda fit: -fit.score)
        return [fit.explanation for fit in good[:3]]

    def _commit(self, fit: Fit, now: int, events: list[Event]) -> None:
        explanation = fit.explanation
        if explanation.mends:
            for slip in [slip for slip in self.standing if slip.id in explanation.mends]:
                self.standing.remove(slip)
                events.append(SlipCleared(slip.id, now))
            for name in explanation.mends:
                self._lagging.pop(name.removeprefix(LAG), None)
            self._expect()
            return
        if explanation.slips:
            self._commit_slip(explanation, now, events, fit.evidence)
        elif self.held is not None and self._is_settled_by(explanation):
            self._clear_held(now, events)
        seen = dict(self._table or {})
        self._hardly.update(change for change in explanation.changes if change.key[0] in fit.faint)
        since_ns = now - round(max(self._ages_s(fit, now), default=0.0) * 1e9)
        self.evidence.bygone.take_as_news(since_ns)
        if explanation.twin is not None:
            self._turn_to(explanation.twin, now, events, fit.evidence)
        covered = self._where_it_may_go_on(explanation)
        if len(explanation.steps) >= FEWEST_UNSEEN or self._came_in_doubt(explanation, now):
            if self._unseen is None or not self._unseen.has_room_for(len(explanation.steps)):
                self._unseen = Unseen(self.state)
            covered = frozenset()
        plain = self._plainly_laid(fit, now)
        if not self._is_still_open(explanation):
            self._half_seen = Unseen(self.state, covered=covered) if covered else None
        for move in explanation.steps:
            self._apply(move, now, events, fit.evidence)
        self._laid_ns = since_ns
        self._follow_late(explanation, fit, seen)
        self._withdraw(now, events)
        self._expect()
        table = self.game.visible(self.state) if self._unseen or self._half_seen else {}
        rest, changed = self._at_rest(table), {change.key[0] for change in explanation.changes}
        self._unseen = self._unseen and self._unseen.seen_to_lay(plain, rest)
        self._half_seen = self._half_seen and self._half_seen.seen_to_lay(plain, rest)
        self._settling = {place: table[place] for place in changed.intersection(table) - rest.keys()}

    def _plainly_laid(self, fit: Fit, now: int) -> frozenset[Change]:
        """What a single move was seen to lay on a player's own board, where it stays until that is tidied."""
        explanation = fit.explanation
        if len(explanation.steps) != 1 or explanation.twin is not None or self._came_in_doubt(explanation, now):
            return frozenset()
        return frozenset(
            change for change in explanation.changes
            if change.key[0] in fit.support and owner_of(change.key[0]) is not None
            and self._kinds[change.key[0]] in (Kind.SLOT, Kind.PLATE, Kind.CELL)
        )

    def _see_settle(self) -> None:
        """Keep what has come to rest where the last step changed something, whatever may come to lie there soon, for
        when somebody thinks the moves over."""
        if self._second is not None or not (self._unseen or self._half_seen):
            return
        rest = self._at_rest(self._settling)
        if rest:
            self._unseen = self._unseen and self._unseen.seen_to_settle(rest)
            self._half_seen = self._half_seen and self._half_seen.seen_to_settle(rest)
            self._settling = {place: self._settling[place] for place in self._settling.keys() - rest.keys()}

    def _at_rest(self, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """What of a table has been plainly seen to lie there for some looks."""
        return {
            place: content for place, content in table.items()
            # Not every place that the rules know is one that the camera sees.
            if place in self._kinds and content != UNKNOWN and (
                content is None or self._kinds[place] in RESTING_KINDS
            ) and all(
                self.evidence.affirmations((place, part), value) >= self.patience.beyond_looks
                for part, value in parts_of(self._kinds[place], content).items()
            )
        }

    def _is_still_open(self, explanation: Explanation) -> bool:
        """Whether something lies where nobody could look when a move before this was agreed on, and this does not
        explain it either: then it is that move which may have been another."""
        told = {change.key for change in explanation.changes}
        return self._half_seen is not None and any(
            key[0] in self._half_seen.covered and key not in told
            for key in self.evidence.surprises(self.patience.surprise)
        )

    def _where_it_may_go_on(self, explanation: Explanation) -> frozenset[str]:
        """The places under a sleeve, be it until a moment ago, on which somebody who is to move next may have laid
        something already: that may tell that what is agreed on was another move."""
        following = set(self.game.to_move(explanation.state))
        return frozenset(
            place for place, kind in self._kinds.items()
            if kind in (Kind.SLOT, Kind.PILE) and owner_of(place) in following
            and self.evidence.in_sight(place) < self.patience.slip_looks
        )

    def _follow_late(self, explanation: Explanation, fit: Fit, before: Mapping[str, Any]) -> None:
        """Remember late places that still stand where they stood; stop waiting once play has gone on for long."""
        table = self.game.visible(self.state)
        self._lagging = {
            # Of a heap the difference counts, whatever else comes and goes; anything else has one rightful content.
            place: (rightful if self._kinds[place] is Kind.HEAP else table[place], actual)
            for place, (rightful, actual) in self._lagging.items()
        }
        changed = {change.key[0] for change in explanation.changes}
        seen = {place for place in explanation.late & changed if self.evidence.is_fresh(place)}
        for place in seen - fit.support:
            self._lagging[place] = (table[place], before.get(place))
            self._lag_moves = 0
        self._lagging = {place: pair for place, pair in self._lagging.items() if pair[0] != pair[1]}
        self._lag_moves += sum(1 for move in explanation.steps if not explanation.late and self.game.player_of(move))
        if self._lag_moves >= self.patience.lag_moves:
            self._lagging = {}

    def _commit_slip(self, explanation: Explanation, now: int, events: list[Event], evidence: float) -> None:
        """Play has gone on over a slip: count the move that was meant and remember what lies wrong."""
        if self.held is None:
            self.held = self._open(explanation, now, events)
        root = self.held.explanation
        ground = after_slip(self.ground, root)
        fresh = {place: pair for place, pair in ground.deviations.items() if place not in self.ground.deviations}
        if root.meant is not None:
            self._apply(root.meant, now, events, evidence)
        self.standing.append(replace(self.held, deviations=fresh))
        self.held = None

    def _clear_held(self, now: int, events: list[Event]) -> None:
        if self.held is not None:
            events.append(SlipCleared(self.held.id, now))
            self.held, self._mended_ns = None, now

    def _is_settled_by(self, explanation: Explanation) -> bool:
        """Whether legal moves leave nothing of the held slip: they touch the same places, or the one that was meant is
        among them, as one that shows nothing beside what lay there before."""
        assert self.held is not None
        if self.held.explanation.meant in explanation.steps:
            return True
        slip_places = {change.key[0] for change in self.held.explanation.changes}
        return not slip_places.isdisjoint(change.key[0] for change in explanation.changes)

    def _withdraw(self, now: int, events: list[Event]) -> None:
        if self.question is not None:
            events.append(Withdrawn(self.question.id, now))
            self.question = None
