"""Whole games without pictures: the reconciler against readings with known errors."""
