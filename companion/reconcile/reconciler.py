"""Follows one game: takes observations, one after another, and agrees on moves, deals and slips."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.reconcile.belief import (
    Answer,
    Asked,
    Belief,
    Confirmed,
    Event,
    SlipCleared,
    SlipRaised,
    Update,
    Verdict,
    Withdrawn,
)
from companion.reconcile.candidates import (
    UNLISTED_PRIOR,
    Deviations,
    Ground,
    after_slip,
    legal_explanation,
    mending_explanation,
    relevant_moves,
    slip_explanations,
)
from companion.reconcile.evidence import Evidence, Key, Missing, changes_between, table_from_parts
from companion.reconcile.explanation import Explanation, Fit, weigh
from companion.reconcile.search import chains, deal_explanation
from engine.api import Game
from engine.types import Severity, Slip
from vision.reading import Kind, Observation

KEPT_CHAINS = 12
LAG = "lag:"
"""Marks the putting right of a late place among the mends."""
AGAINST = 9.0
"""What a place that was seen and shows something else takes from a slip: one clear look."""

Surprises = Mapping[Key, tuple[Hashable, float]]


@dataclass(frozen=True, slots=True)
class Patience:
    """How sure to be, and how long to wait."""

    surprise: float = 2.5
    """Evidence below this is not worth explaining."""
    loud: float = 8.0
    """One part with this much evidence may be a slip of its own, on top of a legal move."""
    legal: float = 12.0
    """A legal move is agreed on at this much evidence: two clear places in one look, or two looks …"""
    strange_share: float = 0.35
    """A frame in which more than this share of the places contradicts the table is not believed …"""
    strange_s: float = 10.0
    """… until it has stayed so for this long."""
    margin: float = 3.5
    """… and this much more than any other explanation that contradicts it."""
    slip: float = 10.0
    """A slip is raised at this much evidence …"""
    slip_looks: int = 2
    """… in this many looks in a row …"""
    slip_sparse_s: float = 0.35
    """… this far apart when frames come rarely …"""
    slip_dense_s: float = 0.8
    """… or this long when they come all the time, because hands pause …"""
    tidy_dense_s: float = 4.0
    """… or this long while a player is still tidying up (a stone may follow later)."""
    dense_s: float = 0.3
    """Frames closer than this come all the time."""
    ask_s: float = 6.0
    """A question is asked when the table has been still and unexplained for this long …"""
    ask_looks: int = 4
    """… and in this many looks."""
    lag_moves: int = 2
    """A stone that has not followed after this many further moves is a slip."""
    air_s: float = 8.0
    """Pieces that have left and not arrived anywhere are in somebody's hand for at least this long."""
    depth: int = 6
    """How many moves in a row may be missed."""


@dataclass(frozen=True, slots=True)
class OpenSlip:
    """A slip that has been raised and not been put right."""

    id: str
    slips: tuple[Slip, ...]
    explanation: Explanation
    deviations: Deviations | None = None
    """What it left wrong, once play has gone on; None while it is held against the agreed position."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An explanation that has been best for some looks in a row."""

    changes: frozenset[Any]
    since_ns: int
    looks: int


