"""The page's own files, read once: each served compressed, under a path that changes when any of them does."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flask import Request, Response

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
COMPRESSED = frozenset({".js", ".css", ".svg", ".webmanifest"})
MIN_GZIP_BYTES = 600


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it goes out."""

    type: str
    plain: bytes
    gzipped: bytes | None


@dataclass(frozen=True, slots=True)
class Assets:
    """All files by their path below `static/`."""

    version: str
    files: Mapping[str, Asset]

    def respond(self, request: Request, version: str, name: str) -> Response | None:
        """The file, kept for ever by the browser when it was asked for under the present version; None if unknown."""
        asset = self.files.get(name)
        if asset is None:
            return None
        zipped = asset.gzipped is not None and request.accept_encodings["gzip"] > 0
        response = Response(asset.gzipped if zipped and asset.gzipped else asset.plain, content_type=asset.type)
        if zipped:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        kept = version == self.version
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if kept else "no-cache"
        return response


def load_assets(folder: Path = STATIC) -> Assets:
    """Read every file that the page can ask for."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in TYPES)
    plain = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    digest = hashlib.sha256()
    for name, data in plain.items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    files = {name: _asset(Path(name).suffix, data) for name, data in plain.items()}
    return Assets(digest.hexdigest()[:12], files)


def _asset(suffix: str, data: bytes) -> Asset:
    zipped = gzip.compress(data, 9, mtime=0) if suffix in COMPRESSED and len(data) >= MIN_GZIP_BYTES else None
    return Asset(TYPES[suffix], data, zipped)


def squeeze(request: Request, response: Response) -> Response:
    """Compress an answer that is made on the fly, where the phone takes it."""
    data = response.get_data()
    if len(data) >= MIN_GZIP_BYTES and request.accept_encodings["gzip"] > 0:
        response.set_data(gzip.compress(data, 5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    return response
