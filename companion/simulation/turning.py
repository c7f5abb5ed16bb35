"""A board that somebody turns on the table, with everything that lies on it."""

from __future__ import annotations

import math
from dataclasses import replace

from companion.simulation.things import TableTop


def turn_piece(top: TableTop, name: str, degrees: float, back: bool = False) -> None:
    """Turn a piece clockwise about its middle, or back again. Whoever looks at it as it was set up sees each thing on
    the place over which it has come to lie."""
    spot = top.arrangement.spots[name]
    angle = math.radians(-degrees if back else degrees)
    upright = top.arrangement.moved(name, 0.0, 0.0, angle).spots[name] if back else spot
    cos, sin = math.cos(angle), math.sin(angle)
    places = [place for place in top.layout.places.values() if place.piece == name]
    on_it = [thing for thing in top.resting.values() if thing.place in {place.name for place in places}]
    for thing in on_it:
        assert thing.place is not None
        kind = top.layout.places[thing.place].kind
        dx, dy = thing.x_mm - spot.x_mm, thing.y_mm - spot.y_mm
        x, y = spot.x_mm + dx * cos - dy * sin, spot.y_mm + dx * sin + dy * cos
        over = min((place for place in places if place.kind is kind),
                   key=lambda place: math.dist(upright.printed(*place.at), (x, y)))
        top.lift(thing.id)
        top.lay(replace(thing, x_mm=x, y_mm=y, turn_rad=thing.turn_rad + angle, place=over.name))
    top.arrangement = top.arrangement.moved(name, 0.0, 0.0, angle)
