"""What learners handed in: files, folders and archives, as learning platforms deliver them.

The contents of an archive are limited before the archive is read. There are limits for a single
file, for a learner's archive together with all archives in it, and for each learner: all learners
have the same share of the whole run. A learner's archive is unpacked in a process of its own,
because a file of a few bytes can keep its reader busy for hours.
"""

import bz2
import gzip
import json
import lzma
import os
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from errno import ENOENT
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from bpe_further.classroom.learners import ARCHIVES, origins
from bpe_teach.exercises.runner.job import Job, Limits

LARGEST = 20_000_000  # bytes of a file, unpacked
MOST_INSIDE = 50_000_000  # bytes in a learner's archive, including all archives in it
MOST_BYTES = 1_000_000_000  # in a whole run; each learner has the same share of these bytes
LEAST_BYTES = 10_000_000  # share of a learner, even in a very large class
MOST_NAMES_INSIDE, MOST_NAMES, LEAST_NAMES = 2_000, 100_000, 200  # the same, for numbers of files
DEEPEST = 3  # levels of archives in archives
LONGEST_NAME, LONGEST_PART = 1_000, 255  # characters of a name with and without its folders
PIECE = 2**20  # bytes that are unpacked at once
UNPACKING = Limits(seconds=20, wait=60, memory=2**30)  # for an archive of a learner
TOO_LONG = "it takes too much time or memory to unpack"
LONG_NAME = "its name is too long"
MORE = "there is more in it than is read: hand in less"
SYSTEMS = ("__MACOSX", ".", "desktop.ini", "Thumbs.db")  # operating systems write these files
BY_SYSTEM = "a system wrote it, and nobody handed it in"
PACKED = {".tar": None, ".tar.gz": gzip.open, ".tgz": gzip.open, ".tar.bz2": bz2.open}
PACKED |= {".tbz2": bz2.open, ".tar.xz": lzma.open, ".txz": lzma.open}
UNREAD_ARCHIVES = (".rar", ".7z", ".gz", ".bz2", ".xz")


class Handed(NamedTuple):
    """A file that was handed in; if the file can't be read, ``fault`` says why."""

    name: str
    content: bytes
    fault: str = ""


class Budget:
    """The number of bytes and of files that may still be unpacked."""

    def __init__(self, size: int, names: int):
        self.size, self.names = size, names

    def take(self, size: int) -> None:
        """Subtract a file from the budget. Raises ValueError if there is no room for the file."""
        if size > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes")
        if size > self.size or not self.names:
            raise ValueError(MORE)
        self.size -= size
        self.names -= 1


def find_handed(
    paths: Iterable[str], output: str, why_not: Callable[[str], str] | None = None
) -> Iterator[Handed]:
    """Yield the files at some paths, except the ``output``; files in a folder are sorted by name.

    If ``why_not`` is given, it is called with the name of each file: it returns the reason why the
    file isn't read, or "" if the file is read. Every file is then yielded. If ``why_not`` isn't
    given, files that operating systems write are left out. An archive is the teacher's if its own
    path is given, or if nothing else is in its folder. All other archives belong to learners, and
    have lower limits. If a file, or even a folder, can't be read, it is yielded with a fault.

    Raises OSError if a path doesn't exist.
    """
    paths = [Path(path) for path in paths]
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(ENOENT, "there is no such file or folder", os.fspath(path))
        is_folder, files = path.is_dir(), [path]
        if is_folder:
            files = sorted(_files_in(path))
        names = [file.relative_to(path).as_posix() if is_folder else file.name for file in files]
        search = _Search(why_not, len(paths))
        search.share_among(names)
        for name, file in zip(names, files, strict=True):
            if os.path.realpath(file) == os.path.realpath(output):
                continue
            if fault := _fault_on_disk(file, may_be_link=not is_folder):
                yield Handed(name, b"", fault)
            else:
                yield from search.look_at(name, file, is_of_class=len(files) == 1)


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and in its inner folders, and all links and unreadable folders.

    Raises OSError if the folder itself can't be read.
    """
    unread = []
    for place, folders, names in os.walk(folder, onerror=unread.append):
        for name in names:
            yield Path(place, name)
        for name in folders:
            if os.path.islink(os.path.join(place, name)):
                yield Path(place, name)
    for error in unread:
        if Path(error.filename) == folder:
            raise error
        yield Path(error.filename)


def _fault_on_disk(file: Path, may_be_link: bool) -> str:
    """Return why a file on this computer can't be read, or "" if it can be read."""
    try:
        if file.is_symlink() and not may_be_link:
            return "it is a link, which may lead elsewhere"
        if file.is_dir():
            os.listdir(file)
        if not file.is_file():
            return "it isn't a file"
        file.open("rb").close()
    except OSError as error:
        return f"it can't be read here: {error.strerror}"
    return ""


