"""The set-up wizard behind the page: where boards lie, which colours tiles have, a last check, a name to keep it by.

It looks at pictures only and may take seconds, so it has a lock of its own and keeps out of the table's thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import CalibrationError, calibrate
from calibration.refine import RefineError, refine_board
from companion.catalogue import PlayedGame, played_game
from companion.runtime.pictures import mask_secret, secret_of, secret_outlines, to_jpeg
from companion.runtime.proposal import Proposal, Still
from companion.runtime.tables import Tables
from engine.errors import EngineError
from vision.calibration import Calibration, Correction, corrected, in_group
from vision.draw import draw_overlay, outline_px
from vision.frame import Frame, Image
from vision.layout import Layout, PieceSpec
from vision.observe import Observer
from vision.pose import PoseError
from vision.recording import CornersTap, DiscTap, PolygonTap, SampleTile, Tap
from vision.rectify import UNIT_SQUARE, apply
from web.contract import Reply

NEAR_PRINT = 0.09
"""A corner is pulled onto the print over at most this share of the board's diagonal …"""
CLEAR_PRINT = 0.5
"""… and only where this share of the printed lines is found."""
STEP_FRACTION = 0.002
"""How far one step of an adjustment moves a group, in boards."""
MOST_FRACTION = 0.12
"""No edition's group of places lies further off than this, in boards; a thumb that slipped would go further."""
SURE = 0.9
"""A place read with less than this probability is named as unsure."""


@dataclass(slots=True)
class Draft:
    """A table that is being set up."""

    described: dict[str, Any]
    """Game, options and players as the page gave them."""
    play: PlayedGame
    still: Image
    """The laid table without tiles."""
    points: dict[str, list[list[float]]]
    """For each piece, its taps in pixels."""
    samples: list[tuple[Image, list[SampleTile]]] = field(default_factory=list)
    calibration: Calibration | None = None
    overlay: Image | None = None
    is_simulated: bool = False


