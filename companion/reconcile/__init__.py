"""From readings to the game that is played. Knows places, moves and slips, but no game."""
