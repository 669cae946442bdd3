"""Models that go with work to other machines, and how those find them there.

parcels = pack(["min:mine/first,champion/zsy2", "greedy"])  # here
unpack(parcels)  # there; from then on the names mean these models
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from shangyou.agents.models.ensemble import is_aggregate
from shangyou.agents.models.model_files import SUFFIX, bids_beside, find_bids, find_model, is_model, received


@dataclass(frozen=True)
class Parcel:
    name: str
    model: bytes
    bids: bytes | None  # the model that bids for it


def pack(agents: Iterable[str]) -> list[Parcel]:
    """The models of these agents; scripted ones have none."""
    parcels = []
    for name in sorted({name for agent in agents for name in _models_of(agent)}):
        path = find_model(name)
        bids = find_bids(path)
        parcels.append(Parcel(name, path.read_bytes(), bids.read_bytes() if bids else None))
    return parcels


def _models_of(agent: str) -> Iterator[str]:
    if is_aggregate(agent):
        for member in agent.partition(":")[2].split(","):
            yield from _models_of(member.strip())
    elif agent and is_model(agent):
        yield agent.partition(":")[0]


def unpack(parcels: Iterable[Parcel]) -> None:
    for parcel in parcels:
        received[parcel.name] = _stored(parcel)


def _stored(parcel: Parcel) -> Path:
    """Its file, written by whichever process of this machine comes first: the name is a hash of what is in it."""
    digest = sha256(parcel.model + (parcel.bids or b"")).hexdigest()
    path = _folder() / f"{digest}{SUFFIX}"
    if not path.exists():
        if parcel.bids is not None:
            _write(bids_beside(path), parcel.bids)
        _write(path, parcel.model)
    return path


def _folder() -> Path:
    """Ours alone: another user of this machine could put other models into one they made."""
    user = os.getuid() if hasattr(os, "getuid") else ""
    folder = Path(tempfile.gettempdir()) / f"shangyou-models-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if user != "" and folder.lstat().st_uid != user:
        raise PermissionError(f"{folder} belongs to another user")
    return folder


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    part.write_bytes(content)
    os.replace(part, path)