class Wizard:
    """Every method may be called from any thread."""

    def __init__(self, tables: Tables, propose: Callable[[PlayedGame], Proposal | None], still: Still) -> None:
        self._tables, self._propose_on, self._still = tables, propose, still
        self._lock = threading.Lock()
        self._draft: Draft | None = None

    @property
    def layout(self) -> Layout | None:
        """Of the table that is being set up."""
        draft = self._draft
        return None if draft is None else draft.play.layout

    def obey(self, name: str, given: Mapping[str, Any]) -> Reply:
        """One step of the wizard."""
        steps: Mapping[str, Callable[[Mapping[str, Any]], Reply]] = {
            "propose": self._propose, "place": self._place, "colours": self._colours, "check": self._check,
            "adjust": self._adjust, "drag": self._drag, "finish": self._finish, "load": self._load,
        }
        if name not in steps:
            return Reply(False, "error.not-found")
        with self._lock:
            if self._draft is None and name not in ("propose", "load"):
                return Reply(False, "refused.no-setup")
            try:
                return steps[name](given)
            except (CalibrationError, RefineError, PoseError, EngineError) as error:
                return Reply(False, "refused.set-up", {"detail": str(error)})

    def done(self) -> None:
        """The game has begun: what is drawn from now on is the game."""
        self._draft = None

    def calibration_for(self, play: PlayedGame) -> Calibration | None:
        """What was just set up, if it is a table for this game."""
        draft = self._draft
        if draft is None or draft.calibration is None or draft.play.game.id != play.game.id:
            return None
        return draft.calibration if draft.play.players == play.players else None

    # -- pictures -------------------------------------------------------------------------------------------------

    def picture(self, name: str) -> bytes | None:
        """`overlay`, or `setup` where the picture is not that of the camera."""
        draft = self._draft
        if draft is None:
            return None
        if name == "overlay":
            return None if draft.overlay is None else to_jpeg(draft.overlay)
        return to_jpeg(self._masked(draft, draft.still)) if draft.is_simulated else None

    def secrets(self, width_px: int) -> tuple[tuple[NDArray[np.float64], ...], float]:
        """The secret areas as far as they have been placed, with the width of the picture they were placed on."""
        draft = self._draft
        if draft is None:
            return (), float(width_px)
        outlines = {name: np.array(points, dtype=np.float64) for name, points in draft.points.items()
                    if len(points) >= 3}
        return tuple(secret_outlines(draft.play.layout, outlines)), float(draft.still.shape[1])

    def _masked(self, draft: Draft, image: Image) -> Image:
        return mask_secret(image, *self.secrets(image.shape[1]))

    # -- steps ----------------------------------------------------------------------------------------------------

    def _propose(self, given: Mapping[str, Any]) -> Reply:
        try:
            play = played_game(given["game"], len(given["players"]), given.get("options"))
        except EngineError:
            return Reply(False, "refused.unknown-game")
        proposal = self._propose_on(play)
        if proposal is None:
            return Reply(False, "error.no-picture")
        described = {key: given[key] for key in ("game", "options", "players") if key in given}
        described.setdefault("options", {})
        self._draft = Draft(described, play, proposal.still, dict(proposal.points),
                            list(proposal.samples), is_simulated=proposal.is_simulated)
        return Reply(True, data=self._pieces(self._draft, proposal.sure))

    def _pieces(self, draft: Draft, sure: Mapping[str, bool]) -> dict[str, Any]:
        height, width = draft.still.shape[:2]
        return {"width": width, "height": height, "pieces": [
            {"piece": piece.name, "frame": piece.frame, "points": draft.points[piece.name],
             "sure": sure.get(piece.name, False)}
            for piece in draft.play.layout.pieces if piece.name in draft.points
        ]}

    def _place(self, given: Mapping[str, Any]) -> Reply:
        draft = self._here()
        piece = _piece(draft.play.layout, given["piece"])
        wanted = {"corners": 4, "disc": 2}.get(piece.frame) if piece is not None else None
        points: list[list[float]] = given["points"]
        if piece is None or (len(points) != wanted if wanted else len(points) < 3):
            return Reply(False, "refused.unknown-place")
        draft.points[piece.name] = _onto_print(draft.still, piece, points)
        draft.calibration = None
        return Reply(True, data={"piece": piece.name, "frame": piece.frame, "points": draft.points[piece.name],
                                 "sure": True})

    def _colours(self, given: Mapping[str, Any]) -> Reply:
        draft = self._here()
        image = self._now(draft)
        tiles = [
            SampleTile(sample["colour"], (point[0], point[1]), sample.get("face"))
            for sample in given["samples"] for point in sample["at"]
        ]
        draft.samples = [(image, tiles)]
        draft.calibration = None
        return Reply(True)

    def _check(self, given: Mapping[str, Any]) -> Reply:
        draft = self._here()
        calibration = self._calibrate(draft)
        image = self._now(draft)
        observation = Observer(draft.play.layout, calibration).observe(Frame(image.copy(), 0))
        masked = mask_secret(image, secret_of(draft.play.layout, calibration), calibration.size_px[0])
        layout = corrected(draft.play.layout, calibration.corrections)
        draft.overlay = draw_overlay(masked, layout, calibration, observation)
        read: dict[str, Any] = {}
        unsure = []
        for place, reading in observation.readings.items():
            if reading.occluded or not reading.parts:
                unsure.append(place)
                continue
            read[place], probability = reading.best()
            if probability < SURE:
                unsure.append(place)
        height, width = image.shape[:2]
        return Reply(True, data={
            "read": read, "unsure": unsure, "groups": groups_of(draft.play.layout), "width": width, "height": height,
            "outlines": outlines_of(layout, calibration, width),
        })

    def _adjust(self, given: Mapping[str, Any]) -> Reply:
        """An edition whose spaces sit a little off: move all places of a group on every board, and look again."""
        return self._shift(given["group"], (given["across"] * STEP_FRACTION, given["down"] * STEP_FRACTION))

    def _drag(self, given: Mapping[str, Any]) -> Reply:
        """The same with a thumb: from one point of the picture to another, on the board that the first lies on."""
        draft = self._here()
        calibration = self._calibrate(draft)
        scale = self._now(draft).shape[1] / calibration.size_px[0]
        if len(given["points"]) != 2:
            return Reply(False, "refused.unknown-place")
        points = np.array(given["points"], dtype=np.float64) / scale
        on_boards = [apply(np.asarray(np.linalg.inv(calibration.matrices[piece.name]), np.float64), points)
                     for piece in draft.play.layout.pieces
                     if piece.frame == "corners" and piece.name in calibration.matrices]
        if not on_boards:
            return Reply(False, "refused.unknown-place")
        here = min(on_boards, key=lambda found: float(np.abs(found[0] - 0.5).max()))
        across, down = here[1] - here[0]
        return self._shift(given["group"], (float(across), float(down)))

    def _shift(self, group: str, by: tuple[float, float]) -> Reply:
        """Move a group by so many boards from where it is now, as far as any edition differs."""
        draft = self._here()
        if group not in groups_of(draft.play.layout):
            return Reply(False, "refused.unknown-place")
        calibration = self._calibrate(draft)
        kept = [each for each in calibration.corrections if each.group != group]
        before = next((each.offset for each in calibration.corrections if each.group == group), (0.0, 0.0))
        across, down = (max(-MOST_FRACTION, min(was + more, MOST_FRACTION))
                        for was, more in zip(before, by, strict=True))
        draft.calibration = replace(calibration, corrections=(*kept, Correction(group, offset=(across, down))))
        return self._check({})

    def _finish(self, given: Mapping[str, Any]) -> Reply:
        draft = self._here()
        calibration = self._calibrate(draft)
        described = {**draft.described, "points": draft.points}
        try:
            self._tables.keep(given["name"], described, calibration)
        except OSError as error:
            return Reply(False, "refused.set-up", {"detail": error.strerror or str(error)})
        return Reply(True)

    def _load(self, given: Mapping[str, Any]) -> Reply:
        table = self._tables.find(given["name"])
        if table is None:
            return Reply(False, "refused.no-table")
        play = played_game(table["game"], len(table["players"]), table.get("options"))
        calibration = self._tables.calibration(given["name"])
        described = {key: table[key] for key in ("game", "options", "players")}
        self._draft = Draft(described, play, calibration.reference, dict(table["points"]), [], calibration)
        return Reply(True, data=self._pieces(self._draft, dict.fromkeys(table["points"], True)))

    # -- parts ----------------------------------------------------------------------------------------------------

    def _now(self, draft: Draft) -> Image:
        """The table as it lies now, as far as there is a camera to show it."""
        live = None if draft.is_simulated else self._still()
        return draft.still if live is None else live

    def _here(self) -> Draft:
        assert self._draft is not None
        return self._draft

    def _calibrate(self, draft: Draft) -> Calibration:
        if draft.calibration is None:
            taps = {
                piece.name: tap_from(piece, draft.points[piece.name])
                for piece in draft.play.layout.pieces if piece.name in draft.points
            }
            draft.calibration = calibrate(draft.play.layout, taps, empty=draft.still, samples=draft.samples)
        return draft.calibration


