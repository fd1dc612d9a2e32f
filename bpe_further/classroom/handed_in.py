"""What learners handed in: files, folders and zip archives, as learning platforms give them."""

import os
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

MOST_BYTES = [400_000_000, 50_000_000, 5_000_000]  # in an archive, in one inside it, in one in that
BROKEN = (BadZipFile, ZlibError, EOFError, OSError, RuntimeError, ValueError)  # an archive
IGNORED = ("__MACOSX", ".")  # beginnings of names that systems write and nobody handed in


class Handed(NamedTuple):
    """A file that was handed in; if it can't be read, the ``fault`` says why."""

    name: str
    content: bytes
    fault: str = ""


def find_handed(paths: Iterable[str], output: str) -> Iterator[Handed]:
    """Yield the files at some paths, without the ``output``; those in folders sorted by name.

    Raises OSError if a path doesn't exist.
    """
    for path in map(Path, paths):
        is_folder = path.is_dir()
        files = [file for file in sorted(path.rglob("*")) if not file.is_dir()]
        for file in files if is_folder else [path]:
            name = file.relative_to(path).as_posix() if is_folder else file.name
            if os.path.realpath(file) == os.path.realpath(output) or _is_ignored(name):
                continue
            if is_folder and file.is_symlink():
                yield Handed(name, b"", "it is a link, which may lead elsewhere")
            else:
                yield from _look_into(name, file.read_bytes())


def _look_into(name: str, content: bytes, archives: int = 0) -> Iterator[Handed]:
    """Yield a file, or the files in it if it is an archive, which is read in memory."""
    if not name.lower().endswith(".zip"):
        yield Handed(name, content)
        return
    try:
        with ZipFile(BytesIO(content)) as archive:
            entries = sorted(archive.infolist(), key=lambda entry: entry.filename)
            size = sum(entry.file_size for entry in entries)
            if archives == len(MOST_BYTES) or size > MOST_BYTES[archives]:
                raise ValueError(f"it holds {size:,} bytes, in {archives} other archives")
            for entry in entries:
                if ".." in entry.filename.split("/"):
                    raise ValueError("a name in it leads elsewhere")
                if not entry.is_dir() and not _is_ignored(entry.filename):
                    inside = f"{name}/{entry.filename}"
                    yield from _look_into(inside, archive.read(entry), archives + 1)
    except BROKEN as error:
        yield Handed(name, b"", f"it can't be unpacked: {error}")


def _is_ignored(name: str) -> bool:
    return any(part.startswith(IGNORED) for part in name.split("/"))
