# SPDX-License-Identifier: LGPL-2.1-or-later
"""Making volumes, and copying trees out of them."""
import hashlib
import io
import json
import os
import stat
import tarfile
import uuid

import f2fskit
import pytest
from f2fskit import Feature, Keep

FIXED = {"uuid": uuid.UUID("12345678-9abc-def0-1234-56789abcdef0"), "time": 1_700_000_000 * 10**9, "checkpoint_version": 7}


# Making volumes.


def test_mkfs_of_a_path(tmp_path):
    path = tmp_path / "new.img"
    made = f2fskit.mkfs(path, 64 << 20, label="größe", features=["extra_attr", "inode_crtime"], root_owner=(5, 6), **FIXED)
    assert path.stat().st_size == 64 << 20
    assert (made.uuid, made.time, made.checkpoint_version) == tuple(FIXED.values())
    with f2fskit.open(path, mode="strict") as volume:
        assert volume.notes == [] and volume.pending == 0
        assert volume.label == "größe" and volume.uuid == made.uuid
        assert volume.features & Feature.EXTRA_ATTR and volume.features & Feature.INODE_CRTIME
        assert volume.geometry == made.layout.geometry
        assert volume.checkpoint.checkpoint_ver == 7
        assert volume.checkpoint.valid_node_count == made.valid_nodes
        assert volume.checkpoint.valid_block_count == made.valid_blocks
        result = volume.root.stat()
        assert (result.st_uid, result.st_gid, result.st_mtime) == (5, 6, 1_700_000_000)
        assert result.st_birthtime == 1_700_000_000 and stat.S_ISDIR(result.st_mode)
        assert [entry.name for entry in volume.root.iterdir()] == []
        assert [head.segno for head in volume.logs.values()] == list(made.layout.logs)


def test_mkfs_is_reproducible(tmp_path):
    digests = set()
    for _ in range(2):
        device = f2fskit.Device.memory(48 << 20)
        f2fskit.mkfs(device, label="same", **FIXED)
        digests.add(hashlib.sha256(device.read(0, device.size)).hexdigest())
    path = tmp_path / "same.img"
    f2fskit.mkfs(path, 48 << 20, label="same", **FIXED)
    digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    buffer = io.BytesIO(bytes(48 << 20))
    f2fskit.mkfs(f2fskit.Device.from_file(buffer, writable=True), label="same", **FIXED)
    digests.add(hashlib.sha256(buffer.getvalue()).hexdigest())
    assert len(digests) == 1
    different = f2fskit.Device.memory(48 << 20)
    first = f2fskit.mkfs(different)
    again = f2fskit.mkfs(different, overwrite=True)
    assert first.uuid != again.uuid and first.checkpoint_version != again.checkpoint_version


def test_mkfs_does_not_write_over_things(tmp_path):
    path = tmp_path / "precious"
    path.write_bytes(b"precious" + bytes(64 << 20))
    for size in (None, 64 << 20):
        with pytest.raises(FileExistsError):
            f2fskit.mkfs(path, size)
    assert path.read_bytes()[:8] == b"precious"
    with pytest.raises(FileExistsError):
        f2fskit.mkfs(f2fskit.Device.open(path, writable=True))
    f2fskit.mkfs(path, overwrite=True)
    with f2fskit.open(path) as volume:
        assert volume.root.is_dir()
    with pytest.raises(FileExistsError):
        f2fskit.mkfs(path)
    with pytest.raises(f2fskit.ReadOnlyError):
        f2fskit.mkfs(f2fskit.Device.open(path), overwrite=True)


def test_mkfs_refusals(tmp_path):
    for options, kind in (
        ({"features": ["no_such_feature"]}, f2fskit.InvalidError),
        ({"block_size": 1000}, f2fskit.InvalidError),
        ({"label": "x" * 600}, f2fskit.Error),
        ({"overprovision": 200.0}, f2fskit.Error),
        ({"hot_extensions": ["toolongextension"]}, f2fskit.Error),
        ({"label": "a\0b"}, ValueError),
        ({"no_such_option": 1}, TypeError),
    ):
        device = f2fskit.Device.memory(64 << 20)
        with pytest.raises(kind):
            f2fskit.mkfs(device, **options)
        assert not any(device.read(0, 1 << 20))
    with pytest.raises(f2fskit.NospcError):
        f2fskit.mkfs(tmp_path / "small", 1 << 20)
    with pytest.raises(ValueError, match="context"):
        f2fskit.mkfs(f2fskit.Device.memory(64 << 20), context=f2fskit.Context())
    with pytest.raises(FileNotFoundError):
        f2fskit.mkfs(tmp_path / "missing" / "x", 64 << 20)


