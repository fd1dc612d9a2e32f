"""Files are written whole or not at all, even by several programs, and keep their properties."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from bpe_teach.files import write_whole

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs permissions and links of Unix")


def test_many_may_write_to_one_path_at_once(tmp_path):
    path = tmp_path / "low.txt"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: write_whole(path, b"%09d" % number), range(200)))
    assert len(path.read_bytes()) == 9
    assert os.listdir(tmp_path) == ["low.txt"]


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_a_file_keeps_its_permissions(mode, tmp_path):
    path = tmp_path / "low.txt"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_whole(path, b"low")
    assert path.read_bytes() == b"low"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@POSIX
def test_a_new_file_has_the_usual_permissions(tmp_path):
    write_whole(tmp_path / "new", b"low")
    (tmp_path / "usual").write_bytes(b"low")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@POSIX
def test_a_link_stays_a_link_even_one_that_leads_nowhere_yet(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("target")
    for content in (b"low", b"lower"):
        write_whole(link, content)
        assert link.is_symlink()
        assert (tmp_path / "target").read_bytes() == content


def test_any_name_will_do_that_open_takes(tmp_path):
    path = tmp_path / ("x" * 251 + ".txt")
    write_whole(path, b"low")
    assert path.read_bytes() == b"low"


@pytest.mark.parametrize("name", ["nowhere/low.txt", "file/low.txt", "folder", "x" * 300])
def test_a_path_that_cannot_be_written_is_named(name, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as fault:
        write_whole(tmp_path / name, b"low")
    assert fault.value.filename == os.fspath(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
