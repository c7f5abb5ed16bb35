"""Fitting the face classifier: pictures of tiles that the project draws itself, and a small network written out."""
