"""The simulated table: a camera like any other, above a table that is drawn and played upon by itself."""