def groups_of(layout: Layout) -> dict[str, str]:
    """Places that are moved together, each group with the first of its places."""
    found: dict[str, str] = {}
    for piece in layout.pieces:
        if piece.frame == "corners":
            for place in piece.places:
                part = place.name.split(".")[1].rstrip("0123456789")
                found.setdefault(part if len(part) > 1 else place.name.split(".")[0], place.name)
    return found


def outlines_of(layout: Layout, calibration: Calibration, width_px: int) -> dict[str, dict[str, list[Any]]]:
    """For each group and board, the corners of its places in pixels of a picture that is so wide."""
    scale = width_px / calibration.size_px[0]
    groups = groups_of(layout)
    found: dict[str, dict[str, list[Any]]] = {}
    for piece in layout.pieces:
        if piece.frame != "corners":
            continue
        for place in piece.places:
            outline = outline_px(place, calibration)
            for group in groups:
                if outline is not None and in_group(place.name, group):
                    boards = found.setdefault(group, {})
                    boards.setdefault(piece.name, []).append((outline * scale).round(1).tolist())
    return found


def _piece(layout: Layout, name: str) -> PieceSpec | None:
    return next((piece for piece in layout.pieces if piece.name == name), None)


def _onto_print(still: Image, piece: PieceSpec, points: list[list[float]]) -> list[list[float]]:
    """Corners that a thumb put roughly right, pulled onto the print; where no print is near, as they were put."""
    if piece.frame != "corners":
        return points
    try:
        fit = refine_board(still, np.array(points, dtype=np.float64), piece)
    except (RefineError, np.linalg.LinAlgError):
        return points
    corners = apply(fit.matrix, UNIT_SQUARE)
    reach_px = NEAR_PRINT * float(np.linalg.norm(np.ptp(corners, axis=0)))
    near = float(np.linalg.norm(corners - np.array(points), axis=1).max()) < reach_px
    if fit.support < CLEAR_PRINT or not near:
        return points
    return [[round(float(x), 1), round(float(y), 1)] for x, y in corners]


def tap_from(piece: PieceSpec, points: Sequence[Sequence[float]]) -> Tap:
    """The points of the page as a recording's tap."""
    at = [(float(x), float(y)) for x, y in points]
    if piece.frame == "corners":
        return CornersTap((at[0], at[1], at[2], at[3]))
    if piece.frame == "disc":
        return DiscTap(at[0], at[1])
    return PolygonTap(tuple(at))
