"""If this fails, the companion asks, and no phone can answer."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import numpy as np
import pytest

from companion.runtime.messages import Seen
from companion.runtime.port import RuntimePort
from companion.runtime.rig import Rig
from companion.runtime.sources import SimulatedSource, Wanted
from companion.runtime.table import Table
from companion.runtime.told import CLEAR
from companion.store.games import GameStore
from companion.trials.noise import NoisyCamera
from engine.registry import find_games
from tests.companion.runtime.tables import STEP_NS, Shown, quick_settings, wait_for
from vision.camera import CameraError
from vision.frame import Frame
from web import WebConfig, create_app, serve

PIN = "135790"


class ShownSource(SimulatedSource):
    """A table whose looks the test brings."""

    def rig(self, wanted: Wanted | None) -> Rig:
        raise CameraError("the test shows the table")


def phone(port: int) -> Callable[[str, Mapping[str, Any] | None], Any]:
    """Somebody's browser, with its own cookies."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def ask(path: str, body: Mapping[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://localhost:{port}{path}", data, {"Content-Type": "application/json"})
        with opener.open(request, timeout=30) as reply:
            return json.load(reply)

    return ask


def test_a_question_is_answered_from_any_paired_phone(tmp_path: Path) -> None:
    """The question would stand on every phone and no tap would take it away; or a stranger's would."""
    settings = quick_settings(tmp_path)
    table = Table(settings, find_games(), GameStore(settings.data_folder), ShownSource(settings))
    table.start()
    server = serve(create_app(RuntimePort(table), WebConfig(pin=PIN)), port=0)
    try:
        assert table.sitting is not None
        shown, layout = Shown(), table.sitting.play.layout
        camera, rig = NoisyCamera(layout, CLEAR, 1), Rig(camera=None, layout=layout)  # type: ignore[arg-type]
        frame, moments = Frame(np.zeros((8, 8, 3), np.uint8), 0), iter(range(STEP_NS, 1000 * STEP_NS, STEP_NS))

        def show(looks: int, hidden: tuple[str, ...] = ()) -> None:
            now = {place: "?" if hidden and place.startswith(hidden) else content
                   for place, content in shown.now().items()}
            for _ in range(looks):
                assert table.inbox.put_frame(Seen(rig, frame, camera.look(now, next(moments))), 30)

        for _ in range(3):
            shown.step()
            show(3)
        game = shown.play.game
        mover = game.to_move(shown.state)[0]
        truth = next(move for move in game.legal_moves(shown.state) if "line5" in game.format_move(move))
        shown.state = game.play(shown.state, truth)
        show(40, (f"p{mover}.line4", f"p{mover}.line5"))
        wait_for(table, lambda snapshot: snapshot.question is not None)
        mine, stranger = phone(server.port), phone(server.port)
        mine("/api/pair", {"pin": PIN})
        question = mine("/api/snapshot")["question"]
        asked = next(each for each in table.sitting.question.asked.answers  # type: ignore[union-attr]
                     if each.steps == (truth,))
        assert asked.id in [each["id"] for each in question["answers"]]
        given = {"question": question["id"], "answer": asked.id}
        with pytest.raises(HTTPError, match="401"):
            stranger("/api/commands/answer", given)
        assert mine("/api/commands/answer", given)["ok"]
        assert stranger("/api/snapshot")["question"] is None, "the others still see it"
        assert table.sitting.state == shown.state
    finally:
        server.close()
        table.stop(20)
