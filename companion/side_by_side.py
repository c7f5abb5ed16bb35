"""Work of which several pieces may be done at a time: whole games, recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def side_by_side(
    jobs: int, work: Callable[..., Result], *arguments: Iterable[object]
) -> Iterator[Result]:
    """What comes of each piece of work, in their order; so many are done at a time, each in a process of its own."""
    if jobs < 2:
        yield from map(work, *arguments)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, *arguments)
