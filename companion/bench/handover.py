"""`companion bench handover`: what handing a large frame from the camera's process to a reader costs.

Beside it stands decoding a JPEG of the same size, which is what a camera that sends compressed pictures would cost.
Both are measured in one run as processor time, turn by turn, so that a busy machine slows both alike.
"""

from __future__ import annotations

import json
import multiprocessing
import time
from dataclasses import asdict, dataclass

import click
import cv2
import numpy as np

from vision.frame import Frame, Image
from vision.shared_frames import FrameRing, Lender, Notice, image_in

SLOTS = 4


@dataclass(frozen=True, slots=True)
class HandoverFigures:
    """Medians in milliseconds of processor time."""

    width_px: int
    height_px: int
    write_ms: float
    """The camera's side: one copy into shared memory and the notice."""
    read_ms: float
    """The reader's side: the frame in place, and the slot given back."""
    jpeg_ms: float
    """Decoding a JPEG of that size."""
    ratio: float
    """Both sides of the hand-over together, over the decoding."""
    readers_ratio: float
    """Another reader of the same frame, over the decoding: it copies nothing."""
    rounds: int


def measure(size_px: tuple[int, int], rounds: int, seed: int) -> HandoverFigures:
    """Hand frames over and decode JPEGs by turns."""
    width, height = size_px
    picture = table_like(size_px, seed)
    jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    ring = FrameRing(SLOTS, picture.nbytes)
    lender = Lender(ring)
    notices, their_notices = multiprocessing.get_context("spawn").Pipe(duplex=False)
    write: list[float] = []
    read: list[float] = []
    again: list[float] = []
    decode: list[float] = []
    for turn in range(rounds + SLOTS):
        slot = turn % SLOTS
        began = time.process_time()
        notice = Notice(slot, (width, height), None, turn)
        np.copyto(image_in(ring.slot(slot), notice), picture)
        their_notices.send(notice)
        written = time.process_time()
        frame: Frame = lender.lend(notices.recv())
        opened = time.process_time()
        another = frame.image[:]
        shared = time.process_time()
        assert another[-1, -1, 2] == picture[-1, -1, 2]
        del frame, another
        lender.returned()
        before = time.process_time()
        cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
        after = time.process_time()
        if turn >= SLOTS:
            # The first use of each slot also pays for the memory itself.
            write.append(written - began)
            read.append(opened - written + before - shared)
            again.append(shared - opened)
            decode.append(after - before)
    ring.close()
    for end in (notices, their_notices):
        end.close()
    write_s, read_s, again_s, decode_s = (float(np.median(times)) for times in (write, read, again, decode))
    return HandoverFigures(
        width, height, round(write_s * 1000, 3), round(read_s * 1000, 3), round(decode_s * 1000, 3),
        round((write_s + read_s) / decode_s, 4), round(again_s / decode_s, 6), rounds,
    )


def table_like(size_px: tuple[int, int], seed: int) -> Image:
    """A picture about as hard to compress as a table: soft patches, edges, and a little noise."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(40, 215, (24, 32, 3), dtype=np.uint8)
    large = cv2.resize(patches, size_px, interpolation=cv2.INTER_NEAREST)
    noise = rng.normal(0, 4, (size_px[1], size_px[0], 1)).astype(np.int16)
    return np.asarray(np.clip(large.astype(np.int16) + noise, 0, 255), dtype=np.uint8)


@click.command(name="handover")
@click.option("--size", nargs=2, type=click.IntRange(min=64), default=(4056, 3040), show_default=True,
              help="Width and height in pixels; the default has twelve million.")
@click.option("--rounds", default=20, show_default=True, type=click.IntRange(min=1))
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(size: tuple[int, int], rounds: int, seed: int, as_json: bool) -> None:
    """What handing over a large frame costs, beside decoding a JPEG."""
    figures = measure(size, rounds, seed)
    if as_json:
        click.echo(json.dumps(asdict(figures)))
        return
    click.echo(
        f"{size[0]} × {size[1]}   camera's side {figures.write_ms:.2f} ms   reader's side {figures.read_ms:.2f} ms   "
        f"JPEG {figures.jpeg_ms:.1f} ms   hand-over/JPEG {figures.ratio:.3f}"
    )