BAD_OPTIONS = [({"size": 10 << 20}, f2fskit.NospcError), ({"label": "a\nb"}, f2fskit.InvalidError),
               ({"features": ["compression"]}, f2fskit.Error), ({"segs_per_sec": 1 << 20}, f2fskit.Error),
               ({"size": 0}, ValueError), ({"size": -1}, ValueError)]


@pytest.mark.parametrize("options, kind", BAD_OPTIONS)
def test_mkfs_that_fails_leaves_things_as_they_were(tmp_path, monkeypatch, options, kind):
    monkeypatch.chdir(tmp_path)  # paths in the device table are short
    options = {"size": 64 << 20, **options}
    further = [f2fskit.DeviceSpec("second", size=4 << 20)]
    for devices in ([], further):
        with pytest.raises(kind):
            f2fskit.mkfs("new", devices=devices, **options)
        assert not list(tmp_path.iterdir())
    old = tmp_path / "old"
    f2fskit.mkfs(old, 80 << 20, label="old")
    before = old.read_bytes()
    with pytest.raises(kind):
        f2fskit.mkfs(old, overwrite=True, **options)
    assert old.read_bytes() == before
    f2fskit.mkfs("new", 64 << 20)


def test_mkfs_that_is_stopped_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    def stop(progress):
        raise KeyboardInterrupt

    existing = tmp_path / "existing"
    existing.write_bytes(bytes(64 << 20))
    with pytest.raises(KeyboardInterrupt):
        f2fskit.mkfs("new", 1 << 30, context=f2fskit.Context(progress=stop),
                     devices=[f2fskit.DeviceSpec("existing"), f2fskit.DeviceSpec("third", size=64 << 20)])
    assert list(tmp_path.iterdir()) == [existing]
    with pytest.raises(f2fskit.ExistsError):  # missing options are reported before anything is made
        f2fskit.mkfs("new", 64 << 20, devices=[f2fskit.DeviceSpec("existing", size=64 << 20)])
    with pytest.raises(FileNotFoundError):
        f2fskit.mkfs("new", 64 << 20, devices=[f2fskit.DeviceSpec("none")])
    assert list(tmp_path.iterdir()) == [existing]


def test_plan_and_minimum():
    smallest = f2fskit.mkfs_minimum_size()
    layout = f2fskit.mkfs_plan(smallest)
    assert layout.geometry.block_count * 4096 <= smallest and len(layout.devices) == 1
    with pytest.raises(f2fskit.NospcError):
        f2fskit.mkfs_plan(smallest - (2 << 20))
    big = f2fskit.mkfs_plan(15 << 40)
    assert big.geometry.block_count * 4096 == 15 << 40 and big.user_blocks < big.geometry.block_count
    device = f2fskit.Device.memory(smallest)
    made = f2fskit.mkfs(device)
    assert made.layout == layout
    with f2fskit.open(device) as volume:
        assert volume.geometry == layout.geometry


def test_mkfs_on_several_devices(tmp_path):
    context = f2fskit.Context()
    parts = [f2fskit.Device.memory(64 << 20, context=context) for _ in range(3)]
    made = f2fskit.mkfs(parts[0], devices=[f2fskit.DeviceSpec(parts[1], "second"), f2fskit.DeviceSpec(parts[2], "third")])
    assert len(made.layout.devices) == 3
    with f2fskit.open(parts[0], devices=parts[1:]) as volume:
        assert [row.path for row in volume.devices][1:] == ["second", "third"]
        assert volume.geometry == made.layout.geometry and volume.root.is_dir()
    by_name = dict(zip(("second", "third"), parts[1:]))
    asked = []

    def find(path):
        asked.append(path)
        return by_name[path]

    with f2fskit.open(parts[0], devices=find) as volume:
        assert asked == ["second", "third"] and volume.root.is_dir()
    with pytest.raises(KeyError):
        f2fskit.open(parts[0], devices={"second": parts[1]}.__getitem__)
    with pytest.raises(f2fskit.Error):
        f2fskit.open(parts[0])
    with pytest.raises(f2fskit.Error):
        f2fskit.open(parts[0], devices=parts[1:2])
    # a device opened for the volume, inside its opening
    paths = {"second": tmp_path / "2", "third": tmp_path / "3"}
    for name, path in paths.items():
        path.write_bytes(by_name[name].read(0, 64 << 20))
    with f2fskit.open(parts[0], devices=paths.__getitem__) as volume:
        assert volume.root.is_dir()


