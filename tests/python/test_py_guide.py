# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guide docs/API.md and the example programs do what they say."""
import os
import re
import shutil
import subprocess
import sys

import pytest

BLOCK = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def here(image, tmp_path, monkeypatch):
    """A directory with the image as disk.img."""
    monkeypatch.chdir(tmp_path)
    os.link(image.path, "disk.img")
    if not _has("dask"):
        yield tmp_path
        return
    import dask
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        yield tmp_path


def blocks(top, language):
    text = (top / "docs/API.md").read_text()
    for match in BLOCK.finditer(text):
        if match[1] == language:
            line = text.count("\n", 0, match.start(3))
            yield match[2], "\n" * line + match[3]


def test_python_snippets(top, here, capsys):
    names = {"__name__": "guide"}
    count = 0
    for needs, code in blocks(top, "python"):
        if needs and not _has(needs):
            continue
        exec(compile(code, str(top / "docs/API.md"), "exec"), names)
        count += 1
    assert count >= 9
    out = capsys.readouterr().out
    assert "tiny ümlaut" in out and "SB_MAGIC" in out and "blocks are free" in out
    names["counting"].file.close()


def _has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


def test_c_program(top, here, image):
    build = os.environ.get("F2FSKIT_BUILD") or str(top / "build")
    compiler = shutil.which("cc")
    if not compiler or not os.path.exists(os.path.join(build, "lib", "libf2fskit.so")):
        pytest.skip("no C compiler, or the library is not built")
    (_, source), = blocks(top, "c")
    (here / "cat.c").write_text(source)
    subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{top}/include", "cat.c", "-o", "cat",
                    f"-L{build}/lib", "-lf2fskit", f"-Wl,-rpath,{build}/lib"], check=True)
    for path in ("/tiny.txt", "/link", "/medium.bin"):
        done = subprocess.run(["./cat", "disk.img", path], capture_output=True)
        target = image.truth[path] if path != "/link" else image.truth["/dir/sub/deep.txt"]
        assert (done.returncode, done.stdout, done.stderr) == (0, target, b"")
    done = subprocess.run(["./cat", "disk.img", "/missing"], capture_output=True, text=True)
    assert done.returncode == 1 and "missing" in done.stderr


def run_example(top, name, *arguments, status=0):
    import f2fskit

    folder = os.path.dirname(os.path.dirname(f2fskit.__file__))
    done = subprocess.run([sys.executable, str(top / "examples" / name), *map(str, arguments)], capture_output=True,
                          env={**os.environ, "PYTHONPATH": folder, "PYTHONIOENCODING": "utf-8"})
    assert done.returncode == status, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape")


def test_examples_are_short_and_all_tested(top):
    examples = sorted(path.name for path in (top / "examples").glob("*.py"))
    assert examples == ["big_files.py", "hash_tree.py", "many_images.py", "segment_map.py", "set_hostname.py", "test_update.py"]
    for name in examples:
        assert len((top / "examples" / name).read_text().splitlines()) <= 60


def test_hash_tree(top, here, image):
    import hashlib

    lines = run_example(top, "hash_tree.py", "disk.img").splitlines()
    expected = {path: hashlib.sha256(data).hexdigest() for path, data in image.truth.items() if isinstance(data, bytes)}
    assert dict(reversed(line.split("  ", 1)) for line in lines) == expected


def test_segment_map(top, here, image):
    import f2fskit

    out = run_example(top, "segment_map.py", "disk.img")
    with f2fskit.open("disk.img") as volume:
        assert f"{len(volume.sit)} segments" in out
        assert f"{volume.checkpoint.valid_block_count} blocks in use" in out
    assert "WARM_DATA" in out


def test_big_files(top, here, image):
    lines = run_example(top, "big_files.py", "disk.img", "3").splitlines()
    assert len(lines) == 3
    assert lines[0].split() == ["5000000", "/large.bin"]
    assert run_example(top, "big_files.py", status=2) == ""


def test_set_hostname(top, tmp_path):
    import f2fskit

    image, key = tmp_path / "disk.img", tmp_path / "key.pub"
    f2fskit.mkfs(image, 64 << 20)
    key.write_text("ssh-ed25519 AAAA me\n")
    for name in ("first", "second"):
        run_example(top, "set_hostname.py", image, name, key)
    with f2fskit.open(image) as volume:
        assert volume.read_bytes("/etc/hostname") == b"second\n"
        assert volume.read_bytes("/etc/hosts") == b"127.0.1.1\tsecond\n"
        folder = volume.path("/", "root", ".ssh")
        assert (folder / "authorized_keys").read_bytes() == key.read_bytes()
        assert folder.stat().st_mode & 0o777 == 0o700
    run_example(top, "set_hostname.py", image, "third", tmp_path / "no-key", status=1)
    with f2fskit.open(image) as volume:
        assert volume.read_bytes("/etc/hostname") == b"second\n"


HOW = re.compile(r"^## (.*?)$.*?^```python\n(.*?)^```$", re.M | re.S)


def how_to(top):
    return HOW.findall((top / "docs/HOWTO.md").read_text())


def test_how_do_i(top, here, monkeypatch):
    """Each snippet of docs/HOWTO.md by itself, and none changes the image."""
    before = (here / "disk.img").stat().st_mtime_ns
    snippets = how_to(top)
    assert len(snippets) >= 20 and len(snippets) == (top / "docs/HOWTO.md").read_text().count("\n## ")
    for title, code in snippets:
        try:
            exec(compile(code, title, "exec"), {"__name__": "guide"})
        except BaseException as error:
            raise AssertionError(f"{title}: {error!r}") from error
    assert (here / "disk.img").stat().st_mtime_ns == before
