"""What learners handed in: files, folders and archives, as learning platforms give them.

Archives are read in memory, and what they may hold is bounded before they are read: for a file, for
an archive in an archive with all that is in it, and for the whole run.
"""

import bz2
import gzip
import lzma
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from errno import ENOENT
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError

LARGEST = 20_000_000  # bytes of a file, unpacked
MOST_INSIDE = 50_000_000  # bytes in an archive in an archive, and in all that are in it
MOST_BYTES = 1_000_000_000  # in a whole run
MOST_NAMES_INSIDE, MOST_NAMES = 2_000, 100_000  # files, likewise
DEEPEST = 3  # archives in archives
LONGEST_NAME = 1_000  # characters, with the folders
BROKEN = (BadZipFile, ZlibError, EOFError, OSError, RuntimeError, ValueError, NotImplementedError)
BROKEN += (tarfile.TarError, lzma.LZMAError, MemoryError)
SYSTEMS = ("__MACOSX", ".", "desktop.ini", "Thumbs.db")  # what systems write and nobody hands in
BY_SYSTEM = "a system wrote it, and nobody handed it in"
PACKED = {".tar": None, ".tar.gz": gzip.open, ".tgz": gzip.open, ".tar.bz2": bz2.open}
PACKED |= {".tbz2": bz2.open, ".tar.xz": lzma.open, ".txz": lzma.open}
ARCHIVES = (".zip", *PACKED)
UNREAD_ARCHIVES = (".rar", ".7z", ".gz", ".bz2", ".xz")


class Handed(NamedTuple):
    """A file that was handed in; if it can't be read, the ``fault`` says why."""

    name: str
    content: bytes
    fault: str = ""


class Budget:
    """How many bytes and files may still be unpacked."""

    def __init__(self, size: int, names: int, above: "Budget | None" = None):
        self.size, self.names, self.above = size, names, above

    def take(self, size: int) -> None:
        """Take a file off. Raises ValueError if there is no room for it."""
        if size > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes")
        if size > self.size or not self.names:
            raise ValueError("there is more in it than is read: hand in less")
        if self.above:
            self.above.take(size)
        self.size -= size
        self.names -= 1


def find_handed(
    paths: Iterable[str], output: str, why_not: Callable[[str], str] | None = None
) -> Iterator[Handed]:
    """Yield the files at some paths, without the ``output``; those in folders sorted by name.

    ``why_not`` is given the name of each file and returns why it isn't read, or "". With it, each
    file is yielded, and without it, what systems write is left out.

    Raises OSError if a path doesn't exist.
    """
    search = _Search(why_not)
    for path in map(Path, paths):
        if not path.exists():
            raise FileNotFoundError(ENOENT, "there is no such file or folder", os.fspath(path))
        is_folder = path.is_dir()
        files = [file for file in sorted(path.rglob("*")) if file.is_symlink() or not file.is_dir()]
        for file in files if is_folder else [path]:
            name = file.relative_to(path).as_posix() if is_folder else file.name
            if os.path.realpath(file) == os.path.realpath(output):
                continue
            if is_folder and file.is_symlink():
                yield Handed(name, b"", "it is a link, which may lead elsewhere")
            elif is_folder and not file.is_file():
                yield Handed(name, b"", "it is no file")
            else:
                yield from search.look_at(name, file)


class _Search:
    def __init__(self, why_not: Callable[[str], str] | None):
        self.why_not = why_not
        self.run = Budget(MOST_BYTES, MOST_NAMES)

    def look_at(self, name: str, file: Path) -> Iterator[Handed]:
        """Yield a file on this computer, or the files in it."""
        fault = self._fault_of(name)
        if fault is None:
            return
        if not fault and not _is_archive(name) and file.stat().st_size > LARGEST:
            fault = f"it has more than {LARGEST:,} bytes"
        if fault:
            yield Handed(name, b"", fault)
        elif _is_archive(name):
            yield from self._look_into(name, file.read_bytes(), self.run, 1)
        else:
            yield Handed(name, file.read_bytes())

    def _fault_of(self, name: str) -> str | None:
        """Return why a file is not read, "" if it is, and None if it isn't even mentioned."""
        if any(part.startswith(SYSTEMS) for part in name.split("/")):
            return BY_SYSTEM if self.why_not else None
        if _is_archive(name):
            return ""
        if name.lower().endswith(UNREAD_ARCHIVES):
            return "an archive of this kind can't be read here: ask for a zip archive"
        return self.why_not(name) if self.why_not else ""

    def _look_into(self, name: str, content: bytes, budget: Budget, depth: int):
        """Yield what is in an archive. The largest come last, so that they leave room for all."""
        try:
            entries = sorted(_entries_of(name, content, budget), key=lambda entry: entry[1:2])
        except BROKEN as error:
            yield Handed(name, b"", f"it can't be unpacked: {error}")
            return
        for entry, size, read in entries:
            inside = f"{name}/{entry}"
            if len(entry) > LONGEST_NAME:  # no file system has such a name
                yield Handed(f"{name}/{entry[:50]}…", b"", "its name is too long")
                continue
            leads_elsewhere = ".." in entry.split("/") or entry.startswith("/")
            fault = "its name leads elsewhere" if leads_elsewhere else self._fault_of(entry)
            if fault is None:
                continue
            if fault:
                yield Handed(inside, b"", fault)
                continue
            try:
                budget.take(size)
                found = read()
            except BROKEN as error:
                yield Handed(inside, b"", f"it can't be unpacked: {error}")
                continue
            if not _is_archive(entry):
                yield Handed(inside, found)
            elif depth == DEEPEST:
                yield Handed(inside, b"", f"it is an archive in {depth} other archives")
            else:
                deeper = budget
                if depth == 1:  # a learner's own, which can't use up the room of others
                    deeper = Budget(MOST_INSIDE, MOST_NAMES_INSIDE, self.run)
                yield from self._look_into(inside, found, deeper, depth + 1)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def _unpacked(archive: ZipFile, entry: ZipInfo) -> bytes:
    """Return a file of a zip archive. Raises one of `BROKEN`.

    Whatever size it claims to have, Python unpacks all of it unless it is deflated.
    """
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise NotImplementedError("it is packed in an unusual way: make the archive anew")
    return archive.read(entry)


def _entries_of(name: str, content: bytes, budget: Budget) -> list[tuple]:
    """List the files in an archive: name, bytes, and what reads it. Raises one of `BROKEN`."""
    if name.lower().endswith(".zip"):
        archive = ZipFile(BytesIO(content))
        entries = [one for one in archive.infolist() if not one.is_dir()]
        found = [
            (one.filename, one.file_size, lambda one=one: _unpacked(archive, one))
            for one in entries
        ]
    else:
        (packed_by,) = [PACKED[end] for end in PACKED if name.lower().endswith(end)][-1:]
        if packed_by:
            with packed_by(BytesIO(content)) as file:
                content = file.read(budget.size + 1)
            if len(content) > budget.size:
                raise ValueError("there is more in it than is read: hand in less")
        archive = tarfile.open(fileobj=BytesIO(content), mode="r:")  # noqa: SIM115  in memory
        entries = []
        for one in archive:
            if one.size < 0:  # it would lead back, and Python read the same again and again
                raise ValueError("the size of a file in it is below 0")
            if one.isfile():
                entries.append(one)
        found = [
            (one.name.removeprefix("./"), one.size, lambda one=one: archive.extractfile(one).read())
            for one in entries
        ]
    if len(found) > budget.names:
        raise ValueError(f"it holds {len(found):,} files, which is more than are read")
    return found