def test_mkfs_survives_every_failure():
    """A device that fails at its n-th write: an error, and no volume, or all of it once a superblock is there."""
    n = opened = 0
    while True:
        n += 1
        memory = f2fskit.Device.memory(48 << 20)
        fault = memory.fault()
        fault.set(fail_write=n, sticky=True)
        try:
            f2fskit.mkfs(fault, **FIXED)
            break
        except f2fskit.IoError:
            try:
                volume = f2fskit.open(memory)
            except f2fskit.NotF2fsError:
                assert not opened
                continue
            with volume:
                opened += 1
                assert volume.superblock_copy == 1 and volume.root.is_dir()
                assert volume.checkpoint.checkpoint_ver == 7
    assert n > 3 and opened <= 1


# Copying trees out.


def host_tree(folder):
    """{path: contents, target or None} of a directory of the host."""
    found = {}
    for top, dirs, files in os.walk(os.fsencode(folder)):
        for name in dirs + files:
            path = os.path.join(top, name)
            key = "/" + os.fsdecode(os.path.relpath(path, os.fsencode(folder)))
            if os.path.islink(path):
                found[key] = os.fsdecode(os.readlink(path))
            elif os.path.isdir(path):
                found[key] = None
            else:
                with open(path, "rb") as file:
                    found[key] = file.read()
    return found


def without(truth, *names):
    return {path: contents for path, contents in truth.items() if path not in ("/", "/lost+found", *names)}


def test_extract_to_a_directory(volume, image, tmp_path):
    to = tmp_path / "out"
    result = volume.extract(to)
    found = host_tree(to)
    found.pop("/lost+found", None)
    assert found == without(image.truth)
    assert result.files == sum(isinstance(c, bytes) for c in image.truth.values())
    assert result.symlinks == sum(isinstance(c, str) for c in image.truth.values())
    assert result.problems == 0 and result.problem_list == () and result.bytes > 5_000_000
    source = volume.lookup("/medium.bin").stat()
    target = os.stat(to / "medium.bin")
    assert target.st_mtime_ns == source.st_mtime_ns and target.st_mode == source.st_mode
    with pytest.raises(f2fskit.IncompleteError) as caught:
        volume.extract(to)
    result = caught.value.result
    assert result.problems > 700 and len(result.problem_list) == min(result.problems, 1000)
    assert isinstance(result.problem_list[0].error, FileExistsError)
    assert volume.extract(to, existing="skip").skipped > 700
    (to / "tiny.txt").write_bytes(b"changed")
    assert volume.extract(to, existing=f2fskit.Existing.REPLACE).problems == 0
    assert (to / "tiny.txt").read_bytes() == b"hello, f2fs\n"


def test_an_incomplete_run_names_its_first_problem(volume, tmp_path):
    def extract():
        volume.extract(tmp_path / "out", paths=["/dir"])

    extract()
    (tmp_path / "out" / "dir" / ".hidden").unlink()
    with pytest.raises(f2fskit.IncompleteError) as caught:
        extract()
    first = next(problem for problem in caught.value.result.problem_list if problem.is_counted)
    assert str(caught.value).startswith(f"{caught.value.result.problems} problem")
    assert str(caught.value).endswith(f"the first: {first.path} ({first.what}): {first.error}") and first.path.startswith("/dir/")
    assert caught.value.strerror == str(caught.value) and caught.value.result.files == 1
    with f2fskit.open(empty_disk(), "r+") as fresh:
        fresh.populate(tmp_path / "out")
        with pytest.raises(f2fskit.IncompleteError, match="could not be copied; the first: .*dir/.*: .*exist") as caught:
            fresh.populate(tmp_path / "out")
        assert caught.value.result.problems > 1


def empty_disk():
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device)
    return device


def test_extract_parts(volume, tmp_path):
    volume.extract(tmp_path / "a", paths=["/dir/sub", volume.path("/tiny.txt")])
    assert set(host_tree(tmp_path / "a")) == {"/dir", "/dir/sub", "/dir/sub/deep.txt", "/tiny.txt"}
    volume.extract(tmp_path / "b", paths=["/dir/sub"], relative=True)
    assert set(host_tree(tmp_path / "b")) == {"/sub", "/sub/deep.txt"}
    volume.extract(tmp_path / "c", include=["*.conf"], keep=Keep.TIMES | Keep.MODE)
    assert {path for path, c in host_tree(tmp_path / "c").items() if c is not None} == {"/dir/a.conf", "/dir/b.conf"}
    volume.extract(tmp_path / "d", paths=["/dir"], exclude=["sub", b"*.txt"], strip=1)
    assert set(host_tree(tmp_path / "d")) == {"/a.conf", "/b.conf", "/.hidden"}
    with pytest.raises(FileNotFoundError):
        volume.extract(tmp_path / "e", paths=["/missing"])
    with pytest.raises(TypeError):
        volume.extract(tmp_path / "e", paths="/dir")
    with pytest.raises(TypeError):
        volume.extract()
    with pytest.raises(TypeError):
        volume.extract(tmp_path / "e", tar=io.BytesIO())
    with pytest.raises(f2fskit.TooBigError):
        volume.extract(tmp_path / "f", max_bytes=1 << 20)


