"""A hash of the package's sources, which tells what was compiled or computed by other sources from what these give."""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def hash_sources(*folders: Path) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            text = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(text)} ".encode() + text)
    return digest.hexdigest()
