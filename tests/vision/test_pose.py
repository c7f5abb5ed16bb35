"""Without a right camera, tiles are looked for beside where they lie."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.pose import (
    Camera,
    PiecePose,
    PoseError,
    Sighting,
    board_sighting,
    disc_sighting,
    homography,
    locate,
    place_piece,
    solve_camera,
)

BOARD_MM = (230.0, 230.0)


def made_camera(tilt_deg: float, k1: float = -0.05, focal: float = 0.75) -> Camera:
    rotation = cv2.Rodrigues(np.array([math.radians(tilt_deg), 0.03, 0.0]))[0]
    return Camera(focal * 2304, k1, rotation, rotation @ np.array([0.0, 0.0, 700.0]), 2304, 1296)


def table_of(camera: Camera) -> dict[str, PiecePose]:
    """Three boards and two discs around the spot that the camera looks at."""
    x, y = camera.to_plane([camera.centre_px])[0]
    spots = {"p1": (-330, -60, 0.1), "p2": (120, -200, 1.6), "p3": (-90, 60, -0.2)}
    poses = {name: PiecePose(x + dx, y + dy, angle, BOARD_MM, 2.0) for name, (dx, dy, angle) in spots.items()}
    poses["f1"] = PiecePose(x, y - 100, 0.4, (73.0, 73.0), 2.0)
    poses["f2"] = PiecePose(x + 70, y + 20, 2.4, (73.0, 73.0), 2.0)
    return poses


def seen(camera: Camera, poses: dict[str, PiecePose], noise_px: float, seed: int) -> dict[str, Sighting]:
    random = np.random.default_rng(seed)
    sightings = {}
    for name, pose in poses.items():
        if name.startswith("p"):
            corners = locate(camera, pose, [[0, 0], [1, 0], [1, 1], [0, 1]])
            corners = corners + random.uniform(-noise_px, noise_px, (4, 2))
            sightings[name] = board_sighting(corners, pose.size_mm, pose.thickness_mm, max(noise_px / 2, 0.3))
        else:
            middle, rim = locate(camera, pose, [[0.5, 0.5], [1, 0.5]]) + random.uniform(-noise_px, noise_px, (2, 2))
            sightings[name] = disc_sighting(middle, rim, pose.size_mm[0], pose.thickness_mm, max(noise_px / 2, 0.3))
    return sightings


@pytest.mark.parametrize("tilt_deg", [-3.0, 12.0, 33.0, 48.0])
def test_exact_corners_give_back_the_camera(tilt_deg: float) -> None:
    """If this failed, no angle of the camera could be trusted."""
    camera = made_camera(tilt_deg)
    poses = table_of(camera)
    solution = solve_camera(seen(camera, poses, 0.0, 1), 2304, 1296)
    assert solution.error_px < 0.3
    for name, pose in poses.items():
        expected = locate(camera, pose, [[0.2, 0.3], [0.8, 0.9]], above_mm=9.0)
        found = locate(solution.camera, solution.poses[name], [[0.2, 0.3], [0.8, 0.9]], above_mm=9.0)
        assert np.abs(expected - found).max() < 1.0, name


@pytest.mark.parametrize("tilt_deg", [8.0, 33.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fingers_that_miss_by_a_percent_still_find_the_tops_of_tiles(tilt_deg: float, seed: int) -> None:
    """The rise of a tile's top must come out to a fraction of a cell even from raw taps."""
    camera = made_camera(tilt_deg)
    poses = table_of(camera)
    solution = solve_camera(seen(camera, poses, 0.006 * 2304, seed), 2304, 1296)
    for name, pose in poses.items():
        rise = locate(camera, pose, [[0.5, 0.5]], 9.0) - locate(camera, pose, [[0.5, 0.5]])
        found = solution.poses[name]
        found_rise = locate(solution.camera, found, [[0.5, 0.5]], 9.0) - locate(solution.camera, found, [[0.5, 0.5]])
        assert np.abs(rise - found_rise).max() < 6.0


def test_one_slipped_finger_does_not_tilt_the_table() -> None:
    """A single corner tapped in the wrong spot must not spoil the boards that were tapped well."""
    camera = made_camera(20.0)
    poses = table_of(camera)
    sightings = seen(camera, poses, 1.0, 5)
    sightings["p2"].pixels[2] += (60.0, -40.0)
    solution = solve_camera(sightings, 2304, 1296)
    expected = locate(camera, poses["p3"], [[0.5, 0.5]], 9.0)
    assert np.abs(locate(solution.camera, solution.poses["p3"], [[0.5, 0.5]], 9.0) - expected).max() < 6.0


def test_pixels_go_to_the_plane_and_back() -> None:
    """A round trip that drifts would put heaps beside their discs."""
    camera = made_camera(40.0, k1=-0.08)
    pixels = np.array([[100.0, 200.0], [1200.0, 700.0], [2200.0, 1200.0]])
    for height_mm in (0.0, 9.0):
        flat = camera.to_plane(pixels, height_mm)
        back = camera.project(np.column_stack([flat, np.full(3, height_mm)]))
        assert np.allclose(back, pixels, atol=1e-3)


def test_fractions_go_to_the_table_and_back() -> None:
    """A piece's own coordinates must survive the way to the table and back."""
    pose = PiecePose(12.0, -40.0, 0.7, (100.0, 50.0), 2.0)
    fractions = np.array([[0.1, 0.9], [0.5, 0.25]])
    assert np.allclose(pose.fractions(pose.points_mm(fractions)[:, :2]), fractions)


def test_a_homography_follows_the_lens_within_a_pixel_or_two() -> None:
    """A board read through its homography must not miss its own cells."""
    camera = made_camera(30.0)
    pose = table_of(camera)["p1"]
    fractions = np.array([[[0.3, 0.4]], [[0.9, 0.1]]])
    through = cv2.perspectiveTransform(fractions, homography(camera, pose, 9.0)).reshape(-1, 2)
    assert np.abs(through - locate(camera, pose, fractions.reshape(-1, 2), 9.0)).max() < 2.0


def test_a_nudged_board_is_found_under_a_known_camera() -> None:
    """A nudge must not need a new calibration."""
    camera = made_camera(30.0)
    pose = PiecePose(-50.0, -300.0, 0.3, BOARD_MM, 2.0)
    sighting = board_sighting(locate(camera, pose, [[0, 0], [1, 0], [1, 1], [0, 1]]), BOARD_MM, 2.0, 1.0)
    found = place_piece(camera, sighting)
    assert math.isclose(found.angle_rad, 0.3, abs_tol=1e-3) and abs(found.x_mm + 50.0) < 0.1


def test_a_camera_survives_its_file() -> None:
    """A calibration that changes when it is stored would spoil the next evening."""
    camera = made_camera(25.0)
    again = Camera.from_json(camera.to_json())
    assert np.array_equal(again.rotation, camera.rotation) and again.focal_px == camera.focal_px


def test_discs_alone_are_refused_with_advice() -> None:
    """People must be told which tap is missing."""
    with pytest.raises(PoseError, match="corners"):
        solve_camera({"f1": disc_sighting([10, 10], [20, 10], 73.0, 2.0, 1.0)}, 640, 480)
