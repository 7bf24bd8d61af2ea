# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times that callers give: one unit, and no other kind is taken for it."""
import datetime
import gc
import warnings

import pytest

import f2fskit

NOW = 1_700_000_000_123_456_000
UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2023, 11, 14, 22, 13, 20, 123456, UTC)
ABROAD = MOMENT.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
WRONG = [1.7e9, "2023-11-14", datetime.datetime(2023, 11, 14), datetime.date(2023, 11, 14), datetime.timedelta(1), True, b"0", object()]
BEYOND = [2**63, -(2**63) - 1, NOW * 10**9]
# seconds, milliseconds and microseconds of some year
OTHER_UNITS = [1, 631_152_000, 1_700_000_000, 4_102_444_800, 1_700_000_000_000, 1_700_000_000_000_000, 4_102_444_800_000_000]
EARLY = [0, 10**9, 100 * 10**9, 10**16, datetime.datetime(1970, 2, 1, tzinfo=UTC), -10**9]


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, time=0)
    return path


@pytest.mark.parametrize("now", [NOW, MOMENT, ABROAD, lambda: NOW, lambda: MOMENT])
def test_changes(image, now):
    with f2fskit.open(image, "r+", now=now) as volume:
        volume.path("/file").touch()
        assert volume.path("/file").stat().st_mtime_ns == NOW
        volume.path("/file").touch()
        assert volume.path("/file").stat().st_mtime_ns == NOW


@pytest.mark.parametrize("now", [NOW, MOMENT])
def test_clock_of_a_context(image, now):
    with f2fskit.open(image, "r+", context=f2fskit.Context(now=lambda: now)) as volume:
        volume.path("/file").touch()
        assert volume.path("/file").stat().st_mtime_ns == NOW


@pytest.mark.parametrize("time", [NOW, MOMENT, ABROAD])
def test_formatting_and_filling(tmp_path, time):
    made = f2fskit.mkfs(tmp_path / "disk.img", 64 << 20, time=time)
    assert made.time == NOW // 10**9 * 10**9
    (tmp_path / "source").mkdir()
    (tmp_path / "source/file").touch()
    with f2fskit.open(tmp_path / "disk.img", "r+") as volume:
        assert volume.root.stat().st_mtime_ns == made.time
        volume.populate(tmp_path / "source", time=time)
        assert volume.path("/file").stat().st_mtime_ns == NOW
        volume.populate(tmp_path / "source", existing="replace", rules=[f2fskit.PopulateRule("*", time=time)])
        assert volume.path("/file").stat().st_mtime_ns == NOW


@pytest.mark.parametrize("value", [*WRONG, *BEYOND, *OTHER_UNITS], ids=repr)
def test_what_is_no_time(image, tmp_path, value):
    error = ValueError if type(value) is int else TypeError
    before = image.read_bytes()
    with pytest.raises(error):
        f2fskit.open(image, "r+", now=value)
    with pytest.raises(error):
        f2fskit.mkfs(tmp_path / "new.img", 64 << 20, time=value)
    with pytest.raises(TypeError):
        f2fskit.Context(now=value)
    with f2fskit.open(image, "r+", now=lambda: value) as volume:
        with pytest.raises(error):
            volume.path("/file").touch()
        with pytest.raises(error):
            volume.populate(tmp_path, time=value)
        volume.rollback()
    assert image.read_bytes() == before


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_times_of_files_are_of_one_unit(image, value):
    with f2fskit.open(image, "r+") as volume:
        before = repr(volume.root.stat())
        for name in ("atime_ns", "mtime_ns", "ctime_ns", "crtime_ns"):
            with pytest.raises(TypeError, match=name):
                volume.root.set(**{name: value})
        with pytest.raises(TypeError, match="mtime_ns"):
            volume.path("/").utime((NOW, value))
        assert repr(volume.root.stat()) == before
        volume.rollback()


@pytest.mark.parametrize("name", ["mode", "uid", "gid", "projid", "flags"])
def test_attributes_are_whole_numbers(image, name):
    with f2fskit.open(image, "r+") as volume:
        before = repr(volume.root.stat())
        for value in (1.9, "1", b"1"):
            with pytest.raises(TypeError):
                volume.root.set(**{name: value})
        assert repr(volume.root.stat()) == before
        volume.rollback()


def test_times_of_files(image):
    with f2fskit.open(image, "r+") as volume:
        volume.path("/file").touch()
        volume.path("/file").utime((MOMENT, ABROAD))
        found = volume.path("/file").stat()
        assert found.st_atime_ns == found.st_mtime_ns == NOW // 1000 * 1000
        for value in (*OTHER_UNITS, *EARLY[:4], -5, 1 << 63):  # any that a file may have: copies keep it
            volume.path("/file").inode().set(mtime_ns=value)
            assert volume.path("/file").stat().st_mtime_ns == value
        with pytest.raises(ValueError, match="mtime_ns is no time"):
            volume.path("/file").inode().set(mtime_ns=10**30)


@pytest.mark.parametrize("now", EARLY, ids=repr)
def test_early_times_that_can_be_meant(image, now):
    with f2fskit.open(image, "r+", now=now) as volume:
        volume.path("/file").touch()
        found = volume.path("/file").stat().st_mtime_ns
    assert found == (now if isinstance(now, int) else 31 * 86400 * 10**9)


def test_two_formattings_are_the_same(tmp_path):
    import uuid

    for name in "ab":
        f2fskit.mkfs(tmp_path / name, 64 << 20, time=MOMENT, uuid=uuid.UUID(int=1), checkpoint_version=1)
        with f2fskit.open(tmp_path / name, "r+", now=MOMENT) as volume:
            volume.path("/file").write_bytes(b"x")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def drop(image, change, end):
    volume = f2fskit.open(image, "r+")
    change(volume)
    end(volume)
    del volume
    gc.collect()


def nothing(volume):
    pass


def test_a_volume_that_is_dropped(image):
    with pytest.warns(ResourceWarning, match="not committed"):
        drop(image, lambda volume: volume.path("/file").touch(), nothing)


@pytest.mark.parametrize("change, end", [
    (nothing, nothing),
    (lambda volume: volume.path("/").stat(), nothing),
    (lambda volume: volume.path("/file").touch(), f2fskit.Volume.commit),
    (lambda volume: volume.path("/file").touch(), f2fskit.Volume.rollback),
    (lambda volume: volume.path("/file").touch(), f2fskit.Volume.close),
])
def test_a_volume_that_has_nothing_to_lose(image, change, end):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drop(image, change, end)