class Reconciler:
    """One game as it is followed. Not shared between threads: the table's thread owns it."""

    def __init__(
        self, game: Game, kinds: Mapping[str, Kind], state: Any, patience: Patience | None = None
    ) -> None:
        self.game = game
        self.state = state
        self.patience = patience or Patience()
        self.evidence = Evidence(kinds)
        self.held: OpenSlip | None = None
        self.standing: list[OpenSlip] = []
        """Slips over which play has gone on."""
        self.question: Asked | None = None
        self._lagging: dict[str, tuple[Any, Any]] = {}
        """Late places that have not followed yet: what should stand there, and what still does."""
        self._lag_moves = 0
        self._kinds = kinds
        self._numbers = 0
        self._moves: Sequence[Any] | None = None
        self._built: set[Any] = set()
        self._legal: list[Explanation] = []
        self._slips: tuple[frozenset[str], list[Explanation]] | None = None
        self._searched: frozenset[Any] | None = None
        """The loud surprises for which a longer search has been made."""
        self._chains: list[Explanation] = []
        self._table: dict[str, Any] | None = None
        self._puzzled: Suspicion | None = None
        self._ignored: frozenset[Any] | None = None
        self._last_ns: int | None = None
        self._strange_ns: int | None = None
        self._dense = False
        self._unseen_since: Suspicion | None = None
        self._expect()

    # -- what the table should look like ------------------------------------------------------------------

    @property
    def ground(self) -> Ground:
        """The agreed position with everything that still lies wrong."""
        deviations: dict[str, tuple[Any, Any]] = dict(self._lagging)
        for slip in self.standing:
            deviations.update(slip.deviations or {})
        return Ground(self.game, self._kinds, self.state, deviations)

    def _expect(self) -> None:
        self._moves = self._slips = self._searched = None
        self._legal, self._built = [], set()
        self._chains = []
        self._table = self.ground.table()
        self.evidence.expect(self._table)
        request = self.game.deal_request(self.state)
        self.evidence.watch(() if request is None else {*request.places, *request.choices})
        self._puzzled = self._unseen_since = None

    # -- one frame ----------------------------------------------------------------------------------------

    def observe(self, observation: Observation) -> Update:
        """Take a frame into account and say what it means."""
        now = observation.captured_ns
        if not observation.trusted:
            return Update(Belief(Verdict.SLIP if self.held else Verdict.UNCHANGED))
        since_s = None if self._last_ns is None else (now - self._last_ns) / 1e9
        self._dense = since_s is not None and since_s < self.patience.dense_s
        self._last_ns = now
        if self._is_strange(observation):
            return Update(Belief(Verdict.SLIP if self.held else Verdict.IN_PROGRESS))
        self.evidence.look(observation)
        events: list[Event] = []
        fits: list[Fit] = []
        for _ in range(8):
            step, fits = self._agree(now, observation, events)
            if not step:
                break
        belief = self._judge(now, observation, fits, events)
        if any(isinstance(event, Confirmed) for event in events):
            belief = replace(belief, verdict=Verdict.CONFIRMED)
        return Update(belief, tuple(events))

    def _is_strange(self, observation: Observation) -> bool:
        """Whether a frame contradicts so much at once that it is the frame that must be wrong."""
        if self.evidence.strange_share(observation) <= self.patience.strange_share:
            self._strange_ns = None
            return False
        if self._strange_ns is None:
            self._strange_ns = observation.captured_ns
        return (observation.captured_ns - self._strange_ns) / 1e9 < self.patience.strange_s

    def _agree(self, now: int, observation: Observation, events: list[Event]) -> tuple[bool, list[Fit]]:
        """Agree on one more legal thing, if what was seen is clear enough; also the fits that were weighed."""
        surprises = self.evidence.surprises(self.patience.surprise)
        if not surprises:
            return False, []
        fits = self._single_fits(surprises, now)
        if self._play_forced(now, events):
            return True, []
        best = self._decide(fits, now, observation, surprises)
        if best is None:
            if self._may_search(now, observation, surprises):
                self._search(surprises, now)
            deeper = [weigh(chain, self.evidence, surprises, now) for chain in self._chains]
            fits = sorted(fits + deeper, key=lambda fit: -fit.score)
            best = self._decide(fits, now, observation, surprises, whole=True) if deeper else None
        if best is None:
            return False, fits
        self._commit(best, now, events)
        return True, []

    def _search(self, surprises: Surprises, now: int) -> None:
        """Look for several things in a row, and keep the best finds for the looks to come."""
        self._searched = _picture(surprises, self.patience.loud)
        held = [] if self.held is None else [self.held.explanation]
        roots = self._slip_roots(held, surprises, now)
        found = chains(self.ground, self.evidence, surprises, now, self.patience.depth, roots)
        self._chains = [fit.explanation for fit in found[:KEPT_CHAINS]]

    def _play_forced(self, now: int, events: list[Event]) -> bool:
        """Play the only legal move where it shows nothing, such as a pass that is compulsory."""
        if self._moves is None or len(self._moves) != 1 or not self._legal or self._legal[0].changes:
            return False
        self._apply(self._moves[0], now, events, 0.0)
        self._expect()
        return True

    def _single_fits(self, surprises: Surprises, now: int) -> list[Fit]:
        """Every single legal thing that touches what is surprising, best first."""
        ground, before = self.ground, self._table or {}
        places = {key[0] for key in surprises}
        self._build_legal(ground, before, places)
        options = [option for option in self._legal if any(change.key[0] in places for change in option.changes)]
        options += [
            mending_explanation(ground, before, slip.id, slip.deviations) for slip in self.standing if slip.deviations
        ]
        options += [
            mending_explanation(ground, before, LAG + place, {place: pair}) for place, pair in self._lagging.items()
        ]
        fits = [weigh(option, self.evidence, surprises, now) for option in options]
        deal = deal_explanation(ground, before, self.evidence)
        if deal is not None and deal[1] >= self.patience.margin:
            fits.append(weigh(deal[0], self.evidence, surprises, now))
        return sorted((fit for fit in fits if fit.support), key=lambda fit: -fit.score)

    def _build_legal(self, ground: Ground, before: Mapping[str, Any], places: set[str]) -> None:
        """Work out the legal moves that can have to do with these places, each only once for an agreed position."""
        if self._moves is None:
            self._moves = self.game.legal_moves(self.state)
        for move in relevant_moves(self.game, self._moves, places):
            if move not in self._built:
                self._built.add(move)
                self._legal.append(legal_explanation(ground, before, move))

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
        if best.evidence < self.patience.legal * steps:
            return None
        if whole and steps > 1 and (best.unseen or self._leaves_open(explanation, surprises)):
            return None
        places = {change.key[0] for change in explanation.changes} - explanation.late
        if len(best.support) < min(2, len(places)):
            return None
        rivals = [fit for fit in clean[1:] if _contradict(fit.explanation, explanation)]
        if rivals and best.score - rivals[0].score < self.patience.margin:
            return None
        if best.unseen and not (self._has_landed(best) and self._waited_for_unseen(best, now, observation)):
            return None
        explained = {change.key for change in explanation.changes}
        loud = [key for key, (_, score) in surprises.items() if key not in explained and score >= self.patience.loud]
        if loud and self._slip_is_better(best, loud, surprises, now):
            return None
        return best

    def _leaves_open(self, explanation: Explanation, surprises: Surprises) -> bool:
        """Whether something loud stays unexplained; a refill that has begun after it may."""
        explained = {change.key for change in explanation.changes}
        request = self.game.deal_request(explanation.state)
        coming = set() if request is None else {*request.places, *request.fixed, *request.choices}
        return any(
            score >= self.patience.loud and key not in explained and key[0] not in coming
            for key, (_, score) in surprises.items()
        )

    def _has_landed(self, fit: Fit) -> bool:
        """Whether a piece has been seen to arrive. Where it goes is never inferred from where it does not lie."""
        gains = {
            change.key[0] for change in fit.explanation.changes
            if self._kinds[change.key[0]] is not Kind.HEAP
            and _is_gain(self.evidence.expected(change.key), change.value)
        }
        return not gains or bool(gains & fit.support)

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
        hidden = sum(1 for place in fit.unseen)
        return not observation.hand and waited_s >= self._slip_wait_s(fit.explanation) and hidden <= len(fit.support)

    def _slip_is_better(self, best: Fit, wanted: list[Key], surprises: Surprises, now: int) -> bool:
        """Whether a slip that accounts for what the legal move leaves open explains more than the move does."""
        fits = (weigh(slip, self.evidence, surprises, now) for slip in self._slips_at(wanted))
        return any(fit.is_clean and fit.score > best.score for fit in fits)

    def _slips_at(self, keys: Iterable[Key]) -> list[Explanation]:
        """The plausible slips that change one of the given parts; kept while the same places are asked for."""
        places = frozenset(key[0] for key in keys)
        if self._slips is None or not places <= self._slips[0]:
            self._slips = (places, list(slip_explanations(self.ground, self._table or {}, places)))
        return [slip for slip in self._slips[1] if any(change.key[0] in places for change in slip.changes)]

    def _may_search(self, now: int, observation: Observation, surprises: Surprises) -> bool:
        """A longer search is for a table at rest that has clearly changed in several places."""
        busy = observation.hand or not observation.still
        loud = [key for key, (_, score) in surprises.items() if score >= self.patience.loud]
        if (busy and self._dense) or len({key[0] for key in loud}) < 2:
            return False
        if min(self.evidence.age(key, surprises[key][0], now)[0] for key in loud) < self.patience.slip_looks:
            return False
        if self._searched == _picture(surprises, self.patience.loud):
            return False
        return not any(_is_half_done(option, self.evidence, surprises) for option in self._legal)

    def _slip_roots(self, held: list[Explanation], surprises: Surprises, now: int) -> list[Explanation]:
        """Slips from which play may have gone on: the one that is held, or in a phase that ends by itself those
        that fit what was seen."""
        if held:
            return held
        fits = [
            weigh(slip, self.evidence, surprises, now)
            for slip in self._slips_at(surprises)
            if slip.meant is not None and slip.late
        ]
        good = sorted((fit for fit in fits if fit.is_clean), key=lambda fit: -fit.score)
        return [fit.explanation for fit in good[:3]]

    # -- agreeing -----------------------------------------------------------------------------------------

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
            events.append(SlipCleared(self.held.id, now))
            self.held = None
        seen = dict(self._table or {})
        for move in explanation.steps:
            self._apply(move, now, events, fit.evidence)
        self._follow_late(explanation, fit, seen)
        self._withdraw(now, events)
        self._expect()

    def _follow_late(self, explanation: Explanation, fit: Fit, before: Mapping[str, Any]) -> None:
        """Remember late places that still stand where they stood; stop waiting once play has gone on for long."""
        table = self.game.visible(self.state)
        self._lagging = {place: (table[place], actual) for place, (_, actual) in self._lagging.items()}
        changed = {change.key[0] for change in explanation.changes}
        for place in (explanation.late & changed) - fit.support:
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

    def _is_settled_by(self, explanation: Explanation) -> bool:
        """Whether a legal move leaves nothing of the held slip: it touches the same places."""
        assert self.held is not None
        slip_places = {change.key[0] for change in self.held.explanation.changes}
        return not slip_places.isdisjoint(change.key[0] for change in explanation.changes)

    def _apply(self, move: Any, now: int, events: list[Event], evidence: float) -> None:
        before = self.state
        step = self.game.apply(before, move)
        self.state = step.state
        events.append(Confirmed(move, before, step.state, step.reasons, now, evidence, self.game.round(before)))

    # -- slips, questions, verdicts -----------------------------------------------------------------------

    def _judge(self, now: int, observation: Observation, fits: list[Fit], events: list[Event]) -> Belief:
        """The verdict on a frame after which nothing more could be agreed on."""
        surprises = self.evidence.surprises(self.patience.surprise)
        if not surprises:
            self._puzzled = None
            self._clear_held(now, events)
            self._withdraw(now, events)
            return Belief(Verdict.UNCHANGED)
        slips = self._slip_fits(surprises, now)
        ranked = tuple(sorted(fits + slips[:10], key=lambda fit: -(fit.score - fit.unexplained)))
        if slips:
            self._suspect(slips[0], fits, surprises, now, observation, events)
        if self.held is not None and not self._still_seen(self.held, surprises, now):
            self._clear_held(now, events)
        margin = ranked[0].score - ranked[1].score if len(ranked) > 1 else 0.0
        if self.held is not None:
            return Belief(Verdict.SLIP, ranked[:5], margin)
        return Belief(self._puzzle(ranked, surprises, now, observation, events), ranked[:5], margin)

    def _slip_fits(self, surprises: Surprises, now: int) -> list[Fit]:
        """The slips that what was seen speaks for, best first; none while the last change has been seen only once."""
        loud = [(key, value) for key, (value, score) in surprises.items() if score >= self.patience.loud]
        ages = [self.evidence.age(key, value, now) for key, value in loud]
        if not ages or min(looks for looks, _ in ages) < self.patience.slip_looks:
            return []
        if self._is_refilling(loud):
            return []
        options = self._slips_at(surprises)
        named = self._named_by_rules(surprises, now)
        if named is not None:
            options.append(named)
        fits = [weigh(slip, self.evidence, surprises, now) for slip in options]
        good = [fit for fit in fits if fit.support]
        return sorted(good, key=lambda fit: -(fit.score - fit.unexplained - AGAINST * len(fit.against)))

    def _is_refilling(self, loud: list[tuple[Key, Hashable]]) -> bool:
        """Whether all that has changed belongs to a refill that is still under way."""
        request = self.game.deal_request(self.state)
        if request is None:
            return False
        awaited = {*(place for place, count in request.places.items() if count), *request.choices}
        come = {key[0] for key, _ in loud}
        return come <= awaited | {*request.places, *request.fixed} and not awaited <= come

    def _named_by_rules(self, surprises: Surprises, now: int) -> Explanation | None:
        """What the rules say of the table as it looks, for slips that nobody listed beforehand. A table on its way
        to a legal move is left alone."""
        if any(_is_half_done(option, self.evidence, surprises) for option in self._legal):
            return None
        loud = {key: value for key, (value, score) in surprises.items() if score >= self.patience.loud}
        table = table_from_parts(self._kinds, self._table or {}, loud)
        slips = self.game.problems(self.state, {**(self._table or {}), **table})
        if not slips or slips[0].severity is Severity.QUESTION:
            return None
        changes = tuple(changes_between(self._kinds, self._table or {}, table))
        return Explanation((), self.state, table, changes, slips[:1], prior=UNLISTED_PRIOR) if changes else None

    def _suspect(
        self, fit: Fit, legal: list[Fit], surprises: Surprises, now: int, observation: Observation, events: list[Event]
    ) -> None:
        """Raise a slip once every part of it has been seen clearly, twice, and nothing legal explains it."""
        explanation = fit.explanation
        rival = max((other.score for other in legal if other.is_clean), default=0.0)
        ages = [self.evidence.age(change.key, change.value, now) for change in explanation.changes]
        good = (
            fit.is_clean
            and not fit.unseen
            and fit.evidence >= self.patience.slip
            and min(looks for looks, _ in ages) >= self.patience.slip_looks
            and min(seconds for _, seconds in ages) >= self._slip_wait_s(explanation)
            and (self._lands(explanation) or min(seconds for _, seconds in ages) >= self.patience.air_s)
            and fit.score > rival + self.patience.margin
            and not self._leaves_open(explanation, surprises)
            and not (observation.hand and self._dense)
            and self._is_done(fit)
        )
        changes = frozenset(explanation.changes)
        known = self.held is not None and frozenset(self.held.explanation.changes) == changes
        if good and not known and changes != self._ignored:
            self._clear_held(now, events)
            self.held = self._open(explanation, now, events)

    def _lands(self, explanation: Explanation) -> bool:
        """Whether pieces have arrived where they were going. Where they have only left, or only the rest was pushed
        aside, a player still holds them."""
        expected = self.evidence.expected
        if any(
            self._kinds[change.key[0]] is not Kind.HEAP and _is_gain(expected(change.key), change.value)
            for change in explanation.changes
        ):
            return True
        picture = {change.key: (change.value, 0.0) for change in explanation.changes}
        return not any(_is_half_done(option, self.evidence, picture) for option in self._legal)

    def _is_done(self, fit: Fit) -> bool:
        """While players tidy up, a thing left undone is no slip until their stone has moved."""
        late = fit.explanation.late
        return not late or bool(late & (fit.support | fit.against)) or not any(
            change.key[0] in late for change in fit.explanation.changes
        )

    def _slip_wait_s(self, explanation: Explanation) -> float:
        if not self._dense:
            return self.patience.slip_sparse_s
        return self.patience.tidy_dense_s if explanation.late else self.patience.slip_dense_s

    def _open(self, explanation: Explanation, now: int, events: list[Event]) -> OpenSlip:
        self._numbers += 1
        slip = OpenSlip(f"s{self._numbers}", explanation.slips, explanation)
        events.append(SlipRaised(slip.id, slip.slips, now, explanation.table, explanation.meant))
        return slip

    def _still_seen(self, slip: OpenSlip, surprises: Surprises, now: int) -> bool:
        fit = weigh(slip.explanation, self.evidence, surprises, now)
        return fit.evidence > 0 and not fit.against

    def _clear_held(self, now: int, events: list[Event]) -> None:
        if self.held is not None:
            events.append(SlipCleared(self.held.id, now))
            self.held = None

    def _puzzle(
        self, ranked: tuple[Fit, ...], surprises: Surprises, now: int, observation: Observation, events: list[Event]
    ) -> Verdict:
        """In progress, or worth a question when it has stayed so for long."""
        if observation.hand or (self._dense and not observation.still):
            self._puzzled = None
            return Verdict.IN_PROGRESS
        picture = frozenset((key, value) for key, (value, _) in surprises.items())
        previous = self._puzzled
        if previous is None or previous.changes != picture:
            self._puzzled = Suspicion(picture, now, 1)
            self._withdraw(now, events)
            return Verdict.IN_PROGRESS
        self._puzzled = replace(previous, looks=previous.looks + 1)
        waited_s = (now - previous.since_ns) / 1e9
        if waited_s < self.patience.ask_s or self._puzzled.looks < self.patience.ask_looks or picture == self._ignored:
            return Verdict.IN_PROGRESS
        likely = [fit for fit in ranked if fit.is_clean][:3]
        verdict = Verdict.AMBIGUOUS if likely else Verdict.UNEXPLAINED
        if self.question is None:
            self._ask(verdict, likely, surprises, now, events)
        return verdict

    def _ask(self, verdict: Verdict, likely: list[Fit], surprises: Surprises, now: int, events: list[Event]) -> None:
        self._numbers += 1
        answers = [
            Answer(
                f"a{index}", "answer.slip" if fit.explanation.slips else "answer.move", fit.explanation.steps,
                fit.explanation.slips,
            )
            for index, fit in enumerate(likely, start=1)
        ]
        answers.append(Answer("a0", "answer.nothing"))
        places = tuple(sorted({key[0] for key in surprises}))
        self.question = Asked(f"q{self._numbers}", f"question.{verdict}", tuple(answers), places, now)
        events.append(self.question)

    def _withdraw(self, now: int, events: list[Event]) -> None:
        if self.question is not None:
            events.append(Withdrawn(self.question.id, now))
            self.question = None


