"""Moves over which a slip was made before they could be agreed on: the two are told apart together."""

from __future__ import annotations

from dataclasses import replace

from companion.reconcile.belief import Event, SlipRaised
from companion.reconcile.candidates import legal_explanation, silent_moves
from companion.reconcile.dealing import read_deals, unseen_heaps
from companion.reconcile.explanation import IN_ORDER, Explanation, Fit, timeliness, weigh, weigh_all
from companion.reconcile.judging import Surprises, names_of, shared
from companion.reconcile.open_slips import OpenSlip
from companion.reconcile.search import HUSHED_PRIOR, Begun, promising, slips_after, with_beginnings
from companion.reconcile.twins import Twins
from companion.reconcile.under_way import Look, Search
from vision.reading import Kind, Observation

KEPT_CHAINS = 16
"""How many of the runs that were found are kept."""
MOST_BEGINNINGS = 4
"""How many runs of each length are tried as what came before a slip, beside those that are kept …"""
MOST_ALIKE = 200
"""… and of how many, best first, they are the most promising ones."""
MOST_LEFT = 30
"""In more places than this, no slip of one hand makes the table look otherwise than moves alone would: most change
where a player tidies up wrongly after a round."""
LONG_BEGINNINGS = 60
"""A search for slips after more runs than this was a long one."""


