"""If one of these fails, the companion does not follow a game from the table to the phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.reconcile.belief import Update
from companion.reconcile.reconciler import Reconciler
from companion.runtime.port import RuntimePort
from companion.runtime.rig import Rig
from companion.runtime.table import Table
from companion.simulation.table import SimulatedTable
from tests.companion.runtime.tables import quick_table, wait_for
from vision.reading import Observation
from web.contract import Snapshot


def watched(table: Table) -> list[Rig]:
    """Every rig that the table's source builds from now on."""
    rigs: list[Rig] = []
    build = table.source.rig

    def noted(wanted: object) -> Rig:
        rigs.append(build(wanted))  # type: ignore[arg-type]
        return rigs[-1]

    table.source.rig = noted  # type: ignore[method-assign,assignment]
    return rigs


def play_to_the_end(table: Table, seconds: float) -> tuple[Snapshot, SimulatedTable]:
    rigs = watched(table)
    table.start()
    try:
        wait_for(table, lambda shown: shown.result is not None, seconds)
        camera = rigs[0].camera
        assert isinstance(camera, SimulatedTable)
        # The phone may know the result before the players have moved their last stone.
        snapshot = wait_for(table, lambda shown: "final" in camera.outcome(), seconds)
    finally:
        table.stop(20)
    return snapshot, camera


def test_a_whole_game_reaches_the_phone_with_the_exact_score(tmp_path: Path) -> None:
    table = quick_table(tmp_path, haste=3.0)
    snapshot, truth = play_to_the_end(table, 120)
    outcome = truth.outcome()
    assert snapshot.result is not None
    assert list(snapshot.result.scores) == outcome["final"]["scores"]
    assert list(snapshot.result.winners) == outcome["final"]["winners"]
    assert [list(scores) for scores in snapshot.history[:-1]] == [each["scores"] for each in outcome["rounds"][:-1]]
    assert not snapshot.alerts and snapshot.question is None
    game = table.sitting.play.game if table.sitting is not None else None
    assert game is not None
    told = [line.move for line in table.sitting.played.lines if game.describe(line.move)]
    assert len(told) == len(outcome["moves"])


@pytest.mark.slow
def test_a_whole_game_is_read_from_its_pictures_with_the_exact_score(tmp_path: Path) -> None:
    table = quick_table(tmp_path, readings="camera", width_px=1536, height_px=864, haste=3.0)
    snapshot, truth = play_to_the_end(table, 900)
    assert snapshot.result is not None
    assert list(snapshot.result.scores) == truth.outcome()["final"]["scores"]


def test_every_snapshot_of_a_move_is_on_the_disk_first(tmp_path: Path) -> None:
    """What a phone has shown must never be lost."""
    table = quick_table(tmp_path)
    port = RuntimePort(table)
    missing: list[int] = []

    def listen(snapshot: Snapshot) -> None:
        if snapshot.game_number is None:
            return
        row = table.store.game(snapshot.game_number)
        kept = 0 if row is None else len(table.store.journal(row).entries)
        if snapshot.moves and kept < snapshot.moves[-1].entry:
            missing.append(snapshot.moves[-1].entry)

    port.subscribe(listen)
    table.start()
    try:
        wait_for(table, lambda shown: len(shown.moves) >= 6)
    finally:
        table.stop(20)
    assert not missing


def test_the_game_goes_on_at_the_same_move_after_a_restart(tmp_path: Path) -> None:
    table = quick_table(tmp_path)
    table.start()
    before = wait_for(table, lambda shown: len(shown.moves) >= 5)
    table.stop(20)
    again = quick_table(tmp_path)
    rigs = watched(again)
    again.start()
    try:
        first = again.snapshot()
        assert [move.notation for move in first.moves][: len(before.moves)] == [m.notation for m in before.moves]
        assert first.game_number == before.game_number
        assert first.version > before.version
        wait_for(again, lambda shown: shown.result is not None)
        camera = rigs[0].camera
        assert isinstance(camera, SimulatedTable)
        done = wait_for(again, lambda shown: "final" in camera.outcome())
    finally:
        again.stop(20)
    assert done.result is not None
    assert list(done.result.scores) == camera.outcome()["final"]["scores"]


def test_commands_of_many_threads_are_answered(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    table = quick_table(tmp_path, speed=1.0)
    port = RuntimePort(table)
    table.start()
    try:
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda n: port.command("undo", {"entry": n + 900}), range(40)))
            lists = list(pool.map(lambda _: port.query("games", {}), range(8)))
    finally:
        table.stop(20)
    assert {reply.key for reply in replies} == {"refused.no-such-move"}
    assert all(found == [] for found in lists)


def test_a_look_that_cannot_be_followed_does_not_end_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One mistake in judging a table ended the thread that owns it: phones showed the last score for ever."""
    judge, looks = Reconciler.observe, list[int]()

    def stumbling(self: Reconciler, observation: Observation) -> Update:
        looks.append(observation.captured_ns)
        if len(looks) == 80:
            raise ValueError("list.remove(x): x not in list")
        return judge(self, observation)

    monkeypatch.setattr(Reconciler, "observe", stumbling)
    table = quick_table(tmp_path, haste=3.0)
    table.start()
    try:
        wait_for(table, lambda _: len(looks) >= 80)
        assert table.sitting is not None
        before = len(table.sitting.journal.entries)
        wait_for(table, lambda _: table.sitting is not None and len(table.sitting.journal.entries) >= before + 4)
    finally:
        table.stop(20)
    assert not table.snapshot().alerts
