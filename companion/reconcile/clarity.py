"""How clearly an explanation has been seen: long enough, since the last slip, and in all of its places."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import replace

from companion.reconcile.candidates import Ground, SlipBook
from companion.reconcile.explanation import APART_LOOKS, TIMELY, Explanation, Fit, timeliness
from companion.reconcile.following import Following
from companion.reconcile.judging import Surprises, is_loss
from companion.reconcile.open_slips import Suspicion
from companion.reconcile.parts import UNKNOWN, Change, Key, Missing, owner_of, parts_of
from companion.reconcile.search import deal_explanations
from vision.reading import Kind, Observation

FAINT_SHARE = 4
"""For one place that says nothing, so many must speak."""


class Clarity(Following):
    """The part that tells whether enough has been seen."""

    def _loud_picture(self, surprises: Surprises, now: int) -> frozenset[tuple[Key, Hashable]]:
        """What the table clearly looks like where it is not as expected, without how clearly."""
        return frozenset((key, seen[0]) for key, seen in surprises.items() if self._is_loud(key, seen, now))

    def _ripe_picture(self, surprises: Surprises, now: int) -> frozenset[tuple[Key, Hashable]]:
        """The loud picture without what was seen in a single look, where looks come all the time."""
        loud = self._loud_picture(surprises, now)
        if not self._dense:
            return loud
        looks = self.patience.slip_looks
        return frozenset(each for each in loud if self.evidence.age(*each, now)[0] >= looks)

    def _lain(self, fit: Fit, now: int) -> int:
        """In how many looks what an explanation changes has been seen."""
        ages = (self.evidence.age(change.key, change.value, now)[0] for change in fit.explanation.changes)
        return max(ages, default=0)

    def _newest(self, fit: Fit, now: int) -> int:
        """In how many looks the last of what an explanation changes has been seen."""
        return min((self.evidence.age(*change, now)[0] for change in fit.explanation.changes), default=0)

    def _is_ruled_out(
        self, fit: Fit, lain: int, rival: Explanation | None = None, hand: bool = False
    ) -> bool:
        """Whether a legal explanation has been seen not to be true: one look may be mistaken, two in a row are not.
        Looks from before the change, which has `lain` there for some, do not count. What goes beyond a rival may still
        be on its way while a hand is there."""
        explanation = fit.explanation
        looks, covered = self.patience.slip_looks, 0
        more = set[Change]() if rival is None else set(explanation.changes).difference(rival.changes)
        if rival is not None and more and set(rival.changes) < set(explanation.changes):
            now, few = self._last_ns or 0, self.patience.beyond_looks
            if hand or any(0 < self.evidence.age(*change, now)[0] < few for change in more):
                # It may just be about to be laid.
                return False
            # With no hand there, nothing has come to a place that something covers for a moment.
            covered = self.patience.hidden_looks
            if not all(self._is_taken(change.key) for change in more):
                looks = self.patience.beyond_looks
        if any(min(lain, self.evidence.affirmations((bare, "value"), None)) >= looks for bare in explanation.unread):
            return True
        if not explanation.buried.isdisjoint(fit.against):
            return True
        # Of what was seen to be there a moment ago, two may be mistaken as well.
        again = max(looks, self.patience.beyond_looks) if self._dense else looks
        return any(
            self.evidence.denied_of(change.key, change.value, since, covered)
            >= (again if self.evidence.bygone.passed(*change) else looks)
            for change, since in self._lain_each(explanation, lain) if change.key[0] not in explanation.late
        ) or self._lacks(explanation)

    def _is_taken(self, key: Key) -> bool:
        """Whether a change of a part is that a piece has been taken up: it was, before it was laid down elsewhere."""
        is_shared_pile = self._kinds[key[0]] is Kind.PILE and owner_of(key[0]) is None
        return is_shared_pile and self.evidence.expected(key) not in (None, Missing)

    def _was_taken_late(self, explanation: Explanation, now: int) -> bool:
        """Whether a piece seems to have been taken up long after the rest of its move was made: whoever has moved next
        may have taken it, and where to is waited for."""
        for new in explanation.news:
            done = [self.evidence.age(*change, now)[0] for change in new if change.key[0] not in explanation.late]
            taken = [change for change in new if self._is_taken(change.key)]
            if any(
                max(done, default=0) - self.evidence.oldest(*change, now) >= APART_LOOKS
                and 0 < self.evidence.age(*change, now)[0] < self.patience.hidden_looks for change in taken
            ):
                return True
        return False

    def _lacks(self, explanation: Explanation) -> bool:
        """Whether a piece that may be laid a little later than the rest of a move has not been, though nothing moves
        any more. Stones are waited for, and heaps: whoever counts takes their time."""
        late = {change for change in explanation.changes if change.key[0] in explanation.late}
        late = {change for change in late if self._kinds[change.key[0]] not in (Kind.COUNTER, Kind.HEAP)}
        if not late or not self._dense:
            return False
        now = self._last_ns or 0
        lain = [self.evidence.age(*change, now) for change in set(explanation.changes) - late]
        least_s = min((seconds for _, seconds in lain), default=0.0)
        if min(least_s, (now - self._busy_ns) / 1e9) < self.patience.lag_s:
            return False
        since = min(looks for looks, _ in lain)
        return any(self.evidence.denied_of(*change, since, 0) >= self.patience.beyond_looks for change in late)

    def _lain_each(self, explanation: Explanation, lain: int) -> Iterator[tuple[Change, int]]:
        """Each change with the number of looks, of the last `lain`, since anything was seen of the step that brought
        it: what its place showed before tells nothing of that step. All of them where nothing shows of it."""
        for new in explanation.news:
            ages = [self.evidence.age(*change, self._last_ns or 0)[0] for change in new]
            shown = max(ages, default=0) if explanation.stages else 0
            yield from ((change, min(lain, shown or lain)) for change in new)

    def _possible_score(self, fit: Fit) -> float:
        """What a legal explanation would score if no single look spoke against it. In which order all of it was seen to
        come stays so."""
        explanation = fit.explanation
        scores = (self.evidence.weighed(change.key, change.value)[0] for change in explanation.changes)
        timely = timeliness(explanation, self.evidence, self._last_ns or 0) if explanation.stages else 0.0
        return sum(max(0.0, score) for score in scores) + explanation.prior + TIMELY * timely

    def _may_be_in_air(self, fit: Fit, now: int, hand: bool) -> bool:
        """Whether pieces have left and none has arrived, though they may still be laid somewhere: a floor that is full
        shows nothing of those that fall on it, and nor does a hand. They are in a hand for a while, or until play has
        gone on, or where frames come rarely until a third one shows no hand: the hand itself is not always seen."""
        changes = set(fit.explanation.changes)
        if not fit.explanation.steps or self._gains(changes):
            return False
        more = [
            set(option.changes) - changes for option in self._legal
            if changes < set(option.changes) and self._gains(option.changes)
        ]
        if not more:
            return False
        ages = [self.evidence.age(change.key, change.value, now) for change in changes]
        if not self._dense and not hand and min(looks for looks, _ in ages) > self.patience.slip_looks:
            return False
        # Where others would have to be taken up first, nobody holds those that have left for so long.
        is_held = any(not self._losses(each) for each in more)
        wait_s = self.patience.air_s if is_held else self.patience.tidy_dense_s
        # Whoever has just taken up what lay wrong holds that, however long ago it has left its place.
        mended_s = (now - self._mended_ns) / 1e9 if self.held is None else 0.0
        lain_s = min(mended_s, *(seconds for _, seconds in ages))
        return lain_s < wait_s and not self._is_followed(fit, now)

    def _only_undoes(self, fit: Fit, now: int) -> bool:
        """Whether all that the last of some moves does is to take away what the one before it brought, which nobody has
        seen lie there: that is on its way, until nobody can hold it any more."""
        *_, before, last = (frozenset[Change](), *fit.explanation.every_stage)
        *_, brought, more = (frozenset[Change](), *fit.explanation.news)
        taken = before - last
        if more or not taken or any(self.evidence.bygone.passed(*change) for change in taken):
            return False
        ages = [seconds for looks, seconds in (self.evidence.age(*change, now) for change in brought) if looks]
        return min(ages, default=0.0) < self.patience.air_s

    def _losses(self, changes: Iterable[Change]) -> set[str]:
        """The places from which something has gone."""
        return {change.key[0] for change in changes if is_loss(self.evidence.expected(change.key), change.value)}

    def _is_followed(self, fit: Fit, now: int) -> bool:
        """Whether what must be turned up after a move has been seen for a while: then nobody holds its pieces."""
        explanation = fit.explanation
        request = self.game.deal_request(explanation.state)
        if request is None or request.places or explanation.twin is not None:
            return False
        ground = Ground(self.game, self._kinds, explanation.state, self.ground.deviations)
        for deal, margin in deal_explanations(ground, self._table or {}, self.evidence)[:1]:
            ages = [
                self.evidence.age(change.key, change.value, now)[1] for change in deal.changes
                if change.key[0] in request.choices
            ]
            return (
                not deal.untold and margin >= self.patience.margin
                and min(ages, default=0.0) >= self.patience.cells_dense_s
            )
        return False

    def _may_be_covered_yet(self, fit: Fit, now: int, hand: bool) -> bool:
        """Whether a hand may lay one more piece on a pile: what lies on top is known when it is gone."""
        tops = [
            self.evidence.age(change.key, change.value, now)[1] for change in fit.explanation.changes
            if change.key[0] in fit.support and self._kinds[change.key[0]] is Kind.PILE
        ]
        return hand and bool(tops) and min(tops) < self.patience.air_s

    def _lies_still(self, fit: Fit, now: int, hand: bool) -> bool:
        """Whether what arrived has been seen there in two looks: a tile that is carried over a place lies on none.
        Where nothing arrives, a hand may hold it."""
        firm = [
            change.key for change in fit.explanation.changes
            if change.key[0] in fit.support and self._kinds[change.key[0]] is not Kind.HEAP
            and not self.evidence.is_blind(change.key[0])
        ]
        value = {change.key: change.value for change in fit.explanation.changes}
        heaps = [key for key in value if key[0] in fit.support and self._kinds[key[0]] is Kind.HEAP]
        looks = self.patience.slip_looks
        if firm and any(self.evidence.age(key, value[key], now)[0] < looks for key in heaps):
            # A heap that was miscounted once may make a move of a slip.
            return False
        if firm and self._is_fresh_table(now):
            # What shows something else in the very last look may just have been covered by it.
            return all(
                self._has_lain(key, value[key], now) and not self.evidence.denials(key, value[key]) for key in firm
            )
        if firm:
            # What was gathered before a place was covered may be of the table with the slip; on a heap it could make
            # one more step of it.
            again = (*firm, *heaps) if len(fit.explanation.steps) > 1 else firm
            return all(self._is_seen_since(key, value[key], now, hand) for key in again)
        ages = [
            self.evidence.age(change.key, change.value, now)[1] for change in fit.explanation.changes
            if change.key[0] in fit.support
        ]
        return not hand and min(ages, default=0.0) >= self.patience.slip_dense_s

    def _has_lain(self, key: Key, value: Hashable, now: int) -> bool:
        """Whether a part has shown a value in two looks, or one more where a hand was about when it came: what is
        carried over a place looks as if it lay there."""
        looks, seconds = self.evidence.age(key, value, now)
        came_by_hand = now - round(seconds * 1e9) <= self._busy_ns
        return looks >= self.patience.slip_looks + came_by_hand

    def _is_only_glimpsed(self, fit: Fit, now: int, hand: bool) -> bool:
        """Whether something that seems to have arrived was seen in a single look and is under a hand now, where frames
        come rarely: it may have been the hand, or what it carried."""
        return hand and not self._dense and any(
            change.key[0] in fit.support and self._kinds[change.key[0]] is not Kind.HEAP
            and self.evidence.unseen_s(change.key[0], now) > 0
            and self.evidence.age(change.key, change.value, now)[0] < self.patience.slip_looks
            for change in fit.explanation.changes
        )

    def _is_seen_since(self, key: Key, value: Hashable, now: int, hand: bool) -> bool:
        """Whether a part has been seen so after a slip was put right: just now, or a moment ago with no hand about."""
        looks = self.patience.slip_looks
        if self.evidence.affirmations(key, value) >= looks:
            return True
        if hand or self.evidence.age(key, value, now)[0] < looks or self.evidence.denials(key, value):
            return False
        held = () if self.held is None else self.held.explanation.changes
        if any(key == change.key and value != change.value for change in held):
            # What lay wrong may just be taken back.
            return False
        return self.evidence.unseen_s(key[0], now) <= 2 * self.patience.slip_dense_s

    def _is_fresh_table(self, now: int) -> bool:
        """Whether no slip lies on the table, nor has just been put right."""
        return self.held is None and (now - self._mended_ns) / 1e9 >= self.patience.tidy_dense_s

    def _may_have_missed(self, fit: Fit, now: int) -> bool:
        """Whether the table could not be followed a moment ago, not all of it has been seen since, and something lies
        on a pile: it may be the second that came to lie there, or have lain under another."""
        if (now - self._doubted_ns) / 1e9 >= self.patience.anew_s:
            return False
        changes = fit.explanation.changes
        if not any(self._kinds[place] is Kind.PILE and value is not None for (place, _), value in changes):
            return False
        kinds = {self._kinds[place] for place in self._gains(changes)}
        mover = self.game.player_of(fit.explanation.steps[-1]) if fit.explanation.steps else None
        return any(
            self._kinds[place] in kinds and owner_of(place) not in (None, mover) for place in self.evidence.unchecked()
        )

    def _goes_on_below(self, fit: Fit) -> bool:
        """Whether a pile showed another top until just now, be it for a moment, or at rest a while ago, and nothing
        explains that: what lay there was taken, and by whom is seen soon."""
        agreed_ns, laid = self._agreed_ns or 0, dict(fit.explanation.changes)
        just_ns = max(agreed_ns, self.evidence.before_looks(self.patience.beyond_looks))
        while_ns = max(agreed_ns, self.evidence.before_looks(self.patience.hidden_looks))
        told = frozenset[Change]().union(*fit.explanation.every_stage)
        for key in ((place, "top") for place, kind in self._kinds.items() if kind is Kind.PILE):
            shows = laid.get(key, self.evidence.expected(key))
            showed = [
                value for value, until_ns in self.evidence.bygone.gone(key, while_ns)
                if until_ns > just_ns or self._may_have_gone_unseen(until_ns)
            ]
            showed += self.evidence.bygone.rested(key, while_ns)
            if any(value != shows and (key, value) not in told for value in showed):
                return True
        return False

    def _may_have_gone_unseen(self, when_ns: int) -> bool:
        """Whether what was taken up at a moment may lie on a board where nobody has looked twice since."""
        until_ns = (self._last_ns or 0) + 1
        return any(
            self.evidence.seen_between(place, when_ns, until_ns) < self.patience.slip_looks
            for place in self._kinds if owner_of(place) is not None and not self.evidence.is_blind(place)
        )

    def _may_hide_more(self, fit: Fit, now: int) -> bool:
        """Whether a player's board shows a change that has only just come, and is not to be seen as a whole: what is
        covered for a moment may show that it was a slip."""
        if self._lain(fit, now) >= self.patience.beyond_looks:
            return False
        owners = {owner_of(change.key[0]) for change in fit.explanation.changes} - {None}
        return any(owner_of(place) in owners for place in self.evidence.hidden())

    def _may_come_from_elsewhere(self, fit: Fit, now: int) -> bool:
        """Whether what a move brought to a board may as well have come from a place that is hidden for a moment: then
        the rest that shows was done by somebody else."""
        explanation, looks = fit.explanation, self.patience.slip_looks
        if not self._dense or len(explanation.steps) != 1 or self._newest(fit, now) >= self.patience.hidden_looks:
            return False
        if self.held is not None and self.held.explanation.meant == explanation.steps[0]:
            # Whoever was told what is wrong has put just that right.
            return False
        hidden = {
            place for place in self._kinds
            if owner_of(place) is None and self.evidence.in_sight(place) < looks and not self.evidence.is_blind(place)
            # What lies under the pieces that came tells nothing of them.
            and explanation.table.get(place) != UNKNOWN
        }
        brought = {change for change in explanation.changes if owner_of(change.key[0]) is not None}
        if not hidden or not brought or not hidden.isdisjoint(explanation.table):
            return False
        self._build_legal(self.ground, self._table or {}, hidden)
        others = (set(option.changes) - brought for option in self._legal if brought < set(option.changes))
        return any(hidden.issuperset(change.key[0] for change in taken) for taken in others)

    def _may_hide_slip(self, fit: Fit, now: int) -> bool:
        """Whether a slip shows the same, but for places that nobody has seen since, or only just now: they are waited
        for a while, however clear the rest is, because what is agreed on is not looked at again."""
        *_, changes = fit.explanation.news
        lain = max((self.evidence.age(*change, now)[0] for change in changes), default=0)
        if fit.explanation.slips or lain >= self.patience.hidden_looks or not changes:
            return False
        since_s, looks = min(self.evidence.age(*change, now)[1] for change in changes), self.patience.slip_looks
        unseen = {place for place in self.evidence.hidden() if self.evidence.unseen_s(place, now) > since_s}
        # What a place showed in a single look, before it was covered or just now, may be so or not.
        unseen |= {
            place for place in self.evidence.changed()
            if self.evidence.in_sight(place) < looks and not self.evidence.is_blind(place)
        }
        came_ns = now - round(since_s * 1e9)
        others = self._kinds.keys() - {change.key[0] for change in changes}
        unseen |= {place for place in others if self._just_came_to_light(place, came_ns, now)}
        seen = {change for change in changes if change.key[0] in fit.support and change.key[0] not in unseen}
        # Whoever lays something on one board has no hand left for another.
        owners = {owner_of(change.key[0]) for change in seen} - {None}
        if owners:
            unseen = {place for place in unseen if owner_of(place) in {None, *owners}}
        if not unseen or not seen:
            return False
        places = {change.key[0] for change in seen}
        # What else the move changes, and has not shown yet, a slip may change as well.
        open_places = unseen.union(change.key[0] for change in changes) - places
        return any(
            not unseen.isdisjoint(slip.table) and seen.issubset(slip.changes)
            and all(change in changes for change in slip.changes if change.key[0] not in unseen)
            for slip in self._last_slips_hiding(fit.explanation, places, open_places)
        )

    def _just_came_to_light(self, place: str, since_ns: int, now: int) -> bool:
        """Whether a place that was hidden has been seen for so few looks since some moment that it may have been
        misread in them: it has not shown in two in a row what should lie there."""
        few, content = self.patience.beyond_looks, (self._table or {}).get(place, UNKNOWN)
        if not 0 < self.evidence.in_sight(place) < few or content == UNKNOWN:
            return False
        return self.evidence.seen_between(place, since_ns, now) < few and any(
            self.evidence.affirmations((place, part), value) < self.patience.slip_looks
            for part, value in parts_of(self._kinds[place], content).items()
        )

    def _last_slips_hiding(
        self, run: Explanation, places: Collection[str], unseen: Collection[str]
    ) -> list[Explanation]:
        """The plausible slips that may have been made instead of the last of some moves: those that change all of some
        places, something unseen, and nothing else."""
        if not run.is_run:
            return self._slips_hiding(places, unseen)
        state = self.state if run.twin is None else run.twin.state
        for step in run.steps[:-1]:
            state = self.game.play(state, step)
        ground, noticed = replace(self.ground, state=state), self.evidence.noticed()
        seen = {place: noticed.get(place, UNKNOWN) for place in sorted(places)}
        return SlipBook(ground, ground.table(), seen, unseen).hiding(places, unseen)

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
        white piece on a white print, while all the others have shown it for long: those that changed no later than
        they, for whoever plays on has long finished with them."""
        if FAINT_SHARE * len(fit.unseen) > len(fit.support):
            return False
        last = frozenset(fit.explanation.changes)
        until = next(
            (stage for stage in fit.explanation.stages if fit.unseen <= {change.key[0] for change in stage}), last
        )
        ages = [
            self.evidence.age(change.key, change.value, now)[1] for change in until & last
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

    def _is_pointed_at(self, explanation: Explanation) -> bool:
        """Whether every place that an accusation names has been seen to be so, those that should have changed too."""
        looks = self.patience.slip_looks if self._dense else 1
        table = {**(self._table or {}), **explanation.table}
        named = {place for slip in explanation.slips for place in slip.places if place in self._kinds}
        return all(
            self.evidence.is_blind(place) or self.evidence.affirmations((place, part), value) >= looks
            for place in named for part, value in parts_of(self._kinds[place], table.get(place, UNKNOWN)).items()
        )

    def _outdoes_held(self, explanation: Explanation) -> bool:
        """Whether the table was seen to show the explanation and not the slip that is held: in most of the parts in
        which the two differ, and in none the other way. A slip is not put right by being covered; what was strange
        besides, where it does not point, is no part of it."""
        assert self.held is not None
        wanted = dict(explanation.changes)
        lying = dict(self.held.explanation.changes)
        looks = self.patience.slip_looks if self._dense else 1
        pointed = {place for slip in self.held.slips for place in slip.places}
        buried = explanation.buried - self.held.explanation.buried
        if self._dense and any(self.evidence.hidden_looks(place) < self.patience.hidden_looks for place in buried):
            # A sleeve hides what lies beside a pile as well as the pile does.
            return False
        if any(
            0 < self.evidence.affirmations(key, self.evidence.expected(key)) < looks
            for key in lying if key not in wanted
        ):
            # One look in which something of it was gone.
            return False
        expected = self.evidence.expected
        apart = {
            key: wanted.get(key, expected(key)) for key in {*wanted, *lying}
            if key[0] not in explanation.late and wanted.get(key, expected(key)) != lying.get(key, expected(key))
        }
        # Where the two part in nothing that it points at, what lies besides tells.
        told = {key: value for key, value in apart.items() if key in wanted or key[0] in pointed} or apart
        seen = covered = blind = 0
        for key, value in told.items():
            if self.evidence.denials(key, value):
                return False
            if self.evidence.affirmations(key, value) >= looks:
                seen += 1
            elif self.evidence.is_blind(key[0]):
                blind += 1
            else:
                covered += 1
        return seen > covered or not (covered or blind)

    def _goes_beyond_held(self, loud: Iterable[tuple[Key, Hashable]]) -> bool:
        """Whether more, or something else, is to be seen than the slip that is held."""
        assert self.held is not None
        lying = set(self.held.explanation.changes)
        looks = self.patience.slip_looks if self._dense else 1
        return any(each not in lying for each in loud) or any(
            self.evidence.denials(key, value) >= looks for key, value in lying
        )