class Beginnings(Twins):
    """The part that finds slips after moves that have not been agreed on."""

    def _before_slip(
        self, fits: list[Fit], now: int, observation: Observation, surprises: Surprises, events: list[Event]
    ) -> Fit | None:
        """A legal move over which a slip was made before it could be agreed on, when the two together explain all.
        Where it may have been one of several, nothing is agreed on, but the slip is raised."""
        if self.held is not None or not self._dense or observation.hand:
            return None
        if self._under_way.slips is None:
            self._under_way.slips = self._begin_before_slip(fits, surprises, now)
        if self._under_way.slips is None:
            return None
        beginnings, search = self._under_way.slips
        found = self._look_on(search, surprises, now)
        if found is None:
            return None
        self._under_way.slips = None
        # Those that were weighed in earlier looks may fit otherwise by now.
        both = weigh_all([fit.explanation for fit in found], self.evidence, surprises, now)
        both = sorted((fit for fit in both if fit.support), key=lambda fit: -fit.score)
        good = [
            fit for fit in both
            if fit.is_clean and not fit.unseen and not self._leaves_open(fit.explanation, surprises, now)
            # What was seen to come in another order did not come about like this.
            and timeliness(fit.explanation, self.evidence, now) >= IN_ORDER
        ]
        if not good or good[0].evidence < self.patience.legal + self.patience.slip:
            return None
        if self._may_be_told(good[0].explanation, now):
            return None
        least = good[0].score - self.patience.margin
        alone = weigh_all(self._slips_showing(self._loud_picture(surprises, now)), self.evidence, surprises, now)
        if any(self._is_as_likely(fit, least, now) for fit in alone):
            return None
        near = [fit for fit in both if fit.score > least]
        steps = shared(fit.explanation.steps for fit in near)
        beginning = next((each for each in beginnings if each.steps == steps), None)
        if beginning is None:
            self._raise_whatever_came_before(near, now, events)
            return None
        first = weigh(beginning, self.evidence, surprises, now)
        # What those laid there need not lie there, where whatever has followed took it.
        taken = {
            place for place, content in beginning.table.items()
            if all(fit.is_clean and fit.explanation.table.get(place) != content for fit in near)
        }
        return first if all(
            self._kinds[place] is Kind.HEAP or place in taken for place in first.against | first.unseen
        ) else None

    def _is_as_likely(self, alone: Fit, least: float, now: int) -> bool:
        """Whether a slip without any move before it scores more than so much, or would if no single look spoke against
        it."""
        return self._possible_score(alone) > least and not self._is_ruled_out(alone, self._lain(alone, now))

    def _begin_before_slip(
        self, fits: list[Fit], surprises: Surprises, now: int
    ) -> tuple[list[Explanation], Search] | None:
        """Begin to look for a slip after moves: the moves, and the search; None where none is due."""
        loud = self._loud_picture(surprises, now)
        if not loud or now < self._slips_rest_ns:
            return None
        if self._slips_searched == loud and (now - self._slips_searched_ns) / 1e9 < self.patience.slip_search_s:
            return None
        if min(self.evidence.age(key, value, now)[1] for key, value in loud) < self.patience.unlisted_dense_s:
            return None
        self._slips_searched, self._slips_searched_ns = loud, now
        if any(fit.is_clean and not self._leaves_open(fit.explanation, surprises, now) for fit in fits):
            # Something legal shows just that, and is only waited for: no slip has to be added to it.
            return None
        # The longer a run, the more of what the slip left it makes up for: those of each length are held together.
        alike: dict[int, list[Fit]] = {1: [fit for fit in fits if not fit.explanation.is_run]}
        for fit in self._runs:
            same = alike.setdefault(len(fit.explanation.steps), [])
            if len(same) < MOST_ALIKE:
                same.append(fit)
        most = [each for same in alike.values() for each in promising(same, self.evidence, MOST_BEGINNINGS)]
        beginnings = with_beginnings(self.ground, most + promising(fits, self.evidence, KEPT_CHAINS))
        beginnings += self._unseen_beginnings()
        left = [(each, self._not_shown(each, surprises, now)) for each in beginnings]
        begun = [Begun(each, places, self._guessed(each)) for each, places in left if 0 < len(places) <= MOST_LEFT]
        self._slips_rest_ns = self._rested_ns(len(begun) / LONG_BEGINNINGS, now)
        return beginnings, Search(slips_after(self.ground, begun, self.evidence, Look(surprises, now)))

    def _unseen_beginnings(self) -> list[Explanation]:
        """The moves of which nothing shows: after one of those, the slip is another player's."""
        table = self._table or {}
        options = [legal_explanation(self.ground, table, move) for move in silent_moves(self.ground, table)]
        return [replace(option, prior=option.prior + HUSHED_PRIOR) for option in options if not option.changes]

    def _not_shown(self, explanation: Explanation, surprises: Surprises, now: int) -> frozenset[str]:
        """The places that do not look as they would if nothing but this had happened."""
        fit = weigh(explanation, self.evidence, surprises, now)
        return fit.against | {key[0] for key in self._open_keys(explanation, surprises, now)}

    def _guessed(self, explanation: Explanation) -> frozenset[str]:
        """The heaps of refills among the steps of which nobody has seen what lay there, nor can tell it from what lies
        elsewhere."""
        state, guessed = self.state if explanation.twin is None else explanation.twin.state, list[str]()
        for move in explanation.steps:
            request = self.game.deal_request(state)
            if request is not None and len(read_deals(self.evidence, request, self._ground_at(state).table)) != 1:
                guessed += unseen_heaps(self.evidence, request)
            state = self.game.play(state, move)
        return frozenset(guessed)

    def _raise_whatever_came_before(self, near: list[Fit], now: int, events: list[Event]) -> None:
        """Raise a slip that is the same whichever of several moves was made before it."""
        explanation = near[0].explanation
        named = names_of(explanation.slips)
        if all(fit.is_clean and names_of(fit.explanation.slips) == named for fit in near) and self._is_pointed_at(
            explanation
        ):
            alone = replace(explanation, steps=(), stages=(), state=self.state, meant=None)
            self.held = self._open(alone, now, events)
        else:
            # What it points at may only be covered in this look.
            self._slips_searched = None

    def _rested_ns(self, length: float, now: int) -> int:
        """Until when to rest after a search of some length. At first nothing is spared to find the thread again; the
        longer ago something could be agreed on, the longer the rest."""
        lost_s = 0.0 if self._agreed_ns is None else (now - self._agreed_ns) / 1e9
        tired = max(0.0, lost_s / self.patience.lost_s - 1)
        return now + round(max(0.0, length - 1) * self.patience.rest_s * tired * 1e9)

    def _open(self, explanation: Explanation, now: int, events: list[Event]) -> OpenSlip:
        self._numbers += 1
        slip = OpenSlip(f"s{self._numbers}", explanation.slips, explanation, now)
        events.append(SlipRaised(slip.id, slip.slips, now, explanation.table, explanation.meant))
        return slip
