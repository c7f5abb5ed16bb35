"""The table as the pages see it: every method may be called from any thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from companion.runtime.catalogue import GameShelf
from companion.runtime.messages import Order
from companion.runtime.pictures import mask_secret, to_jpeg
from companion.runtime.table import Table
from web.contract import Reply, Snapshot

SETTING_UP = "setup-"
PATIENCE_S = 20.0
"""The table's thread is never busy for long; anything longer is told as busy."""


class RuntimePort:
    """`web.contract.TablePort` for a running table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shelf = GameShelf(table.games)

    def snapshot(self) -> Snapshot:
        return self._table.snapshot()

    def subscribe(self, on_snapshot: Callable[[Snapshot], None]) -> Callable[[], None]:
        return self._table.subscribe(on_snapshot)

    def command(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        """Hand a command to the table's thread and wait for its reply. Setting up takes seconds and only looks at
        pictures, so it is done here, and the game goes on meanwhile."""
        if name.startswith(SETTING_UP):
            return self._table.wizard.obey(name.removeprefix(SETTING_UP), arguments)
        reply = self._ask(name, arguments, is_query=False)
        return reply if isinstance(reply, Reply) else Reply(False, "refused.busy")

    def query(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """What does not change is answered here, the rest in the table's thread."""
        if name == "catalogue":
            return self._shelf.catalogue()
        if name == "strings":
            return self._shelf.strings(arguments["language"])
        if name == "rules":
            return self._shelf.rules(arguments["game"], arguments["language"])
        return self._ask(name, arguments, is_query=True)

    def _ask(self, name: str, arguments: Mapping[str, Any], is_query: bool) -> Any:
        if not self._table.alive:
            return None
        reply: Future[Any] = Future()
        self._table.inbox.put(Order(name, arguments, reply, is_query))
        try:
            return reply.result(PATIENCE_S)
        except FutureTimeoutError:
            reply.cancel()
            return None

    def picture(self, name: str) -> bytes | None:
        """A JPEG with everything secret blacked out; None when there is no such picture."""
        if name.startswith("crop/"):
            return self._table.crops.get(name.removeprefix("crop/"))
        if name in ("setup", "overlay"):
            wizard = self._table.wizard.picture(name)
            if wizard is not None:
                return wizard
        latest = self._table.loop.latest
        if latest is None:
            return None
        rig, frame, _ = latest
        secrets, width_px = rig.secrets, rig.secrets_width_px
        if rig.layout is None:
            secrets, width_px = self._table.wizard.secrets(frame.image.shape[1])
        return to_jpeg(mask_secret(frame.image, secrets, width_px))
