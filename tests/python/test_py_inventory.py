# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows about many images: sound, damaged, hanging and greedy ones, by threads and by processes."""
import concurrent.futures
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading

import pytest

import f2fskit
from conftest import pattern
from f2fskit import inventory, own_process


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """50 images: 46 sound ones, of 23 different trees, and four others."""
    folder = tmp_path_factory.mktemp("images")
    for i in range(23):
        tree = {"etc": {"name": f"host {i}"}, "data": pattern(i, 1000 * i), "link": f2fskit.Entry(symlink="data"),
                "again": f2fskit.Entry(hardlink="data")}
        f2fskit.build(tree, folder / f"{i:02}.img", volume={"label": f"image {i}"})
        shutil.copy(folder / f"{i:02}.img", folder / f"{i + 23:02}.img")
    with f2fskit.open(folder / "00.img") as volume:
        address = volume["/etc/name"].inode().address
    shutil.copy(folder / "00.img", folder / "46-damaged.img")
    with f2fskit.Device.open(folder / "46-damaged.img", writable=True) as device:
        device.write(address * 4096 + 4072, b"spoiled!")
    (folder / "47-empty.img").write_bytes(bytes(1 << 20))
    (folder / "48-short.img").write_bytes(b"")
    yield folder
    shutil.rmtree(folder)


def test_fifty_images(images):
    paths = sorted(images.iterdir()) + [images / "missing.img"]
    rows = list(inventory.inventory(paths, digests=True))
    assert [row.image for row in rows] == [str(path) for path in paths] and len(rows) == 50
    good = rows[:46]
    for i, row in enumerate(good):
        assert (row.error, row.is_sound, row.problems, row.label) == ("", True, 0, f"image {i % 23}")
        assert (row.files, row.directories, row.symlinks) == (2, 1, 1)
        assert row.file_bytes == len(f"host {i % 23}") + 1000 * (i % 23) and row.used_bytes > 0 and row.is_clean
    assert len({row.tree_sha256 for row in good}) == 23 and good[0].tree_sha256 == good[23].tree_sha256
    damaged, empty, short, missing = rows[46:]
    assert not damaged.is_sound and damaged.worst in ("damage", "loss") and "NODE_FOOTER" in damaged.findings[0]
    assert damaged.label == "image 0" and "CorruptError" in damaged.error
    assert empty.error.startswith("NotF2fsError") and short.error and "NotFoundError" in missing.error
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_executors(images):
    paths = sorted(images.iterdir())[:4]
    expected = [row._replace(seconds=0) for row in inventory.inventory(paths)]
    for kind in (concurrent.futures.ProcessPoolExecutor, concurrent.futures.ThreadPoolExecutor):
        with kind(2) as executor:
            assert [row._replace(seconds=0) for row in inventory.inventory(iter(paths), executor)] == expected
    assert expected[0].tree_sha256 == "" and expected[0].is_sound


def test_dask_cluster(images, tmp_path):
    """Two workers of Dask give the rows of this process, and they become a table."""
    distributed = pytest.importorskip("distributed")
    pandas = pytest.importorskip("pandas")
    paths = [*sorted(images.iterdir())[44:49], images / "missing.img"]
    expected = [row._replace(seconds=0) for row in inventory.inventory(paths)]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)) as cluster:
        with distributed.Client(cluster) as client:
            rows = [row._replace(seconds=0) for row in inventory.inventory(paths, client)]
    assert rows == expected and [bool(row.error) for row in rows] == [False, False, True, True, True, True]
    table = pandas.DataFrame(rows)
    assert list(table.columns) == list(inventory.Inventory._fields) and table["is_sound"].dtype == bool and table["file_bytes"].dtype == "int64"


