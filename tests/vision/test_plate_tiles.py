"""A plate's printed spaces beside how they looked bare: a print must not become a tile because the picture changed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.changes import Changes, quarters_of
from vision.exposure import Exposure
from vision.frame import Image
from vision.plate_memory import PlateMemory
from vision.plate_tiles import compare, compare_exposed, lies_askew
from vision.steady import SteadyOdds

FINE, FACE = 96, 12
GROUND = (216, 222, 224)
PRINTS = ((203, 92, 60), (85, 189, 239), (82, 68, 200), (222, 196, 75))
"""Blue, yellow, red and turquoise, as BGR."""
BRIGHT = Exposure(np.zeros(3), np.full(3, 255, dtype=np.uint8))


def drawn(tiles: tuple[int, ...] = (), softness_px: float = 0.0, beside_px: float = 0.0) -> Image:
    """(4, FACE, FACE, 3): the spaces of a plate, tiles in the very colours of the prints on some of them."""
    faces = []
    for space, colour in enumerate(PRINTS):
        face = np.full((FINE, FINE, 3), GROUND, dtype=np.uint8)
        middle = (FINE // 2, FINE // 2)
        cv2.circle(face, middle, 34, colour, -1, cv2.LINE_AA)
        darker = tuple(int(0.85 * level) for level in colour)
        cv2.circle(face, middle, 14, darker, 5, cv2.LINE_AA)
        if space in tiles:
            cv2.circle(face, (FINE // 2 + 4, FINE // 2 + 5), 36, tuple(int(0.45 * level) for level in GROUND), -1)
            # Prints are paler than their tiles.
            glossy = tuple(level if level == max(colour) else int(0.8 * level) for level in colour)
            cv2.circle(face, middle, 36, glossy, -1, cv2.LINE_AA)
            cv2.line(face, (30, 40), (64, 58), tuple(min(255, level + 45) for level in colour), 6, cv2.LINE_AA)
            cv2.line(face, (36, 66), (62, 34), darker, 4, cv2.LINE_AA)
        moved = np.array([[1.0, 0.0, beside_px], [0.0, 1.0, -beside_px]])
        face = np.asarray(cv2.warpAffine(face, moved, (FINE, FINE), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
        if softness_px:
            face = np.asarray(cv2.GaussianBlur(face, (0, 0), softness_px), dtype=np.uint8)
        faces.append(cv2.resize(face, (FACE, FACE), interpolation=cv2.INTER_AREA))
    return np.asarray(np.stack(faces), dtype=np.uint8)


def learnt(faces: Image, exposure: Exposure = BRIGHT) -> PlateMemory:
    """A memory that saw one plate laid on an empty place."""
    memory, prints = PlateMemory(1, 4, FACE), np.log(np.eye(4) * 0.96 + 0.01)
    memory.notice(0, -8.0, prints, faces, exposure)
    memory.notice(0, 8.0, prints, faces, exposure)
    assert memory.known.all()
    return memory


@pytest.mark.parametrize("beside_px", [0.0, 3.0, 6.0])
def test_a_lens_that_loses_or_finds_its_focus_lays_no_tiles(beside_px: float) -> None:
    clear, soft = drawn(), drawn(softness_px=8.0, beside_px=beside_px)
    assert (compare(soft, clear).odds < 0).all()
    assert (compare(clear, soft).odds < 0).all()


@pytest.mark.parametrize("tiles", [(0,), (1, 2), (0, 1, 2), (0, 1, 2, 3)])
def test_tiles_in_the_colours_of_their_prints_are_still_seen(tiles: tuple[int, ...]) -> None:
    seen = compare(drawn(tiles, beside_px=2.0), drawn())
    assert np.flatnonzero(seen.odds > 0).tolist() == list(tiles)


@pytest.mark.parametrize("seed", range(4))
def test_a_noisy_compressed_picture_lays_no_tiles(seed: int) -> None:
    random = np.random.default_rng(seed)

    def noisy(faces: Image) -> Image:
        # Grain at every sample, and a tint that the compression gave each space by itself.
        grain = random.normal(0.0, 5.5, faces.shape) + random.uniform(-2.0, 2.0, (4, 1, 1, 3))
        return np.asarray(np.clip(faces + grain, 0, 255), dtype=np.uint8)

    assert (compare(noisy(drawn()), noisy(drawn())).odds < 0).all()
    assert np.flatnonzero(compare(noisy(drawn((1, 3))), noisy(drawn())).odds > 0).tolist() == [1, 3]


def test_a_glare_that_has_gone_lays_no_tile() -> None:
    # Warm light was too much for the red channel: brought back to the usual light it stops at this level.
    warm = Exposure(np.zeros(3), np.array([255, 255, 212], dtype=np.uint8))
    memory = learnt(np.minimum(drawn(), warm.brightest), warm)
    seen = memory.compare(0, drawn(), BRIGHT)
    assert (seen.odds < 0).all()
    memory.sharpen(0, seen, drawn(), BRIGHT)
    assert (memory.bare[0] == drawn()).all(), "the plate was not learnt again when it was seen in full colour"


def test_a_lamp_of_another_colour_lays_no_tile_and_hides_none() -> None:
    """Brought back to the usual light, a red print was a little bluer than it had been, and a tile upon itself."""
    warm = Exposure(np.array([1.1, 0.3, -0.1]), BRIGHT.brightest)

    def bluer(faces: Image) -> Image:
        lab = cv2.cvtColor(faces.reshape(-1, FACE, 3).astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
        lab[..., 1:] += (2.9, -2.9)
        levels = 255 * cv2.cvtColor(lab, cv2.COLOR_Lab2BGR)
        return np.asarray(np.clip(levels, 0, 255).reshape(faces.shape), dtype=np.uint8)

    assert (compare_exposed(bluer(drawn()), BRIGHT, drawn(), BRIGHT).odds > 0).any(), "the same light changes nothing"
    assert (compare_exposed(bluer(drawn()), warm, drawn(), BRIGHT).odds < 0).all()
    tiled = compare_exposed(bluer(drawn((1, 2))), warm, drawn(), BRIGHT)
    assert np.flatnonzero(tiled.odds > 0).tolist() == [1, 2]


def test_a_plate_laid_out_of_focus_is_learnt_again_once_it_is_seen_clearly() -> None:
    memory = learnt(drawn(softness_px=8.0))
    memory.sharpen(0, memory.compare(0, drawn(), BRIGHT), drawn(), BRIGHT)
    assert (memory.bare[0] == drawn()).all()
    assert np.flatnonzero(memory.compare(0, drawn((3,)), BRIGHT).odds > 0).tolist() == [3]


def test_a_plate_is_not_learnt_again_with_a_tile_on_it_nor_from_a_softer_picture() -> None:
    memory, first = learnt(drawn()), drawn()
    for look in (drawn((1,)), drawn((0, 1, 2, 3)), drawn(softness_px=8.0)):
        memory.sharpen(0, memory.compare(0, look, BRIGHT), look, BRIGHT)
        assert (memory.bare[0] == first).all()


def laid_on(bare: Image, tiles: dict[int, int]) -> tuple[Image, NDArray[np.float64]]:
    """A plate with tiles of the given colours on some of its spaces, and its prints as far as they can be told."""
    faces = bare.copy()
    colours = [int(np.abs(drawn() - face.astype(float)).sum(axis=(1, 2, 3)).argmin()) for face in bare]
    for space, colour in tiles.items():
        faces[space], colours[space] = drawn((colour,))[colour], colour
    return faces, np.log(np.eye(4)[colours] * 0.96 + 0.01)


def test_a_plate_that_is_turned_under_its_tiles_and_back_keeps_its_tiles_and_prints() -> None:
    """The tiles became prints, and nothing on that plate was seen any more for the rest of the game."""
    straight = drawn()
    # By a quarter, clockwise, and laid down a little beside; what is printed looks the same from all sides here.
    turned = drawn(beside_px=12.0)[[2, 0, 3, 1]]
    tiles = {1: 1, 3: 0}
    memory = learnt(straight)
    for _ in range(3):
        memory.again(0)
    for bare, prints in ((turned, [2, 0, 3, 1]), (straight, [0, 1, 2, 3])):
        faces, shown = laid_on(bare, tiles)
        memory.notice(0, 8.0, shown, faces, BRIGHT)
        assert memory.prints[0].argmax(axis=1).tolist() == prints
        assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == sorted(tiles)


def test_a_plate_that_is_lifted_and_laid_back_keeps_its_tiles() -> None:
    memory = learnt(drawn())
    for _ in range(3):
        memory.again(0)
    faces, shown = laid_on(drawn(), {0: 0, 2: 1})
    memory.compare(0, faces, BRIGHT)
    memory.notice(0, -8.0, shown, faces, BRIGHT)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == [0, 2]


@pytest.mark.parametrize("tiles", [{0: 0, 1: 3, 2: 1}, {0: 0, 1: 1, 2: 2, 3: 3}])
def test_a_plate_full_of_tiles_is_known_again_after_a_sleeve_lay_over_it(tiles: dict[int, int]) -> None:
    """With one space bare it was taken for another plate, its tiles for prints: from then on none of them counted, and
    the game was lost."""
    memory = watched(drawn(), tiles)
    faces, shown = laid_on(drawn(), tiles)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    memory.again(0)
    memory.notice(0, -8.0, np.log(np.full((4, 4), 0.25)), np.full_like(faces, 20), BRIGHT)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == sorted(tiles)


def glossy(faces: Image, strength: float) -> Image:
    """The same under a lamp that stands to the left: what it brightens stays on the left when a plate is turned."""
    lit = faces.astype(np.float64) * np.linspace(1.0 + strength, 1.0 - strength, FACE)[None, None, :, None]
    return np.asarray(np.clip(lit, 0, 255), dtype=np.uint8)


def watched(faces: Image, tiles: dict[int, int]) -> PlateMemory:
    """A memory that knows a plate well and has seen tiles laid on it."""
    memory = learnt(faces)
    for _ in range(3):
        memory.again(0)
    memory.compare(0, laid_on(faces, tiles)[0], BRIGHT)
    return memory


def test_a_bare_plate_that_is_turned_and_back_is_bare() -> None:
    """One of its prints glittered otherwise when it was laid back, and was a tile for the rest of the game: its owner
    was said to have tiled too early."""
    around = [3, 2, 1, 0]
    memory = watched(drawn(), {})
    glittering = drawn()
    glittering[3, 3:9, 2:6] = 255
    for faces, prints in ((drawn()[around], around), (glittering, [0, 1, 2, 3])):
        for _ in range(4):
            memory.notice(0, 8.0, np.log(np.eye(4)[prints] * 0.96 + 0.01), faces, BRIGHT)
            seen = memory.compare(0, faces, BRIGHT)
            memory.again(0)
        assert memory.prints[0].argmax(axis=1).tolist() == prints
        assert (seen.odds < 0)[memory.known[0]].all()


def test_a_tile_laid_as_its_plate_is_turned_back_is_not_learnt_for_a_print() -> None:
    """The plate had been turned by mistake; out of sight it was turned back and a yellow tile was laid on its yellow
    print. That was how the plate looked from then on, and people were asked where the tile was."""
    around, shown = [3, 2, 1, 0], np.log(np.eye(4) * 0.96 + 0.01)
    memory = watched(drawn(), {})
    for faces, prints in ((drawn()[around], shown[around]), (drawn((2,)), shown)):
        for _ in range(4):
            memory.notice(0, 8.0, prints, faces, BRIGHT)
            memory.compare(0, faces, BRIGHT)
            memory.again(0)
    assert memory.known[0].tolist() == [True, True, False, True]
    assert (memory.compare(0, drawn(), BRIGHT).odds < 0).all(), "and it is bare once the tile is taken away"


def test_a_plate_that_is_turned_back_bare_is_learnt_as_it_looks_now() -> None:
    """Beside how it had looked before, a little aside, a space for any colour passed for a tile later on: its owner was
    said to have tiled too early, for the rest of the game."""
    around, shown = [3, 2, 1, 0], np.log(np.eye(4) * 0.96 + 0.01)
    memory, back = watched(drawn(), {}), drawn(beside_px=4.0)
    for faces, prints in ((drawn()[around], shown[around]), (back, shown)):
        for _ in range(4):
            memory.notice(0, 8.0, prints, faces, BRIGHT)
            memory.compare(0, faces, BRIGHT)
            memory.again(0)
    assert memory.known[0].all()
    assert np.array_equal(memory.bare[0], back)


def askew(faces: Image, beside: float) -> Image:
    """The spaces of a plate that was turned a little: each comes to lie elsewhere, by so many samples."""
    turned = []
    for face, (across, down) in zip(faces, ((1, -1), (1, 1), (-1, -1), (-1, 1)), strict=True):
        matrix = np.array([[1.0, 0.0, beside * across], [0.0, 1.0, beside * down]])
        turned.append(cv2.warpAffine(face, matrix, (FACE, FACE), borderMode=cv2.BORDER_REPLICATE))
    return np.asarray(np.stack(turned), dtype=np.uint8)


def colourful() -> Image:
    """A plate that has spaces for any colour."""
    faces = drawn()
    for space in (2, 3):
        face = np.full((FINE, FINE, 3), GROUND, dtype=np.uint8)
        for part, colour in enumerate((*PRINTS, (70, 60, 50))):
            cv2.ellipse(face, (FINE // 2, FINE // 2), (34, 34), 20 * space, 72 * part, 72 * (part + 1), colour, -1)
        faces[space] = cv2.resize(face, (FACE, FACE), interpolation=cv2.INTER_AREA)
    return faces


def test_a_plate_laid_back_askew_in_the_dark_is_learnt_as_it_lies() -> None:
    """Nobody saw it lifted. It lay turned a little, and a space for any colour passed for a tile from then on: its
    owner was said to have tiled too early, and nothing more was agreed on."""
    shown = np.log(np.eye(4) * 0.96 + 0.01)
    memory, back = watched(colourful(), {}), askew(colourful(), 0.5)
    assert (memory.compare(0, back, BRIGHT).odds > 0).any()
    memory.notice(0, 8.0, shown, back, BRIGHT)
    assert memory.compare(0, back, BRIGHT).is_bare
    tiled = back.copy()
    tiled[0] = drawn((0,))[0]
    memory.notice(0, 8.0, shown, tiled, BRIGHT)
    assert np.flatnonzero(memory.compare(0, tiled, BRIGHT).odds > 0).tolist() == [0]


@pytest.mark.parametrize("tiles", [(0,), (1, 2), (0, 1, 2, 3)])
def test_tiles_in_the_colours_of_their_prints_are_no_plate_askew(tiles: tuple[int, ...]) -> None:
    """They would be learnt for prints, and nobody would see them again."""
    assert not lies_askew(drawn(tiles, beside_px=2.0), drawn())
    assert not lies_askew(askew(drawn(tiles), 0.6), drawn())


def test_a_tile_stays_where_it_lies_when_another_is_laid_beside_it() -> None:
    """A yellow tile on a yellow print hardly showed. Once tiles lay all around it, the plate was taken to lie a little
    beside itself, and that explained the tile away: people were asked about it."""
    everything = np.ones(4, dtype=bool)
    steady, hardly = SteadyOdds(), np.array([-8.0, 3.5, -8.0, -8.0])
    assert steady.steadied(0, drawn((1,)), hardly, everything).tolist() == hardly.tolist()
    told = steady.steadied(0, drawn((0, 1)), np.array([9.0, -3.5, -8.0, -8.0]), everything)
    assert told.tolist() == [9.0, 3.5, -8.0, -8.0]
    told = steady.steadied(0, drawn((0,)), np.array([9.0, -8.0, -8.0, -8.0]), everything)
    assert told.tolist() == [9.0, -8.0, -8.0, -8.0], "it was taken away"


def test_a_space_that_nobody_could_tell_is_told_once_its_print_is_known() -> None:
    steady = SteadyOdds()
    steady.steadied(0, drawn(), np.zeros(4), np.zeros(4, dtype=bool))
    assert steady.steadied(0, drawn(), np.full(4, -8.0), np.ones(4, dtype=bool)).tolist() == [-8.0] * 4


def test_a_plate_turned_under_a_tile_is_known_however_its_prints_glitter() -> None:
    """It was another plate, with the tile for a print, and that it had been moved was never said."""
    around = [3, 2, 1, 0]
    memory = watched(drawn(), {0: 0})
    faces, shown = laid_on(drawn()[around], {0: 0})
    faces[1:3, 3:9, 2:6] = 255
    shown[1:] = np.log(np.eye(4)[around[1:]] * 0.96 + 0.01)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == around
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == [0]


def test_a_plate_that_is_turned_back_is_known_by_how_it_looked_before() -> None:
    """One of its bare prints glittered while it lay turned, and half of it was under tiles: these became prints, and
    the game was lost."""
    tiles, turned = {1: 1, 3: 2}, [2, 0, 3, 1]
    memory = watched(drawn(), tiles)
    faces, shown = laid_on(drawn(), tiles)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    memory.again(0)
    aside, shown_aside = laid_on(drawn()[turned], tiles)
    shown_aside[[0, 2]] = np.log(np.eye(4)[[2, 3]] * 0.96 + 0.01)
    aside[0, 3:9, 2:6] = 255
    memory.notice(0, 8.0, shown_aside, aside, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == turned
    memory.compare(0, aside, BRIGHT)
    memory.again(0)
    # A look at it with a hand near by, from which nothing is learnt, comes first.
    memory.compare(0, faces, BRIGHT)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == sorted(tiles)


def test_a_plate_is_known_though_its_gloss_does_not_turn_with_it() -> None:
    """Turned half round under two tiles it was another plate, with the tiles for prints: the slip was never named, and
    after it was put right two tiles too many lay there for the rest of the game."""
    tiles, around = {0: 0, 1: 2}, [3, 2, 1, 0]
    memory = watched(glossy(drawn(), 0.08), tiles)
    faces, shown = laid_on(glossy(drawn()[around], 0.08), tiles)
    for space, colour in tiles.items():
        shown[space] = np.log(np.eye(4)[colour] * 0.96 + 0.01)
    for space in (2, 3):
        shown[space] = np.log(np.eye(4)[around[space]] * 0.96 + 0.01)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == around
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == sorted(tiles)


def test_a_plate_that_seemed_another_is_known_again_once_it_is_turned_back() -> None:
    """Whatever a turned plate was taken for, its tiles would be gone for the rest of the game."""
    tiles = {0: 3, 1: 2}
    memory = watched(drawn(), tiles)
    unlike = np.full_like(drawn(), 90)
    for _ in range(5):
        memory.notice(0, 8.0, np.log(np.eye(4)[[3, 2, 1, 0]] * 0.96 + 0.01), unlike, BRIGHT)
        memory.compare(0, unlike, BRIGHT)
    faces, shown = laid_on(drawn(), tiles)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == sorted(tiles)


@pytest.mark.parametrize("sleeve", [False, True])
def test_a_plate_from_which_another_was_taken_away_is_known_again(sleeve: bool) -> None:
    """A plate was laid upon another by mistake; once it was gone, the prints of the lower one were two tiles, their
    player was accused of having laid them, and the game was lost."""
    tiles = {2: 3}
    memory = watched(drawn(), tiles)
    seen, read = laid_on(drawn(), tiles)
    memory.notice(0, 8.0, read, seen, BRIGHT)
    memory.again(0)
    upper = drawn()[[1, 1, 3, 0]]
    if sleeve:
        memory.notice(0, -8.0, np.log(np.full((4, 4), 0.25)), np.full_like(upper, 20), BRIGHT)
    for _ in range(5):
        memory.notice(0, 8.0, np.log(np.eye(4)[[1, 1, 3, 0]] * 0.96 + 0.01), upper, BRIGHT)
        memory.compare(0, upper, BRIGHT)
        memory.again(0)
    faces, shown = laid_on(drawn(), tiles)
    # The tile looks much like the print of the upper plate that lay there.
    faces[2] = cv2.addWeighted(faces[2], 0.2, upper[2], 0.8, 0.0)
    memory.notice(0, 8.0, shown, faces, BRIGHT)
    assert memory.prints[0].argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(memory.compare(0, faces, BRIGHT).odds > 0).tolist() == sorted(tiles)


def test_a_tile_in_the_colour_of_its_print_is_a_change_of_its_plate() -> None:
    """A plate of which nothing seems to change is not looked at again, and the tile was never seen."""
    card: Image = np.full((40, 40, 3), GROUND, dtype=np.uint8)
    cv2.circle(card, (10, 10), 8, (165, 70, 45), -1, cv2.LINE_AA)
    tiled = card.copy()
    cv2.circle(tiled, (10, 10), 8, (173, 77, 38), -1, cv2.LINE_AA)
    changes = Changes()
    changes.since_last(quarters_of(card[None]))
    assert changes.since_last(quarters_of(tiled[None])).any()
    assert not changes.since_last(quarters_of(tiled[None])).any()


def test_a_tile_that_differs_from_its_print_by_its_gloss_alone_is_seen() -> None:
    """Half of it looks like the very print; it was read as bare, now and then, for the rest of the game."""
    now = drawn()
    now[2, :6] = np.clip(now[2, :6].astype(int) + np.array([14, 22, 6]), 0, 255)
    now[2, 6:, :4] = np.clip(now[2, 6:, :4].astype(int) - np.array([14, 22, 6]), 0, 255)
    assert np.flatnonzero(compare(now, drawn()).odds > 0).tolist() == [2]
