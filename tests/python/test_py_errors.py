# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exceptions: made of the error table, at home in Python's own hierarchy."""
import copy
import errno
import pickle

import f2fskit
import pytest
from f2fskit import _core, errors


def table():
    """(code, name, errno, text) of every error of the library."""
    lib = _core.lib
    for code in sorted(_core.ffi.typeof("enum f2fs_error").elements):
        if code < 0:
            yield (code, _core.text(lib.f2fs_error_name(code)), lib.f2fs_error_errno(code),
                   _core.text(lib.f2fs_error_text(code)))


def test_one_class_for_each_error():
    rows = list(table())
    assert len(rows) == len(errors.CLASSES) >= 25
    for code, name, posix, text in rows:
        kind = errors.CLASSES[code]
        assert kind.code == code and kind.name == name
        assert kind.__name__ == "".join(word.capitalize() for word in name.split("_")) + "Error"
        assert getattr(f2fskit, kind.__name__) is kind
        assert issubclass(kind, f2fskit.Error)
        assert text.lower()[:10] in kind.__doc__.lower()
        if issubclass(kind, OSError):
            # the built-in class is the one that Python itself chooses for the errno
            assert issubclass(kind, type(OSError(posix, "")))


@pytest.mark.parametrize("name, builtin", [
    ("NotFoundError", FileNotFoundError), ("ExistsError", FileExistsError), ("NotDirError", NotADirectoryError),
    ("IsDirError", IsADirectoryError), ("AccessError", PermissionError), ("IoError", OSError),
    ("CorruptError", OSError), ("EncryptedError", OSError), ("NomemError", MemoryError), ("InvalidError", ValueError),
    ("RangeError", ValueError), ("NoAttrError", KeyError), ("NoAttrError", OSError), ("ReadOnlyError", OSError),
])
def test_builtin_bases(name, builtin):
    assert issubclass(getattr(f2fskit, name), builtin)


def test_attributes_survive_copies():
    assert len(errors.CLASSES) > 20
    for code, kind in errors.CLASSES.items():
        error = errors.make(code, "a sentence")
        error.rule, error.block = "SB_MAGIC", 7
        assert error.errno == _core.lib.f2fs_error_errno(code)
        assert str(error) == error.message == "a sentence"
        if isinstance(error, OSError):
            assert error.strerror == "a sentence"
        for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert type(twin) is kind and str(twin) == "a sentence"
            assert (twin.rule, twin.block, twin.nid, twin.errno) == ("SB_MAGIC", 7, None, error.errno)


def test_detail_of_the_library():
    with pytest.raises(f2fskit.RangeError) as caught:
        f2fskit.Device.memory(4096).read(4090, 10)
    error = caught.value
    assert error.code == _core.lib.F2FS_ERR_RANGE and error.name == "RANGE" and error.errno == errno.ERANGE
    assert error.structure == "device" and error.offset == 4090
    assert error.block is None and error.nid is None and error.rule is None
    assert "4090" in str(error)


def test_missing_host_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        f2fskit.open(tmp_path / "missing.img")
    assert isinstance(caught.value, f2fskit.NotFoundError)
    assert caught.value.errno == errno.ENOENT and "missing.img" in str(caught.value)


def test_unknown_code_is_an_error_too():
    detail = _core.ffi.new("struct f2fs_error_detail *")
    error = errors.from_detail(-999, detail)
    assert type(error) is f2fskit.Error and "-999" in str(error)
