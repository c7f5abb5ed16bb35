"""Follows one game: takes observations, one after another, and agrees on moves, deals and slips."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from companion.reconcile.belief import (
    Answer,
    Asked,
    Belief,
    Confirmed,
    Event,
    TakenBack,
    Update,
    Verdict,
)
from companion.reconcile.candidates import SlipBook, turned_slip
from companion.reconcile.explanation import MANY, Explanation, Fit
from companion.reconcile.following import PLAIN_EVIDENCE
from companion.reconcile.judging import Surprises, is_loss, told_apart
from companion.reconcile.parts import Key, changes_between, owner_of, table_from_parts
from companion.reconcile.patience import Patience
from companion.reconcile.second_opinion import FEWEST_PUZZLING, SecondOpinion, Unseen
from companion.reconcile.sifting import Sifted
from companion.reconcile.suspecting import Suspecting
from companion.reconcile.unique_pieces import conserve
from engine.api import Game
from engine.types import UNKNOWN
from vision.reading import Kind, Observation

STEADY_SHARE = 0.75
"""Of what was strange, so much must be strange in the same way in the next look."""
PUT_OFF = 6
"""Something that goes on puts a question off, but not for longer than this many times the usual wait."""

HASTY_MOVES = 1.5
"""How many moves people make in the usual time of one, at the most."""
MOST_ANSWERS = 2
"""How many likely explanations a question offers, beside going on from what lies there."""

__all__ = ["Patience", "Reconciler"]


class Reconciler(Suspecting):
    """One game as it is followed. Not shared between threads: the table's thread owns it."""

    def pass_over(self, t_ns: int) -> None:
        """A frame came at this moment that was not worth a look: nothing is learnt but that frames come."""
        self._last_ns = self._busy_ns = t_ns
        if not self._is_in_motion:
            self._motions_ns.append(t_ns)
        self._is_in_motion = True

    def observe(self, observation: Observation) -> Update:
        """Take a frame into account and say what it means."""
        now = observation.captured_ns
        if observation.turned:
            return self._see_turned(observation)
        self._turned_ns = None
        if not observation.trusted:
            self.pass_over(now)
            self._doubt(now)
            return Update(Belief(Verdict.SLIP if self.held else Verdict.UNCHANGED))
        self._is_in_motion = False
        since_s = None if self._last_ns is None else (now - self._last_ns) / 1e9
        if self._dense and since_s is not None and since_s > self.patience.gap_s:
            # Whoever hurries, or a machine that is slow, leaves gaps all the time: nobody waits for that to be over.
            self._doubted_ns = now
        self._dense = since_s is not None and since_s < self.patience.dense_s
        self._last_ns = now
        sifted = self.evidence.sift(observation)
        if self._is_strange(sifted):
            self._doubt(now)
            return Update(Belief(Verdict.SLIP if self.held else Verdict.IN_PROGRESS))
        self._looks_since_doubt += 1
        states = (self.state, *(twin.state for twin in self._twins))
        self.evidence.look(conserve(self.game, states, sifted))
        if self._dense and observation.hand and self.evidence.is_cluttered(sifted.covered):
            observation = replace(observation, hand=False)
        if self._dense and self._looks_since_doubt < self.patience.beyond_looks:
            # While nothing could be believed anything may have changed: what was gathered before is not put together
            # with the first look after it.
            return Update(Belief(Verdict.SLIP if self.held else Verdict.IN_PROGRESS))
        if observation.hand:
            self._busy_ns = now
        self._miss_late(now)
        events: list[Event] = []
        self._take_back_undone(now, events)
        self._play_on_beside(now, events)
        fits: list[Fit] = []
        for _ in range(8):
            step, fits = self._agree(now, observation, events)
            if not step:
                break
        self._see_settle()
        belief = self._judge(now, observation, fits, events)
        self._ask_another(observation, belief, now, events)
        if any(isinstance(event, Confirmed) for event in events):
            belief = replace(belief, verdict=Verdict.CONFIRMED)
        return Update(belief, tuple(events))

    def is_content(self) -> bool:
        """Whether the agreed position explains all that is seen but for what was misread once, and nothing lies
        wrong."""
        surprises = self.evidence.surprises(self.patience.surprise)
        lies_wrong = self.held is not None or bool(self.standing)
        return not lies_wrong and self.question is None and not self._ripe_picture(surprises, self._last_ns or 0)

    def stand_by_it(self) -> None:
        """Whatever was agreed on is not thought over again."""
        self._unseen = self._half_seen = self._second = self._before_last = None

    def _ask_another(self, observation: Observation, belief: Belief, now: int, events: list[Event]) -> None:
        """Where nothing explains what lies there, see whether moves that nobody saw may have been others: whoever knows
        only what lay there before them may come to explain all of it."""
        open_ones = [each for each in (self._half_seen, self._unseen) if each is not None]
        if not open_ones or belief.verdict is Verdict.UNCHANGED or self.held or not self._dense:
            self._second = None
            return
        if self._second is None or self._second.unseen not in open_ones:
            # Whoever thought over fewer moves than there are by now has nothing more to say.
            self._second = None
            unseen = None if observation.hand or self.ground.deviations else self._puzzling(belief, now)
            if unseen is None:
                return
            # Nobody waits for it, so it takes its time.
            patience = replace(self.patience, again_looks=self.patience.hidden_looks)
            other = Reconciler(self.game, self._kinds, unseen.state, patience)
            other._doubt(now)
            other.evidence.take_over(self.evidence)
            self._second = SecondOpinion(unseen, other)
        self._second.observe(observation)
        steps, unseen = self._second.steps, self._second.unseen
        if steps is not None and steps[:len(unseen.steps)] == unseen.steps:
            # They were no others. What has followed them, a slip or moves, is for whoever saw it come to tell.
            self.stand_by_it()
        elif steps is not None and self._may_have_been(unseen, steps, now) and _untold(
            self.game, unseen.state, steps
        ) <= _untold(self.game, unseen.state, unseen.steps):
            self._go_back(self._second, steps, now, events)
        elif self._second.is_over:
            self.stand_by_it()

    def _may_have_been(self, unseen: Unseen, steps: Iterable[Any], now: int) -> bool:
        """Whether some steps may have been made from a position: they lay all that was plainly seen to be laid since,
        and what lay there each time lay so after one of them, or by a slip. What has come to rest after that and did
        not lie so lay wrong and was put right, unless a slip explains the table as well."""
        states = [unseen.state]
        for step in steps:
            states.append(self.game.play(states[-1], step))
        tables = [self.game.visible(state) for state in states]
        laid = {change for table in tables for change in changes_between(self._kinds, tables[0], table)}
        if not unseen.plain <= laid or not all(
            _lay_so((rest,), tables) or self._lay_wrong(rest, states, tables) for rest in unseen.rests
        ):
            return False
        if _lay_so(unseen.settled, tables):
            return True
        surprises = self.evidence.surprises(self.patience.surprise)
        return not self._explain_all(self._slips_showing(self._loud_picture(surprises, now)), surprises, now)

    def _lay_wrong(
        self, rest: Mapping[str, Any], states: Sequence[Any], tables: Sequence[Mapping[str, Any]]
    ) -> bool:
        """Whether all that was plainly seen to lie there is what a slip leaves behind in one of some positions, and
        some of it has been taken back: it lay on a board on which it lies in none of them."""
        if not any(
            owner_of(place) is not None and all(table[place] != content for table in tables)
            for place, content in rest.items()
        ):
            return False
        hidden = self._kinds.keys() - rest.keys()
        for state, table in zip(states, tables, strict=True):
            wrong = {place: content for place, content in rest.items() if table[place] != content}
            slips = SlipBook(self._ground_at(state), table, wrong, hidden).at_all(wrong)
            if any(rest.items() <= {**rest, **slip.table}.items() for slip in slips):
                return True
        return False

    def _puzzling(self, belief: Belief, now: int) -> Unseen | None:
        """What is to be thought over, where several places have shown for some time, plainly, what nothing explains; or
        one on which nobody could look before."""
        surprises = self._without_old_news(self.evidence.surprises(PLAIN_EVIDENCE), now)
        lain = {
            key[0] for key, (value, _) in surprises.items()
            if self.evidence.age(key, value, now)[1] >= self.patience.rethink_s
        }
        if self._half_seen is not None and not lain.isdisjoint(self._half_seen.covered):
            unseen: Unseen | None = self._half_seen
        else:
            unseen = (self._unseen or self._half_seen) if len(lain) >= FEWEST_PUZZLING else None
        return None if any(
            fit.is_clean and not (fit.explanation.slips and self._has_piles)
            and not self._leaves_open(fit.explanation, surprises, now)
            and not self._is_hasty(fit.explanation, now) for fit in belief.ranked
        ) else unseen

    def _is_hasty(self, run: Explanation, now: int) -> bool:
        """Whether there was hardly time for so many moves since the last one."""
        usual_s = self._usual_s()
        moves = sum(self.game.player_of(step) is not None for step in run.steps)
        return usual_s is not None and moves > HASTY_MOVES * ((now - self._laid_ns) / 1e9 / usual_s + 1.0)

    def _go_back(self, second: SecondOpinion, steps: tuple[Any, ...], now: int, events: list[Event]) -> None:
        """Take back what was agreed on since nobody saw the table, for what explains all that lies there now."""
        events.append(TakenBack(second.unseen.steps, now))
        self.state, self._turned_up = second.unseen.state, ()
        for step in steps:
            self._apply(step, now, events, PLAIN_EVIDENCE)
        self.stand_by_it()
        # What else it may have been stays in mind.
        self._parted, self._since, self._twins = second.other._parted, second.other._since, second.other._twins
        self._withdraw(now, events)
        self._expect()

    def _doubt(self, now: int) -> None:
        """Something may have happened that nobody could see: every place is to be looked at again."""
        self._doubted_ns, self._looks_since_doubt = now, 0
        self.evidence.check_anew(self.patience.slip_looks)

    def _see_turned(self, observation: Observation) -> Update:
        """A board lies turned: nothing is read on it, but that is said once it has stayed so."""
        now, events = observation.captured_ns, list[Event]()
        self.pass_over(now)
        if self._turned_ns is None:
            self._turned_ns = now
        elif (now - self._turned_ns) / 1e9 >= self.patience.slip_sparse_s and self.held is None:
            slip = turned_slip(self.ground, self._table or {}, observation.turned)
            if slip is not None:
                self.held = self._open(slip, now, events)
        return Update(Belief(Verdict.SLIP if self.held else Verdict.IN_PROGRESS), tuple(events))

    def is_only_added_to(self) -> bool:
        """Whether all that lay on the table still lies there, as far as is clear, and no stone was moved."""
        surprises = self.evidence.surprises(self.patience.loud)
        return not any(
            is_loss(self.evidence.expected(key), value) or self._kinds[key[0]] is Kind.COUNTER
            for key, (value, _) in surprises.items()
        )

    def shown_table(self) -> dict[str, Any]:
        """The table as it has been seen, whether or not that can be explained: what was agreed on, and whatever has
        clearly come to look otherwise or to light."""
        table = dict(self._table or {})
        surprises = self.evidence.surprises(self.patience.loud)
        seen = {key: value for key, (value, _) in surprises.items()} | self.evidence.uncovered(self.patience.loud)
        return {**table, **table_from_parts(self._kinds, table, seen)}

    def raise_told(self, answer: Answer) -> tuple[Event, ...]:
        """A person has said which slip it is that lies on the table: what was agreed on before it stands."""
        self.stand_by_it()
        self._turned_up = ()
        events: list[Event] = []
        now = self._last_ns or 0
        explanation = self._asked.get(answer.id)
        if explanation is not None:
            self._withdraw(now, events)
            self._clear_held(now, events)
            self.held = self._open(explanation, now, events)
        return tuple(events)

    def _is_strange(self, sifted: Sifted) -> bool:
        """Whether a frame contradicts so much at once that it is the frame that must be wrong: until it has stayed so
        for long, or for half as long in one and the same way (a board that was turned)."""
        strange, now = sifted.strange, sifted.observation.captured_ns
        if sifted.strange_share <= self.patience.strange_share:
            self._strange_ns = None
            return False
        same = sum(self._strange.get(place) == shown for place, shown in strange.items())
        is_steady = same >= STEADY_SHARE * len(strange)
        self._strange = strange
        if self._strange_ns is None:
            self._strange_ns = self._unsteady_ns = now
        if not is_steady:
            self._unsteady_ns = now
        return (
            (now - self._strange_ns) / 1e9 < self.patience.strange_s
            and (now - self._unsteady_ns) / 1e9 < self.patience.strange_s / 2
        )

    def _judge(self, now: int, observation: Observation, fits: list[Fit], events: list[Event]) -> Belief:
        """The verdict on a frame after which nothing more could be agreed on."""
        surprises = self._without_old_news(self.evidence.surprises(self.patience.surprise), now)
        if not surprises:
            self._clear_held(now, events)
            self._withdraw(now, events)
            return Belief(Verdict.UNCHANGED)
        fading = self._is_fading(surprises, now)
        told = self._dense and (
            self.is_searching or self._is_told(fits, surprises, now) or observation.hand if self.held is None
            else not self._goes_beyond_held(self._loud_picture(surprises, now))
        )
        slips = [] if told else self._slip_fits(surprises, now)
        ranked = tuple(sorted(fits + slips[:10], key=lambda fit: -(fit.score - fit.unexplained)))
        if slips and not fading:
            self._suspect(slips, fits, surprises, now, observation, events)
        if self.held is not None and not fading and not self._still_seen(self.held, surprises, now):
            self._mend(self.held, surprises, now, events)
        margin = ranked[0].score - ranked[1].score if len(ranked) > 1 else 0.0
        if self.held is not None:
            return Belief(Verdict.SLIP, ranked[:5], margin)
        return Belief(self._puzzle(ranked, surprises, now, observation, events), ranked[:5], margin)

    def _without_old_news(self, surprises: Surprises, now: int) -> Surprises:
        """What is surprising and may mean something: nobody is suspected, or asked, because of a place that stays
        misread. Of a slip that is held, nothing is old."""
        held = set() if self.held is None else {change.key for change in self.held.explanation.changes}
        return {
            key: surprise for key, surprise in surprises.items()
            if key in held or not self._is_old_news(key, surprise, now)
        }

    def _is_told(self, fits: list[Fit], surprises: Surprises, now: int) -> bool:
        """Whether something legal shows exactly what was clearly seen, though it may not be agreed on yet: then nobody
        is suspected."""
        loud = self._loud_picture(surprises, now)
        return any(
            fit.is_clean and (loud <= set(fit.explanation.changes) or self._is_all_but_faded(fit, surprises, now))
            and not self._is_far_fetched(fit.explanation, now, self.patience.at_once_share)
            and not self._lacks(fit.explanation) for fit in fits
        )

    def _is_all_but_faded(self, fit: Fit, surprises: Surprises, now: int) -> bool:
        """Whether most of what was seen is explained, and the rest is pieces that may well lie where they lay."""
        rest = self._loud_picture(surprises, now) - set(fit.explanation.changes)
        return len(fit.support) >= MANY * len(rest) and all(self._fades(key, value) for key, value in rest)

    def _puzzle(
        self, ranked: tuple[Fit, ...], surprises: Surprises, now: int, observation: Observation, events: list[Event]
    ) -> Verdict:
        """In progress, or worth a question when something has stayed so for long."""
        if self.question is not None and {key[0] for key in surprises}.isdisjoint(self.question.places):
            self._withdraw(now, events)
        if observation.hand or (self._dense and not observation.still) or self._has_just_moved(now):
            return Verdict.IN_PROGRESS
        if self.is_searching or (self._second is not None and self._second.is_waited_for(self.patience.fair_looks)):
            return Verdict.IN_PROGRESS
        steady = {key: seen for key, seen in surprises.items() if self._is_steady(key, seen[0], now)}
        clear = (score for key, (value, score) in steady.items() if not self._is_unclear(key, value))
        if max(clear, default=0.0) < self.patience.loud:
            # Nobody is asked because of what was never clear.
            return Verdict.IN_PROGRESS
        theirs = {key: seen for key, seen in surprises.items() if not self._is_nobodys(key, seen, now)}
        if not theirs and self.game.is_over(self.state):
            # A piece that nobody takes is no part of what goes on, and in the end it no longer matters.
            return Verdict.IN_PROGRESS
        if theirs and (self._awaits_refill(theirs, now) or self._is_going_on(theirs, steady, now)):
            return Verdict.IN_PROGRESS
        clean = [fit for fit in ranked if fit.is_clean]
        likely = told_apart(clean, self._steps_to_tell)[:MOST_ANSWERS]
        verdict = Verdict.AMBIGUOUS if likely else Verdict.UNEXPLAINED
        if self._dense and any(self._is_covered_for_now(place) for fit in likely for place in fit.unseen):
            return Verdict.IN_PROGRESS
        if self.question is None:
            self._ask(verdict, likely, steady, now, events)
        return verdict

    def _is_covered_for_now(self, place: str) -> bool:
        """Whether a place has been covered for so short a time that it may yet tell by itself what lies there."""
        return 0 < self.evidence.hidden_looks(place) < self.patience.hidden_looks

    def _has_just_moved(self, now: int) -> bool:
        """Whether something was agreed on or put right so short a time ago that more may follow by itself, or the table
        could not be seen a moment ago."""
        if (now - self._doubted_ns) / 1e9 < self.patience.doubt_s:
            return True
        return (now - max(self._agreed_ns or 0, self._mended_ns)) / 1e9 < self.patience.ask_s

    def _awaits_refill(self, surprises: Surprises, now: int) -> bool:
        """Whether all that is new lies where a refill is due: whoever fetches the bag has not finished."""
        ages = [self.evidence.age(key, value, now)[1] for key, (value, _) in surprises.items()]
        return {key[0] for key in surprises} <= self._coming_to(self.state) and min(ages) < self.patience.refill_s

    def _is_going_on(self, surprises: Surprises, steady: Surprises, now: int) -> bool:
        """Whether something has come just now to what has lain there for long, such as the last piece of a slow refill:
        what it means is seen in the next looks. A part that is read now so, now otherwise does not put a question off
        for good."""
        if not self._dense:
            return False
        ages_s = {key: self.evidence.age(key, value, now)[1] for key, (value, _) in surprises.items()}
        oldest_s = max((ages_s[key] for key in steady if key in ages_s), default=0.0)
        return min(ages_s.values()) < self.patience.ask_s / 2 and oldest_s < self.patience.ask_s * PUT_OFF

    def _is_steady(self, key: Key, value: Hashable, now: int) -> bool:
        """Whether a part has shown the same unexpected thing for so long that nothing more can be waited for."""
        looks, seconds = self.evidence.age(key, value, now)
        return looks >= self.patience.ask_looks and seconds >= self.patience.ask_s

    def _ask(self, verdict: Verdict, likely: list[Fit], surprises: Surprises, now: int, events: list[Event]) -> None:
        self._numbers += 1
        self._asked = {f"a{index}": fit.explanation for index, fit in enumerate(likely, start=1)}
        answers = [
            Answer(
                f"a{index}", "answer.slip" if fit.explanation.slips else "answer.move",
                self._steps_to_tell(fit.explanation) or (), fit.explanation.slips,
            )
            for index, fit in enumerate(likely, start=1)
        ]
        answers.append(Answer("a0", "answer.nothing"))
        places = tuple(sorted({key[0] for key in surprises}))
        self.question = Asked(f"q{self._numbers}", f"question.{verdict}", tuple(answers), places, now)
        events.append(self.question)


def _lay_so(rests: Iterable[Mapping[str, Any]], tables: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each time that something lay at rest it lay as in one of some tables, or on the way to the next. Where
    all of those are the same, and it was otherwise for a while, somebody has put right what lay wrong."""
    changed = {place for place, content in tables[0].items() if any(table.get(place) != content for table in tables)}
    return all(
        any(
            all(content in (one[place], other[place]) for place, content in rest.items() if place in changed)
            for one, other in pairwise((*tables, tables[-1]))
        )
        for rest in rests
    )


def _untold(game: Game, state: Any, steps: Iterable[Any]) -> set[str]:
    """The places on which something was turned up by some steps that leave open what it was: what is known is not given
    up for that."""
    untold = set[str]()
    for step in steps:
        request = game.deal_request(state)
        state = game.play(state, step)
        table = {} if request is None else game.visible(state)
        untold |= {place for place in table if request and place in request.choices and table[place] == UNKNOWN}
    return untold