def test_tar(volume, image, tmp_path):
    stream = io.BytesIO()
    try:
        result = volume.extract(tar=stream)
    except f2fskit.UnsupportedError:
        pytest.skip("built without libarchive")
    stream.seek(0)
    found = {}
    with tarfile.open(fileobj=stream, encoding="utf-8", errors="surrogateescape") as archive:
        for member in archive:
            key = "/" + member.name.strip("/").removeprefix("./")
            if member.isdir():
                found[key] = None
            elif member.issym():
                found[key] = member.linkname
            else:
                found[key] = archive.extractfile(member).read()
    assert without(found, "/.") == without(image.truth)
    assert result.problems == 0
    path = tmp_path / "x.tar.gz"
    volume.extract(tar=path, tar_filter="gzip", paths=["/tiny.txt"])
    with tarfile.open(path, "r:gz") as archive:
        assert archive.extractfile("tiny.txt").read() == b"hello, f2fs\n"


def test_android_lists(volume, tmp_path):
    config, contexts = io.BytesIO(), tmp_path / "contexts"
    done = volume.extract(tmp_path / "a", fs_config=config, file_contexts=contexts, mount_point="vendor", check=False)
    lines = config.getvalue().decode("utf-8", "surrogateescape").splitlines()
    names = ["vendor" + path.rstrip("/") for path, _, _ in volume.walk()] + [
        "vendor" + path.rstrip("/") + "/" + name for path, _, others in volume.walk() for name in others]
    blank = [name for name in names if len(name.split()) > 1]
    assert sorted(line.rsplit(" ", 3)[0] for line in lines if "=" not in line) == sorted(set(names) - set(blank))
    assert len([p for p in done.problem_list if p.what == "fs_config"]) == len(blank)
    assert contexts.exists()


def test_manifest_and_entries(volume, image, tmp_path):
    lines = io.BytesIO()
    seen = {}
    volume.extract(tmp_path / "m", manifest=lines, on_entry=lambda path, result: seen.update({path: result}))
    rows = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert len(rows) == len(seen)
    assert seen["/tiny.txt"].st_size == 12 and stat.S_ISDIR(seen["/dir"].st_mode)
    assert set(image.truth) - {"/"} <= set(seen)


