"""Confine: the last step of a child process in a sandbox before it runs a stranger's program.

This module needs nothing but Python, because it is copied into the sandbox (see `box`). It sets the
limits that the sandbox itself can't set: the process can't start any other process, and its memory
is limited.
"""

import ctypes
import os
import platform
import resource
import struct
from contextlib import suppress

MEMORY = 2 * 2**30  # bytes, as in a check
LARGEST_FILE = 16 * 2**20  # bytes
MOST_FILES = 64  # open at the same time

# Numbers of Linux's system calls that no answer needs, by the processor's architecture.
CALLS = {
    "x86_64": {
        "architecture": 0xC000003E,
        "clone": 56,
        "clone3": 435,
        "refused": {
            **{"fork": 57, "vfork": 58, "ptrace": 101, "mount": 165, "unshare": 272, "setns": 308},
            **{"shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240, "add_key": 248},
            **{"keyctl": 250, "perf_event_open": 298, "memfd_create": 319, "bpf": 321},
            **{"userfaultfd": 323, "io_uring_setup": 425, "memfd_secret": 447},
            # In a sandbox that root has made, the devices are the sandbox's own.
            **{"chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "setxattr": 188},
            **{"chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260, "fsetxattr": 190},
        },
    },
    "aarch64": {
        "architecture": 0xC00000B7,
        "clone": 220,
        "clone3": 435,
        "refused": {
            **{"ptrace": 117, "mount": 40, "unshare": 97, "setns": 268, "shmget": 194},
            **{"msgget": 186, "semget": 190, "mq_open": 180, "add_key": 217, "keyctl": 219},
            **{"perf_event_open": 241, "memfd_create": 279, "bpf": 280, "userfaultfd": 282},
            **{"io_uring_setup": 425, "memfd_secret": 447},
            **{"fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "setxattr": 5, "fsetxattr": 7},
            **{"fchown": 55, "fchownat": 54},
        },
    },
}
NO_NEW_PRIVILEGES, SET_FILTER, FILTER = 38, 22, 2  # of `prctl`
LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # steps of a filter
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where a filter finds these values
THREAD = 0x00010000  # a bit of `clone`'s first argument
OTHER_TABLE = 0x40000000  # on x86_64, the same calls have other numbers from here on
ALLOW, END, REFUSE, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026  # EPERM, ENOSYS


def confine() -> None:
    """Limit this process until it ends: its memory, its files, and the calls that it can make."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy's library reserves memory for each thread
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))
    with suppress(OSError, ValueError, AttributeError):
        _start_no_process()
    with suppress(OSError, ValueError):  # this limit doesn't bind root; the filter does
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def _start_no_process() -> None:
    """Make the kernel refuse calls that start processes, or that take memory outside the limits."""
    calls = CALLS.get(platform.machine())
    if calls is None:
        return
    steps = b"".join(struct.pack("HBBI", *step) for step in filter_steps(calls))
    program = ctypes.create_string_buffer(steps)
    header = struct.pack("HL", len(steps) // 8, ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(SET_FILTER, FILTER, ctypes.create_string_buffer(header), 0, 0)


def filter_steps(calls: dict) -> list[tuple[int, int, int, int]]:
    """Return the steps of a filter for system calls.

    Each step holds an operation, the number of steps to skip if a test succeeds, the number of
    steps to skip if it fails, and a number for the test.

    >>> len(filter_steps(CALLS["aarch64"])) < 64
    True
    """
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, calls["architecture"]), (RETURN, 0, 0, END)]
    steps += [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_TABLE), (RETURN, 0, 0, REFUSE)]
    for number in calls["refused"].values():
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    # We pretend that `clone3` doesn't exist. Then threads are made with `clone`, and a filter can
    # look at its flags.
    steps += [(EQUAL, 0, 1, calls["clone3"]), (RETURN, 0, 0, UNKNOWN)]
    steps += [(EQUAL, 1, 0, calls["clone"]), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, FIRST_ARGUMENT)]
    steps += [(HAS_BITS, 0, 1, THREAD), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return steps
