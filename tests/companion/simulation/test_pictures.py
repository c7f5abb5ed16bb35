"""The pictures of the simulated table: the same again for the same seed, and true to the geometry they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.simulation.arrangement import arrange
from companion.simulation.faces import Look, face_picture
from companion.simulation.hands import Hand
from companion.simulation.lens import View, hang
from companion.simulation.lettering import edition
from companion.simulation.light import COOL, WARM, Lamp
from companion.simulation.scene import Scene
from companion.simulation.things import TableTop, lay_out, overlap_mm
from companion.simulation.turning import turn_piece
from tests.companion.simulation.tables import SMALL, make_table
from tests.contract.setups import GAMES
from vision.layout import load_layout
from vision.reading import Kind
from vision.training.styles import training_styles, tuning_styles


def test_the_same_seed_gives_the_same_evening() -> None:
    """A failure seen once could not be looked at again."""
    first, second, other = (make_table(seed=seed, slips=0.2) for seed in (5, 5, 6))
    for number in range(12):
        for table in (first, second, other):
            table.advance(table.t_s + 7.3)
        if number % 4 == 0:
            one, two = first.read(), second.read()
            assert one is not None and two is not None
            assert one.captured_ns == two.captured_ns
            assert np.array_equal(one.image, two.image)
    assert first.truth() == second.truth()
    assert first.outcome() == second.outcome()
    assert not np.array_equal(first.picture(), other.picture())


def test_drawing_only_what_changed_gives_the_whole_picture() -> None:
    """Ghosts of tiles that were taken would stay on the table."""
    layout = load_layout(GAMES.folders["azul"] / "layout.toml", 2)
    arrangement = arrange(layout, 1)
    lens, lamp = hang(SMALL, arrangement.corners_mm()), Lamp(100.0, -50.0)
    top = TableTop(layout, arrangement, 1)
    lay_out(top, {"f1": {"blue": 2, "red": 2}, "centre": {"white": 3}, "p1.score": 7, "p1.line3.1": "black"})
    scene = Scene(layout, arrangement, lens, lamp, 1)
    scene.picture(top.resting)
    for thing in top.things_at("f1")[:2]:
        lifted = top.lift(thing.id)
        top.lay(top.posed(lifted, "centre"))
        scene.picture(top.resting)
    fresh = Scene(layout, arrangement, lens, lamp, 1)
    assert np.array_equal(scene.picture(top.resting), fresh.picture(top.resting))


def test_nothing_of_a_hand_stays_behind() -> None:
    """Its shadow would lie on the table for the rest of the evening, in the light of then."""
    layout = load_layout(GAMES.folders["azul"] / "layout.toml", 2)
    arrangement = arrange(layout, 1)
    lens, lamp = hang(SMALL, arrangement.corners_mm()), Lamp(100.0, -50.0)
    top = TableTop(layout, arrangement, 1)
    lay_out(top, {"f1": {"blue": 2, "red": 2}})
    first, *others = top.things_at("f1")
    hands = (Hand(1, first.x_mm, first.y_mm, 5.0, 0.0, 900.0), Hand(2, 60.0, 40.0, 30.0, -900.0, 0.0))
    scene = Scene(layout, arrangement, lens, lamp, 1)
    scene.picture(top.resting)
    scene.picture(top.resting, others[:1], hands, WARM)
    top.lay(top.posed(top.lift(first.id), "centre"))
    scene.picture(top.resting, (), hands[:1], WARM)
    for light in (WARM, COOL):
        fresh = Scene(layout, arrangement, lens, lamp, 1)
        assert np.array_equal(scene.picture(top.resting, cast=light), fresh.picture(top.resting, cast=light))


@pytest.mark.parametrize("tilt_deg", [0.0, 8.0, 40.0])
def test_the_camera_sees_where_it_projects(tilt_deg: float) -> None:
    """Taps and truth would lie beside what the picture shows."""
    lens = hang(View(tilt_deg=tilt_deg), [(x, y) for x in (-450, 450) for y in (-250, 250)])
    points = np.array([(x, y, 9.0) for x in (-400, 0, 380) for y in (-200, 0, 220)])
    seen = lens.project(points)
    assert np.abs(lens.ground(seen, 9.0) - points[:, :2]).max() < 0.05
    assert seen.min() >= 0 and (seen <= (lens.width_px, lens.height_px)).all()


def test_tall_things_lean_away_from_the_camera() -> None:
    """Without parallax the readers would never be tried on what is hard."""
    lens = hang(View(tilt_deg=0.0), [(-450, -250), (450, 250)])
    low, high = lens.project([(400, 0, 0), (400, 0, 9)])
    assert high[0] - low[0] > 2.0


@pytest.mark.parametrize("game", list(GAMES))
def test_pieces_lie_apart_and_in_the_picture(game: str) -> None:
    """A board under another could not be read."""
    for players in GAMES[game].players:
        layout = load_layout(GAMES.folders[game] / "layout.toml", players)
        arrangement = arrange(layout, 2)
        lens = hang(View(), arrangement.corners_mm())
        seen = lens.project([(x, y, 0.0) for x, y in arrangement.corners_mm()])
        assert seen.min() >= 0 and (seen <= (1536, 864)).all()
        spots = [spot for spot in arrangement.spots.values() if not (spot.round and spot.piece.frame == "polygon")]
        for number, spot in enumerate(spots):
            for other in spots[number + 1 :]:
                assert apart(spot.outline(), other.outline()), f"{spot.piece.name} and {other.piece.name}, {players}"


def apart(a: np.ndarray, b: np.ndarray) -> bool:  # type: ignore[type-arg]
    """Whether a line can be drawn between two convex outlines."""
    for shape in (a, b):
        edges = np.roll(shape, -1, axis=0) - shape
        normals = np.column_stack([edges[:, 1], -edges[:, 0]])
        one, two = a @ normals.T, b @ normals.T
        if ((one.max(axis=0) < two.min(axis=0)) | (two.max(axis=0) < one.min(axis=0))).any():
            return True
    return False


def test_loose_tiles_touch_but_do_not_overlap() -> None:
    """Counts could be impossible to read even for a person."""
    layout = load_layout(GAMES.folders["azul"] / "layout.toml", 4)
    top = TableTop(layout, arrange(layout, 4), 4)
    lay_out(top, {f"f{n}": {"blue": 2, "red": 1, "black": 1} for n in range(1, 10)})
    lay_out(top, {"centre": {"blue": 5, "yellow": 5, "red": 4, "white": 4, "marker": 1}})
    for name in [place for place, spec in layout.places.items() if spec.kind is Kind.HEAP]:
        things = top.things_at(name)
        depth = max((overlap_mm(a, b) for a in things for b in things if a.id < b.id), default=0.0)
        assert depth < 0.5, name
        spot = top.arrangement.spots[layout.places[name].piece]
        assert all(math.dist((t.x_mm, t.y_mm), (spot.x_mm, spot.y_mm)) < spot.size_mm[0] / 2 for t in things)


def test_a_printed_space_looks_nearly_like_its_tile_but_not_quite() -> None:
    """The simulated table would be too easy, or impossible."""
    table = make_table("azul", 2)
    table.advance(0.5)
    top, lens = table.top, table.lens
    empty = table.picture().astype(float)
    for name, colour in (("p1.wall.1.1", "blue"), ("p1.wall.1.3", "red")):
        lay_out(top, {name: colour})
        thing = top.things_at(name)[0]
        x, y = lens.project([(thing.x_mm, thing.y_mm, thing.z_mm)])[0]
        box = np.s_[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 4]
        change = np.abs(table.picture().astype(float)[box].mean(axis=(0, 1)) - empty[box].mean(axis=(0, 1)))
        assert change.max() < 70
        assert (table.picture() != empty).any()


def test_tables_are_printed_in_different_styles_and_none_was_learnt_from() -> None:
    """Read in the print that it was taught with, a reader of faces would prove nothing."""
    styles = [edition(seed) for seed in range(1, 9)]
    drawn = [style for style in styles if style is not None]
    assert None in styles and len({style.seed for style in drawn}) == len(drawn)
    assert not {style.seed for style in drawn} & {style.seed for style in (*training_styles(), *tuning_styles())}
    layout = load_layout(GAMES.folders["blockers"] / "layout.toml", 3, {})
    pictures = [face_picture(layout, Look("red", "7"), "square", style) for style in styles[:4]]
    assert len({picture.tobytes() for picture in pictures}) == 4


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_board_can_be_turned_and_turned_back(degrees: int) -> None:
    """A turned board that loses a tile would leave a game behind that nobody can follow."""
    table = make_table("blockers", 3)
    while table.t_s < 20 or not table.settled:
        table.advance(table.t_s + 0.5)
    before, upright = table.contents(), table.arrangement.spots["board"].turn_rad
    turn_piece(table.top, "board", degrees)
    table.advance(table.t_s)
    assert table.arrangement.spots["board"].turn_rad == pytest.approx(upright + math.radians(degrees))
    slips = GAMES["blockers"].problems(table.sitting.state, table.contents())
    assert [(slip.slug, slip.params["degrees"]) for slip in slips] == [("board-turned", degrees)]
    turn_piece(table.top, "board", degrees, back=True)
    assert table.contents() == before


def test_a_tile_on_a_plate_is_drawn_wherever_it_lies() -> None:
    """Tiles on the far side of a plate would be missing from the pictures, and readers be blamed for it."""
    layout = load_layout(GAMES.folders["azul-duel"] / "layout.toml", 2)
    arrangement = arrange(layout, 2)
    lens, lamp = hang(SMALL, arrangement.corners_mm()), Lamp(100.0, -50.0)
    plates = {name: ["blue", "red", "black", "joker"] for name, place in layout.places.items() if ".plate." in name}
    tiles = {name: "yellow" for name in layout.places if ".dome." in name}
    top = TableTop(layout, arrangement, 2)
    lay_out(top, {**plates, **tiles})
    picture = Scene(layout, arrangement, lens, lamp, 2).picture(top.resting)
    for name in tiles:
        tile = top.things_at(name)[-1]
        x_px, y_px = lens.project(np.array([[tile.x_mm, tile.y_mm, tile.z_mm + tile.item.height_mm]]))[0]
        around = picture[round(y_px) - 2 : round(y_px) + 3, round(x_px) - 2 : round(x_px) + 3].reshape(-1, 3)
        blue, green, red = around.mean(axis=0)
        assert red > 1.5 * blue and green > 1.2 * blue, f"no yellow tile is to be seen on {name}"
