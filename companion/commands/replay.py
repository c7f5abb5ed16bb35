"""`companion replay`: what happened in a recording."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from companion.complaints import complain
from companion.replay import Start, looks, observation_line, start_replay


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write moves, rounds, result and slips to this file.")
@click.option("--observations", type=click.Path(path_type=Path), help="Write what each frame shows, one line a frame.")
@click.option("--start", type=click.Choice([each.value for each in Start]), default=Start.SAMPLES.value,
              show_default=True, help="What of the set-up may be used: everything, the empty picture, only the taps.")
@click.option("--readings-only", is_flag=True, help="No rules, no game: just what each frame shows.")
def command(folder: Path, out: Path | None, observations: Path | None, start: str, readings_only: bool) -> None:
    """Play the recording in FOLDER back and write down the game that was played."""
    with complain():
        replay = start_replay(folder, Start(start))
        lines: list[str] = []
        frames, number = looks(replay, readings_only), len(replay.recording.frames)
        with click.progressbar(frames, length=number, label=folder.name, file=sys.stderr) as bar:
            for look in bar:
                lines.append(json.dumps(observation_line(look, replay.played.layout), ensure_ascii=False))
        if observations is not None:
            observations.write_text("\n".join(lines) + "\n", encoding="utf-8")
        text = json.dumps(replay.book.to_json(), indent=1, ensure_ascii=False)
        if out is not None:
            out.write_text(text + "\n", encoding="utf-8")
        elif not readings_only:
            click.echo(text)
    for sentence in replay.skipped:
        click.echo(f"skipped: {sentence}", err=True)
