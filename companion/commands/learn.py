"""`companion learn`: fit again the numbers that tell tiles from print, from recordings with truth."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import numpy as np

from calibration.slot_training import IGNORED, Examples, fit, leave_one_out
from companion.complaints import complain
from companion.disturbances import GRAIN, LIGHTS
from companion.replay import Start, calibrate_recording, open_recording
from vision.observe import Observer
from vision.pictures import read_picture
from vision.readers.slots import SlotReader


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write the model to this file; only judge it otherwise.")
@click.option("--disturbed/--plain", default=True, help="Also learn from the same frames under other lights and noise.")
def command(folders: tuple[Path, ...], out: Path | None, disturbed: bool) -> None:
    """Fit the slot model on FOLDERS and say how it does on each when that one is left out."""
    models = {}
    with complain():
        for kind in ("own", "borrowed"):
            examples = {folder.name: gather(folder, kind, disturbed) for folder in folders}
            click.echo(f"{kind}: recording, wrong of slots, wrong among those given 99 %")
            for name, trial in leave_one_out(examples, IGNORED[kind]).items():
                click.echo(f"  {name:20s} {trial.wrong:6d} of {trial.of}   {trial.sure_wrong} of {trial.sure}")
            models[kind] = fit(examples, IGNORED[kind])
    if out is not None:
        out.write_text(json.dumps({name: model.to_json() for name, model in models.items()}, indent=1) + "\n")
        click.echo(f"written to {out}")


def gather(folder: Path, kind: str, disturbed: bool) -> Examples:
    """Measured slots of every settled frame, against the empty picture or against sister places."""
    recording, played = open_recording(folder)
    calibration = calibrate_recording(recording, played, Start.EMPTY)
    observer = Observer(played.layout, calibration)
    reader = next(reader for reader in observer.readers if isinstance(reader, SlotReader))
    rows, full = [], []
    both = zip(recording.frames, recording.truth(), strict=True)
    settled = [(file, truth) for file, truth in both if truth["settled"]]
    ways = list({**LIGHTS, **GRAIN}.values()) if disturbed else []
    with click.progressbar(settled, label=f"{folder.name} {kind}", file=sys.stderr) as bar:
        for number, (file, truth) in enumerate(bar):
            plain = read_picture(file.path)
            images = [plain] if not ways else [plain, ways[number % len(ways)](plain)]
            for image in images:
                view = observer.view(image)
                if kind == "borrowed":
                    reader.borrow(view)
                for place, values in zip(reader.grid.all, reader.measure(view), strict=True):
                    content = truth["places"].get(place.name, "?")
                    if content != "?":
                        rows.append(values)
                        full.append(content is not None)
    return Examples(np.array(rows, dtype=np.float64), np.array(full))
