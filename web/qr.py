"""The QR code with which a phone joins: for the page as SVG, for the terminal as text."""

from __future__ import annotations

import io

import segno


def join_address(join_url: str, pin: str | None) -> str:
    """The address to open. The PIN stands behind the `#`, which no browser sends and no log keeps."""
    return join_url if pin is None else f"{join_url}#pin={pin}"


def qr_svg(text: str) -> bytes:
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", scale=1, border=2, xmldecl=False, svgclass=None, lineclass=None, omitsize=True,
        dark="#1f2430", light="#ffffff",
    )
    return out.getvalue()


def qr_terminal(text: str) -> str:
    """Blocks that a phone can read from a dark or a light terminal."""
    out = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=out, compact=True, border=2)
    return out.getvalue()
