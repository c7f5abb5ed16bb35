"""Who may change something: phones that said the PIN, and what becomes of those that guess."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from flask import Request, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from web.config import WebConfig

COOKIE = "companion"
HOUR_S = 3600.0
MAX_REMEMBERED = 1000
"""Addresses whose wrong PINs are remembered: more cannot fill the memory."""


@dataclass(slots=True)
class Tries:
    """The wrong PINs of one address."""

    wrong: int = 0
    free_at_s: float = 0.0


@dataclass
class PinGate:
    """Compares a PIN without hurry: waits double, and there is a limit for all addresses together."""

    config: WebConfig
    clock_s: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _by_address: dict[str, Tries] = field(default_factory=dict)
    _recent_s: deque[float] = field(default_factory=deque)

    def wait_s(self, address: str) -> float:
        """How long this address must wait before its next try counts; 0 when it may try now."""
        with self._lock:
            return self._wait_s(address, self.clock_s())

    def check(self, address: str, pin: str) -> tuple[bool, float]:
        """Whether the PIN is right, and how long to wait: a try during the wait is not even looked at."""
        with self._lock:
            now_s = self.clock_s()
            wait_s = self._wait_s(address, now_s)
            if wait_s > 0:
                return False, wait_s
            if hmac.compare_digest(pin.encode(), self.config.pin.encode()):
                self._by_address.pop(address, None)
                return True, 0.0
            self._recent_s.append(now_s)
            if address not in self._by_address and len(self._by_address) >= MAX_REMEMBERED:
                self._by_address.pop(next(iter(self._by_address)))
            tries = self._by_address.setdefault(address, Tries())
            tries.wrong += 1
            if tries.wrong >= self.config.pin_tries:
                doubled = min(tries.wrong - self.config.pin_tries, 12)
                tries.free_at_s = now_s + min(self.config.pin_wait_s * 2**doubled, HOUR_S)
            return False, self._wait_s(address, now_s)

    def _wait_s(self, address: str, now_s: float) -> float:
        while self._recent_s and self._recent_s[0] <= now_s - HOUR_S:
            self._recent_s.popleft()
        wait_s = 0.0
        if len(self._recent_s) >= self.config.pin_tries_per_hour:
            wait_s = self._recent_s[0] + HOUR_S - now_s
        tries = self._by_address.get(address)
        return max(wait_s, tries.free_at_s - now_s) if tries else max(wait_s, 0.0)


class Pass:
    """The signed cookie of a paired phone. A new PIN makes every old one worthless."""

    def __init__(self, config: WebConfig) -> None:
        self._signer = URLSafeTimedSerializer(config.secret, salt="paired-phone")
        self._max_age_s = config.cookie_days * 24 * 3600
        self._mark = hashlib.sha256(f"{config.secret}:{config.pin}".encode()).hexdigest()[:24]

    def holds(self, request: Request) -> bool:
        token = request.cookies.get(COOKIE, "")
        try:
            mark = self._signer.loads(token, max_age=self._max_age_s)
        except BadSignature:
            return False
        return isinstance(mark, str) and hmac.compare_digest(mark.encode(), self._mark.encode())

    def give(self, response: Response, secure: bool) -> None:
        response.set_cookie(
            COOKIE, str(self._signer.dumps(self._mark)), max_age=self._max_age_s, httponly=True, samesite="Strict",
            secure=secure, path="/",
        )

    def take_back(self, response: Response) -> None:
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="Strict")
