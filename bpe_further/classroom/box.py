"""Box: a sandbox, which keeps a stranger's program away from all else, as far as this computer can.

There are three kinds of box, and the tightest is tried first. To find out which actions a box
prevents, we run a probe in the box: a program that tries to get out. `find_box` takes the first box
in which a stranger's program can't change anything outside, and raises `NoBox` if there is no such
box.
"""

import os
import shutil
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import bpe_further
import bpe_teach
from bpe_further.classroom import confine, taking
from bpe_teach.exercises.runner import parent
from bpe_teach.exercises.runner.child import OutOfTime
from bpe_teach.exercises.runner.job import Limits
from bpe_teach.exercises.runner.parent import Child, lend, start_bare

NOBODY = 65534
LIMITS = Limits(seconds=20, wait=40, memory=None, line=4_000_000)  # `confine` limits memory
LIBRARIES = ["regex", "numpy", "numpy.libs"]  # besides Python's own, an answer may import these
# The core of the course, which answers on the pages about numbers and prices may call.
CORE = ["__init__.py", "__init__.pyi", "names.py", "pairs.py", "symbols.py", "patterns.py"]
CORE += ["schemes.py", "learn.py", "encode.py", "storage.py", "tokenizer.py", "files.py"]
CORE += ["display.py", "fast"]
PACKAGES = [Path(package.__file__).resolve().parent for package in (bpe_teach, bpe_further)]
SYSTEM = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"]
DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]
SCRATCH = 64 * 2**20  # bytes that may be written, in all files together

PROBE = """
import os, resource, socket

def attempts(places, port, process):
    found = {}

    def attempt(name, do):
        try:
            do()
            found[name] = True
        except BaseException:
            found[name] = False

    def write():
        done = False
        for place in places:
            try:
                with open(os.path.join(place, "probe-of-a-box"), "w"):
                    done = True
            except OSError:
                pass
        if not done:
            raise OSError

    def read():
        if not any(os.path.isdir(place) and os.listdir(place) for place in places):
            raise OSError

    def signal():
        if process in (1, os.getpid(), os.getppid()):
            raise OSError
        os.kill(process, 0)

    def start():
        if os.fork() == 0:
            os._exit(0)

    def use_much_memory():
        if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
            return
        raise OSError

    def change_the_computer():
        done = False
        for setting in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness"):
            try:
                os.close(os.open(setting, os.O_WRONLY))  # nothing is written
                done = True
            except OSError:
                pass
        try:
            os.chmod("/dev/null", os.stat("/dev/null").st_mode & 0o777)  # as it is
            done = True
        except OSError:
            pass
        if not done:
            raise OSError

    def leave_files():
        done = False
        for place in ("/run/lock", "/var/lock", "/dev/shm", "/dev/mqueue", "/var/crash"):
            try:
                path = os.path.join(place, "probe-of-a-box")
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
                os.unlink(path)
                done = True
            except OSError:
                pass
        if not done:
            raise OSError

    attempt("change hand-ins, grades or the package", write)
    attempt("change settings of the computer", change_the_computer)
    attempt("leave files where everybody may write", leave_files)
    attempt("reach other processes", signal)
    attempt("read hand-ins, grades or the package", read)
    attempt("reach the network", lambda: socket.create_connection(("127.0.0.1", port), 2).close())
    attempt("start processes", start)
    attempt("use memory without a limit", use_much_memory)
    return found
"""
MUST_HOLD = (
    "change hand-ins, grades or the package",
    "change settings of the computer",
    "reach other processes",
)
REFUSAL = """\
no program that was handed in is run here, because there is no box for it on this computer ({why}).
Grade on Linux with bubblewrap (apt install bubblewrap), as root in Colab, or in a container; the
page about points, site/grading.md, shows each of them."""


class NoBox(ValueError):
    """There is no box on this computer that holds."""


class Box(NamedTuple):
    """A box: how to start a program in the box, and what the probe found out about the box."""

    name: str
    wrap: Callable[[Sequence[str], Path, Sequence[Path]], list[str]]
    hidden: Sequence[Path]  # folders that a program in the box must not see
    leaks: Sequence[str]  # actions that the box does not prevent

    def start(self, lent: Path) -> Child:
        """Start a child process in the sandbox, where it can read ``lent``. May raise OSError."""
        return start_bare(self.wrap(_command(lent), lent, self.hidden), limits=LIMITS)

    def __str__(self) -> str:
        held = "holds all that was tried"
        if self.leaks:
            held = f"lets a program {', and '.join(self.leaks)}"
        return f"programs run in a box ({self.name}), which {held}"


