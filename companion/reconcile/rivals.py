"""What else might explain the same: nothing is agreed on while something that contradicts it is as likely."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from companion.reconcile.clarity import Clarity
from companion.reconcile.explanation import Explanation, Fit, weigh_all
from companion.reconcile.judging import Surprises, contradict, shared
from companion.reconcile.parts import Change, Key, owner_of
from vision.reading import Kind

MOST_WAITS = 2
"""A slip that may have followed a move is waited for so many times as long as it takes to name it."""


class Rivals(Clarity):
    """The part that weighs explanations against each other."""

    def _has_rival(self, best: Fit, clean: list[Fit], fits: list[Fit], now: int, hand: bool) -> bool:
        """Whether something that contradicts an explanation is nearly as likely. Where looks come all the time, one
        that speaks against a rival may be mistaken, or a hand may be about to complete it: more must rule it out."""
        least = best.score - self.patience.margin
        lain = self._lain(best, now)
        if any(
            fit.score > least and contradict(fit.explanation, best.explanation)
            and not self._only_adds_late(fit, best, lain, hand)
            and not (self._dense and self._is_ruled_out(fit, lain, best.explanation, hand))
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

    def _is_barely_more(self, best: Fit, clean: list[Fit], now: int) -> bool:
        """Whether another move shows the same, but for a place that has been seen to change in few looks: one that is
        misread twice makes a move of its own of what would be told at once without it."""
        changes = set(best.explanation.changes)
        if not self._dense or len(best.explanation.steps) != 1:
            return False
        more = [
            changes.difference(fit.explanation.changes) for fit in clean
            if len(fit.explanation.steps) == 1 and changes > set(fit.explanation.changes)
        ]
        return any(
            self.evidence.age(*change, now)[0] < self.patience.beyond_looks
            for each in more for change in each if change.key[0] not in best.explanation.late
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

    def _unless_outdone(self, single: Fit, deeper: list[Fit], surprises: Surprises, now: int) -> Fit | None:
        """A single step that leaves something open, unless a run of moves that begins otherwise explains more: then
        more must be seen first. What is only put right stands beside any run that does not touch it."""
        lain = self._lain(single, now)
        left = self._open_keys(single.explanation, surprises, now)
        rivals = [
            fit for fit in deeper
            if not self._makes_as_well(fit.explanation, single.explanation)
            and (single.explanation.steps or contradict(fit.explanation, single.explanation))
            and self._possible_score(fit) > single.score
            and not self._is_ruled_out(fit, lain)
            and self._open_keys(fit.explanation, surprises, now) < left
        ]
        return None if rivals else single

    def _makes_as_well(self, run: Explanation, single: Explanation) -> bool:
        """Whether a run of moves has a single one in it that may as well be the first: its player has made none before
        it, and those who move at the same time do so in any order."""
        steps = single.steps[:1]
        if run.steps[:1] == steps:
            return True
        if run.twin is not None or not steps or steps[0] not in run.steps:
            return False
        before, player = run.steps[:run.steps.index(steps[0])], self.game.player_of(steps[0])
        return all(self.game.player_of(step) not in (None, player) for step in before)

    def _may_lie_below(self, single: Fit, fits: list[Fit], surprises: Surprises, now: int) -> bool:
        """Whether a pile may have had another top than a move seems to have laid or left there, which somebody has
        taken since: such a piece lies where nothing explains it, and came no later than that top came to be seen. What
        explains all of it is waited for."""
        left = self._open_keys(single.explanation, surprises, now)
        if not left or len(single.explanation.steps) != 1:
            return False
        come: dict[Hashable, float] = {}
        for value, seconds in ((surprises[key][0], self.evidence.age(key, surprises[key][0], now)[1]) for key in left):
            come[value] = max(seconds, come.get(value, 0.0))
        changes, most_s = set(single.explanation.changes), MOST_WAITS * self.patience.unlisted_dense_s
        ages_s = {change.key: self.evidence.age(*change, now)[1] for change in changes}

        def lain_s(key: Key) -> float:
            """For how long a top has been seen; no time at all where a like one may just have come up again."""
            seconds = ages_s.get(key, 0.0)
            is_late = max(seconds, min(ages_s.values(), default=0.0)) > most_s
            return math.inf if is_late or self._kinds[key[0]] is not Kind.PILE else seconds

        return any(
            len(fit.explanation.steps) == 1 and not fit.explanation.slips and bool(others)
            and all(lain_s(other.key) <= come.get(other.value, -1.0) for other in others)
            for fit in fits for others in (set(fit.explanation.changes) - changes,)
            if all(lain_s(change.key) < math.inf for change in changes.difference(fit.explanation.changes))
        )

    def _slip_is_better(self, best: Fit, open_keys: list[Key], surprises: Surprises, now: int) -> bool:
        """Whether a slip that accounts for what the legal move leaves open explains more than the move does. Where
        looks come all the time, a single one does not speak it free; where they come rarely, a slip that was seen,
        however unlikely, is worth waiting for another."""
        slips = self._slips_showing((key, surprises[key][0]) for key in open_keys)
        fits = weigh_all(slips, self.evidence, surprises, now)
        clean = [fit for fit in fits if fit.is_clean]
        # Of what lies open, one more look tells.
        least = best.score - (self.patience.margin if self._dense else 0.0)
        if any(fit.score > least or (not self._dense and fit.evidence > best.evidence) for fit in clean):
            return True
        lain = self._lain(best, now)
        return self._dense and any(
            self._possible_score(fit) > least and not self._is_ruled_out(fit, lain) for fit in fits
        )

    def _may_be_slip(self, fit: Fit, surprises: Surprises, now: int) -> bool:
        """Whether one slip explains all that a run of moves does, nearly as well: then neither is taken for true. Where
        frames come rarely, several moves between two of them are common, and the slip must be the likelier; so must the
        moves, where what was turned up would have to be something else than was read."""
        loud = self._ripe_picture(surprises, now)
        run = fit.explanation
        if self._reads_anew(run) or self._is_far_fetched(run, now, self.patience.soon_share):
            least = fit.score - self.patience.margin
        else:
            least = fit.score - (self.patience.slip_margin if self._dense else 0.0)
        # A slip that explains all of it changes every place that is not as it was.
        wanted = {key[0] for key in self._open_keys(Explanation((), self.state, {}, ()), surprises, now)}
        found = self._slip_book().at_all(wanted) if wanted else self._slips_showing(loud)
        slips = weigh_all(found, self.evidence, surprises, now)
        return any(
            slip.is_clean and slip.score > least
            and not self._leaves_open(slip.explanation, surprises, now)
            for slip in slips
        )

    def _reads_anew(self, run: Explanation) -> bool:
        """Whether what was turned up, and has been read, would have to be something else for it."""
        same = 0 if run.twin is None else len(shared((self._since, run.twin.steps)))
        return run.twin is not None and same < len(self._since) and self.game.player_of(self._since[same]) is None

    def _is_far_fetched(self, run: Explanation, now: int, soon: float) -> bool:
        """Whether a run of moves takes for granted, at a table that has been in sight all along, that somebody took
        something of which nothing shows on that player's own board: it may lie unseen on a pile, but a slip of one hand
        is likelier than two players in less than so many times the usual time of a move."""
        if not self._dense or (now - self._doubted_ns) / 1e9 < self.patience.doubt_s:
            return False
        if self._had_time_for(run, now) or self._was_gone_on_with(run, now):
            return False
        if self._is_two_for_one(run, now, soon):
            return True
        if len(run.steps) < 2:
            return False
        before = frozenset[Change]()
        for step, stage in zip(run.steps, run.every_stage, strict=False):
            player, new = self.game.player_of(step), stage - before
            if player is not None and new and all(owner_of(change.key[0]) != player for change in new):
                return True
            before = stage
        return False

    def _is_two_for_one(self, run: Explanation, now: int, soon: float) -> bool:
        """Whether an explanation starts with a move of which nothing shows, and a slip shows all the rest: one in
        making that very move, by one hand that took too much, or any at all when only one was at the table."""
        silent = self._silent_start(run)
        if silent is None:
            return False
        changes = set(run.changes)
        slips = [slip for slip in self._slips_at(change.key for change in changes) if set(slip.changes) == changes]
        return any(slip.meant == silent for slip in slips) or (bool(slips) and self._came_by_one_hand(run, now, soon))

    def _silent_start(self, run: Explanation) -> Any | None:
        """The first move of an explanation, where nothing shows of it and others follow."""
        told = len(self._since)
        if run.twin is not None:
            return run.twin.steps[told] if len(run.twin.steps) > told else None
        return run.steps[0] if len(run.steps) > 1 and not run.every_stage[0] else None

    def _came_by_one_hand(self, run: Explanation, now: int, soon: float) -> bool:
        """Whether the table was in motion once since the last move was made, and what shows came so soon after it that
        another player hardly moved as well."""
        took = self._took(run, now)
        return self._hands_since() == 1 and took is not None and took < soon

    def _had_time_for(self, run: Explanation, now: int) -> bool:
        """Whether the table was in motion for every move of a run, as far as anybody tells of that, and long enough for
        more than one, until the last of it may have come."""
        hushed = 0 if run.twin is None else len(run.twin.steps) - len(self._since)
        looks = filter(None, (self.evidence.oldest(*change, now) for change in run.changes))
        took = self._until(self.evidence.before_looks(min(looks, default=0)))
        moved = not self._motions_ns or self._hands_since() >= hushed + len(run.steps)
        return moved and hushed + len(run.steps) > 1 and took is not None and took >= self.patience.soon_share

    def _was_gone_on_with(self, run: Explanation, now: int) -> bool:
        """Whether a hand was about when something lay on a player's board already, and the rest came to be seen after
        it: whoever takes too much has taken it all before laying anything down."""
        came_s = {change: self.evidence.age(*change, now)[1] for change in run.changes}
        laid = [seconds for change, seconds in came_s.items() if owner_of(change.key[0]) is not None and seconds]
        first_s = max(laid, default=0.0)
        return now - round(first_s * 1e9) <= self._busy_ns and any(
            owner_of(change.key[0]) is None and seconds < first_s for change, seconds in came_s.items()
        )

    def _hands_since(self) -> int:
        """How often the table was in motion since the last move was made."""
        return sum(since > self._laid_ns for since in self._motions_ns)

    def _took(self, run: Explanation, now: int) -> float | None:
        """How long after the last move what shows of a run came, in usual times of a move; None while nobody knows the
        pace of this table."""
        lain_s = max((self.evidence.age(*change, now)[1] for change in run.changes), default=0.0)
        return self._until(now - round(lain_s * 1e9))

    def _until(self, when_ns: int) -> float | None:
        """How long after the last move a moment was, in usual times of a move; None while nobody knows those."""
        usual_s = self._usual_s()
        return None if usual_s is None else (when_ns - self._laid_ns) / 1e9 / usual_s

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
