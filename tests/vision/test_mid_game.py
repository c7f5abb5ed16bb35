"""Joined in mid-game: tiles on spaces that nobody saw bare, and tiles in colours that nobody showed."""

from __future__ import annotations

import math

import cv2
import numpy as np

from companion.catalogue import played_game
from vision.borrow import sisterhood
from vision.colour_learning import builtin_model
from vision.frame import Image
from vision.heap_blots import LooseTile
from vision.heap_region import PIXELS_A_MM, region_on_piece
from vision.heap_spots import Spaces
from vision.heaps import HeapLook
from vision.plate_prints import PlatePrints
from vision.plate_spaces import VIEW, plate_shape
from vision.pose import Camera, PiecePose
from vision.squares import Found

LAYOUT = played_game("azul-duel", 2, {}).layout
PIECES = {piece.name: piece for piece in LAYOUT.pieces}


def plate(shadow_on: int | None) -> Image:
    """A plate with four printed spaces, one of which a tile of the same colour may cover: it throws a shadow."""
    picture = np.full((VIEW * 4, VIEW * 4, 3), (205, 215, 220), np.uint8)
    masks = plate_shape(LAYOUT, PIECES).discs
    for space, colour in enumerate(((170, 64, 32), (48, 42, 200), (52, 176, 238), (196, 182, 52))):
        down, across = np.argwhere(masks[space]).mean(axis=0) * 4 + 2
        radius = round(math.sqrt(masks[space].sum() / math.pi) / 0.8 * 4)
        middle = (round(across), round(down))
        if space == shadow_on:
            cv2.circle(picture, (middle[0] + 5, middle[1] + 4), radius + 1, (90, 95, 95), -1, cv2.LINE_AA)
        cv2.circle(picture, middle, radius - 2, colour, -1, cv2.LINE_AA)
    return np.asarray(cv2.resize(picture, (VIEW, VIEW), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def test_a_tile_on_a_space_of_its_own_colour_is_told_by_its_shadow() -> None:
    """On plates that were never seen bare, tiles in the colour of the print went unseen, and their points uncounted."""
    prints = PlatePrints(builtin_model(LAYOUT.colours), LAYOUT.places["offer.1"].holds, plate_shape(LAYOUT, PIECES))
    for covered in range(4):
        shaded = prints.look(plate(covered), None).shaded
        assert shaded[covered] > 18.0
        assert np.delete(shaded, covered).max() < 12.0
    assert prints.look(plate(None), None).shaded.max() < 12.0


def test_the_tile_on_the_start_tiles_space_is_the_start_tile() -> None:
    """In a light nobody knows it resembled a black tile more: so it was counted, and the game had no start tile."""
    place, piece = LAYOUT.places["big.moon"], PIECES["big"]
    camera = Camera(1500.0, 0.0, np.eye(3), np.array([0.0, 0.0, 700.0]), 1536, 864)
    pose = PiecePose(-55.0, -50.0, 0.0, piece.size_mm, piece.thickness_mm)
    region = region_on_piece(LAYOUT, camera, piece, place, pose)
    tops_px = (pose.points_mm(place.spots)[:, :2] - region.corner_mm) * PIXELS_A_MM
    colours = {"blue": 1e-6, "black": 0.9999, "marker": 1e-7}
    tiles = tuple(
        LooseTile(Found(float(x), float(y), 0.0, 0, 4.0), 0.99, colours, np.zeros((9, 9, 3), np.uint8))
        for x, y in tops_px
    )
    nothing = np.zeros((1, 1), np.float32)
    seen = HeapLook(tiles, 0.0, (), np.zeros((1, 1, 3), np.uint8), nothing, nothing)
    named = Spaces({place.name: place}, camera).name_tiles(seen, region, {"big": pose})
    likeliest = [max(tile.colours, key=lambda name: tile.colours[name]) for tile in named.tiles]
    assert likeliest == ["black"] * 4 + ["marker"]


def test_places_in_a_players_own_colour_are_no_sisters_of_the_others_places() -> None:
    """One player's bare spaces for tokens were compared with the other's, which are printed in another colour: tokens
    lay on all of them, and that player was accused."""
    ann, ann_too, bo = (sisterhood(LAYOUT.places[name]) for name in ("p1.token.1", "p1.token.2", "p2.token.1"))
    assert ann == ann_too != bo
    assert sisterhood(LAYOUT.places["p1.line2.1"]) == sisterhood(LAYOUT.places["p2.line6.3"])
