"""Boards that nobody showed empty. If this fails, a dark ornament beside a space is a tile to those who switch the
companion on in mid-game, or a tile that lies there is none."""

from __future__ import annotations

import numpy as np

from tests.vision.tables import laid
from vision.colours import ColourTable
from vision.observe import Observer
from vision.readers.slots import FOREIGN_FACE, STRANGE_FACE, SlotReader
from vision.slot_features import Looks, face_density


def test_a_tile_covers_the_middle_of_its_space_with_its_own_colour() -> None:
    """Seen at a slant, the top of a tile lies off its space: what is black up there may be print. The space tells."""
    table = laid("oblique")
    colours = ColourTable(table.calibration.colours)
    observer = Observer(table.layout, table.calibration)
    (reader,) = (each for each in observer.readers if isinstance(each, SlotReader))
    view = observer.view(table.picture(1))
    tiles: list[float] = []
    bare: list[float] = []
    for board, places in reader.grid.places.items():
        faces, tops = (
            view.lit(f"slots.{board}.{part}", board).reshape(len(places), side, side, 3)
            for part, side in (("face", 12), ("top", 14))
        )
        looks = Looks.of(faces, tops)
        for index, place in enumerate(places):
            lies = table.truth[1]["places"][place.name]
            if lies is None and place.prints not in ("yellow", "red"):
                continue
            colour = np.array([colours.names.index(lies or "black")])
            (bare if lies is None else tiles).append(float(face_density(looks, np.array([index]), colour, colours)[0]))
    assert len(tiles) > 10 and min(tiles) > STRANGE_FACE
    # Of some spaces tiles or their shadows hide a part.
    assert len(bare) > 10 and np.median(bare) < FOREIGN_FACE