def find_box(hidden: Sequence[Path], only: str = "") -> Box:
    """Return the first box that holds, with the ``hidden`` folders out of sight.

    A box holds if a program in it can't change anything outside. The hidden folders are those with
    hand-ins and grades. If ``only`` names a box, only this box is tried. Raises `NoBox` if no box
    holds.
    """
    whys = []
    hidden = [*PACKAGES, *map(Path.resolve, hidden)]
    with tempfile.TemporaryDirectory(prefix="lent-") as folder:
        lent = lend_to(folder)
        for name, wrap in _boxes():
            if only in ("", name):
                try:
                    found = _probe(Box(name, wrap, hidden, ()), lent)
                except (OSError, OutOfTime) as error:
                    whys.append(f"{name}: {str(error) or 'it takes too long'}")
                    continue
                leaks = [what for what, is_possible in found.items() if is_possible]
                too_much = [what for what in leaks if what in MUST_HOLD]
                if not too_much:
                    return Box(name, wrap, hidden, leaks)
                whys.append(f"{name}: it lets a program {too_much[0]}")
    raise NoBox(REFUSAL.format(why="; ".join(whys) or "nothing that makes one was found"))


def _probe(box: Box, lent: Path) -> dict[str, bool]:
    """Return what a program can do in a box: action -> whether it is possible.

    Raises OSError if the box doesn't start.
    """
    with socket.create_server(("127.0.0.1", 0)) as server, box.start(lent) as child:
        if error := child.load(PROBE, "<probe>"):
            raise OSError(str(error))
        places = [name for place in box.hidden for name in _names_of(place, _seen())]
        given = places, server.getsockname()[1], os.getpid()
        outcome = child.call("attempts", given)
    for place in box.hidden:
        Path(place, "probe-of-a-box").unlink(missing_ok=True)
    if not isinstance(outcome.value, dict) or not outcome.value:
        raise OSError(f"the probe says {outcome.error}")
    return outcome.value


def lend_to(folder: str | Path, with_core: bool = False) -> Path:
    """Put everything that a child process in a box needs into a folder, and return the folder.

    Other users may read the folder. If ``with_core`` is true, it also holds the core of the course.
    """
    folder = Path(folder)
    folder.chmod(0o755)
    lend(folder)
    for module in (confine, taking):
        shutil.copyfile(module.__file__, folder / Path(module.__file__).name)
    for name in LIBRARIES:
        for place in map(Path, sys.path):
            if place.is_dir() and (place / name).is_dir():
                left_out = shutil.ignore_patterns("tests", "__pycache__")
                shutil.copytree(place / name, folder / name, ignore=left_out, dirs_exist_ok=True)
                break
    if with_core:
        for name in CORE:
            path = PACKAGES[0] / name
            copy = shutil.copytree if path.is_dir() else shutil.copyfile
            copy(path, folder / "bpe_teach" / name)
    return folder


def _command(lent: Path) -> list[str]:
    """Return the command that starts a bare child process, which first limits itself."""
    bare = parent.bare_command(lent)
    bare[-2] = bare[-2].replace("; main()", "; from confine import confine; confine(); main()")
    return bare


def _python() -> str:
    return os.path.realpath(sys.executable)


def _boxes() -> Iterator[tuple[str, Callable]]:
    """Yield the name of each box that this computer may have, and how to put a command into it."""
    if shutil.which("bwrap"):
        yield "bubblewrap", _in_bubblewrap
    if shutil.which("setpriv") and hasattr(os, "geteuid") and os.geteuid() == 0:
        if shutil.which("unshare"):
            yield "namespaces", _in_namespaces
        yield "another user", _as_nobody


def _in_bubblewrap(command: Sequence[str], lent: Path, hidden: Sequence[Path]) -> list[str]:
    """Return a command that sees only Python, the lent folder, and a folder of its own."""
    args = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    args += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--clearenv", "--hostname", "box"]
    args += ["--setenv", "LANG", "C.UTF-8", "--proc", "/proc"]
    args += ["--remount-ro", "/proc"]  # otherwise a program started by root may write /proc/sys
    for device in DEVICES:
        args += ["--dev-bind", device, device]
    for place in _seen():
        args += ["--ro-bind", place, place]
    # Hide a folder under all its names, since /lib, which is bound, too, may be a link to /usr/lib.
    inside = [name for place in _libraries_beside() for name in _names_of(place, _seen())[1:]]
    for place in dict.fromkeys(inside):
        args += ["--tmpfs", place, "--remount-ro", place]
    args += ["--size", str(SCRATCH), "--tmpfs", "/tmp", "--ro-bind", str(lent), str(lent)]
    args += ["--dir", "/tmp/here", "--chdir", "/tmp/here", "--remount-ro", "/"]
    return [*args, "--", _python(), *command[1:]]