def test_parquet(images, tmp_path):
    """Rows become a table of Parquet, and come back from it."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rows = [row._replace(seconds=0) for row in inventory.inventory(sorted(images.iterdir())[44:49])]
    pandas.DataFrame(rows).to_parquet(tmp_path / "rows.parquet")
    again = pandas.read_parquet(tmp_path / "rows.parquet")
    assert [tuple(row[:-3]) for row in again.itertuples(index=False)] == [row[:-3] for row in rows]
    assert list(again["findings"][2]) == list(rows[2].findings)


@pytest.mark.parametrize("module, name", [("tqdm", "tqdm"), ("rich.progress", "track")])
def test_progress(images, module, name):
    """The rows come one by one, so a bar of progress counts them."""
    bar = getattr(pytest.importorskip(module), name)
    paths = sorted(images.iterdir())[:3]
    assert [row.label for row in bar(inventory.inventory(paths, check=False), total=len(paths))] == ["image 0", "image 1", "image 2"]


def test_greedy_images(images, tmp_path):
    os.mkfifo(tmp_path / "pipe")  # opening it as a file would wait for a writer for ever
    pipe, good = inventory.inventory([tmp_path / "pipe", images / "00.img"], check=False)
    assert "neither a regular file nor a block device" in pipe.error and good.error == "" and good.files == 2
    greedy, = inventory.inventory([images / "00.img"], memory=8 << 20)  # a Python without any work takes more
    assert greedy.error and not greedy.files


def with_package():
    return {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))}


DIES = "import os, sys, time; sys.path.insert(0, sys.argv[1]); from f2fskit import own_process; own_process.serve(lambda question: {})"


@pytest.mark.parametrize("code, error", [
    ("os.kill(os.getpid(), 11)", "the process was ended by SIGSEGV"),
    ("time.sleep(100)", "it took more than 0.5 seconds"),
    ("b'nonsense'", "the process ended with status 0"),
    ("1 // 0", "ZeroDivisionError: integer division or modulo by zero"),
    ("os._exit(3)", "the process ended with status 3"),
    ("os.kill(os.getppid(), 9)", "the process was ended by SIGKILL"),
])
def test_a_process_that_dies(monkeypatch, code, error):
    """Each kind of end gives a row, and the starter of a dead process answers again."""
    monkeypatch.setattr(inventory, "_START", DIES.format(code))
    assert [row.error for row in inventory.inventory(["x", "y"], seconds=0.5)] == [error] * 2


def test_a_starter_that_fails(monkeypatch):
    monkeypatch.setattr(inventory, "_START", "raise ValueError('not today')")
    assert next(inventory.inventory(["x"])).error == "ValueError: not today"


def starters():
    """The starters that this process has started."""
    below = [child for task in pathlib.Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()]
    return [int(child) for child in below if b"inventory._serve" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()]


def test_images_share_a_starter(images):
    """Python starts once for a worker, not once for each image; the starters end with the run."""
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        rows = inventory.inventory(sorted(images.iterdir())[:4], executor, check=False)
        next(rows)
        first = starters()
        assert [row.error for row in rows] == [""] * 3 and len(first) == 1
    assert not starters()


def test_a_starter_that_ended_while_idle(images):
    """The next question starts another one."""
    look, options = inventory.look, {"check": False, "digests": False, "seconds": 60, "memory": 2 << 30}
    try:
        for _ in range(2):
            assert look(str(images / "00.img"), options).files == 2
            os.kill(starters()[0], 9)
    finally:
        own_process.close_idle()


def test_a_fork_leaves_the_starter_to_its_parent(images):
    """A child of fork() has starters of its own, and does not hold up the end of those of its parent."""
    options = {"check": False, "digests": False, "seconds": 60, "memory": 2 << 30}
    inventory.look(str(images / "00.img"), options)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        files = inventory.look(str(images / "00.img"), options).files
        os.read(reader, 1)  # until the parent has closed its starter
        os._exit(files)
    os.close(reader)
    own_process.close_idle()
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 2 << 8


def test_a_fork_during_the_start_does_not_hold_up_the_end(images):
    """The input of a starter stays open in a child that another thread forked while the starter began."""
    options = {"check": False, "digests": False, "seconds": 60, "memory": 2 << 30}
    inventory.look(str(images / "00.img"), options)
    copies = [os.dup(starter._process.stdin.fileno()) for starter in own_process._starters]
    ending = threading.Thread(target=own_process.close_idle, daemon=True)
    ending.start()
    ending.join(20)
    assert copies and not ending.is_alive()
    for copy in copies:
        os.close(copy)


def test_a_killed_caller_leaves_nothing(tmp_path):
    """A process that hangs ends with its caller, even if SIGKILL ends that."""
    os.mkfifo(tmp_path / "fifo")
    hang = DIES.format("[(file.write('a'), file.flush(), time.sleep(30), file.write('b')) for file in [open(question['fifo'], 'w')]]")
    code = f"import sys; from f2fskit import own_process; own_process.ask({hang!r}, {{'fifo': sys.argv[1]}}, 60)"
    caller = subprocess.Popen([sys.executable, "-c", code, tmp_path / "fifo"], env=with_package())
    with open(tmp_path / "fifo", "rb") as fifo:
        assert fifo.read(1) == b"a"
        caller.kill()
        caller.wait()
        assert fifo.read() == b""


def test_an_abandoned_run_ends(images):
    rows = inventory.inventory(sorted(images.iterdir()), check=False)
    assert next(rows).label == "image 0"
    rows.close()


def test_example(images, top):
    """The program looks at all 50 images."""
    paths = [*sorted(images.iterdir()), images / "missing.img"]
    done = subprocess.run([sys.executable, top / "examples/many_images.py", *paths], capture_output=True, text=True,
                          env=with_package())
    rows = done.stdout.splitlines()
    assert done.returncode == 1 and len(rows) == 50 and all(row.endswith("\tsound") for row in rows[:46])
    assert "2 files\t1006 bytes" in rows[1] and "CorruptError" in rows[46] and "NotFoundError" in rows[49]
