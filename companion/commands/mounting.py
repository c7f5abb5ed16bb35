"""`companion mounting`: how high the camera hangs for each game and number of players, and a drawing of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import click

from companion.catalogue import played_game
from companion.simulation.arrangement import Arrangement, arrange
from companion.simulation.lens import Lens, View, hang
from engine.registry import find_games

LENSES_DEG = {"standard": 66.0, "wide": 102.0}
"""Across the width of the picture: Camera Module 3 and Camera Module 3 Wide."""
TILT_DEG = 8.0
SEED = 1
MM_PER_UNIT = 5.0
"""Of the drawing."""
MARGIN = 34.0


@dataclass(frozen=True, slots=True, eq=False)
class Mounting:
    """One table with its camera in place."""

    game: str
    players: int
    lens_name: str
    arrangement: Arrangement
    lens: Lens

    @property
    def height_cm(self) -> int:
        return round(float(self.lens.position_mm[2]) / 10)

    @property
    def table_cm(self) -> tuple[int, int]:
        """Width and depth of what lies on the table."""
        corners = self.arrangement.corners_mm()
        span = corners.max(axis=0) - corners.min(axis=0)
        return round(float(span[0]) / 10), round(float(span[1]) / 10)

    @property
    def px_per_mm(self) -> float:
        corners = self.arrangement.corners_mm()
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        return self.lens.px_per_mm(float(middle[0]), float(middle[1]))


def mount(game: str, players: int, lens_name: str, size_px: tuple[int, int]) -> Mounting:
    """Hang the camera as low as shows everything."""
    arrangement = arrange(played_game(game, players).layout, SEED, untidiness=0.0)
    view = View(size_px[0], size_px[1], LENSES_DEG[lens_name], TILT_DEG)
    return Mounting(game, players, lens_name, arrangement, hang(view, arrangement.corners_mm()))


def sheet(mountings: list[Mounting]) -> str:
    """Heights as a table in Markdown."""
    lines = [
        "| game | players | pieces take up | height, standard lens | height, wide lens | pixels a millimetre |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    pairs = zip(mountings[::2], mountings[1::2], strict=True)
    lines += [
        f"| {one.game} | {one.players} | {one.table_cm[0]} × {one.table_cm[1]} cm | {one.height_cm} cm | "
        f"{wide.height_cm} cm | {one.px_per_mm:.1f} |"
        for one, wide in pairs
    ]
    return "\n".join(lines)


def drawing(mounting: Mounting) -> str:
    """The table from above and from the side, to scale, as SVG without a word in it but measures."""
    corners = mounting.arrangement.corners_mm()
    low, high = corners.min(axis=0), corners.max(axis=0)
    width, depth = (float(part) / MM_PER_UNIT for part in high - low)
    rise = float(mounting.lens.position_mm[2]) / MM_PER_UNIT
    side_x = MARGIN * 2 + width
    ground = MARGIN + max(rise, depth)
    total_w, total_h = side_x + max(depth, 60) + MARGIN * 2, ground + MARGIN
    shapes: list[str] = []
    for spot in mounting.arrangement.spots.values():
        points = " ".join(
            f"{MARGIN + (x - low[0]) / MM_PER_UNIT:.1f},{ground - depth + (y - low[1]) / MM_PER_UNIT:.1f}"
            for x, y in spot.outline()
        )
        shapes.append(f'<polygon points="{points}" fill="#e8dcc8" stroke="#6b5b45"/>')
    camera_x = side_x + MARGIN + depth / 2 + rise * math.tan(math.radians(TILT_DEG))
    camera_y = ground - rise
    near, far = side_x + MARGIN + depth, side_x + MARGIN
    shapes += [
        f'<line x1="{far - 20:.1f}" y1="{ground:.1f}" x2="{near + 20:.1f}" y2="{ground:.1f}" stroke="#6b5b45" '
        'stroke-width="4"/>',
        f'<path d="M{camera_x:.1f} {camera_y:.1f} L{far:.1f} {ground:.1f} L{near:.1f} {ground:.1f} Z" fill="#4477aa" '
        'fill-opacity="0.15" stroke="#4477aa"/>',
        f'<rect x="{camera_x - 7:.1f}" y="{camera_y - 9:.1f}" width="14" height="9" fill="#223"/>',
        f'<line x1="{near + 28:.1f}" y1="{camera_y:.1f}" x2="{near + 28:.1f}" y2="{ground:.1f}" stroke="#223"/>',
        f'<text x="{near + 24:.1f}" y="{(camera_y + ground) / 2:.1f}" text-anchor="end">{mounting.height_cm} cm</text>',
        f'<text x="{camera_x:.1f}" y="{camera_y - 14:.1f}" text-anchor="middle">{TILT_DEG:g}°</text>',
        f'<text x="{MARGIN + width / 2:.1f}" y="{ground + 18:.1f}" text-anchor="middle">{mounting.table_cm[0]} × '
        f"{mounting.table_cm[1]} cm</text>",
    ]
    body = "\n  ".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_w:.0f} {total_h:.0f}" '
        'font-family="sans-serif" font-size="12">\n  <rect width="100%" height="100%" fill="#fff"/>\n'
        f"  {body}\n</svg>\n"
    )


@click.command(name="mounting")
@click.option("--size", nargs=2, type=int, default=(2304, 1296), show_default=True, help="The picture, in pixels.")
@click.option("--drawings", type=click.Path(path_type=Path, file_okay=False), help="Write drawings into this folder.")
def command(size: tuple[int, int], drawings: Path | None) -> None:
    """How high to hang the camera, as low as shows every piece."""
    mountings = [
        mount(name, players, lens_name, size)
        for name, game in find_games().items() for players in game.players for lens_name in LENSES_DEG
    ]
    click.echo(sheet(mountings))
    if drawings is not None:
        drawings.mkdir(parents=True, exist_ok=True)
        for mounting in mountings:
            if mounting.lens_name == "standard":
                path = drawings / f"mounting-{mounting.game}-{mounting.players}.svg"
                path.write_text(drawing(mounting), encoding="utf-8")
