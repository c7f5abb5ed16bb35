"""Games that were really played: if one of these fails, players see wrong moves, wrong scores or wrong accusations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.catalogue import PlayedGame, played_game
from companion.evaluate import Figures, count_game
from companion.outcome import OutcomeBook
from companion.reconcile.belief import Verdict
from companion.reconcile.reconciler import Reconciler
from companion.trials.noise import Noise, NoisyCamera

SITTINGS = sorted((Path(__file__).parent / "sittings").glob("*.json"))
SURE = Noise(slot_error=0.002, heap_error=0.01)


def load(path: Path) -> tuple[dict[str, Any], PlayedGame]:
    sitting = json.loads(path.read_text(encoding="utf-8"))
    options = dict(sitting["options"])
    colours = [seat.get("colour") for seat in sitting["players"]]
    if all(colours):
        options["colours"] = colours
    return sitting, played_game(sitting["game"], len(sitting["players"]), options)


def follow(path: Path) -> tuple[dict[str, Any], OutcomeBook, list[Verdict]]:
    sitting, played = load(path)
    camera = NoisyCamera(played.layout, SURE, seed=1)
    kinds = {name: played.layout.places[name].kind for name in sitting["frames"][0]["changed"]}
    state = played.game.new(played.players, played.options, sitting["start_player"])
    reconciler = Reconciler(played.game, kinds, state)
    book = OutcomeBook(played.game)
    table: dict[str, Any] = {}
    verdicts = []
    for frame in sitting["frames"]:
        table.update(frame["changed"])
        t_ns = round(frame["t"] * 1e9)
        update = reconciler.observe(camera.clear_look(table, t_ns, frame["hand"]))
        book.note(update, t_ns)
        verdicts.append(update.belief.verdict)
    return sitting, book, verdicts


@pytest.mark.parametrize("path", SITTINGS, ids=lambda path: path.stem)
def test_a_played_game_is_followed_to_the_letter(path: Path) -> None:
    sitting, book, _ = follow(path)
    figures = Figures()
    count_game(figures, book.to_json(), sitting["outcome"])
    assert figures.moves.right == figures.moves.of == len(book.moves), "a move was missed, invented or misread"
    assert figures.rounds.right == figures.rounds.of, "a round's score is wrong"
    assert figures.slips_found == figures.slips_of, "a slip was not named while it lay on the table"
    assert figures.slips_false == 0, "a player was accused of something that did not happen"
    assert book.questions == 0, "the players were asked although everything could be seen"


def test_a_move_under_way_never_alarms() -> None:
    _, _, verdicts = follow(next(path for path in SITTINGS if path.stem == "2p-day"))
    assert Verdict.SLIP not in verdicts
    assert Verdict.UNEXPLAINED not in verdicts
    assert Verdict.IN_PROGRESS in verdicts