def test_callbacks_of_extract_may_stop_it(volume, tmp_path):
    with pytest.raises(f2fskit.CanceledError) as caught:
        volume.extract(tmp_path / "1", on_entry=lambda path, result: path == "/tiny.txt")
    assert caught.value.result.files < 700
    with pytest.raises(ZeroDivisionError):
        volume.extract(tmp_path / "2", on_entry=lambda path, result: 1 // 0)
    volume.extract(tmp_path / "3", paths=["/tiny.txt"])
    with pytest.raises(ZeroDivisionError):
        volume.extract(tmp_path / "3", paths=["/tiny.txt"], on_problem=lambda problem: 1 // 0)
    told = []
    result = volume.extract(tmp_path / "3", paths=["/tiny.txt"], on_problem=told.append, check=False)
    assert result.problems == 1 and told == list(result.problem_list)
    assert told[0].path == "/tiny.txt" and told[0].kind == f2fskit.ExtractProblemKind.NOT_MADE and told[0].is_counted

    class Full(io.RawIOBase):
        def write(self, data):
            raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        volume.extract(tmp_path / "4", manifest=Full())
    with pytest.raises(RuntimeError, match="callback"):
        volume.extract(tmp_path / "5", on_entry=lambda path, result: volume.lookup(path))


def test_half_an_archive_is_not_left(volume, tmp_path):
    """Files made for a run that ends early are removed; existing files are named."""
    (tmp_path / "old").write_bytes(b"old")
    for tar, manifest, left in (("new", "list", 0), ("old", "list", f2fskit.Output.TAR),
                                ("new", "old", f2fskit.Output.MANIFEST)):
        with pytest.raises(f2fskit.CanceledError) as caught:
            volume.extract(tar=tmp_path / tar, manifest=tmp_path / manifest, on_entry=lambda path, _: path == "/tiny.txt")
        assert caught.value.result.left_in_part == left
        assert [path.name for path in tmp_path.iterdir()] == ["old"]
    done = volume.extract(tar=tmp_path / "new", manifest=tmp_path / "old")
    assert not done.left_in_part and (tmp_path / "new").stat().st_size > 0 and (tmp_path / "old").stat().st_size > 0


def test_ctrl_c_stops_an_extraction(image, tmp_path, sigint):
    """A signal that comes while C code runs is seen at the next report of progress, not at the end."""
    import signal

    seen = []

    def interrupt(name, found):
        # the first entry: C code runs, and continues until it checks
        if not seen:
            signal.raise_signal(signal.SIGINT)
        seen.append(name)

    with f2fskit.open(image.path) as volume:
        with pytest.raises(KeyboardInterrupt):
            volume.extract(tmp_path / "out", on_entry=interrupt)
        assert len(seen) < len(image.truth)
        assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"


def test_populating_knows_how_much_there_is(tmp_path):
    """Progress has a total from the first report of copying on: the bytes to copy, without holes and second names."""
    source = tmp_path / "tree"
    (source / "below").mkdir(parents=True)
    for name in ("a", "below/b", "below/left.o"):
        (source / name).write_bytes(b"x" * (24 << 20))
    (source / "c").touch()
    os.truncate(source / "c", 1 << 40)
    reports = []
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 256 << 20)
    with f2fskit.open(disk, "r+", context=f2fskit.Context(progress=reports.append)) as volume:
        assert volume.populate(source, exclude=["*.o"]).files == 3
        assert volume.populate(source, target="/again", include=["below"]).files == 2
    copying = [r for r in reports if r.task == "populate" and r.phase == "copying"]
    assert len(copying) >= 4
    assert {r.total for r in copying} == {48 << 20}
    assert all(r.done <= r.total for r in copying) and copying[-1].done > 24 << 20


def test_ctrl_c_within_one_large_file(tmp_path, sigint):
    """Progress is reported, and signals are seen, while one call works on one file."""
    import signal

    reports = []

    def interrupt(progress):
        reports.append(progress.task)
        if len(reports) == 3:
            signal.raise_signal(signal.SIGINT)

    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 256 << 20)
    with f2fskit.open(disk, "r+", context=f2fskit.Context(progress=interrupt)) as volume:
        inode = volume.root.create("large")
        volume.commit()
        for work, task in ((lambda: inode.pwrite(bytes(50 << 20), 0), "write"),
                           (lambda: inode.read_bytes(2 << 40), "read"),
                           (lambda: volume.extract(tmp_path / "out"), "extract")):
            reports.clear()
            with pytest.raises(KeyboardInterrupt):
                work()
            assert reports == [task] * 3 and volume.transaction.name == ("FAILED" if task == "write" else "NONE")
            volume.rollback()
            if inode.size == 0:
                reports.extend([""] * 3)  # no signal for this one
                inode.truncate(1 << 40)
                inode.pwrite(bytes(100 << 20), 0)
                volume.commit()
        assert not list((tmp_path / "out").iterdir())
    reports.clear()
    with pytest.raises(KeyboardInterrupt) as error:
        with f2fskit.open(disk, "r+", context=f2fskit.Context(progress=interrupt)) as volume:
            volume.path("/new").touch()
            for i in range(3000):
                volume.root.create(f"file{i}")
            reports.clear()
    assert error.value.committed is False
    with f2fskit.open(disk) as volume:
        assert not volume.path("/new").exists()


def test_extract_of_a_damaged_image(image, tmp_path):
    """Files that cannot be read are named, the others are there."""
    with f2fskit.open(image.path) as volume:
        addr = volume.nat[volume.lookup("/medium.bin").number].block_addr
    overlay = f2fskit.Device.open(image.path).overlay()
    overlay.write(addr * 4096, b"\xff" * 4096)
    with f2fskit.open(overlay) as volume:
        result = volume.extract(tmp_path / "out", check=False)
    problem = next(p for p in result.problem_list if p.path == "/medium.bin")
    assert problem.kind == f2fskit.ExtractProblemKind.UNREADABLE and isinstance(problem.error, f2fskit.CorruptError)
    found = host_tree(tmp_path / "out")
    for path, contents in without(image.truth, "/medium.bin").items():
        assert found[path] == contents, path
