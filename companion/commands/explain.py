"""`companion explain`: why the companion thought what it thought at a moment of a recording."""

from __future__ import annotations

from pathlib import Path

import click

from companion.complaints import complain
from companion.reconcile.belief import Belief
from companion.reconcile.evidence import Evidence
from companion.reconcile.explanation import Fit
from companion.replay import Look, Replay, Start, looks, start_replay
from engine.api import Game

MOST_PLACES = 12


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--at", "at_s", type=float, required=True, help="The moment, in seconds of the recording.")
@click.option("--start", type=click.Choice([each.value for each in Start]), default=Start.SAMPLES.value,
              show_default=True, help="What of the set-up may be used.")
def command(folder: Path, at_s: float, start: str) -> None:
    """Show the ranked explanations at a moment of the recording in FOLDER, and which places spoke for and against."""
    with complain():
        replay = start_replay(folder, Start(start))
        last: Look | None = None
        for look in looks(replay):
            if look.file.t_s > at_s:
                break
            last = look
        if last is None or last.update is None or replay.reconciler is None:
            raise click.ClickException(f"the recording has no understood frame at or before {at_s} s")
        click.echo("\n".join(describe(replay, last, last.update.belief)))


def describe(replay: Replay, look: Look, belief: Belief) -> list[str]:
    """What was believed after a frame, line by line."""
    assert replay.reconciler is not None and look.update is not None
    game, reconciler = replay.played.game, replay.reconciler
    lines = [
        f"frame {look.file.path.name} at {look.file.t_s} s: {belief.verdict}, margin {belief.margin:.1f}",
        f"agreed: {game.format_position(reconciler.state)}",
    ]
    lines += [f"event: {type(event).__name__} {_of_event(event, game)}" for event in look.update.events]
    lines += _surprises(reconciler.evidence, reconciler.patience.surprise)
    for rank, fit in enumerate(belief.ranked, start=1):
        lines += [f"{rank}. {name_of(fit, game)}: score {fit.score:.1f} (evidence {fit.evidence:.1f})"]
        lines += _places("for", sorted(fit.support)) + _places("against", sorted(fit.against))
        lines += _places("not seen", sorted(fit.unseen))
        if fit.unexplained > 0.05:
            lines.append(f"     leaves {fit.unexplained:.1f} unexplained")
    return lines


def name_of(fit: Fit, game: Game) -> str:
    """An explanation in one line."""
    explanation = fit.explanation
    steps = " then ".join(game.format_move(move) for move in explanation.steps)
    slips = ", ".join(f"slip {slip.slug} (player {slip.player}, rule {slip.rule})" for slip in explanation.slips)
    mends = f"put right {', '.join(explanation.mends)}" if explanation.mends else ""
    return "; ".join(part for part in (slips, steps, mends) if part) or "nothing happened"


def _of_event(event: object, game: Game) -> str:
    move, slips = getattr(event, "move", None), getattr(event, "slips", ())
    return game.format_move(move) if move is not None else ", ".join(slip.slug for slip in slips)


def _surprises(evidence: Evidence, least: float) -> list[str]:
    found = sorted(evidence.surprises(least).items(), key=lambda item: -item[1][1])
    return [
        f"seen: {place} {part} = {value!r} rather than {evidence.expected((place, part))!r} ({score:.1f})"
        for (place, part), (value, score) in found[:MOST_PLACES]
    ]


def _places(word: str, places: list[str]) -> list[str]:
    if not places:
        return []
    more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
    return [f"     {word}: {', '.join(places[:MOST_PLACES])}{more}"]
