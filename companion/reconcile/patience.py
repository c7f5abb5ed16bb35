"""How sure the companion must be, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How sure to be, and how long to wait."""

    surprise: float = 2.5
    """Evidence below this is not worth explaining."""
    loud: float = 8.0
    """One part with this much evidence may be a slip of its own, on top of a legal move …"""
    loud_sparse: float = 4.5
    """… or with this much when frames come rarely: there may be no second look."""
    legal: float = 12.0
    """A legal move is agreed on at this much evidence: two clear places in one look, or two looks …"""
    strange_share: float = 0.35
    """A frame in which more than this share of the places contradicts the table is not believed …"""
    strange_s: float = 10.0
    """… until it has stayed so for this long."""
    again_looks: int = 2
    """After frames that could not be believed, moves that explain all are agreed on once each place has been seen this
    often, whatever else is still thought over."""
    beyond_looks: int = 4
    """A move that goes further than the one that was seen is out of the question after so many looks without a hand."""
    hidden_looks: int = 12
    """A place that would show a slip, and is hidden, is waited for no longer than so many looks."""
    untold_looks: int = 24
    """… and what has to be read there, such as a chip that was turned up, no longer than so many."""
    margin: float = 3.5
    """… and this much more than any other explanation that contradicts it."""
    slip_margin: float = 1.0
    """… but for a slip, which is rarer than two moves between two looks."""
    slip: float = 10.0
    """A slip is raised at this much evidence …"""
    slip_looks: int = 2
    """… in this many looks in a row …"""
    slip_sparse_s: float = 0.35
    """… this far apart when frames come rarely …"""
    slip_dense_s: float = 0.8
    """… or this long when they come all the time, because hands pause …"""
    unlisted_dense_s: float = 2.4
    """… or this long when it is none of the likely ones, because several moves may be the better explanation …"""
    cells_dense_s: float = 1.2
    """… or this long where it is a matter of cells alone: a piece that lies there is a move of its own, and no more of
    it is to come …"""
    tidy_dense_s: float = 4.0
    """… or this long while a player is still tidying up (a stone may follow later) …"""
    tidy_share: float = 0.5
    tidy_least_s: float = 1.6
    """… but no longer than this share of the usual time between two moves, and at least this long: whoever plays
    quickly tidies up quickly, and sees a slip as soon."""
    soon_share: float = 1.2
    """Two moves hardly take less than this many times as long as one usually does: they are not agreed on where one
    slip is as good …"""
    at_once_share: float = 0.7
    """… and in less than this nobody makes two: then it is called the slip."""
    next_share: float = 1.5
    """… unless so many times the usual time has passed, and nobody has made the move that would be next."""
    dense_s: float = 0.3
    """Frames closer than this come all the time."""
    old_news_s: float = 10.0
    """What looked odd so long before the last agreement was no objection to that, and is none to the next."""
    ask_s: float = 10.0
    """A question is asked when something has lain there unexplained for this long …"""
    refill_s: float = 60.0
    """(or, in the middle of a refill, so long after its last piece came) …"""
    doubt_s: float = 5.0
    """… and frames have come and been believed for this long …"""
    anew_s: float = 1.4
    """(for so long nothing is agreed on until every place has been seen again) …"""
    gap_s: float = 1.0
    """(no longer than this may pass between two frames where they come all the time) …"""
    ask_looks: int = 4
    """… and in this many looks."""
    lag_moves: int = 2
    """A stone that has not followed after this many further moves is a slip."""
    lag_s: float = 6.0
    """… and a piece of a player's own that has not, once nothing has moved for so long."""
    rethink_s: float = 1.2
    """What nothing explains makes moves that nobody saw be thought over after this long …"""
    others_s: float = 0.5
    """… and nobody is accused because of it for so much longer: they may turn out to have been others."""
    search_s: float = 0.5
    """Runs of moves are looked for at most this often when frames come all the time."""
    slip_search_s: float = 1.6
    """A slip that followed a move is looked for again only after this long, while the table looks the same: a place
    that was covered or misread then may be seen now."""
    air_s: float = 8.0
    """Pieces that have left and not arrived anywhere are in somebody's hand for at least this long."""
    depth: int = 6
    """How many moves in a row may be missed."""
    at_once: int = 1_000
    """So many runs are weighed in one look: a search that is longer is gone on with in the next looks, and until it is
    over nobody is accused or asked."""
    lost_s: float = 30.0
    """Once nothing could be agreed on for so long …"""
    rest_s: float = 2.0
    """… a long search is followed by a rest of this, the longer the longer ago it was: where a game was lost sight of,
    every search is long, and the looks to come must not wait for them."""
    fair_looks: int = 12
    """For so many looks nobody is accused of what a second opinion may yet explain."""
