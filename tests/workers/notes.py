"""Work for clusters in tests, which notes what was begun and can be killed in its middle."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from shangyou.games import BadInput


@dataclass(frozen=True)
class Notes:
    """Work that notes in a folder which chunks were begun, and is killed in the middle of those named, once each."""

    folder: Path
    killed: tuple[int, ...] = ()
    refused: int = -1
    seconds: float = 0.0
    agents: tuple[str, ...] = ()

    def start(self):
        return self.do

    def do(self, chunk: int) -> int:
        tries = len(list(self.folder.glob(f"{chunk}-*")))
        (self.folder / f"{chunk}-{tries}").touch()
        if chunk in self.killed and tries == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if chunk == self.refused:
            raise BadInput(f"chunk {chunk} is refused")
        time.sleep(self.seconds)
        return chunk * chunk
