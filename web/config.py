"""What the pages must be told from outside: the PIN, the names they answer to, and their limits."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def new_pin() -> str:
    """Six digits, for the table to show."""
    return f"{secrets.randbelow(1_000_000):06d}"


def new_secret() -> str:
    """A key with which cookies are signed; keep it and paired phones stay paired over a restart."""
    return secrets.token_hex(32)


@dataclass(frozen=True, slots=True)
class WebConfig:
    """The settings of the pages; a caller that passes none gets a fresh PIN and key."""

    pin: str = field(default_factory=new_pin)
    """What a phone must say to be allowed to change anything."""
    secret: str = field(default_factory=new_secret, repr=False)
    """Signs the cookie of a paired phone."""
    hosts: tuple[str, ...] = LOOPBACK
    """The names and addresses under which the pages may be asked for: anything else is refused (DNS rebinding)."""
    join_url: str = "http://localhost:8765/"
    """The address that the QR code carries."""
    wifi: str = ""
    """The text of a second QR code that joins the Wi-Fi; empty when there is none."""
    max_body_bytes: int = 65_536
    """A longer request body is refused unread."""
    max_streams: int = 72
    """Event streams at a time; stays below `threads` so that pages and commands always find a free thread."""
    max_streams_per_address: int = 8
    """A phone that opens more loses its oldest."""
    threads: int = 80
    """The server's threads; an event stream holds one."""
    heartbeat_s: float = 10.0
    """A silent stream says something this often, which also finds phones that left."""
    pin_tries: int = 5
    """Wrong PINs an address has before it must wait."""
    pin_wait_s: float = 30.0
    """The first wait; it doubles with each further wrong PIN, up to an hour."""
    pin_tries_per_hour: int = 60
    """Wrong PINs from all addresses together in an hour."""
    cookie_days: int = 60
    """How long a phone stays paired."""

    def __post_init__(self) -> None:
        if len(self.pin) < 4 or not self.pin.isascii() or not self.pin.isdigit():
            raise ValueError(f"the PIN '{self.pin}' must be at least four digits")
        if not self.max_streams < self.threads:
            raise ValueError(f"max_streams is {self.max_streams}, but must stay below threads, which is {self.threads}")


def host_names(*addresses: str) -> tuple[str, ...]:
    """Names and addresses, IPv6 numbers without brackets, loopback added."""
    named = [host_name(address) for address in addresses if address.strip()]
    return tuple(dict.fromkeys([*named, *LOOPBACK]))


def host_name(netloc: str) -> str:
    """The name or number in a Host header: without port and brackets, IPv6 numbers in their short form."""
    text = netloc.strip().lower()
    name = text[1:].partition("]")[0] if text.startswith("[") else text
    if name.count(":") < 2:
        return name.partition(":")[0]
    try:
        return ip_address(name.partition("%")[0]).compressed
    except ValueError:
        return ""


def in_address(name: str) -> str:
    """A name or number as it stands in an address: IPv6 numbers in brackets."""
    return f"[{name}]" if ":" in name else name
