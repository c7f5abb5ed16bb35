"""Camera faults in whole games until there were so many: python -m tests.faults.many_evenings --faults 100

The pages must answer throughout, say *lost* at each fault, and every game must end with the exact score."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

import click

from tests.companion.runtime.tables import quick_table
from tests.faults.evening import Evening
from tests.faults.test_camera_process import FAULTS


@click.command()
@click.option("--faults", default=100, show_default=True)
@click.option("--seed", default=1, show_default=True, help="Of the first game; each next one has the next.")
def command(faults: int, seed: int) -> None:
    """Play games behind a camera that fails all the time."""
    rng, suffered, games, exact = Random(seed), 0, 0, 0
    began_s = time.monotonic()
    while suffered < faults:
        with tempfile.TemporaryDirectory() as folder:
            evening = Evening(quick_table(Path(folder), haste=3.0, seed=seed + games), Path(folder))
            try:
                suffered += evening.suffer([rng.choice(FAULTS) for _ in range(min(20, faults - suffered))])
                table = evening.cameras[0].table
                games += 1
                shown = evening.until(lambda page: page["result"] is not None and "final" in table.outcome())  # noqa: B023
                exact += shown["result"]["scores"] == table.outcome()["final"]["scores"]
            except AssertionError as stuck:
                click.echo(f"seed {seed + games - 1}: {stuck}")
            finally:
                evening.stop()
        spent_s = time.monotonic() - began_s
        click.echo(f"{suffered} faults, {games} games, {exact} with the exact score, {spent_s:.0f} s")
    raise SystemExit(0 if exact == games else 1)


if __name__ == "__main__":
    command()
