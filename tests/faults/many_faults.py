"""So many camera faults in a row, in a seeded order: python -m tests.faults.many_faults --faults 100"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

import click

from tests.faults.sitting import Sitting
from tests.faults.test_camera_process import FAULTS


@click.command()
@click.option("--faults", default=100, show_default=True)
@click.option("--seed", default=1, show_default=True)
def command(faults: int, seed: int) -> None:
    """Every fault must be said in a sentence and healed without help."""
    rng, count = Random(seed), Counter[str]()
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        sitting = Sitting(Path(folder))
        try:
            for _ in range(faults):
                fault = rng.choice(FAULTS)
                sitting.suffer(fault)
                count[fault] += 1
        finally:
            sitting.mood("good")
            sitting.camera.close()
    told = ", ".join(f"{name} {number}" for name, number in sorted(count.items()))
    click.echo(f"{faults} faults said and healed in {time.monotonic() - began_s:.0f} s ({told}); "
               f"{sitting.camera.starts} processes")


if __name__ == "__main__":
    command()