class _Search:
    """A search at one of several ``paths``, which all have the same share of the run."""

    def __init__(self, why_not: Callable[[str], str] | None, paths: int):
        self.why_not = why_not
        self.whole = Budget(MOST_BYTES // paths, MOST_NAMES // paths)
        self.shares: dict[str, Budget] = {}  # name of a file -> the budget of its learner

    def share_among(self, names: Sequence[str]) -> None:
        """Give each learner the same share; learners are found by the names on one level.

        No learner can use up the share of others, since learners choose no names on that level.
        """
        mentioned = [name for name in names if not _is_by_system(name)]
        owners = {name: origin.key for name, origin in origins(mentioned).items()}
        learners = max(1, len(set(owners.values())))
        size = max(LEAST_BYTES, self.whole.size // learners)
        files = max(LEAST_NAMES, self.whole.names // learners)
        budgets = {key: Budget(size, files) for key in owners.values()}
        self.shares = {name: budgets[key] for name, key in owners.items()}

    def look_at(self, name: str, file: Path, is_of_class: bool) -> Iterator[Handed]:
        """Yield a file on this computer or, if it is an archive, the files in it."""
        fault = self._fault_of(name)
        if fault is None:
            return
        if not fault and not _is_archive(name) and file.stat().st_size > LARGEST:
            fault = f"it has more than {LARGEST:,} bytes"
        if fault:
            yield Handed(name, b"", fault)
        elif _is_archive(name):
            if is_of_class:
                with file.open("rb") as packed:
                    yield from self._look_into(name, packed, self.whole, 1)
            else:
                share = self.shares[name]
                yield from self._look_apart(name, partial(open, file, "rb"), share, 1)
        else:
            yield Handed(name, file.read_bytes())

    def _fault_of(self, name: str) -> str | None:
        """Return why a file is not read, "" if it is read, and None if it is left out silently."""
        if _is_by_system(name):
            return BY_SYSTEM if self.why_not else None
        if _is_archive(name):
            return ""
        if name.lower().endswith(UNREAD_ARCHIVES):
            return "an archive of this kind can't be read here: ask for a zip archive"
        return self.why_not(name) if self.why_not else ""

    def _fault_of_entry(self, name: str) -> str | None:
        """Return why a file in an archive is not read, in the same way as `_fault_of`."""
        parts = name.split("/")
        if len(name) > LONGEST_NAME or max(map(len, parts)) > LONGEST_PART:
            return LONG_NAME
        if ".." in parts or name.startswith("/"):
            return "its name leads elsewhere"
        return self._fault_of(name)

    def _look_apart(self, name: str, opener: Callable[[], BinaryIO], share: Budget, depth: int):
        """Yield the files in a learner's archive, as far as the learner's share allows."""
        size, names = min(MOST_INSIDE, share.size), min(MOST_NAMES_INSIDE, share.names)
        room = Budget(size, names)

        def look() -> Iterator[Handed]:
            with opener() as packed:  # opened anew, because a new process has no files open
                yield from self._look_into(name, packed, room, depth)

        with TemporaryDirectory() as folder:

            def work() -> None:
                sys.stdout = open(1, "w", encoding="ascii", closefd=False)  # noqa: SIM115
                for number, file in enumerate(look()):
                    Path(folder, str(number)).write_bytes(file.content)
                    print(json.dumps([file.name, file.fault]))
                print("[]", flush=True)  # no more files

            try:
                job = Job(work, UNPACKING)
            except OSError:  # no process can be started: unpack the archive in this process
                yield from look()
                return
            with job:
                yield from self._told_by(job, name, Path(folder), share)

    def _told_by(self, job: Job, name: str, folder: Path, share: Budget) -> Iterator[Handed]:
        """Yield the files that a job has put into a folder."""
        number = 0
        while True:
            try:
                row = json.loads(job.read_line() or b"null")
            except (TimeoutError, ValueError):
                row = None
            if not row:
                break
            inside, fault = row
            content = folder.joinpath(str(number)).read_bytes()
            try:
                share.take(len(content))
            except ValueError as error:
                content, fault = b"", str(error)
            yield Handed(inside, content, fault)
            number += 1
        if row is None:
            yield Handed(name, b"", TOO_LONG)

    def _look_into(self, name: str, packed: BinaryIO, room: Budget, depth: int) -> Iterator[Handed]:
        """Yield the files in an archive; the largest come last, to leave room for the others."""
        with ExitStack() as opened:
            try:
                entries = _entries_of(name, packed, room, opened)
            except Exception as error:  # a stranger's file may be broken in any way
                yield Handed(name, b"", _cannot(error))
                return
            is_of_class = room is self.whole
            if is_of_class:
                self.share_among([f"{name}/{entry.name}" for entry in entries])
            for entry in sorted(entries, key=lambda entry: entry.size):
                if is_of_class:
                    share = self.shares.get(f"{name}/{entry.name}", self.whole)
                    yield from self._look_at_entry(name, entry, share, depth, is_of_class)
                elif room.names:
                    yield from self._look_at_entry(name, entry, room, depth, is_of_class)
                else:
                    yield Handed(name, b"", MORE)
                    return

    def _look_at_entry(
        self, archive: str, entry: "_Entry", room: Budget, depth: int, is_of_class: bool
    ):
        """Yield a file in an archive or, if this file is itself an archive, the files in it."""
        fault = self._fault_of_entry(entry.name)
        if fault is None:
            return
        inside, content = f"{archive}/{entry.name}", b""
        try:
            room.take(0 if fault else entry.size)
            if not fault:
                content = entry.read()
        except Exception as error:  # likewise
            fault = _cannot(error)
        if fault:
            shown = inside if fault != LONG_NAME else f"{archive}/{entry.name[:50]}…"
            yield Handed(shown, b"", fault)
            return
        if not _is_archive(entry.name):
            yield Handed(inside, content)
        elif depth == DEEPEST:
            yield Handed(inside, b"", f"it is an archive in {depth} other archives")
        elif is_of_class:
            yield from self._look_apart(inside, partial(BytesIO, content), room, depth + 1)
        else:
            yield from self._look_into(inside, BytesIO(content), room, depth + 1)


def _cannot(error: Exception) -> str:
    return f"it can't be unpacked: {str(error) or type(error).__name__}"


class _Entry(NamedTuple):
    """A file in an archive."""

    name: str
    size: int  # in bytes, as the archive says
    read: Callable[[], bytes]


def _is_by_system(name: str) -> bool:
    return any(part.startswith(SYSTEMS) for part in name.split("/"))


def _is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def _unpacked(archive: ZipFile, entry: ZipInfo) -> bytes:
    """Return the content of a file in a zip archive. May raise anything.

    Unless the file is compressed by "deflate", Python unpacks all of it, even if the file claims to
    be small.
    """
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise NotImplementedError("it is packed in an unusual way: make the archive anew")
    return archive.read(entry)


def _entries_of(name: str, packed: BinaryIO, room: Budget, opened: ExitStack) -> list[_Entry]:
    """List the files in an archive. May raise anything."""
    if name.lower().endswith(".zip"):
        archive = opened.enter_context(ZipFile(packed))
        files = [one for one in archive.infolist() if one.filename and not one.is_dir()]
        _count(files, room)
        found = []
        for one in files:
            read = partial(_unpacked, archive, one)
            found.append(_Entry(one.filename, one.file_size, read))
        return found
    (packed_by,) = [PACKED[end] for end in PACKED if name.lower().endswith(end)][-1:]
    if packed_by:
        packed = _unpacked_whole(opened.enter_context(packed_by(packed)), room.size, opened)
    archive = opened.enter_context(tarfile.open(fileobj=packed, mode="r:"))  # noqa: SIM115
    files = []
    for one in archive:
        if one.size < 0:  # Python would go back, and read the same part for ever
            raise ValueError("the size of a file in it is below 0")
        if one.isfile():
            files.append(one)
            _count(files, room)
    return [
        _Entry(
            one.name.removeprefix("./"), one.size, lambda one=one: archive.extractfile(one).read()
        )
        for one in files
    ]


def _count(files: list, room: Budget) -> None:
    """Raise ValueError if there are more files than may be read."""
    if len(files) > room.names:
        raise ValueError(f"it holds more than {room.names:,} files, which is more than are read")


def _unpacked_whole(file: BinaryIO, most: int, opened: ExitStack) -> BinaryIO:
    """Return a file on the disk into which a whole packed file is unpacked. May raise anything."""
    found = opened.enter_context(TemporaryFile())  # noqa: SIM115
    while piece := file.read(PIECE):
        if found.tell() + len(piece) > most:
            raise ValueError(MORE)
        found.write(piece)
    found.seek(0)
    return found
