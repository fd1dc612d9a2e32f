"""Storage, a part of it: how a file is written."""

import os
import shutil
from pathlib import Path
from uuid import uuid4


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Write a file as a whole or not at all: a draft beside it first, which then takes its place.

    A file that is there keeps its permissions, and where the path is a link, what it leads to is
    written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "low.txt")
    >>> write_whole(path, b"low")
    >>> path.read_bytes()
    b'low'

    Raises OSError, with the path, if it cannot be written.
    """
    target = Path(os.path.realpath(path))
    # Two who write to one path need two drafts, and any name that a file can have must do.
    draft = target.with_name(f".draft-{uuid4().hex}")
    try:
        with open(draft, "xb") as file:
            if target.exists():
                shutil.copymode(target, draft)  # before there is anything to read in it
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # else the new name could outlive a crash, and the bytes not
        os.replace(draft, target)
    except OSError as error:
        error.filename = os.fspath(path)  # the name that the user knows, not that of the draft
        raise
    finally:
        if os.path.exists(draft):  # something went wrong
            os.unlink(draft)
