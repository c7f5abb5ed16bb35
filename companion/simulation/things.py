"""What lies on the simulated table, and how the contents of places become things and back."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.simulation.arrangement import Arrangement
from companion.simulation.faces import Look
from companion.simulation.lens import Points
from vision.layout import Item, Layout, PlaceSpec
from vision.reading import Kind

UNKNOWN = "?"
BACK = "back"
"""The look of something that lies face down."""
OFFSET_MM = 0.7
"""How far off its space a tile is laid, at most."""
TURN_RAD = math.radians(4.0)


@dataclass(frozen=True, slots=True)
class Thing:
    """One tile, stone, plate, chip or card."""

    id: int
    item: Item
    look: Look
    x_mm: float
    y_mm: float
    z_mm: float
    """Height of its underside above the table."""
    turn_rad: float
    place: str | None = None
    """Where it lies; None in a hand or before its owner."""
    track: int = 0
    """For a stone, which track it stands on …"""
    index: int = 0
    """… and on which space of it."""

    def footprint(self, grow_mm: float = 0.0) -> Points:
        """(N, 2) millimetres, around."""
        half = self.item.size_mm / 2 + grow_mm
        if self.item.shape == "round":
            angles = np.arange(24) * (2 * math.pi / 24) + self.turn_rad
            return np.column_stack([self.x_mm + half * np.cos(angles), self.y_mm + half * np.sin(angles)])
        cos, sin = math.cos(self.turn_rad) * half, math.sin(self.turn_rad) * half
        return np.array([
            (self.x_mm - cos + sin, self.y_mm - sin - cos),
            (self.x_mm + cos + sin, self.y_mm + sin - cos),
            (self.x_mm + cos - sin, self.y_mm + sin + cos),
            (self.x_mm - cos - sin, self.y_mm - sin + cos),
        ])


def looks(kind: Kind, content: Any) -> list[Look]:
    """The things that a content is made of; stones are told by `stone_steps`."""
    if content is None or content == UNKNOWN:
        return []
    if kind is Kind.HEAP:
        return [Look(colour) for colour, count in sorted(content.items()) for _ in range(count)]
    if kind is Kind.PILE:
        return [Look(content["top"])]
    if kind is Kind.PLATE:
        return [Look("plate", spaces=tuple(content))]
    if kind is Kind.CELL:
        return [Look(content["colour"], face=content.get("face"))]
    if kind is Kind.CHIP:
        if isinstance(content, str):
            return [Look(content)]
        return [Look("chip", spaces=tuple(content))]
    if kind is Kind.COUNTER:
        return []
    return [Look(content)]


def stone_steps(place: PlaceSpec, value: int) -> list[int]:
    """On which space of each track the stones of a counter stand, the heaviest track first served."""
    steps = [0] * len(place.tracks)
    for number in sorted(range(len(steps)), key=lambda n: -place.tracks[n].weight):
        track = place.tracks[number]
        steps[number] = min(value // track.weight, len(track.at) - 1)
        value -= steps[number] * track.weight
    return steps


def content_of(place: PlaceSpec, things: Sequence[Thing]) -> Any:
    """The content that things make, in the words of the recording format."""
    if place.kind is Kind.HEAP:
        return dict(sorted(Counter(thing.look.colour for thing in things).items()))
    if place.kind is Kind.COUNTER:
        return sum(thing.index * place.tracks[thing.track].weight for thing in things) if things else None
    if not things:
        return None
    top = max(things, key=lambda thing: thing.z_mm).look
    if place.kind is Kind.PILE:
        return {"top": top.colour}
    if place.kind is Kind.PLATE:
        return list(top.spaces)
    if place.kind is Kind.CELL:
        return {"colour": top.colour, "face": top.face}
    if place.kind is Kind.CHIP:
        return list(top.spaces) if top.spaces else top.colour
    return top.colour


class TableTop:
    """All things at rest, by number and by place."""

    def __init__(self, layout: Layout, arrangement: Arrangement, seed: int) -> None:
        self.layout = layout
        self.arrangement = arrangement
        self.resting: dict[int, Thing] = {}
        self._at: dict[str, list[int]] = {name: [] for name in layout.places}
        self._rng = np.random.default_rng((seed, 31))
        self._next_id = 1

    def things_at(self, place: str) -> list[Thing]:
        """What lies on a place, the lowest first."""
        return [self.resting[number] for number in self._at.get(place, ())]

    def make(self, look: Look, item: str, x_mm: float = 0.0, y_mm: float = 0.0) -> Thing:
        """A new thing, in nobody's place yet."""
        self._next_id += 1
        return Thing(self._next_id, self.layout.items[item], look, x_mm, y_mm, 0.0, 0.0)

    def jitter(self, count: int) -> list[float]:
        """Random numbers from -1 to 1, of this table's own."""
        return [float(number) for number in self._rng.uniform(-1, 1, count)]

    def lay(self, thing: Thing) -> None:
        """Put a thing down where it says that it is."""
        self.resting[thing.id] = thing
        if thing.place is not None:
            self._at[thing.place].append(thing.id)

    def lift(self, number: int) -> Thing:
        """Take a thing away."""
        thing = self.resting.pop(number)
        if thing.place is not None:
            self._at[thing.place].remove(number)
        return replace(thing, place=None)

    def followed(self, thing: Thing, before: Arrangement) -> Thing:
        """A thing that was to lie on a piece of that arrangement, where it lies now that pieces were nudged."""
        if thing.place is None or before is self.arrangement:
            return thing
        piece = self.layout.places[thing.place].piece
        old, new = before.spots[piece], self.arrangement.spots[piece]
        turn = new.turn_rad - old.turn_rad
        cos, sin = math.cos(turn), math.sin(turn)
        dx, dy = thing.x_mm - old.x_mm, thing.y_mm - old.y_mm
        return replace(thing, x_mm=new.x_mm + dx * cos - dy * sin, y_mm=new.y_mm + dx * sin + dy * cos,
                       turn_rad=thing.turn_rad + turn)

    def contents(self, places: Iterable[str] | None = None) -> dict[str, Any]:
        """What every place holds now. What lies under something else is `?`."""
        result: dict[str, Any] = {}
        for name in self.layout.places if places is None else places:
            spec = self.layout.places[name]
            content = content_of(spec, self.things_at(name))
            if spec.kind is Kind.CHIP and self._covered(spec):
                content = UNKNOWN
            result[name] = content
        return result

    def _covered(self, chip: PlaceSpec) -> bool:
        return any(
            other.kind is Kind.PILE and self._at[other.name] and math.dist(other.at, chip.at) < 0.02
            for other in self.layout.places.values()
            if other.piece == chip.piece
        )

    # -- where a thing comes to lie -------------------------------------------------------------------------

    def posed(
        self, thing: Thing, place: str, turn_rad: float | None = None, near: tuple[float, float] | None = None
    ) -> Thing:
        """The thing as it would lie on a place: beside the others in a heap, on top in a pile, on its space else."""
        spec = self.layout.places[place]
        spot = self.arrangement.spots[spec.piece]
        if spec.kind is Kind.HEAP:
            x, y, turn = self._free_spot(thing, spec, near)
        elif spec.kind is Kind.COUNTER:
            x, y = spot.printed(*spec.tracks[thing.track].at[thing.index])
            turn = spot.turn_rad + float(self._rng.normal(0, 0.2))
            x, y = x + float(self._rng.uniform(-0.8, 0.8)), y + float(self._rng.uniform(-0.8, 0.8))
        else:
            x, y = spot.printed(*spec.at)
            loose = 0.5 if spec.kind is Kind.PLATE else 1.0
            dx, dy, jitter = self._rng.uniform(-1, 1, 3) * loose
            x, y = x + float(dx) * OFFSET_MM, y + float(dy) * OFFSET_MM
            turned = 0.0 if turn_rad is None or spec.kind is not Kind.CELL else turn_rad - spot.turn_rad
            turn = spot.turn_rad + turned + float(jitter) * TURN_RAD
        height = self.height_at(x, y, spec)
        if spec.kind is Kind.PILE:
            height += sum(other.item.height_mm for other in self.things_at(place))
        return replace(thing, place=place, x_mm=x, y_mm=y, z_mm=height, turn_rad=turn)

    def height_at(self, x_mm: float, y_mm: float, spec: PlaceSpec) -> float:
        """How high a thing on this place stands: on its piece, and on a plate or chip that lies there already."""
        height = self.arrangement.spots[spec.piece].piece.thickness_mm
        for thing in self.resting.values():
            if thing.place is None or thing.place == spec.name:
                continue
            kind = self.layout.places[thing.place].kind
            if kind in (Kind.PLATE, Kind.CHIP):
                reach = thing.item.size_mm / 2
                if abs(thing.x_mm - x_mm) < reach and abs(thing.y_mm - y_mm) < reach:
                    height = max(height, thing.z_mm + thing.item.height_mm)
        return height

    def _free_spot(
        self, thing: Thing, spec: PlaceSpec, near: tuple[float, float] | None
    ) -> tuple[float, float, float]:
        """A spot in a heap's area where the thing touches others perhaps but overlaps none."""
        spot = self.arrangement.spots[spec.piece]
        others = self.things_at(spec.name)
        half = thing.item.size_mm / 2 * (1.0 if thing.item.shape == "round" else 1.3)
        rounded = spec.round_area or spot.round
        best: tuple[float, float, float, float] | None = None
        for attempt in range(360):
            # In a crowded area a tile may hang over the rim a little before it may lie on another.
            inside = half * (1.0 - 0.25 * (attempt // 120))
            room = tuple(max(0.02, spec.size[axis] / 2 - inside / spot.size_mm[axis]) for axis in (0, 1))
            turn = float(self._rng.uniform(-math.pi, math.pi))
            if others and attempt % 2 == 0:
                beside = others[int(self._rng.integers(len(others)))]
                angle, gap = float(self._rng.uniform(-math.pi, math.pi)), float(self._rng.uniform(1.02, 1.35))
                x = beside.x_mm + math.cos(angle) * thing.item.size_mm * gap
                y = beside.y_mm + math.sin(angle) * thing.item.size_mm * gap
            else:
                du, dv = self._rng.uniform(-1, 1, 2)
                x, y = spot.printed(spec.at[0] + float(du) * room[0], spec.at[1] + float(dv) * room[1])
            if not _inside(spot.turn_rad, x, y, spot.printed(*spec.at), spot.size_mm, room, rounded):
                continue
            trial = replace(thing, x_mm=x, y_mm=y, turn_rad=turn)
            overlap = sum(overlap_mm(trial, other) for other in others)
            far = 0.0 if near is None else math.dist(near, (x, y)) * 0.02
            if best is None or overlap * 100 + far < best[0]:
                best = (overlap * 100 + far, x, y, turn)
            if overlap == 0.0 and (near is None or attempt > 24):
                break
        if best is None:
            x, y = spot.printed(*spec.at)
            return x, y, 0.0
        return best[1], best[2], best[3]


def _inside(
    turn_rad: float, x: float, y: float, middle: tuple[float, float], size_mm: tuple[float, float],
    room: tuple[float, ...], rounded: bool,
) -> bool:
    dx, dy = x - middle[0], y - middle[1]
    u = (dx * math.cos(turn_rad) + dy * math.sin(turn_rad)) / size_mm[0] / room[0]
    v = (-dx * math.sin(turn_rad) + dy * math.cos(turn_rad)) / size_mm[1] / room[1]
    return u * u + v * v <= 1.0 if rounded else max(abs(u), abs(v)) <= 1.0


def overlap_mm(first: Thing, second: Thing) -> float:
    """How deep two things reach into each other, seen from above; 0 when they only touch."""
    away = math.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm)
    if away > (first.item.size_mm + second.item.size_mm) * 0.71:
        return 0.0
    inner = (first.item.size_mm + second.item.size_mm) / 2
    if away < inner or (first.item.shape == "round" and second.item.shape == "round"):
        # The circles inside them overlap already, however they are turned.
        return max(0.0, inner - away)
    a, b = first.footprint(), second.footprint()
    depth = math.inf
    for shape in (a, b):
        edges = np.roll(shape, -1, axis=0) - shape
        normals = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.linalg.norm(edges, axis=1, keepdims=True)
        ours, theirs = a @ normals.T, b @ normals.T
        gap = np.minimum(ours.max(axis=0) - theirs.min(axis=0), theirs.max(axis=0) - ours.min(axis=0))
        depth = min(depth, float(gap.min()))
    return max(0.0, depth)


def stack_backs(top: TableTop) -> None:
    """Face-down stacks on areas that hold no place: what a game keeps beside the table."""
    for spot in top.arrangement.spots.values():
        if spot.piece.frame != "polygon" or spot.piece.places or spot.piece.secret:
            continue
        item = next(iter(top.layout.items))
        for column, row, level in ((c, r, z) for c in (0.27, 0.73) for r in (0.27, 0.73) for z in range(3)):
            thing = top.make(Look(BACK), item)
            (x, y), height = spot.at(column, row), thing.item.height_mm * 2
            jitter = top.jitter(2)
            turned = spot.turn_rad + jitter[0] * 0.12
            flat = replace(thing.item, height_mm=height)
            x, y = x + jitter[1], y + jitter[0]
            top.lay(replace(thing, item=flat, x_mm=x, y_mm=y, z_mm=height * level, turn_rad=turned))


def lay_out(top: TableTop, contents: Mapping[str, Any]) -> None:
    """Put contents on an empty table at once, what lies below first."""
    stack_backs(top)
    order = {Kind.PLATE: 0, Kind.CHIP: 1}
    names = [name for name in contents if name in top.layout.places]
    for name in sorted(names, key=lambda name: order.get(top.layout.places[name].kind, 2)):
        spec, content = top.layout.places[name], contents[name]
        if spec.kind is Kind.COUNTER and isinstance(content, int):
            for track, index in enumerate(stone_steps(spec, content)):
                stone = replace(top.make(Look("stone"), spec.item), track=track, index=index)
                top.lay(top.posed(stone, name))
        for look in looks(spec.kind, content):
            top.lay(top.posed(top.make(look, spec.item), name))
