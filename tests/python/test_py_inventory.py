# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows about many images: sound, damaged, hanging and greedy ones, by threads and by processes."""
import concurrent.futures
import os
import pickle
import shutil
import subprocess
import sys

import pytest

import f2fskit
from conftest import pattern
from f2fskit import inventory


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


def test_a_process_that_dies(monkeypatch):
    monkeypatch.setattr(inventory, "_START", "import os; os.kill(os.getpid(), 11)")
    assert next(inventory.inventory(["x"])).error == "the process was ended by SIGSEGV"
    monkeypatch.setattr(inventory, "_START", "import time; time.sleep(100)")
    assert next(inventory.inventory(["x"], seconds=0.2)).error == "it took more than 0.2 seconds"
    monkeypatch.setattr(inventory, "_START", "print('nonsense')")
    assert next(inventory.inventory(["x"])).error == "the process ended with status 0"


def test_an_abandoned_run_ends(images):
    rows = inventory.inventory(sorted(images.iterdir()), check=False)
    assert next(rows).label == "image 0"
    rows.close()


def test_example(images, top):
    """The program looks at all 50 images."""
    paths = [*sorted(images.iterdir()), images / "missing.img"]
    done = subprocess.run([sys.executable, top / "examples/many_images.py", *paths], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))})
    rows = done.stdout.splitlines()
    assert done.returncode == 1 and len(rows) == 50 and all(row.endswith("\tsound") for row in rows[:46])
    assert "2 files\t1006 bytes" in rows[1] and "CorruptError" in rows[46] and "NotFoundError" in rows[49]
