"""One game as it is followed: the agreed position, what lies wrong, and what can come next."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from companion.reconcile.belief import Asked, Confirmed, Event
from companion.reconcile.candidates import (
    UNLISTED_PRIOR,
    Ground,
    Options,
    SlipBook,
    mending_explanation,
)
from companion.reconcile.evidence import SURE_LOOKS, Evidence
from companion.reconcile.explanation import (
    FAINTLY,
    MANY,
    OPEN,
    SUPPORT,
    Explanation,
    Fit,
    TurnedUp,
    Twin,
    weigh,
    weigh_all,
)
from companion.reconcile.judging import Surprises, is_gain, is_half_done, is_loss
from companion.reconcile.open_slips import OpenSlip, Suspicion
from companion.reconcile.parts import UNKNOWN, Change, Key, owner_of, table_from_parts
from companion.reconcile.patience import Patience
from companion.reconcile.search import Known, deal_explanations
from companion.reconcile.second_opinion import SecondOpinion, Unseen
from companion.reconcile.under_way import Look, Search, UnderWay
from engine.api import Game
from engine.types import Severity, Slip
from vision.reading import Kind

MOST_MOTIONS = 8
"""How many of the times are kept at which something began to move: more moves than that are never made at once."""
MOST_TURNED_UP = 6
"""How many deals that turned something up are kept in mind."""
USUAL_MOVES, FEWEST_MOVES = 9, 3
"""From how many moves the pace of a table is told, and from how many at least."""
PLAIN_EVIDENCE = SURE_LOOKS * FAINTLY
"""More than this never speaks for what is only faintly to be seen, however often it is looked at."""
LAG = "lag:"
"""Marks the putting right of a late place among the mends."""


class Following:
    """What is known of one game, and what may happen next. The parts built on it agree and judge."""

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
        self._asked: dict[str, Explanation] = {}
        """What the answers to the last question stand for."""
        self._lagging: dict[str, tuple[Any, Any]] = {}
        """Late places that have not followed yet: what should stand there, and what still does."""
        self._lag_moves = 0
        self._overdue: frozenset[str] = frozenset()
        """Places that lagged behind for so long that a piece is missing there."""
        self._dealt_from: Any | None = None
        """The position before the last move, if that was a deal."""
        self._hardly: dict[Key, Hashable] = {}
        """What was agreed on to lie on parts that hardly show it."""
        self._busy_ns = 0
        """When something last moved, or a hand was there."""
        self._dealt: set[str] = set()
        """Places of a refill that was agreed on just now."""
        self._kinds = kinds
        self._numbers = 0
        self._options: Options | None = None
        self._twins: tuple[Twin, ...] = ()
        """Positions that look like the agreed one and may be the true one."""
        self._parted: Any = state
        """The position at which they parted …"""
        self._since: tuple[Any, ...] = ()
        """… and the moves that were agreed on since."""
        self._before_last: tuple[Any, Any] | None = None
        """The last move that was agreed on, after the position that it was made from …"""
        self._undone: tuple[str, frozenset[tuple[Key, Hashable]]] | None = None
        """… and the slip and the picture by which it was last asked whether it was taken back."""
        self._silent: tuple[Twin, ...] | None = None
        """What it becomes by a move that cannot be seen, once that was asked for …"""
        self._silent_pairs: tuple[Twin, ...] | None = None
        """… and by two."""
        self._turned_up: tuple[TurnedUp, ...] = ()
        """What was turned up last."""
        self._twin_options: dict[Twin, Options] = {}
        self._slips: dict[frozenset[str] | None, SlipBook] = {}
        """The plausible slips, by the places that show something new where a game lists them for those only …"""
        self._hiding: dict[tuple[str, frozenset[str]], SlipBook] = {}
        """… and by what those show and what cannot be seen, where they hide something."""
        self._under_way = UnderWay()
        self._longer: tuple[Hashable, list[Explanation]] | None = None
        """The longer runs that were found beside one that was about to be agreed on, and what the table showed then."""
        self._searched: frozenset[Any] | None = None
        """The loud surprises for which a longer search has been made."""
        self._searched_ns = 0
        self._search_wait_s = 0.0
        """How long the same picture is left alone before it is searched again: what was faint may have become clear."""
        self._search_rest_ns = 0
        """Until when no search is made, because the last one was long."""
        self._slips_searched: frozenset[Any] | None = None
        """Those for which slips after a move were tried, and when …"""
        self._slips_searched_ns = 0
        self._slips_rest_ns = 0
        """… and until when no others are."""
        self._chains: list[Explanation] = []
        """The best runs of moves that were found …"""
        self._runs: list[Fit] = []
        """… and all of them that the last search has weighed."""
        self._known: Known = {}
        self._table: dict[str, Any] | None = None
        self._last_ns: int | None = None
        self._strange_ns: int | None = None
        self._unsteady_ns = 0
        self._strange: Mapping[str, Any] = {}
        """What was strange in the last frame that was not believed, since when, and since when in the same way."""
        self._doubted_ns = -(10**12)
        """When a frame was last not believed, or came late …"""
        self._looks_since_doubt = 10**6
        """… and how many have been believed since."""
        self._turned_ns: int | None = None
        """Since when a board has lain turned."""
        self._agreed_ns: int | None = None
        """When the last step was agreed on."""
        self._moved_ns: int | None = None
        """When the last move was agreed on."""
        self._between_s: deque[float] = deque(maxlen=USUAL_MOVES)
        """How long it took from one to the next, of late."""
        self._laid_ns = 0
        """Since when what the last move changed has been seen."""
        self._motions_ns: deque[int] = deque(maxlen=MOST_MOTIONS)
        """When something began to move over the table, of late."""
        self._is_in_motion = False
        self._mended_ns = -(10**12)
        """When the last slip was put right."""
        self._dense = False
        self._unseen_since: Suspicion | None = None
        self._unseen: Unseen | None = None
        """What lay there before several moves at once, or one just after the table could not be seen …"""
        self._half_seen: Unseen | None = None
        """… or before the last one, where the next may have followed it on a place that nobody sees …"""
        self._settling: Mapping[str, Any] = {}
        """… what the last step changed, and what should come to rest there …"""
        self._second: SecondOpinion | None = None
        """… and whoever thinks again about them."""
        self._expect()

    def _look_on(self, search: Search, surprises: Surprises, now: int) -> list[Fit] | None:
        """Go on with a search that is spread over looks where they come all the time; what it came to, best first, once
        it is over."""
        most = self.patience.at_once if self._dense else math.inf
        return self._under_way.look_on(search, most, Look(surprises, now))

    @property
    def is_searching(self) -> bool:
        """Whether what may have happened is still being looked for: until then nobody is accused or asked."""
        return self._under_way.is_open

    @property
    def ground(self) -> Ground:
        """The agreed position with everything that still lies wrong."""
        deviations: dict[str, tuple[Any, Any]] = dict(self._lagging)
        for slip in self.standing:
            deviations.update(slip.deviations or {})
        return Ground(self.game, self._kinds, self.state, deviations)

    def _expect(self) -> None:
        self._searched_ns = self._search_rest_ns = self._slips_rest_ns = 0
        self._options = self._searched = self._slips_searched = None
        self._under_way, self._longer = UnderWay(), None
        self._slips, self._hiding = {}, {}
        self._silent, self._silent_pairs, self._twin_options = None, None, {}
        self._chains, self._runs, self._known = [], [], {}
        self._table = self.ground.table()
        self.evidence.expect(self._table)
        self.evidence.restart_peaks(self._dealt)
        self._dealt = set()
        request = self.game.deal_request(self.state)
        self.evidence.watch(() if request is None else {*request.places, *request.choices})
        self._unseen_since = None

    def _build_legal(self, ground: Ground, before: Mapping[str, Any], places: set[str]) -> Options:
        """Work out the legal moves that can have to do with these places, each only once for an agreed position."""
        if self._options is None:
            self._options = Options(self.game, self.state)
        self._options.build(ground, before, places, self.evidence.noticed(), self.evidence.covered())
        return self._options

    @property
    def _legal(self) -> list[Explanation]:
        """The legal moves that were worked out for the agreed position."""
        return [] if self._options is None else self._options.legal

    def _slips_at(self, keys: Iterable[Key]) -> list[Explanation]:
        """The plausible slips that change one of the given places."""
        return self._slip_book().at(frozenset(key[0] for key in keys))

    def _slip_book(self) -> SlipBook:
        """The plausible slips, worked out once for an agreed position."""
        noticed = self.evidence.noticed()
        book = self._slips.get(None) or self._slips.get(frozenset(noticed))
        if book is None:
            book = SlipBook(self.ground, self._table or {}, noticed, self.evidence.covered())
            self._slips[frozenset(noticed) if book.is_sifted else None] = book
        return book

    def _slips_hiding(self, places: Collection[str], unseen: Collection[str]) -> list[Explanation]:
        """The plausible slips that change all of some places, something unseen, and nothing else: wherever else
        something was misread, no others have to be listed for that."""
        book, noticed = self._slips.get(None), self.evidence.noticed()
        if book is None:
            seen = {place: noticed.get(place, UNKNOWN) for place in sorted(places)}
            wanted = repr(seen), frozenset(unseen)
            book = self._hiding.get(wanted) or SlipBook(self.ground, self._table or {}, seen, unseen)
            if book.is_sifted:
                self._hiding[wanted] = book
            else:
                self._slips[None] = book
        return book.hiding(places, unseen)

    def _slips_showing(self, seen: Iterable[tuple[Key, Hashable]]) -> list[Explanation]:
        """The plausible slips that bring one of the things that were seen."""
        wanted = set(seen)
        return [
            slip for slip in self._slips_at(key for key, _ in wanted)
            if not wanted.isdisjoint(slip.changes)
        ]

    def _single_fits(self, surprises: Surprises, now: int) -> list[Fit]:
        """Every single legal thing that touches what is surprising, best first."""
        ground, before = self.ground, self._table or {}
        options = self._build_legal(ground, before, {key[0] for key in surprises}).showing(
            self.evidence.spoken_for(SUPPORT)
        )
        options += [
            mending_explanation(ground, before, slip.id, slip.deviations) for slip in self.standing if slip.deviations
        ]
        options += [
            mending_explanation(ground, before, LAG + place, {place: pair}) for place, pair in self._lagging.items()
        ]
        fits = weigh_all(options, self.evidence, surprises, now)
        for deal, margin in deal_explanations(ground, before, self.evidence)[:1]:
            if margin >= self.patience.margin:
                fits.append(weigh(deal, self.evidence, surprises, now))
        return sorted((fit for fit in fits if fit.support), key=lambda fit: -fit.score)

    def _may_be_told(self, explanation: Explanation, now: int) -> bool:
        """Whether a piece that would have to be read is only covered for a moment: where looks come all the time, it is
        waited for, since the last agreement and since what uncovered it has come."""
        if not self._dense or not explanation.untold:
            return False
        looks = [self.evidence.age(change.key, change.value, now)[0] for change in explanation.changes]
        is_new = min(max(looks, default=math.inf), self._looks_since_doubt) < self.patience.untold_looks
        # What lay under other pieces was not out of sight for anybody's sake.
        under = {place for place in explanation.untold if is_new and (self._table or {}).get(place) == UNKNOWN}
        awaited = [each for each in explanation.untold if each in under or not self.evidence.is_blind(each)]
        if any(self.evidence.in_sight(each) < self.patience.beyond_looks for each in awaited):
            return True
        return is_new or (now - (self._agreed_ns or 0)) / 1e9 < self.patience.air_s

    def _has_landed(self, fit: Fit) -> bool:
        """Whether a piece has been seen to arrive. Where it goes is never inferred from where it does not lie."""
        gains = self._gains(fit.explanation.changes)
        return not gains or bool(gains & fit.support)

    def _yet_to_see(self, fit: Fit) -> set[str]:
        """The places of an explanation that may still show whether it is true: not those that have long lain in sight
        and show it so faintly, beside all that do, that they leave it open."""
        open_looks = self.patience.hidden_looks
        doubtful = {place for place in fit.unseen if self.evidence.in_sight(place) >= open_looks} | fit.faint
        return set(fit.unseen - doubtful if len(fit.support) >= MANY * len(doubtful) else fit.unseen)

    def _lands_out_of_sight(self, fit: Fit) -> bool:
        """Whether a step of an explanation laid pieces where nobody could see them lately: any of those may lie there,
        or lie elsewhere. What has been covered for very long is taken on trust."""
        before, stages = frozenset[Change](), fit.explanation.every_stage
        for stage in stages:
            gains = self._gains((stage & stages[-1]) - before) - fit.explanation.late
            if gains and gains.isdisjoint(fit.support) and not self.evidence.is_cluttered(tuple(gains)):
                return True
            before |= stage
        return False

    def _gains(self, changes: Iterable[Change]) -> set[str]:
        """The places, none of them a heap, to which something has come."""
        return {
            change.key[0] for change in changes
            if self._kinds[change.key[0]] is not Kind.HEAP
            and is_gain(self.evidence.expected(change.key), change.value)
        }

    def _leaves_open(self, explanation: Explanation, surprises: Surprises, now: int) -> bool:
        """Whether something loud stays unexplained; a refill that has begun after it may."""
        return bool(self._open_keys(explanation, surprises, now))

    def _open_keys(self, explanation: Explanation, surprises: Surprises, now: int) -> set[Key]:
        """What is loud and stays unexplained, but for a refill that has begun after it, and for what lies under other
        pieces by now: that was seen before."""
        explained = {change.key for change in explanation.changes}
        under = {place for place, content in explanation.table.items() if content == UNKNOWN}
        coming = self._coming_to(explanation.state)
        left = {
            key for key, surprise in surprises.items()
            if key not in explained and key[0] not in coming and key[0] not in under
            and self._is_loud(key, surprise, now) and not self._is_old_news(key, surprise, now)
            and not self._is_nobodys(key, surprise, now)
        }
        faded = {key for key in left if self._is_unclear(key, surprises[key][0])}
        # Beside a whole tiling, a tile that seems to have come or gone elsewhere by a hair is misread.
        return left - faded if len(explanation.changes) >= MANY * len(faded) else left

    def _is_faint(self, key: Key, value: Hashable, least: float = FAINTLY) -> bool:
        """Whether the last look left open that a part is as expected: many faint looks share one mistake, and nobody is
        asked because of them."""
        reading = self.evidence.reading(key[0])
        table = {} if reading is None else reading.parts.get(key[1], {})
        expected = self.evidence.expected(key)
        return value in table and expected in table and max(table.values()) - table[expected] < least

    def _is_unclear(self, key: Key, value: Hashable) -> bool:
        return self._is_faint(key, value) or self._fades(key, value)

    def _fades(self, key: Key, value: Hashable) -> bool:
        """Whether a piece is seen to be gone, but so faintly that it may lie there: on a print of its own colour."""
        return is_loss(self.evidence.expected(key), value) and self._is_faint(key, value, OPEN)

    def _is_old_news(self, key: Key, surprise: tuple[Hashable, float], now: int) -> bool:
        """Whether a part seemed to show something that nobody can explain long before the last agreement, or when the
        agreement was made that put something there: it was no objection then, and is none now. What is plain to
        see stays news, however long it has lain there."""
        score = surprise[1]
        if self._agreed_ns is None or not self._dense or score >= PLAIN_EVIDENCE:
            return False
        if key in self._hardly and self._hardly[key] == self.evidence.expected(key):
            return True
        return self._lay_before_s(key, surprise, now) >= self.patience.old_news_s

    def _lay_before_s(self, key: Key, surprise: tuple[Hashable, float], now: int) -> float:
        """For how long a part had shown something when the last agreement was made."""
        return self.evidence.age(key, surprise[0], now)[1] - (now - (self._agreed_ns or 0)) / 1e9

    def _is_nobodys(self, key: Key, surprise: tuple[Hashable, float], now: int) -> bool:
        """Whether a piece seemed to be gone before the last agreement that nobody takes, right or wrong: people may be
        asked about it, but it is no part of anything that they do."""
        if not self._dense or not is_loss(self.evidence.expected(key), surprise[0]):
            return False
        return self._lay_before_s(key, surprise, now) >= self.patience.tidy_dense_s and not any(
            change.key == key for each in (*self._legal, *self._slips_at((key,))) for change in each.changes
        )

    def _coming_to(self, state: Any) -> set[str]:
        """The places that a refill changes, where one is due."""
        request = self.game.deal_request(state)
        return set() if request is None else {*request.places, *request.fixed, *request.choices}

    def _is_loud(self, key: Key, surprise: tuple[Hashable, float], now: int) -> bool:
        """Whether a part is as loud as the looks at it so far could make it."""
        value, score = surprise
        looks = max(1, self.evidence.age(key, value, now)[0])
        if self._dense and looks >= self.patience.slip_looks:
            return True
        if self._dense and self.evidence.unseen_s(key[0], now) > 0:
            # A single look, and nobody can look again just now: nothing waits for that.
            return False
        loud = self.patience.loud if self._dense else self.patience.loud_sparse
        return score >= loud * min(1.0, self.evidence.weight * looks)

    def _lands(self, explanation: Explanation) -> bool:
        """Whether pieces have arrived where they were going. Where they have only left, or only the rest was pushed
        aside, a player still holds them."""
        places = {change.key[0] for change in explanation.changes}
        if places and (places <= self._overdue or places <= self._to_turn_up()):
            # What was waited for in vain is in nobody's hand; nor is what should have been turned up.
            return True
        expected = self.evidence.expected
        gains = [change.key for change in explanation.changes if is_gain(expected(change.key), change.value)]
        if any(self._kinds[place] is not Kind.HEAP for place, _ in gains):
            return True
        if any(self._kinds[change.key[0]] is Kind.COUNTER for change in explanation.changes):
            # Whoever has moved the stone has done what it is for, up or down.
            return True
        if not gains:
            return False
        picture = {change.key: (change.value, 0.0) for change in explanation.changes}
        return not any(is_half_done(option, self.evidence, picture) for option in self._legal)

    def _slip_wait_s(self, explanation: Explanation) -> float:
        if not self._dense:
            return self.patience.slip_sparse_s
        if explanation.prior <= UNLISTED_PRIOR:
            if not self._may_follow_a_move(explanation) and all(
                self._kinds[change.key[0]] is Kind.CELL for change in explanation.changes
            ):
                return self.patience.cells_dense_s
            return max(self.patience.unlisted_dense_s, 0.0 if self._is_tidied_up(explanation) else self._tidy_s())
        return self.patience.slip_dense_s if self._is_tidied_up(explanation) else self._tidy_s()

    def _may_follow_a_move(self, explanation: Explanation) -> bool:
        """Whether a legal move is part of a slip, and something that had lain there is gone as well: that may be what
        somebody else did after it."""
        changes = set(explanation.changes)
        return any(is_loss(self.evidence.expected(key), value) for key, value in changes) and any(
            changes.issuperset(option.changes) for option in self._legal if option.changes
        )

    def _is_tidied_up(self, explanation: Explanation) -> bool:
        """Whether nothing more is to follow: every place that the move which was meant changes has changed already."""
        if not explanation.late:
            return True
        meant = next((option for option in self._legal if option.steps == (explanation.meant,)), None)
        followed = {
            change.key[0] for change in explanation.changes
            if self.evidence.affirmations(change.key, change.value) >= self.patience.slip_looks
        }
        return meant is not None and followed.issuperset(change.key[0] for change in meant.changes)

    def _tidy_s(self) -> float:
        """How long a player may take to tidy up, at the pace of this table."""
        most_s = self.patience.tidy_dense_s
        usual_s = self._usual_s()
        if usual_s is None:
            return most_s
        return min(most_s, max(self.patience.tidy_least_s, self.patience.tidy_share * usual_s))

    def _usual_s(self) -> float | None:
        """The usual time between two moves at this table; None while it is not known."""
        return median(self._between_s) if len(self._between_s) >= FEWEST_MOVES else None

    def _problems_seen(self, state: Any, surprises: Surprises) -> tuple[tuple[Slip, ...], Mapping[str, Any]]:
        """The slip that the rules name in the table as it looks from some position, if it is one, and what looks
        otherwise there."""
        loud = {key: value for key, (value, score) in surprises.items() if score >= self.patience.loud}
        places = {key[0] for key in loud}
        if any(key[0] in places and key not in loud for key in surprises):
            # A place of which one part is clear and another is not yet.
            return (), {}
        owners = {owner_of(place) for place in places} - {None}
        if len(owners) > 1:
            # More than one player's board has changed: that is not one slip, and nobody is accused of it.
            return (), {}
        table = table_from_parts(self._kinds, self._table or {}, loud)
        slips = tuple(self.game.problems(state, {**(self._table or {}), **table}))[:1]
        if not slips or slips[0].severity is Severity.QUESTION:
            return (), {}
        if slips[0].player is not None and owners - {slips[0].player}:
            # Only somebody else's board has changed: whoever is to move has not done that.
            return (), {}
        return slips, table

    def _to_turn_up(self) -> set[str]:
        """The places on which something must be turned up now."""
        request = self.game.deal_request(self.state)
        return set() if request is None else set(request.choices)

    def _apply(self, move: Any, now: int, events: list[Event], evidence: float) -> None:
        before = self.state
        request = self.game.deal_request(before)
        if request is not None:
            self._dealt.update((*request.places, *request.choices))
        if self.game.player_of(move) is not None:
            if self._moved_ns is not None and now > self._moved_ns:
                self._between_s.append((now - self._moved_ns) / 1e9)
            self._moved_ns = self._laid_ns = now
        self._dealt_from = None if request is None else before
        step = self.game.apply(before, move)
        self.state, self._agreed_ns, self._overdue = step.state, now, frozenset()
        self._before_last = (before, move)
        self._since = (*self._since, move)
        self._turned_up = tuple(replace(each, steps=(*each.steps, move)) for each in self._turned_up)
        if request is not None and request.choices and not request.places:
            self._turned_up = (*self._turned_up[1 - MOST_TURNED_UP:], TurnedUp(before, (move,)))
        self._unseen = self._unseen and self._unseen.followed_by(move)
        self._half_seen = self._half_seen and self._half_seen.followed_by(move)
        events.append(Confirmed(move, before, step.state, step.reasons, now, evidence, self.game.round(before)))
