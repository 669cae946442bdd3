"""Training runs on a filesystem that many machines reach, by a URI that pyarrow or fsspec knows: s3://bucket/run, file:///shared/run.

The files are those of a run folder on disk.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shangyou.games import BadInput
from shangyou.records.parquet import arrow
from shangyou.records.runs import RunFolder, parse_checkpoint, parse_curve

if TYPE_CHECKING:
    from shangyou.training.algorithm import Checkpoint


def open_run(where: str | Path) -> RunFolder:
    """The run at a path or a URI."""
    return RemoteRunFolder(where) if isinstance(where, str) and "://" in where else RunFolder(Path(where))


class RemoteRunFolder(RunFolder):
    _board = None  # TensorBoard's writer wants a disk

    def __init__(self, uri: str) -> None:
        super().__init__(Path())
        self.uri = uri.rstrip("/")
        self.files, self.root = find_filesystem(self.uri)

    def __str__(self) -> str:
        return self.uri

    @property
    def exists(self) -> bool:
        info = self.files.get_file_info(self._place(self.checkpoint))
        return bool(info.is_file)

    def resume(self) -> Checkpoint:
        stored = parse_checkpoint(self._read(self.checkpoint), f"{self.uri}/{self.checkpoint}")
        self.curve = [point for point in self.read_curve() if point["seconds"] <= stored["progress"]["seconds"]]
        return stored

    def read_curve(self) -> list[dict[str, Any]]:
        if not self.files.get_file_info(self._place(self.curve_file)).is_file:
            return []
        return parse_curve(self._read(self.curve_file).decode(), f"{self.uri}/{self.curve_file}")

    def _read(self, name: str) -> bytes:
        try:
            with self.files.open_input_stream(self._place(name)) as file:
                return bytes(file.read())
        except OSError as error:
            raise BadInput(f"cannot read {self.uri}/{name}: {error}") from error

    def _write(self, name: str, content: bytes) -> None:
        """Beside its place, then moved there, so that it is whole or not there at all."""
        part = self._place(f".{name}.{secrets.token_hex(4)}.part")
        try:
            self.files.create_dir(self.root, recursive=True)
            with self.files.open_output_stream(part) as file:
                file.write(content)
            self.files.move(part, self._place(name))
        except OSError as error:
            raise BadInput(f"cannot write {self.uri}/{name}: {error}") from error

    def _place(self, name: str) -> str:
        return f"{self.root}/{name}"


def find_filesystem(uri: str) -> tuple[Any, str]:
    """pyarrow's own filesystem for a URI or, if it has none, fsspec's; and the path in it."""
    pa = arrow()
    from pyarrow import fs

    try:
        return fs.FileSystem.from_uri(uri)  # type: ignore[no-any-return]
    except (pa.ArrowInvalid, ValueError):
        pass
    try:
        import fsspec

        found, path = fsspec.core.url_to_fs(uri)
    except (ValueError, ImportError) as error:
        raise BadInput(f"{uri}: no filesystem is known by this name: {error}") from error
    return fs.PyFileSystem(fs.FSSpecHandler(found)), path
