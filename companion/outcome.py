"""A followed game in the shape of the recording format's outcome: moves, rounds, final result, slips."""

from __future__ import annotations

from typing import Any

from companion.reconcile.belief import Asked, Confirmed, SlipCleared, SlipRaised, TakenBack, Update
from engine.api import Game

NS_PER_S = 1e9


class OutcomeBook:
    """Writes down what the reconciler tells, as `companion replay` gives it out."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.moves: list[dict[str, Any]] = []
        self.setup: list[dict[str, Any]] = []
        self.rounds: list[dict[str, Any]] = []
        self.slips: list[dict[str, Any]] = []
        self.questions = 0
        self.final: dict[str, Any] | None = None
        self._open: dict[str, list[dict[str, Any]]] = {}
        self._before: list[tuple[int, int, int]] = []
        """How many moves, set-up moves and rounds there were before each step that was agreed on."""

    def note(self, update: Update, now_ns: int) -> None:
        """Take down the events of one frame."""
        for event in update.events:
            if isinstance(event, Confirmed):
                self._before.append((len(self.moves), len(self.setup), len(self.rounds)))
                self._confirmed(event)
            elif isinstance(event, TakenBack):
                self._take_back(len(event.moves))
            elif isinstance(event, SlipRaised):
                t_s = event.t_ns / NS_PER_S
                entries = [
                    {
                        "kind": slip.slug, "player": slip.player, "places": list(slip.places),
                        "t_start": t_s, "t_end": t_s,
                    }
                    for slip in event.slips
                ]
                self.slips.extend(entries)
                self._open[event.id] = entries
            elif isinstance(event, SlipCleared):
                self._open.pop(event.id, None)
            elif isinstance(event, Asked):
                self.questions += 1
        for entries in self._open.values():
            for entry in entries:
                entry["t_end"] = now_ns / NS_PER_S

    def _confirmed(self, event: Confirmed) -> None:
        game = self._game
        t_s = event.t_ns / NS_PER_S
        told = dict(game.describe(event.move))
        if told.pop("setup", False):
            self.setup.append({**told, "t": t_s})
        elif told:
            self.moves.append({"n": len(self.moves) + 1, "round": event.round, **told, "t": t_s})
        over = game.is_over(event.after)
        if game.has_rounds and (over or game.round(event.after) > event.round):
            self.rounds.append({"round": event.round, "scores": list(game.scores(event.after)), "t": t_s})
        if over:
            result = game.result(event.after)
            self.final = {
                "scores": [standing.score for standing in sorted(result.standings, key=lambda each: each.player)],
                "winners": list(result.winners),
            }

    def _take_back(self, steps: int) -> None:
        """Strike out the last steps: they were others."""
        moves, setup, rounds = self._before[-steps]
        del self._before[-steps:], self.moves[moves:], self.setup[setup:], self.rounds[rounds:]
        self.final = None

    def to_json(self) -> dict[str, Any]:
        """The four keys of outcome.json (and `setup` where the game has one)."""
        outcome: dict[str, Any] = {"moves": self.moves, "rounds": self.rounds, "slips": self.slips}
        if self.final is not None:
            outcome["final"] = self.final
        if self.setup:
            outcome["setup"] = self.setup
        outcome["questions"] = self.questions
        return outcome
