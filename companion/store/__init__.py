"""What lasts: games in one SQLite file, written before anything of them is shown."""
