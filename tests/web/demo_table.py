"""A table in memory, played by the real engine: what the pages are developed and tested against.

It keeps a list of moves as a journal would, builds whole snapshots from it and obeys every command, so that a test
can play a game, make a slip, ask a question and see what the phone makes of it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from engine.api import Game
from engine.errors import EngineError
from engine.players import GreedyPlayer, RandomPlayer
from engine.registry import Games, find_games
from engine.strings import load_catalogue
from engine.types import Reason, Slip
from tests.web.demo_pictures import crop_picture, pieces_on_picture, table_picture
from tests.web.demo_sitting import Sitting
from vision.layout import Layout, load_layout
from web.contract import (
    AlertView,
    AnswerView,
    HealthView,
    PlayerView,
    QuestionView,
    ReasonView,
    Reply,
    ResultView,
    RoundView,
    Snapshot,
)

COLOURS = ("blue", "red", "yellow", "green", "purple")
PICTURE_PX = (1280, 720)


@cache
def all_games() -> Games:
    return find_games()


@cache
def words_of(game: str, language: str) -> dict[str, Any]:
    return load_catalogue(all_games().folders[game], language).to_json()


class DemoTable:
    """A `TablePort` without a camera."""

    def __init__(self, game: str | None = "azul", players: Sequence[str] = ("Ann", "Bo"), seed: int = 1,
                 options: Mapping[str, Any] | None = None, clever: bool = False) -> None:
        self.games: Games = all_games()
        self.random = random.Random(seed)
        self.player = GreedyPlayer(seed) if clever else RandomPlayer(seed)
        self.lock = threading.RLock()
        self.version = 1
        self.listeners: list[Callable[[Snapshot], None]] = []
        self.alerts: list[AlertView] = []
        self.question: QuestionView | None = None
        self.camera = "ok"
        self.source = "simulated"
        self.recording = False
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.past: list[dict[str, Any]] = []
        self.tables: list[dict[str, Any]] = []
        self.setup: dict[str, Any] = {}
        self.health: list[HealthView] = []
        self.sitting: Sitting | None = None
        self.number = 0
        if game is not None:
            self.sit_down(game, list(players), dict(options or {}))

    # -- driving it from a test --------------------------------------------------------------------------

    def sit_down(self, game: str, names: list[str], options: dict[str, Any], start_player: int = 1,
                 colours: Sequence[str] = ()) -> None:
        with self.lock:
            found = self.games[game]
            chosen = [*colours, *(colour for colour in COLOURS if colour not in colours)][: len(names)]
            found.new(len(names), options, start_player)
            self.number += 1
            self.sitting = Sitting(found, names, chosen, options, start_player)
            self.alerts, self.question = [], None

    def state(self, count: int | None = None) -> Any:
        return self._sitting().state(count)

    def step(self, tell: bool = True) -> bool:
        """One move or deal; False when the game is over."""
        with self.lock:
            sitting, state = self._sitting(), self.state()
            game = sitting.game
            if game.is_over(state):
                return False
            if game.deal_request(state) is not None:
                move = game.random_deal(state, self.random.randrange(10**9))
            else:
                move = self.player.choose(game, state)
            sitting.moves.append(move)
            sitting.sources.append("camera")
            if game.is_over(self.state()):
                self._remember()
        if tell:
            self.publish()
        return True

    def play(self, count: int) -> None:
        for _ in range(count):
            self.step()

    def play_until(self, done: Callable[[Snapshot], bool], most: int = 400) -> None:
        """Play on, and tell of it once at the end."""
        for _ in range(most):
            if done(self.snapshot()) or not self.step(tell=False):
                break
        self.publish()

    def slip(self, slug: str | None = None) -> AlertView:
        """A mistake that the engine itself thinks likely now."""
        with self.lock:
            sitting = self._sitting()
            wanted: list[Slip] = []
            for plausible in sitting.game.plausible_moves(self.state()):
                wanted += [slip for slip in plausible.slips[:1] if slug in (None, slip.slug)]
                if len(wanted) > 40:
                    break
            slip = self.random.choice(wanted)
            alert = AlertView(f"a{self.version}", slip.slug, slip.player, slip.places, slip.rule, slip.severity.value,
                              dict(slip.params), f"/api/crops/a{self.version}")
            self.alerts = [alert]
        self.publish()
        return alert

    def put_right(self) -> None:
        self.alerts = []
        self.publish()

    def ask(self) -> QuestionView:
        """Which of two moves was it?"""
        with self.lock:
            sitting, state = self._sitting(), self.state()
            moves = self.random.sample(list(sitting.game.legal_moves(state)), 2)
            answers = [AnswerView(sitting.game.format_move(move), "answer.move", {"steps": [sitting.said(move)]})
                       for move in moves]
            answers.append(AnswerView("none", "answer.nothing", {}))
            places = sitting.changes(state, sitting.game.play(state, moves[0]))
            self.question = QuestionView(f"q{self.version}", "question.ambiguous", {}, answers, tuple(places),
                                         f"/api/crops/q{self.version}")
            question = self.question
        self.publish()
        return question

    def ask_height(self) -> QuestionView:
        """How many broken tiles lie under the one that shows?"""
        with self.lock:
            answers = [AnswerView(f"n{number}", "answer.count", {"count": number}) for number in (1, 2, 3, 4)]
            self.question = QuestionView(f"h{self.version}", "heights.broken", {"player": 1, "count": 2}, answers,
                                         ("p1.broken",), None)
            question = self.question
        self.publish()
        return question

    def publish(self) -> None:
        with self.lock:
            self.version += 1
            if self.listeners:
                snapshot = self.snapshot()
                for listener in list(self.listeners):
                    listener(snapshot)

    # -- TablePort ---------------------------------------------------------------------------------------

    def subscribe(self, on_snapshot: Callable[[Snapshot], None]) -> Callable[[], None]:
        self.listeners.append(on_snapshot)
        return lambda: self.listeners.remove(on_snapshot)

    def snapshot(self) -> Snapshot:
        with self.lock:
            if self.sitting is None:
                return Snapshot(self.version, None, None, {}, "idle", 0, "unchanged", self.camera, self.source, (), {},
                                (), (), (), None, None, tuple(self.health), self.recording)
            return self._build(self.sitting)

    def _build(self, sitting: Sitting) -> Snapshot:
        game = sitting.game
        trail = sitting.passed()
        state = sitting.state()
        moves = [replace(passed.view, source=source) for passed, source in zip(trail, sitting.sources, strict=True)]
        rounds: list[RoundView] = []
        reasons: list[Reason] = []
        for passed in trail:
            reasons += passed.reasons
            if game.round(passed.state) != passed.round or game.is_over(passed.state):
                rounds.append(RoundView(passed.round, game.scores(passed.state), tuple(map(reason_view, reasons))))
                reasons = []
        over = game.is_over(state)
        acting = set(game.to_move(state))
        scores = game.scores(state)
        players = tuple(
            PlayerView(player, name, colour, scores[player - 1], player in acting)
            for player, (name, colour) in enumerate(zip(sitting.names, sitting.colours, strict=True), start=1)
        )
        result = None
        if over:
            end = game.result(state)
            result = ResultView(
                tuple(s.score for s in end.standings), end.winners, end.decided_by,
                tuple(reason_view(r) for s in end.standings for r in s.reasons),
                tuple(s.tie_break for s in end.standings))
            players = tuple(replace(view, score=result.scores[view.player - 1]) for view in players)
        verdict = "slip" if self.alerts else "ambiguous" if self.question else "unchanged"
        return Snapshot(
            self.version, game.id, self.number, sitting.options, game.phase(state), game.round(state), verdict,
            self.camera, self.source, players, {**game.visible(state), **sitting.overrides}, tuple(moves),
            tuple(rounds), tuple(self.alerts), self.question, result, tuple(self.health), self.recording,
            tuple(view.scores for view in rounds))

    def command(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        with self.lock:
            self.commands.append((name, dict(arguments)))
            try:
                reply = self._obey(name, arguments)
            except EngineError as error:
                reply = Reply(False, "refused.rules", {"detail": str(error)})
        self.publish()
        return reply

    def picture(self, name: str) -> bytes | None:
        if name.startswith("crop/"):
            return crop_picture(name)
        return table_picture(self._layout(), PICTURE_PX, boxes=name == "overlay")

    def query(self, name: str, arguments: Mapping[str, Any]) -> Any:
        with self.lock:
            return getattr(self, "_query_" + name)(**arguments)

    # -- commands ----------------------------------------------------------------------------------------

    def _obey(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        if name == "new-game":
            players = arguments["players"]
            if arguments["game"] not in self.games:
                return Reply(False, "refused.unknown-game")
            colours = [player["colour"] for player in players if "colour" in player]
            self.sit_down(arguments["game"], [player["name"] for player in players],
                          dict(arguments.get("options") or {}), arguments.get("start_player", 1), colours)
            return Reply(True)
        if name.startswith("setup-"):
            return self._set_up(name.removeprefix("setup-"), arguments)
        if name == "delete-game":
            self.past = [game for game in self.past if game["game_number"] != arguments["game_number"]]
            return Reply(True)
        if name == "record":
            self.recording = arguments["on"]
            return Reply(True)
        if name == "relight":
            return Reply(False, "refused.no-relight")
        if name == "simulate":
            return self._simulate(arguments["what"])
        if self.sitting is None:
            return Reply(False, "refused.no-game")
        return self._in_game(self.sitting, name, arguments)

    def _in_game(self, sitting: Sitting, name: str, arguments: Mapping[str, Any]) -> Reply:
        if name == "answer":
            if self.question is None or arguments["question"] != self.question.id:
                return Reply(False, "refused.question-gone")
            named = next(each for each in self.question.answers if each.id == arguments["answer"])
            if named.key == "answer.move":
                sitting.moves.append(sitting.game.parse_move(arguments["answer"]))
                sitting.sources.append("person")
            self.question = None
        elif name in ("accept", "misread"):
            if arguments["alert"] not in [alert.id for alert in self.alerts]:
                return Reply(False, "refused.alert-gone")
            self.alerts = [alert for alert in self.alerts if alert.id != arguments["alert"]]
        elif name in ("undo", "correct"):
            return self._change(sitting, arguments["entry"], arguments.get("notation"))
        elif name == "set-place":
            if arguments["place"] not in sitting.game.visible(self.state()):
                return Reply(False, "refused.unknown-place")
            sitting.overrides[arguments["place"]] = arguments["content"]
        elif name == "end-game":
            self._remember()
            self.sitting = None
        return Reply(True)

    def _change(self, sitting: Sitting, entry: int, notation: str | None) -> Reply:
        """Replace or drop a move; what follows is kept as far as it still fits."""
        if not 1 <= entry <= len(sitting.moves):
            return Reply(False, "refused.no-such-move")
        wanted = [] if notation is None else [sitting.game.parse_move(notation)]
        kept = sitting.moves[: entry - 1]
        state = self.state(entry - 1)
        rest = sitting.moves[entry:]
        for move in [*wanted, *rest]:
            try:
                state = sitting.game.apply(state, move).state
            except EngineError:
                if move in wanted:
                    return Reply(False, "refused.illegal")
                break
            kept.append(move)
        sitting.moves = kept
        sitting.sources = ["person" if at == entry - 1 and wanted else "camera" for at in range(len(kept))]
        return Reply(True)

    def _simulate(self, what: str) -> Reply:
        if what == "slip":
            self.slip()
        elif what in ("camera", "drop", "freeze"):
            self.camera = "ok" if self.camera == "lost" else "lost"
        elif what == "lamp":
            self.camera = "ok" if self.camera == "dark" else "dark"
        return Reply(True)

    def _set_up(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        if name == "propose":
            if arguments["game"] not in self.games:
                return Reply(False, "refused.unknown-game")
            self.setup = dict(arguments)
            return Reply(True, data=self._proposal())
        if name == "load":
            found = [table for table in self.tables if table["name"] == arguments["name"]]
            if not found:
                return Reply(False, "refused.no-table")
            self.setup = dict(found[0])
            return Reply(True, data=self._proposal())
        if not self.setup:
            return Reply(False, "refused.no-setup")
        if name == "place":
            return Reply(True, data={"piece": arguments["piece"], "points": arguments["points"], "sure": True})
        if name in ("check", "adjust", "drag"):
            layout = self._layout()
            places = list(layout.places) if layout else []
            groups = {place.split(".")[1]: place for place in places if "." in place}
            return Reply(True, data={
                "read": dict.fromkeys(places), "unsure": places[:1], "groups": groups, "width": PICTURE_PX[0],
                "height": PICTURE_PX[1], "outlines": {name: {} for name in groups},
            })
        if name == "finish":
            self.tables.insert(0, {**self.setup, "name": arguments["name"], "saved": 1_790_000_000})
        return Reply(True)

    def _proposal(self) -> dict[str, Any]:
        layout = self._layout()
        assert layout is not None
        return {"width": PICTURE_PX[0], "height": PICTURE_PX[1], "pieces": pieces_on_picture(layout, PICTURE_PX)}

    # -- queries -----------------------------------------------------------------------------------------

    def _query_layout(self) -> Any:
        layout = self._layout()
        return None if layout is None else asdict(layout)

    def _query_catalogue(self) -> Any:
        found = []
        for name, game in self.games.items():
            try:
                layout = load_layout(self.games.folders[name] / "layout.toml", game.players[0], {})
            except Exception:  # a game that is still being written has no layout yet
                continue
            found.append({"game": name, "players": list(game.players), "colours": list(layout.colours),
                          "options": {key: list(values) for key, values in game.options.items()},
                          "lists": [key for key in game.options if takes_list(game, key)]})
        return found

    def _query_strings(self, language: str) -> Any:
        return {name: words_of(name, language) for name in self.games}

    def _query_rules(self, game: str, language: str) -> Any:
        return words_of(game, language)["rules"] if game in self.games else None

    def _query_tables(self) -> Any:
        return self.tables

    def _query_games(self) -> Any:
        return [{key: value for key, value in game.items() if key != "snapshot"} for game in self.past]

    def _query_game(self, game_number: int) -> Any:
        return next((game for game in self.past if game["game_number"] == game_number), None)

    def _query_export(self, game_number: int, form: str) -> Any:
        found = self._query_game(game_number)
        if found is None or form == "json":
            return found
        return "\n".join(move["notation"] for move in found["snapshot"]["moves"])

    def _query_legal(self, entry: int) -> Any:
        sitting = self.sitting
        if sitting is None or not 1 <= entry <= len(sitting.moves):
            return None
        moves = sitting.game.legal_moves(self.state(entry - 1))
        said = [(self._sitting().say(move), sitting.game.format_move(move)) for move in moves]
        return [{"key": key, "params": params, "notation": notation} for (key, params), notation in said]

    def _query_health(self) -> Any:
        return [asdict(check) for check in self.health]

    # -- small parts -------------------------------------------------------------------------------------

    def _sitting(self) -> Sitting:
        if self.sitting is None:
            raise LookupError("no game is being played")
        return self.sitting

    def _layout(self) -> Layout | None:
        if self.setup:
            name, count, options = self.setup["game"], len(self.setup["players"]), self.setup.get("options") or {}
        elif self.sitting is not None:
            name, count, options = self.sitting.game.id, len(self.sitting.names), self.sitting.options
        else:
            return None
        return load_layout(self.games.folders[name] / "layout.toml", count, options)

    def _remember(self) -> None:
        snapshot = self.snapshot()
        self.past.insert(0, {
            "game_number": self.number, "game": snapshot.game, "started": 1_790_000_000 + self.number * 7200,
            "ended": 1_790_002_400 + self.number * 7200, "rounds": len(snapshot.rounds),
            "players": [{"name": view.name, "colour": view.colour} for view in snapshot.players],
            "scores": [view.score for view in snapshot.players],
            "winners": list(snapshot.result.winners) if snapshot.result else [], "snapshot": snapshot.to_json(),
        })


def takes_list(game: Game, option: str) -> bool:
    """Whether an option is a list of its values: of one of them, or of one a player."""
    players, values = game.players[-1], list(game.options[option])
    for chosen in (values[:1], values[:players]):
        try:
            game.new(players, {option: chosen})
        except EngineError:
            continue
        return True
    return False


def reason_view(reason: Reason) -> ReasonView:
    return ReasonView(reason.player, reason.key, reason.points, reason.places, dict(reason.params))
