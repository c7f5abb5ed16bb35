"""What the camera has said against the expected table, gathered over frames.

For every part of every place, and every value it could have, a running log-likelihood ratio against the value that
is expected there (a CUSUM: it restarts from zero whenever the expected value explains the table better). A single
misreading rises and falls within a frame or two; a real change keeps rising.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Mapping

from companion.reconcile.bygone import PASSED_LOOKS, Bygone
from companion.reconcile.parts import UNKNOWN, Key, Missing, live_parts
from companion.reconcile.peaks import Peaks
from companion.reconcile.sifting import SETTLED_LOG_PROB, Sifted, sift, wanted_at
from companion.reconcile.sight import Sight
from vision.reading import FLOOR_LOG_PROB, UNREADABLE, Kind, Observation, Reading, join, split

CAP = 30.0
"""Evidence stops growing here, so that a correction needs seconds and not minutes to be believed."""
DENIED = 2.0
"""A look speaks against a value when it makes it this much less likely than what was expected."""
ALIKE, FADED = 0.05, 0.5
"""A look at which something falls behind the likeliest by no more than this tells nothing: what earlier ones said for
it fades, each time to half, and below the second it is forgotten."""
NEVER_SEEN = 10**6
"""Looks in which a place was hidden of which nothing is known yet."""
SURE_LOOKS = 6
"""However often the same is seen, it counts no more than so many independent looks."""
ONE_LOOK = -FLOOR_LOG_PROB
"""The most that one look can say."""
FULL_WEIGHT_S = 0.4
"""Frames this far apart count as independent looks; closer ones share their errors and count less."""
LEAST_WEIGHT = 0.25
FLICKER_S = 0.5
"""What was out of favour for no longer than this has been there all the time."""
GLIMPSE = 0.85
"""What has so much of the most that one look can say shows clearly, be it in that look alone."""
LONG_LOOKS = 4
"""Longer than anything is waited for: a part that showed what is expected in so many looks in a row always has."""


class Evidence(Sight):
    """The running log-likelihood ratios against one expected table."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        super().__init__()
        self.kinds = kinds
        self._expected: dict[Key, Hashable] = {}
        self._wanted = wanted_at(kinds, {})
        """The same by place …"""
        self._settled: dict[str, Reading] = {}
        """… and the reading with which each last showed just that."""
        self._values: dict[Key, dict[Hashable, float]] = {}
        self._risen: dict[Key, tuple[Hashable, int, int]] = {}
        """For each surprising part its likeliest value, since when it has been so, and in how many looks."""
        self._came_unseen: dict[Key, int] = {}
        """Those of which nobody saw when they came, because the place was hidden in so many looks just before."""
        self._agreed: dict[Key, tuple[Hashable, int, int]] = {}
        """For each part that was agreed on, what it was to show, since when it has shown that, and for how many looks
        it was hidden just before."""
        self._lay: dict[Key, tuple[Hashable, int, int]] = {}
        """The same of what lay there when this began, as somebody who watched before has told."""
        self._fallen: dict[Key, tuple[Hashable, int, int, int]] = {}
        """The same of what was likeliest before, and until when."""
        self.bygone = Bygone()
        self._latest: dict[str, Reading] = {}
        self._peaks = Peaks(self._values)
        self._awaited: frozenset[str] = frozenset()
        """Places of which the refill or the turning up that is awaited now will tell the content."""
        self._contents: Mapping[str, object] = {}
        """The expected table."""
        self._unknown: frozenset[str] = frozenset()
        """Places of which nobody knows what lies there."""
        self._looks = 0
        self._shown: dict[Key, tuple[Hashable, int, int]] = {}
        """What a part looked like most when it was last seen, in how many looks in a row, and in which the last. One
        that has long shown what is expected is left out."""
        self.known_weights: dict[tuple[Key, Hashable], tuple[float, float]] = {}
        """What `weighed` has worked out since the last look or agreement: many explanations ask for the same."""
        self._changed: frozenset[str] | None = None
        """What `changed` has worked out since then; and …"""
        self._was_changed: Collection[str] = ()
        """… the places of which something spoke for a change in the look before."""
        self._noticed: Mapping[str, object] | None = None

    def expect(self, table: Mapping[str, object]) -> None:
        """Take another table as the expected one; evidence on parts that stay the same is kept."""
        before, self._contents = self._contents, dict(table)
        self._unknown = frozenset(place for place, content in table.items() if content == UNKNOWN)
        # From one agreement to the next, few places of a table become others.
        others = {
            place: self.kinds[place] for place in {**before, **table}
            if place in self.kinds and before.get(place, UNKNOWN) != table.get(place, UNKNOWN)
        }
        old = {(place, part): value for place in others for part, value in self._wanted[place].values.items()}
        new = {
            (place, part): value for place, kind in others.items() if table.get(place, UNKNOWN) != UNKNOWN
            for part, value in split(kind, table[place])
        }
        self.known_weights, self._noticed, self._changed = {}, None, None
        self._expected = {key: value for key, value in self._expected.items() if key not in old} | new
        self._wanted.update(wanted_at(others, new))
        for place in others:
            self._settled.pop(place, None)
        for key, value in old.items():
            if key not in self._shown and self._in_a_row.get(key[0], 0) > 0 and self.expected(key) != value:
                self._shown[key] = (value, self._in_a_row[key[0]], self._looks)
        self._agreed = {key: seen for key, seen in self._agreed.items() if self.expected(key) == seen[0]}
        for key in [key for key in self._values if key[0] in others]:
            value = self.expected(key)
            if value != self._expectation(old, key):
                if key in self._risen and self._risen[key][0] == value:
                    self._agreed[key] = (value, self._risen[key][1], self._came_unseen[key])
                self._rebase(key, value)
        changed = {key[0] for key in {*old, *new} if self.expected(key) != self._expectation(old, key)}
        self.bygone.forget(key for key, value in new.items() if value != old.get(key))
        self._peaks.rebase(changed, self._last_ns or 0)

    def _rebase(self, key: Key, value: Hashable) -> None:
        """Evidence against the old value, turned into evidence against the new one."""
        values = self._values[key]
        self._fallen.pop(key, None)
        base = max(values.get(value, 0.0), 0.0)
        rest = {other: score - base for other, score in values.items() if other != value and score - base > 0}
        self._risen.pop(key, None)
        if rest:
            self._values[key] = rest
        else:
            del self._values[key]

    def take_over(self, watched: Evidence) -> None:
        """Begin in the middle of a game, knowing from somebody who has watched it when what lies there came."""
        self._look_ns = watched._look_ns[:]
        risen = {
            key: (value, since_ns, watched._came_unseen[key]) for key, (value, since_ns, _) in watched._risen.items()
        }
        self._lay = watched._agreed | risen

    @property
    def is_second_hand(self) -> bool:
        """Whether somebody who watched before has told what lay there when this began."""
        return bool(self._lay)

    def _expectation(self, expected: Mapping[Key, Hashable], key: Key) -> Hashable:
        # Asked so often that what is not listed is looked up only then.
        return expected[key] if key in expected else 0 if self.kinds.get(key[0]) is Kind.HEAP else Missing

    def expected(self, key: Key) -> Hashable:
        """The value that is expected of a part."""
        return self._expectation(self._expected, key)

    def sift(self, observation: Observation) -> Sifted:
        """Part what a frame shows as expected, which is most of it, from what needs thought."""
        return sift(observation, self._wanted, self._risen, self._settled)

    def look(self, sifted: Sifted) -> None:
        """Take one frame into account."""
        observation = sifted.observation
        now_ns = observation.captured_ns
        since = None if self._last_ns is None else (now_ns - self._last_ns) / 1e9
        self._fresh_ns = now_ns if self._last_ns is None else self._last_ns
        self._last_ns = now_ns
        self._looks += 1
        self._look_ns.append(now_ns)
        self.bygone.look(now_ns)
        self._was_changed = self.changed()
        self.known_weights, self._noticed, self._changed = {}, None, None
        self.weight = 1.0 if since is None else min(1.0, max(LEAST_WEIGHT, since / FULL_WEIGHT_S))
        for key in [key for key in self._values if self._is_gone(key, observation)]:
            del self._values[key]
            self._fall(key, now_ns)
        in_a_row, seen = self._in_a_row, sifted.seen
        self._note_covered(sifted.covered, now_ns)
        self._note_checked(seen)
        self._note_seen(seen, now_ns)
        self._latest.update(seen)
        thought = sifted.unsettled.union([key[0] for key in self._values], [key[0] for key in self._shown])
        for place in [place for place in seen if place in thought]:
            self._think(place, seen[place], in_a_row.get(place, 0), now_ns)
            if place in self._peaks.watched:
                self._peaks.note(place, now_ns)
        for place in seen:
            before = in_a_row.get(place, 0)
            in_a_row[place] = before + 1 if before > 0 else 1
        self.bygone.note_hand(observation.hand)

    def _think(self, place: str, reading: Reading, before: int, now_ns: int) -> None:
        """Take one place into account that does not show what is expected, or did not a short while ago. It has been
        seen in `before` looks in a row up to now."""
        wanted = self._wanted[place]
        parts = reading.parts if wanted.only == "value" else live_parts(reading)
        for part, value in wanted.values.items():
            if part not in parts:
                # Not there to be seen: what it showed before has come to an end.
                self._shown.setdefault((place, part), (value, before, self._looks - 1))
        shown, last_look = self._shown, self._looks - 1
        for part, table in parts.items():
            key = (place, part)
            expected = wanted.values.get(part, wanted.default)
            base = table.get(expected)
            settled = base is not None and base > SETTLED_LOG_PROB
            if settled and key not in shown and key not in self._values:
                # It has looked so for as long as its place has been seen.
                continue
            best = expected if settled else max(table, key=table.__getitem__)
            value, looks, last = shown.get(key) or (expected, before, last_look)
            looks = looks + 1 if value == best and last == last_look and looks > 0 else 1
            if settled and looks > LONG_LOOKS and key not in self._values:
                shown.pop(key, None)
                continue
            shown[key] = (best, looks, self._looks)
            if not settled or key in self._values:
                self._update(key, table, expected, now_ns)

    def _shows(self, key: Key) -> tuple[Hashable, int]:
        """What a part looks like most in this look, and in how many in a row; in none where it is not to be seen."""
        if key in self._shown:
            value, looks, last = self._shown[key]
            return value, looks if last == self._looks else 0
        return self.expected(key), max(0, self._in_a_row.get(key[0], 0))

    def _is_gone(self, key: Key, observation: Observation) -> bool:
        """Whether a part is no longer there to be read, such as the face of a tile that was taken away."""
        reading = observation.readings.get(key[0])
        return reading is not None and not reading.occluded and key[1] not in live_parts(reading)

    def _base(self, table: Mapping[Hashable, float], expected: Hashable, value: Hashable) -> float:
        """What a value is held against: the expected one, or where nothing is expected its strongest rival."""
        if expected is Missing:
            rival = max((log_prob for other, log_prob in table.items() if other != value), default=FLOOR_LOG_PROB)
            return max(rival, FLOOR_LOG_PROB)
        return max(table.get(expected, FLOOR_LOG_PROB), FLOOR_LOG_PROB)

    def _update(self, key: Key, table: Mapping[Hashable, float], expected: Hashable, now_ns: int) -> None:
        old, weight = self._values.get(key, {}), self.weight
        new: dict[Hashable, float] = {}
        most = max(table.values(), default=0.0)
        floor = None if expected is Missing else self._base(table, expected, expected)
        for value, log_prob in table.items():
            if value == expected or (floor is not None and log_prob <= floor and value not in old):
                # A counter has a hundred values of which nothing was ever seen.
                continue
            base = self._base(table, expected, value) if floor is None else floor
            said = log_prob if log_prob > FLOOR_LOG_PROB else FLOOR_LOG_PROB
            ratio = said - base
            gain = weight * ratio
            score = old.get(value, 0.0)
            if gain > 0:
                # Looking again and again at something unsure does not make it sure.
                score = max(score, min(score + gain, SURE_LOOKS * ratio))
            else:
                # However long a thing has lain there, one clear look that it is gone is enough.
                score = gain + min(score, weight * ONE_LOOK)
                if log_prob > most - ALIKE:
                    score = score / 2 if score > FADED else 0.0
            if score > 0:
                # At the cap, too, what a look finds likelier stays ahead.
                new[value] = min(score, CAP + said - most)
        new = self._without_stale(key, table, new)
        if key[0] in self._peaks.watched:
            self._peaks.note_filling(key[0], max(new.values(), default=0.0), now_ns)
        if new:
            self._values[key] = new
            best = max(new, key=new.__getitem__)
            self.bygone.note(key, best, is_clear=new[best] >= GLIMPSE * ONE_LOOK)
            self._rise(key, best, now_ns)
        else:
            self._values.pop(key, None)
            if key in self._risen:
                # It shows what is expected: so it does where what had come was taken again.
                self.bygone.part_with(key, *self._risen.pop(key))

    def _without_stale(
        self, key: Key, table: Mapping[Hashable, float], scores: dict[Hashable, float]
    ) -> dict[Hashable, float]:
        """What speaks for each value; what a part has shown for some looks in a row leads all others by as much as one
        look makes it likelier, whatever a look before them said: a hand may have been there, and is gone."""
        shown, looks = self._shows(key)
        if looks < PASSED_LOOKS or shown not in scores:
            return scores
        lead = scores[shown] - max(table[shown], FLOOR_LOG_PROB)
        least = {value: min(score, lead + max(table[value], FLOOR_LOG_PROB)) for value, score in scores.items()}
        return {value: score for value, score in least.items() if score > 0}

    def _rise(self, key: Key, best: Hashable, now_ns: int) -> None:
        """Note the likeliest value of a part, and since when it has been so: a look or two in between that was mistaken
        does not start it anew."""
        value, since_ns, looks = self._risen.get(key, (best, now_ns, 0))
        if looks and value == best:
            self._risen[key] = (best, since_ns, looks + 1)
            return
        in_a_row = self._in_a_row.get(key[0], -NEVER_SEEN)
        # What it was taken for in the first look or two after it was hidden may have been mistaken.
        is_doubtful = 0 < looks == in_a_row < PASSED_LOOKS
        self._came_unseen[key] = self._came_unseen[key] + looks if is_doubtful else max(0, -in_a_row)
        if looks:
            self.bygone.part_with(key, value, since_ns, looks)
        self._fall(key, now_ns)
        was, since_ns, looks, fell_ns = self._fallen.get(key, (best, now_ns, 0, 0))
        if was == best and now_ns - fell_ns <= FLICKER_S * 1e9:
            self._risen[key] = (best, since_ns, looks + 1)
        else:
            self._risen[key] = (best, now_ns, 1)

    def _fall(self, key: Key, now_ns: int) -> None:
        """A part is no longer what it looked like most; for a moment that is kept in mind."""
        value, since_ns, looks = self._risen.pop(key, (None, now_ns, 0))
        if looks >= LONG_LOOKS:
            self._fallen[key] = (value, since_ns, looks, now_ns)

    def age(self, key: Key, value: Hashable, now_ns: int) -> tuple[int, float]:
        """In how many looks in a row, and for how many seconds, a value has been the likeliest of its part."""
        best, since_ns, looks = self._risen.get(key, (None, now_ns, 0))
        return (looks, (now_ns - since_ns) / 1e9) if best == value and looks else (0, 0.0)

    def oldest(self, key: Key, value: Hashable, now_ns: int) -> int:
        """For how many looks a part may have shown a value: it may have come while the place was hidden."""
        looks, _ = self.age(key, value, now_ns)
        return looks + self._came_unseen.get(key, 0) if looks else 0

    def stood(self, key: Key, value: Hashable, now_ns: int) -> tuple[int, int]:
        """How many looks there have been at the table, seen or hidden as the place was in them, since a part came to
        show a value, and since it may have come to; none where it does not. What came at the same moment has stood for
        equally long."""
        seen, _ = self.age(key, value, now_ns)
        if not seen:
            return 0, 0
        since_ns, unseen = self._risen[key][1], self._came_unseen.get(key, 0)
        if key in self._lay and self._lay[key][0] == value:
            _, since_ns, unseen = self._lay[key]
        looks = len(self._look_ns) - bisect_left(self._look_ns, since_ns)
        return looks, looks + unseen

    def before_looks(self, number: int) -> int:
        """The moment of the look that was followed by so many others."""
        return self._look_ns[-1 - number] if len(self._look_ns) > number else 0

    def repeated(self, looks: int) -> dict[Key, Hashable]:
        """What each part that is not as expected has looked like most for at least so many looks."""
        return {key: value for key, (value, _, seen) in self._risen.items() if seen >= looks}

    def of(self, key: Key, value: Hashable) -> float:
        """The evidence for a value of a part against the expected one; negative when the last looks spoke against
        it, zero when the place has not been seen in them."""
        expected = self.expected(key)
        if value == expected:
            return 0.0
        score = self._values.get(key, {}).get(value)
        if score is not None:
            return score
        reading = self._latest.get(key[0])
        if reading is None or key[1] not in reading.parts or self._seen_ns[key[0]] < self._fresh_ns:
            return 0.0
        table = reading.parts[key[1]]
        base = self._base(table, expected, value)
        return min(0.0, max(table.get(value, FLOOR_LOG_PROB), FLOOR_LOG_PROB) - base)

    def weighed(self, key: Key, value: Hashable) -> tuple[float, float]:
        """The evidence for a value of a part, and how far it lags behind the likeliest one: at least as far as the very
        last look denied it, whatever was gathered before."""
        found = self.known_weights.get((key, value))
        if found is None:
            score = self.of(key, value)
            denied = self._denied_by(key, value)
            found = (score, max(self.lead(key) - score, denied if denied > DENIED else 0.0))
            self.known_weights[key, value] = found
        return found

    def denials(self, key: Key, value: Hashable) -> int:
        """In how many looks in a row, up to this one, a part has been seen to show one and the same other value."""
        shown, looks = self._shows(key)
        return 0 if shown == value else looks

    def denied_of(self, key: Key, value: Hashable, looks: int, covered: int) -> int:
        """In how many of the last looks a part was seen in a row to show one and the same other value, though it may
        have been covered since, in no more than so many."""
        hidden = self.hidden_looks(key[0])
        if not hidden:
            return min(looks, self.denials(key, value))
        # One that is not kept has shown what is expected for so long.
        shown, seen, _ = self._shown.get(key, (self.expected(key), LONG_LOOKS, 0))
        return min(looks - hidden, seen) if shown != value and hidden <= covered else 0

    def wavering(self, covered: int) -> set[Key]:
        """The parts that have looked like something unexpected for some looks, and otherwise in the very last one at
        them; they may have been covered since, in no more than so many."""
        def is_denied_once(key: Key, value: Hashable) -> bool:
            shown, looks, _ = self._shown.get(key, (value, 0, 0))
            return shown != value and looks == 1 and self.hidden_looks(key[0]) <= covered

        return {
            key for key, (value, _, looks) in self._risen.items()
            if looks >= PASSED_LOOKS and is_denied_once(key, value)
        }

    def affirmations(self, key: Key, value: Hashable) -> int:
        """In how many looks in a row, up to this one, a part has been seen to show a value."""
        shown, looks = self._shows(key)
        return looks if shown == value else 0

    def _denied_by(self, key: Key, value: Hashable) -> float:
        """How much less likely than what was expected the very last look makes a value."""
        reading = self._latest.get(key[0])
        if reading is None or self._seen_ns[key[0]] != self._last_ns or key[1] not in reading.parts:
            return 0.0
        table = reading.parts[key[1]]
        return self._base(table, self.expected(key), value) - max(table.get(value, FLOOR_LOG_PROB), FLOOR_LOG_PROB)

    def watch(self, places: Iterable[str]) -> None:
        """Remember from now on the most that spoke for each value on these places, too: what a refill brought may be
        taken away before the rest has come, or before the moves that led to it were clear."""
        self._awaited = frozenset(places)
        self._peaks.watch(self._awaited, self._last_ns or 0)

    def restart_peaks(self, places: Iterable[str]) -> None:
        """Forget what has lain on these places: a refill has been agreed on, and the next one brings other pieces."""
        self._peaks.restart(places, self._last_ns or 0)

    def peak(self, key: Key) -> Mapping[Hashable, float]:
        """What spoke for each value of a watched part when most spoke for something there, of late."""
        return self._peaks.of(key, self._last_ns or 0)

    def lead(self, key: Key) -> float:
        """The evidence for the likeliest value of a part; zero where that is the expected one."""
        return max(self._values.get(key, {}).values(), default=0.0)

    def surprises(self, least: float) -> dict[Key, tuple[Hashable, float]]:
        """The parts that something other than the expected value explains better by at least `least`. Where nothing is
        expected because the place lies under others, what it showed before it was covered is nothing to explain; nor is
        what shows on a place of which nobody knows the content, unless it is about to be told."""
        found: dict[Key, tuple[Hashable, float]] = {}
        idle = self._unknown - self._awaited
        for key, values in self._values.items():
            value = max(values, key=values.__getitem__)
            if values[value] < least or key[0] in idle:
                continue
            if key in self._expected or not self._is_covered(key):
                found[key] = (value, values[value])
        return found

    def uncovered(self, least: float) -> dict[Key, Hashable]:
        """What shows on places of which nobody knows the content, since others should lie on them."""
        found = {
            key: max(values.items(), key=lambda item: item[1]) for key, values in self._values.items()
            if key[0] in self._unknown and not self.is_blind(key[0])
        }
        return {key: value for key, (value, score) in found.items() if score >= least}

    def _is_covered(self, key: Key) -> bool:
        return self.expected(key) is Missing and self.is_blind(key[0])

    def changed(self) -> frozenset[str]:
        """The places of which anything at all speaks for something other than what is expected."""
        if self._changed is None:
            self._changed = frozenset(key[0] for key in self._values)
        return self._changed

    def noticed(self) -> Mapping[str, object]:
        """The places that show something new, with that, or did in the look before: one look may be mistaken."""
        if self._noticed is None:
            parts: dict[str, dict[str, Hashable]] = {}
            for (place, part), values in self._values.items():
                parts.setdefault(place, dict(self._wanted[place].values))[part] = max(values, key=values.__getitem__)
            shown = {place: join(self.kinds[place], each) for place, each in parts.items()}
            self._noticed = dict.fromkeys(self._was_changed, UNKNOWN) | {
                place: UNKNOWN if content is UNREADABLE else content for place, content in shown.items()
            }
        return self._noticed

    def reading(self, place: str) -> Reading | None:
        """The last reading of a place that was not hidden."""
        return self._latest.get(place)

    def spoken_for(self, least: float) -> list[tuple[Key, Hashable]]:
        """The values of parts for which more than `least` speaks."""
        return [
            (key, value) for key, values in self._values.items() for value, score in values.items() if score > least
        ]

    def is_told(self, place: str, least: float) -> bool:
        """Whether so much speaks for something that lies on a place."""
        return any(key[0] == place and max(values.values()) >= least for key, values in self._values.items())

    def values(self, key: Key) -> Mapping[Hashable, float]:
        """All evidence on one part, by value."""
        return self._values.get(key, {})

    def forget(self, place: str) -> None:
        """Drop what was gathered on a place, because a person has said what lies there."""
        self.known_weights, self._noticed, self._changed = {}, None, None
        for key in [key for key in self._values if key[0] == place]:
            del self._values[key]
            self._risen.pop(key, None)