def _picture(surprises: Surprises, least: float) -> frozenset[Any]:
    """The surprises that are loud enough, without their evidence: what the table looks like."""
    return frozenset((key, value) for key, (value, score) in surprises.items() if score >= least)


def _is_half_done(option: Explanation, evidence: Evidence, surprises: Surprises) -> bool:
    """Whether all that is surprising lies on the way to one legal move: each part is old, new or between."""
    goal = {change.key: change.value for change in option.changes}
    for key, (value, _) in surprises.items():
        old = evidence.expected(key)
        if old is Missing:
            continue
        if key not in goal:
            return False
        new = goal[key]
        between = isinstance(value, int) and isinstance(old, int) and isinstance(new, int) and (
            min(old, new) <= value <= max(old, new)
        )
        if value != new and not between:
            return False
    return True


def _is_gain(old: Hashable, new: Hashable) -> bool:
    if isinstance(old, int) and isinstance(new, int) and not isinstance(new, bool):
        return new > old
    return old is not Missing and new not in (None, False)


def _contradict(one: Explanation, other: Explanation) -> bool:
    """Whether two explanations cannot both be true: they touch the same part, and do not lead to the same table."""
    mine, theirs = set(one.changes), set(other.changes)
    return mine != theirs and not {change.key for change in mine}.isdisjoint(change.key for change in theirs)
