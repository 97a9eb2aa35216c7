"""Files: compressed or not, line by line, written whole or not at all."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import PATIENCE, posix
from support.corpus_files import COMPRESS, rows, write
from support.strategies import file_pieces

from unilid import files
from unilid.corpus import reading as corpus
from unilid.errors import CorpusError


@pytest.fixture(params=[1, 2, 3, 7, 1 << 20], ids=lambda size: f"chunk{size}")
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK", request.param)


@given(st.lists(file_pieces))
def test_splitting_does_not_depend_on_where_the_chunks_end(chunks: list[bytes]) -> None:
    content = b"".join(chunks)
    expected = [line.removesuffix(b"\n").removesuffix(b"\r") for line in io.BytesIO(content)]
    assert [line for lines in files.split_lines(chunks) for line in lines] == expected


@pytest.mark.usefixtures("chunk")
def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"\xef\xbb\xbfdeu\teins\n\xef\xbb\xbfdeu\tzwei")
    assert next(files.lines(path))[0] == b"deu\teins"


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_read(tmp_path: Path, encoding: str) -> None:
    content = "deu\tGrüße aus Köln\r\n\nrus\tДобрый день 😀".encode(encoding)
    found = [line for lines in files.lines(write(tmp_path / "a.tsv", content)) for line in lines]
    assert found == ["deu\tGrüße aus Köln".encode(), b"", "rus\tДобрый день 😀".encode()]
    assert [batch.texts for batch in corpus.read(tmp_path / "a.tsv")] == [
        ["Grüße aus Köln".encode(), "Добрый день 😀".encode()]
    ]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_read_by_suffix(tmp_path: Path, suffix: str) -> None:
    content = b"".join(b"deu\t%d\n" % number for number in range(100_000))
    path = write(tmp_path / f"train.tsv{suffix}", COMPRESS[suffix](content))
    assert files.open_bytes(path).read() == content


@pytest.mark.parametrize("suffix", COMPRESS)
def test_several_streams_in_one_archive_are_all_read(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a{suffix}", COMPRESS[suffix](b"one\n") + COMPRESS[suffix](b"two\n"))
    assert [line for lines in files.lines(path) for line in lines] == [b"one", b"two"]


@pytest.mark.parametrize("kept", [0.3, 0.999])
@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_truncated_archive_is_an_error_that_names_it(tmp_path: Path, suffix: str, kept: float) -> None:
    content = COMPRESS[suffix](b"".join(b"deu\t%d\n" % (number**3) for number in range(50_000)))
    path = write(tmp_path / f"train.tsv{suffix}", content[: int(len(content) * kept)])
    with pytest.raises(CorpusError, match=rf"train\.tsv\{suffix}: cannot be read"):
        rows(path)


def test_a_zstandard_archive_cut_in_its_second_frame_is_an_error(tmp_path: Path) -> None:
    frame = COMPRESS[".zst"](b"deu\teins\n")
    with pytest.raises(CorpusError, match="ended before the end of a stream"):
        rows(write(tmp_path / "a.tsv.zst", frame + frame[:-3]))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_file_that_is_no_archive_is_an_error_that_names_it(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(CorpusError, match=rf"plain\{suffix}: cannot be read"):
        rows(write(tmp_path / f"plain{suffix}", b"deu\ttext that was never compressed\n"))


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    for use in (rows, corpus.fingerprint, corpus.size):
        with pytest.raises(CorpusError, match=r"missing\.tsv: cannot be read: No such file"):
            use(tmp_path / "missing.tsv")


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "model", b"old")

    def interrupted() -> None:
        with files.write_atomically(path) as file:
            file.write(b"half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_finished_write_replaces_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "model", b"old")
    with files.write_atomically(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    target = write(tmp_path / "target", b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    with files.write_atomically(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("path", "base"),
    [("a/deu_Latn.txt.gz", "deu_Latn"), ("deu.TXT", "deu"), ("deu", "deu"), ("zh.hant", "zh.hant"), ("x.zst", "x")],
)
def test_the_base_name_drops_compression_and_format(path: str, base: str) -> None:
    assert files.base_name(path) == base


@pytest.mark.parametrize(("suffix", "module"), [(".xz", "lzma"), (".bz2", "bz2"), (".zst", files.ZSTANDARD)])
def test_only_an_archive_needs_the_module_that_a_python_may_lack(tmp_path: Path, suffix: str, module: str) -> None:
    write(tmp_path / "a.txt", b"Wo ist der Bahnhof?\n")
    write(tmp_path / f"a.txt{suffix}", COMPRESS[suffix](b"Wo ist der Bahnhof?\n"))
    command = f"import sys; sys.modules[{module!r}] = None; from unilid.cli.main import script; script()"
    needed = f"unilid: a {suffix} file needs the module {module}, which this Python does not have\n"
    for names, status, said in [
        (["a.txt", "-o", "b.txt"], 0, "b.txt: 1 record\n"),
        ([f"a.txt{suffix}"], 2, needed),
        (["a.txt", "-o", f"b.txt{suffix}"], 2, needed),
    ]:
        arguments = [sys.executable, "-c", command, "identify", *names]
        done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stderr) == (status, said)
    assert (tmp_path / "b.txt").read_text(encoding="utf-8").startswith("deu_Latn")
    assert not (tmp_path / f"b.txt{suffix}").exists()


# ---- what does not belong there


@pytest.mark.parametrize("garbage", [b"x", b"garbage", b"\1" * 100_000, b"\0" * 8191 + b"x"], ids=len)
@pytest.mark.parametrize("suffix", COMPRESS)
def test_something_else_behind_the_end_of_an_archive_is_an_error(tmp_path: Path, suffix: str, garbage: bytes) -> None:
    path = write(tmp_path / f"a.tsv{suffix}", COMPRESS[suffix](b"deu\teins\n") + garbage)
    with pytest.raises(CorpusError, match=rf"a\.tsv\{suffix}: cannot be read"):
        rows(path)


@pytest.mark.parametrize("zeros", [4, 100_000])
def test_zeros_may_stand_behind_an_xz_stream(tmp_path: Path, zeros: int) -> None:
    stream = COMPRESS[".xz"](b"deu\teins\n")
    path = write(tmp_path / "a.tsv.xz", stream + b"\0" * zeros + stream + b"\0" * zeros)
    assert rows(path) == [("deu", b"eins")] * 2


def test_a_zstandard_archive_of_very_much_is_unpacked_piece_by_piece(tmp_path: Path) -> None:
    """Four bytes of a frame can stand for 128 kB: all that is read of a file at once would be 256 MB."""
    block = ((128 << 10 << 3) | 2).to_bytes(3, "little") + b"a"  # as often as it says, and not the last one
    frame = b"\x28\xb5\x2f\xfd\x00\x58" + 3000 * block + b"\x01\x00\x00"
    path = write(tmp_path / "a.zst", frame)
    with files.open_bytes(path) as file:
        tracemalloc.start()
        size = sum(map(len, iter(lambda: file.read1(files.CHUNK), b"")))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert size == 3000 * (128 << 10)
    assert peak < 160 << 20


def test_a_line_that_is_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 1000)
    path = write(tmp_path / "a.tsv.gz", COMPRESS[".gz"](b"deu\teins\n" * 5 + b"deu\t" + b"x" * (5 << 20)))
    with pytest.raises(CorpusError, match=r"a\.tsv\.gz:6: the line has more than 1,000 bytes"):
        rows(path)
    write(path, COMPRESS[".gz"](b"deu\teins\n" * 100_000))  # of any number of lines
    assert len(rows(path)) == 100_000


def test_a_name_that_no_file_can_have_is_an_error() -> None:
    for name in ("a\0b.tsv", "\ud800.tsv"):
        with pytest.raises(CorpusError, match="cannot be read"):
            rows(name)


# ---- permissions, and what killed processes leave


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = write(tmp_path / "model", b"old")
    path.chmod(mode)
    with files.write_atomically(path) as file:
        [temporary] = set(tmp_path.iterdir()) - {path}
        assert temporary.stat().st_mode & 0o777 == mode  # what is secret is so while it is written
        file.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


@posix
def test_a_new_file_has_the_permissions_that_its_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with files.write_atomically(tmp_path / "model") as file:
            file.write(b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o640


KILLED = """
import os, signal, sys
from unilid import files
with files.write_atomically(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    path, other = tmp_path / "model", tmp_path / "model.bak"
    for name in (path, other):
        subprocess.run([sys.executable, "-c", KILLED, str(name)], check=False, timeout=60)
    mine = write(tmp_path / ".model.tmp", b"of somebody else")
    assert len(list(tmp_path.iterdir())) == 3
    with files.write_atomically(path) as file:
        file.write(b"new")
    [left] = set(tmp_path.iterdir()) - {path, mine}
    assert left.name.startswith(".model.bak.")
    files.remove_abandoned(tmp_path)
    assert set(tmp_path.iterdir()) == {path, mine}


def test_a_writer_leaves_what_another_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with files.write_atomically(path) as slow:
        slow.write(b"slow")
        with files.write_atomically(path) as fast:
            fast.write(b"fast")
        assert path.read_bytes() == b"fast"
    assert path.read_bytes() == b"slow"
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_of_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    for _ in range(2):
        with files.write_atomically(path) as file:
            file.write(b"new")
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_a_link_that_leads_nowhere_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    path.symlink_to("loop")
    with files.write_atomically(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