def _of_python() -> list[str]:
    """List the folders that hold Python itself and its standard library."""
    places = [_python(), sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    return [*places, os.path.join(sys.base_prefix, "lib")]  # with libpython


def _seen() -> list[str]:
    """List the places that a program must see: the system's libraries and Python."""
    return [place for place in dict.fromkeys([*SYSTEM, *_of_python()]) if os.path.exists(place)]


def _names_of(place: str | Path, seen: Sequence[str]) -> list[str]:
    """List all names of a folder: its own name, and other names under which it can be ``seen``.

    A link such as /lib, which leads to /usr/lib, gives everything below it a second name.

    >>> _names_of("/usr/lib/python3", ["/usr/lib", "/usr/bin"])
    ['/usr/lib/python3', '/usr/lib/python3']
    """
    names = [str(place)]
    real = Path(os.path.realpath(place))
    for one in seen:
        if real.is_relative_to(os.path.realpath(one)):
            names.append(str(Path(one) / real.relative_to(os.path.realpath(one))))
    return names


def _libraries_beside() -> list[str]:
    """List the visible folders with installed packages, because the course may be in them."""
    seen = _seen()
    found = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *map(str, PACKAGES)]
    for place in seen:
        for pattern in ("python3*/*-packages", "pypy*/*-packages", "*-packages"):
            found += map(str, Path(place).glob(pattern))
    folders = dict.fromkeys(os.path.realpath(place) for place in found if os.path.isdir(place))
    beside = []
    for place in sorted(folders):  # a folder comes before its contents, which it hides as well
        is_in_another = any(Path(place).is_relative_to(other) for other in beside)
        if _names_of(place, seen)[1:] and not is_in_another:
            beside.append(place)
    return beside


def _in_namespaces(command: Sequence[str], lent: Path, hidden: Sequence[Path]) -> list[str]:
    """Return a command for root that runs in namespaces of its own, with the rights of `nobody`.

    Everything but the hidden folders is in its usual place. The lent folder replaces /tmp, and
    /var/tmp is empty.
    """
    places = {*map(str, hidden), *_libraries_beside()}
    needed = [Path(place) for place in (lent, *_of_python()[:3])]
    covered = []
    for place in map(Path, sorted(places)):  # a folder comes before its contents
        is_in_another = any(place.is_relative_to(other) for other in covered)
        if not is_in_another and not any(one.is_relative_to(place) for one in needed):
            covered.append(place)
    script = [
        "set -e",
        "mount --make-rprivate /",
        # Everything that is mounted becomes read-only, such as /run/lock, where anybody may write.
        "while read -r _ _ _ _ place _; do",
        'place=$(printf "%b" "$place"); mount -o remount,bind,ro "$place" 2>/dev/null || true',
        "done < /proc/self/mountinfo",
        'n=$1; shift; while [ "$n" -gt 0 ]; do',
        'mount -t tmpfs -o ro,size=4k none "$1"; shift; n=$((n-1)); done',
        f"mount -t tmpfs -o size={SCRATCH},mode=1777 none /var/tmp",
        "mount -t tmpfs -o ro,size=4k none /dev/shm",
        'mount --bind "$1" /tmp; mount -o remount,bind,ro /tmp; shift; cd /var/tmp',
        '"$@" || exit $?',  # `unshare` alone does not tell which signal has ended its child
    ]
    script = "\n".join(script)
    inside = [_python(), *command[1:-1], "/tmp"]
    args = ["sh", "-c", script, "sh", str(len(covered)), *map(str, covered), str(lent)]
    spaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--mount-proc", "--fork"]
    return ["unshare", *spaces, "--kill-child", *args, *_with_rights_of_nobody(inside)]


def _as_nobody(command: Sequence[str], lent: Path, hidden: Sequence[Path]) -> list[str]:
    """Return a command for root that runs with the rights of `nobody`."""
    return _with_rights_of_nobody([_python(), *command[1:]])


def _with_rights_of_nobody(command: Sequence[str]) -> list[str]:
    user = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    return [*user, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", *command]
