"""Agreeing on legal moves, deals and corrected slips, when they are clear enough."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from companion.reconcile.belief import Event, SlipCleared, SlipRaised, Withdrawn
from companion.reconcile.candidates import after_slip, owner_of
from companion.reconcile.explanation import Explanation, Fit, weigh
from companion.reconcile.following import LAG, Following, OpenSlip, Suspicion
from companion.reconcile.judging import Surprises, contradict, is_half_done
from companion.reconcile.parts import Key
from companion.reconcile.search import chains, promising, slips_after
from vision.reading import Kind, Observation

KEPT_CHAINS = 12
FAINT_SHARE = 4
"""For one place that says nothing, so many must speak."""
MOST_BEGINNINGS = 4
"""How many legal moves are tried as what came before a slip."""


class Agreeing(Following):
    """The part that moves the agreed position on."""

    def _agree(self, now: int, observation: Observation, events: list[Event]) -> tuple[bool, list[Fit]]:
        """Agree on one more legal thing, if what was seen is clear enough; also the fits that were weighed."""
        surprises = self.evidence.surprises(self.patience.surprise)
        if not surprises or (self._dense and not self._is_repeated(surprises, now)):
            return False, []
        fits = self._single_fits(surprises, now)
        if self._play_forced(now, events):
            return True, []
        mend = self._put_right(fits, now, observation, surprises)
        if mend is not None:
            self._commit(mend, now, events)
            return True, []
        best = self._decide(fits, now, observation, surprises)
        if best is None or self._leaves_open(best.explanation, surprises, now):
            if self._may_search(now, observation, surprises, fits):
                self._search(surprises, now)
            deeper = [weigh(chain, self.evidence, surprises, now) for chain in self._chains]
            fits = sorted(fits + deeper, key=lambda fit: -fit.score)
            whole = self._decide(fits, now, observation, surprises, whole=True) if deeper else None
            if whole is not None and len(whole.explanation.steps) < 2 and not whole.explanation.slips:
                # A single step has had its say; with the runs of moves beside it, it can only be one of several.
                whole = None
            best = whole if best is None or whole is not None else self._unless_outdone(best, deeper, surprises, now)
            if best is not None and best.explanation.steps and whole is None and self._awaits_search(
                now, observation, surprises
            ):
                best = None
        if best is not None and self._is_one_of_two(best, fits, surprises, now):
            return False, fits
        if best is None:
            best = self._before_slip(fits, now, observation, surprises)
        if best is None:
            return False, fits
        self._commit(best, now, events)
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

    def _is_one_of_two(self, best: Fit, fits: list[Fit], surprises: Surprises, now: int) -> bool:
        """Whether the same player seems to have made another move as well, of which only one can count: which, nobody
        can tell from what lies there."""
        left = self._open_keys(best.explanation, surprises, now)
        if not left or len(best.explanation.steps) != 1:
            return False
        player = self.game.player_of(best.explanation.steps[0])
        for other in fits:
            explanation = other.explanation
            if (
                len(explanation.steps) == 1 and not explanation.slips and other.is_clean and not other.unseen
                and self.game.player_of(explanation.steps[0]) == player
                and left.issuperset(change.key for change in explanation.changes)
                and explanation.steps[0] not in self.game.legal_moves(best.explanation.state)
            ):
                return True
        return False

    def _before_slip(self, fits: list[Fit], now: int, observation: Observation, surprises: Surprises) -> Fit | None:
        """A legal move over which a slip was made before it could be agreed on, when the two together explain all."""
        loud = self._loud_picture(surprises, now)
        if self.held is not None or not self._dense or observation.hand or self._slips_searched == loud or not loud:
            return None
        if min(self.evidence.age(key, value, now)[1] for key, value in loud) < self.patience.unlisted_dense_s:
            return None
        self._slips_searched = loud
        beginnings = promising(fits, self.evidence, MOST_BEGINNINGS)
        both = slips_after(self.ground, beginnings, self.evidence, surprises, now)
        good = [
            fit for fit in both
            if fit.is_clean and not fit.unseen and not self._leaves_open(fit.explanation, surprises, now)
        ]
        if not good or good[0].evidence < self.patience.legal + self.patience.slip:
            return None
        steps = good[0].explanation.steps
        alone = [weigh(slip, self.evidence, surprises, now) for slip in self._slips_showing(loud)]
        rivals = [fit for fit in both if fit.explanation.steps != steps] + [fit for fit in alone if fit.is_clean]
        if any(good[0].score - fit.score < self.patience.margin for fit in rivals):
            return None
        first = weigh(next(each for each in beginnings if each.steps == steps), self.evidence, surprises, now)
        return first if all(self._kinds[place] is Kind.HEAP for place in first.against | first.unseen) else None

    def _unless_outdone(self, single: Fit, deeper: list[Fit], surprises: Surprises, now: int) -> Fit | None:
        """A single step that leaves something open, unless a run of moves that begins otherwise explains more: then
        more must be seen first. What is only put right stands beside any run that does not touch it."""
        lain = self._lain(single, now)
        left = self._open_keys(single.explanation, surprises, now)
        rivals = [
            fit for fit in deeper
            if fit.explanation.steps[:1] != single.explanation.steps[:1]
            and (single.explanation.steps or contradict(fit.explanation, single.explanation))
            and self._possible_score(fit) > single.score
            and not self._is_ruled_out(fit, lain)
            and self._open_keys(fit.explanation, surprises, now) < left
        ]
        return None if rivals else single

    def _lain(self, fit: Fit, now: int) -> int:
        """In how many looks what an explanation changes has been seen."""
        ages = (self.evidence.age(change.key, change.value, now)[0] for change in fit.explanation.changes)
        return max(ages, default=0)

    def _is_ruled_out(
        self, fit: Fit, lain: int, rival: Explanation | None = None, hand: bool = False
    ) -> bool:
        """Whether a legal explanation has been seen not to be true: one look may be mistaken, two in a row are not.
        Looks from before the change, which has `lain` there for some, do not count. What goes beyond a rival may still
        be on its way while a hand is there."""
        explanation = fit.explanation
        looks = self.patience.slip_looks
        if rival is not None and set(rival.changes) < set(explanation.changes):
            if hand:
                return False
            looks = self.patience.beyond_looks
        return any(
            min(lain, self.evidence.denials(change.key, change.value)) >= looks
            for change in explanation.changes if change.key[0] not in explanation.late
        )

    def _possible_score(self, fit: Fit) -> float:
        """What a legal explanation would score if no single look spoke against it."""
        scores = (self.evidence.weighed(change.key, change.value)[0] for change in fit.explanation.changes)
        return sum(max(0.0, score) for score in scores) + fit.explanation.prior

    def _search(self, surprises: Surprises, now: int) -> None:
        """Look for several things in a row, and keep the best finds for the looks to come."""
        loud = self._ripe_picture(surprises, now)
        self._search_wait_s = 2 * self._search_wait_s if self._searched == loud else 2 * self.patience.search_s
        self._searched, self._searched_ns = loud, now
        held = [] if self.held is None else [self.held.explanation]
        roots = self._slip_roots(held, surprises, now)
        found = chains(self.ground, self.evidence, surprises, now, self.patience.depth, roots, self._known)
        # What an earlier look made likely may only be out of favour for one look.
        found += [weigh(chain, self.evidence, surprises, now) for chain in self._chains]
        best: dict[Any, Fit] = {}
        for fit in sorted(found, key=lambda fit: -fit.score):
            best.setdefault((fit.explanation.steps, tuple(slip.slug for slip in fit.explanation.slips)), fit)
        self._chains = [fit.explanation for fit in list(best.values())[:KEPT_CHAINS]]

    def _play_forced(self, now: int, events: list[Event]) -> bool:
        """Play the only legal move where it shows nothing, such as a pass that is compulsory."""
        if self._moves is None or len(self._moves) != 1 or not self._legal or self._legal[0].changes:
            return False
        self._apply(self._moves[0], now, events, 0.0)
        self._expect()
        return True

    def _decide(
        self, fits: list[Fit], now: int, observation: Observation, surprises: Surprises, whole: bool = False
    ) -> Fit | None:
        """The explanation that is clear enough to be agreed on. With `whole` it must explain everything."""
        clean = [fit for fit in fits if fit.is_clean and (fit.explanation.steps or fit.explanation.mends)]
        if not clean:
            return None
        best = clean[0]
        explanation = best.explanation
        steps = max(1, len(explanation.steps))
        if best.evidence < self._needed(explanation) * steps:
            return None
        if whole and steps > 1 and (best.unseen or self._leaves_open(explanation, surprises, now)):
            return None
        if whole and steps > 1 and self._dense and self._may_be_slip(best, surprises, now):
            return None
        places = {change.key[0] for change in explanation.changes} - explanation.late
        if len(best.support) < min(2, len(places)):
            return None
        if self._has_rival(best, clean, fits, now, observation.hand):
            return None
        if best.unseen and not (self._has_landed(best) and self._may_stay_unseen(best, now, observation)):
            return None
        if self._dense and not self._lies_still(best, now, observation.hand):
            return None
        if self.held is not None and not self._outdoes_held(explanation):
            return None
        if self._dense and self._may_hide_more(best, now):
            return None
        explained = {change.key for change in explanation.changes}
        loud = [key for key in surprises if key not in explained and self._is_loud(key, surprises[key], now)]
        if loud and explanation.steps and self._slip_is_better(best, loud, surprises, now):
            return None
        return best

    def _may_be_slip(self, fit: Fit, surprises: Surprises, now: int) -> bool:
        """Whether one slip explains all that a run of moves does, nearly as well: then neither is taken for true."""
        loud = self._ripe_picture(surprises, now)
        slips = [weigh(slip, self.evidence, surprises, now) for slip in self._slips_showing(loud)]
        return any(
            slip.is_clean and slip.score > fit.score - self.patience.margin
            and not self._leaves_open(slip.explanation, surprises, now)
            for slip in slips
        )

    def _may_hide_more(self, fit: Fit, now: int) -> bool:
        """Whether a player's board shows a change that has only just come, and is not to be seen as a whole: what is
        covered for a moment may show that it was a slip."""
        if self._lain(fit, now) >= self.patience.beyond_looks:
            return False
        owners = {owner_of(change.key[0]) for change in fit.explanation.changes} - {None}
        return any(owner_of(place) in owners for place in self.evidence.hidden())

    def _has_rival(self, best: Fit, clean: list[Fit], fits: list[Fit], now: int, hand: bool) -> bool:
        """Whether something that contradicts an explanation is nearly as likely. Where looks come all the time, one
        that speaks against a rival may be mistaken, or a hand may be about to complete it: more must rule it out."""
        least = best.score - self.patience.margin
        lain = self._lain(best, now)
        if any(
            fit.score > least and contradict(fit.explanation, best.explanation)
            and not self._only_adds_late(fit, best, lain, hand)
            for fit in clean[1:]
        ):
            return True
        if not self._dense:
            return False
        return any(
            self._possible_score(fit) > least
            and contradict(fit.explanation, best.explanation)
            and not self._is_ruled_out(fit, lain, best.explanation, hand)
            and not self._only_adds_late(fit, best, lain, hand)
            for fit in fits if fit.explanation.steps or fit.explanation.mends
        )

    def _only_adds_late(self, fit: Fit, best: Fit, lain: int, hand: bool) -> bool:
        """Whether a rival is the same but for late places that have been seen to stay as they were, with no hand there
        to change them: what is done is done, and nothing more is to come."""
        more = set(fit.explanation.changes) - set(best.explanation.changes)
        if hand or not more or len(more) + len(best.explanation.changes) != len(fit.explanation.changes):
            return False
        looks = self.patience.beyond_looks if self._dense else 1
        return all(
            change.key[0] in fit.explanation.late
            and min(lain, self.evidence.denials(change.key, change.value)) >= looks
            for change in more
        )

    def _needed(self, explanation: Explanation) -> float:
        """How much evidence a step needs. What must be turned up now is only a matter of telling which it is."""
        request = self.game.deal_request(self.state)
        if request is not None and not request.places and len(explanation.steps) == 1:
            return self.patience.margin
        return self.patience.legal

    def _lies_still(self, fit: Fit, now: int, hand: bool) -> bool:
        """Whether what arrived has been seen there in two looks: a tile that is carried over a place lies on none. What
        lies on top of a pile is known once no hand can lay one more. Where nothing arrives, a hand may hold it."""
        tops = [
            self.evidence.age(change.key, change.value, now)[1] for change in fit.explanation.changes
            if change.key[0] in fit.support and self._kinds[change.key[0]] is Kind.PILE
        ]
        if hand and tops and min(tops) < self.patience.air_s:
            return False
        firm = [
            change.key for change in fit.explanation.changes
            if change.key[0] in fit.support and self._kinds[change.key[0]] is not Kind.HEAP
            and not self.evidence.is_blind(change.key[0])
        ]
        value = {change.key: change.value for change in fit.explanation.changes}
        if firm and self._is_fresh_table(now):
            return all(self.evidence.age(key, value[key], now)[0] >= self.patience.slip_looks for key in firm)
        if firm:
            # What was gathered before a place was covered may be of the table with the slip.
            return all(self._is_seen_since(key, value[key], now, hand) for key in firm)
        ages = [
            self.evidence.age(change.key, change.value, now)[1] for change in fit.explanation.changes
            if change.key[0] in fit.support
        ]
        return not hand and min(ages, default=0.0) >= self.patience.slip_dense_s

    def _is_seen_since(self, key: Key, value: Hashable, now: int, hand: bool) -> bool:
        """Whether a part has been seen so after a slip was put right: just now, or a moment ago with no hand about."""
        looks = self.patience.slip_looks
        if self.evidence.affirmations(key, value) >= looks:
            return True
        if hand or self.evidence.age(key, value, now)[0] < looks or self.evidence.denials(key, value):
            return False
        return self.evidence.unseen_s(key[0], now) <= 2 * self.patience.slip_dense_s

    def _is_fresh_table(self, now: int) -> bool:
        """Whether no slip lies on the table, nor has just been put right."""
        return self.held is None and (now - self._mended_ns) / 1e9 >= self.patience.tidy_dense_s

    def _outdoes_held(self, explanation: Explanation) -> bool:
        """Whether the table was seen to show the explanation and not the slip that is held: in most of the parts in
        which the two differ, and in none the other way. A slip is not put right by being covered."""
        assert self.held is not None
        wanted = {change.key: change.value for change in explanation.changes}
        lying = {change.key: change.value for change in self.held.explanation.changes}
        looks = self.patience.slip_looks if self._dense else 1
        seen = covered = 0
        for key in {*wanted, *lying}:
            value = wanted.get(key, self.evidence.expected(key))
            if key[0] in explanation.late or value == lying.get(key, self.evidence.expected(key)):
                continue
            if self.evidence.denials(key, value):
                return False
            if self.evidence.affirmations(key, value) >= looks:
                seen += 1
            elif not self.evidence.is_blind(key[0]):
                covered += 1
        return seen > covered or not covered

    def _may_stay_unseen(self, fit: Fit, now: int, observation: Observation) -> bool:
        """Whether a move can be agreed on although some of its places are hidden. Where a piece has been seen to land
        and more was seen than is hidden, nothing hangs on the hidden places; otherwise they are waited for."""
        if self._dense:
            # The next look is not far: nothing is decided on what is hidden until it has long been so.
            return self._is_only_faint(fit, now)
        if len(fit.support) >= 2 and len(fit.unseen) < len(fit.support):
            return True
        return self._waited_for_unseen(fit, now, observation)

    def _is_only_faint(self, fit: Fit, now: int) -> bool:
        """Whether the few places that do not speak for an explanation lie open and say nothing either way, such as a
        white piece on a white print, while all the others have shown it for long."""
        if FAINT_SHARE * len(fit.unseen) > len(fit.support):
            return False
        ages = [
            self.evidence.age(change.key, change.value, now)[1] for change in fit.explanation.changes
            if change.key[0] in fit.support
        ]
        return min(ages, default=0.0) >= self.patience.tidy_dense_s and all(
            self.evidence.in_sight(place) > self.patience.beyond_looks for place in fit.unseen
        )

    def _waited_for_unseen(self, fit: Fit, now: int, observation: Observation) -> bool:
        """A place that stays hidden although no hand is there (behind a tall tile) is taken on trust after a
        second look; one under a hand is waited for."""
        changes = frozenset(fit.explanation.changes)
        previous = self._unseen_since
        if previous is None or previous.changes != changes:
            self._unseen_since = Suspicion(changes, now, 1)
            return False
        self._unseen_since = replace(previous, looks=previous.looks + 1)
        waited_s = (now - previous.since_ns) / 1e9
        wait_s = self.patience.tidy_dense_s if observation.hand else self._slip_wait_s(fit.explanation)
        return waited_s >= wait_s and len(fit.unseen) <= len(fit.support)

    def _slip_is_better(self, best: Fit, open_keys: list[Key], surprises: Surprises, now: int) -> bool:
        """Whether a slip that accounts for what the legal move leaves open explains more than the move does. Where
        looks come all the time, a single one does not speak it free."""
        fits = [
            weigh(slip, self.evidence, surprises, now)
            for slip in self._slips_showing((key, surprises[key][0]) for key in open_keys)
        ]
        if any(fit.is_clean and fit.score > best.score for fit in fits):
            return True
        lain = self._lain(best, now)
        return self._dense and any(
            self._possible_score(fit) > best.score and not self._is_ruled_out(fit, lain) for fit in fits
        )

    def _may_search(self, now: int, observation: Observation, surprises: Surprises, fits: list[Fit]) -> bool:
        """A longer search is for a table at rest that has clearly changed in several places, and not on the way to
        what a single step makes of it."""
        busy = observation.hand or not observation.still
        loud = self._ripe_picture(surprises, now)
        if (busy and self._dense) or len({key[0] for key, _ in loud}) < 2:
            return False
        wait_s = self._search_wait_s if self._searched == loud else self.patience.search_s
        if (now - self._searched_ns) / 1e9 < wait_s if self._dense else self._searched == loud:
            return False
        if self.held is not None and not self._goes_beyond_held(loud):
            return False
        clear = {key: surprises[key] for key, _ in loud} if self._dense else surprises
        if any(is_half_done(option, self.evidence, clear) for option in self._legal):
            return False
        return not (self._dense and any(
            fit.is_clean and not self._leaves_open(fit.explanation, surprises, now) for fit in fits
        ))

    def _awaits_search(self, now: int, observation: Observation, surprises: Surprises) -> bool:
        """Whether the table has come to look otherwise since the last search, and the next one is due in a moment: a
        single step that leaves something open is not agreed on before."""
        if not self._dense or observation.hand or not observation.still or self.held is not None:
            return False
        is_due = (now - self._searched_ns) / 1e9 < self.patience.search_s
        return is_due and self._searched != self._ripe_picture(surprises, now)

    def _goes_beyond_held(self, loud: Iterable[tuple[Key, Hashable]]) -> bool:
        """Whether more, or something else, is to be seen than the slip that is held."""
        assert self.held is not None
        lying = {(change.key, change.value) for change in self.held.explanation.changes}
        looks = self.patience.slip_looks if self._dense else 1
        return any(each not in lying for each in loud) or any(
            self.evidence.denials(key, value) >= looks for key, value in lying
        )

    def _ripe_picture(self, surprises: Surprises, now: int) -> frozenset[tuple[Key, Hashable]]:
        """The loud picture without what was seen in a single look, where looks come all the time."""
        loud = self._loud_picture(surprises, now)
        if not self._dense:
            return loud
        looks = self.patience.slip_looks
        return frozenset(each for each in loud if self.evidence.age(*each, now)[0] >= looks)

    def _loud_picture(self, surprises: Surprises, now: int) -> frozenset[tuple[Key, Hashable]]:
        """What the table clearly looks like where it is not as expected, without how clearly."""
        return frozenset((key, seen[0]) for key, seen in surprises.items() if self._is_loud(key, seen, now))

    def _slip_roots(self, held: list[Explanation], surprises: Surprises, now: int) -> list[Explanation]:
        """Slips from which play may have gone on: the one that is held, or in a phase that ends by itself those
        that fit what was seen."""
        if held:
            return held
        if not any(option.late for option in self._legal):
            return []
        fits = [
            weigh(slip, self.evidence, surprises, now)
            for slip in self._slips_at(surprises)
            if slip.meant is not None and slip.late
        ]
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
        for move in explanation.steps:
            self._apply(move, now, events, fit.evidence)
        self._follow_late(explanation, fit, seen)
        self._withdraw(now, events)
        self._expect()

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
        """Whether a legal move leaves nothing of the held slip: it touches the same places."""
        assert self.held is not None
        slip_places = {change.key[0] for change in self.held.explanation.changes}
        return not slip_places.isdisjoint(change.key[0] for change in explanation.changes)

    def _open(self, explanation: Explanation, now: int, events: list[Event]) -> OpenSlip:
        self._numbers += 1
        slip = OpenSlip(f"s{self._numbers}", explanation.slips, explanation)
        events.append(SlipRaised(slip.id, slip.slips, now, explanation.table, explanation.meant))
        return slip

    def _withdraw(self, now: int, events: list[Event]) -> None:
        if self.question is not None:
            events.append(Withdrawn(self.question.id, now))
            self.question = None
