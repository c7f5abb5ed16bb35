"""Commands of the pages, carried out in the table's thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from companion.catalogue import played_game
from companion.runtime import corrections
from companion.runtime.sitting import Sitting
from companion.store.games import SeatRow
from web.contract import Reply

if TYPE_CHECKING:
    from companion.runtime.table import Table

PALETTE = ("blue", "red", "yellow", "green", "purple", "black", "white")

InGame = Callable[[Sitting, Mapping[str, Any]], Reply]

IN_GAME: Mapping[str, InGame] = {
    "answer": lambda sitting, given: corrections.answer(sitting, given["question"], given["answer"]),
    "accept": lambda sitting, given: corrections.accept(sitting, given["alert"]),
    "misread": lambda sitting, given: corrections.misread(sitting, given["alert"]),
    "undo": lambda sitting, given: corrections.undo(sitting, given["entry"]),
    "correct": lambda sitting, given: corrections.correct(sitting, given["entry"], given["notation"]),
    "set-place": lambda sitting, given: corrections.set_place(sitting, given["place"], given["content"]),
}


def obey(table: Table, name: str, given: Mapping[str, Any]) -> Reply:
    """Carry out one command."""
    if name in IN_GAME:
        if table.sitting is None:
            return Reply(False, "refused.no-game")
        reply = IN_GAME[name](table.sitting, given)
        table.crops.keep(table.sitting)
        return reply
    orders: Mapping[str, Callable[[Table, Mapping[str, Any]], Reply]] = {
        "new-game": new_game, "end-game": end_game, "delete-game": delete_game, "record": record,
        "simulate": simulate, "relight": relight,
    }
    if name in orders:
        return orders[name](table, given)
    return Reply(False, "error.not-found")


def new_game(table: Table, given: Mapping[str, Any]) -> Reply:
    """Sit down and begin."""
    if given["game"] not in table.games:
        return Reply(False, "refused.unknown-game")
    game = table.games[given["game"]]
    seats = seats_from(given["players"])
    if len(seats) not in game.players:
        return Reply(False, "refused.rules", {"detail": f"{len(seats)} players"})
    options = dict(given.get("options") or {})
    if "colours" in game.options and all("colour" in player for player in given["players"]):
        options.setdefault("colours", [seat.colour for seat in seats])
    table.begin(played_game(game.id, len(seats), options), seats, int(given.get("start_player", 1)))
    return Reply(True)


def seats_from(players: list[Mapping[str, Any]]) -> list[SeatRow]:
    """Names and colours, in the order of the seats; colours that nobody chose are given out."""
    ordered = sorted(players, key=lambda player: player.get("seat", 0)) if all(
        "seat" in player for player in players) else list(players)
    chosen = {player["colour"] for player in ordered if "colour" in player}
    free = iter([colour for colour in PALETTE if colour not in chosen] + list(PALETTE))
    return [SeatRow(player["name"], player["colour"] if "colour" in player else next(free)) for player in ordered]


def end_game(table: Table, given: Mapping[str, Any]) -> Reply:
    """Stop here; the game is kept."""
    if table.sitting is None:
        return Reply(False, "refused.no-game")
    table.finish()
    return Reply(True)


def delete_game(table: Table, given: Mapping[str, Any]) -> Reply:
    """Remove a past game for good; the one under way cannot be."""
    number = int(given["game_number"])
    if table.sitting is not None and table.sitting.number == number:
        return Reply(False, "refused.busy")
    return Reply(True) if table.store.delete(number) else Reply(False, "error.not-found")


def record(table: Table, given: Mapping[str, Any]) -> Reply:
    """Keep pictures, or stop doing so."""
    if given["on"]:
        if table.sitting is None:
            return Reply(False, "refused.no-game")
        return table.recorder.begin(table.sitting, table.loop.latest)
    table.recorder.stop()
    return Reply(True)


def relight(table: Table, given: Mapping[str, Any]) -> Reply:
    """Let the camera settle anew on the light that there is now."""
    return Reply(True) if table.relight() else Reply(False, "refused.no-relight")


def simulate(table: Table, given: Mapping[str, Any]) -> Reply:
    """Steer the simulated table."""
    latest = table.loop.latest
    if latest is None or latest[0].reality is None:
        return Reply(False, "refused.not-simulated" if table.source.kind != "simulated" else "refused.busy")
    latest[0].reality.request(given["what"])
    return Reply(True)
