# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference manual (docs/manual): it builds without a warning, and has text for every public name of C and Python."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import f2fskit
import pytest

for module in ("sphinx", "breathe", "myst_parser"):
    pytest.importorskip(module)
if not shutil.which("doxygen"):
    pytest.skip("no doxygen", allow_module_level=True)
from sphinx.util.inventory import InventoryFile  # noqa: E402

FUNCTION = re.compile(r"^F2FS_API[^;]*?\b(f2fs_\w+)\(", re.M)
AGGREGATE = re.compile(r"^(struct|enum) (f2fs_\w+) \{", re.M)
ENTRY = r'<dt class="sig[^"]*" id="%s">.*?</dt>\s*<dd>(.*?)</dd>'


def make(top, root, out):
    python = pathlib.Path(f2fskit.__file__).parents[1]
    return subprocess.run([sys.executable, top / "docs/manual/make_manual.py", root, python, out], capture_output=True, text=True)


@pytest.fixture(scope="module")
def manual(top, tmp_path_factory):
    out = tmp_path_factory.mktemp("manual")
    done = make(top, top, out)
    yield done, out / "html"
    shutil.rmtree(out)


@pytest.fixture(scope="module")
def inventory(manual):
    with open(manual[1] / "objects.inv", "rb") as file:
        return InventoryFile.load(file, str(manual[1]), lambda base, path: f"{base}/{path}")


def text_of(place, pages={}):
    """Return the text that the manual has at a place, PATH#ID."""
    path, _, anchor = place.partition("#")
    page = pages.setdefault(path, open(path).read())
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", entry)) for entry in re.findall(ENTRY % re.escape(anchor), page, re.S)).strip()


def test_it_builds_without_a_warning(manual):
    done, pages = manual
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (pages / "index.html").is_file()


def test_every_declaration_of_c_is_there_with_text(top, inventory):
    text = "".join(path.read_text() for path in (top / "include/f2fskit").glob("*.h"))
    wanted = AGGREGATE.findall(text) + [("function", name) for name in FUNCTION.findall(text)]
    assert len(wanted) > 400
    empty = [name for kind, name in wanted if name not in inventory[f"c:{kind}"] or not text_of(inventory[f"c:{kind}"][name][2])]
    assert empty == []


def test_every_name_of_python_is_there_with_text(inventory):
    kinds = ("py:class", "py:exception", "py:function", "py:data")
    places = {name: row[2] for kind in kinds for name, row in inventory[kind].items()}
    empty = [name for name in f2fskit.__all__ if not text_of(places.get(f"f2fskit.{name}", "/dev/null"))]
    assert empty == []


def test_texts_of_options_and_members_are_whole(inventory):
    assert "ADAPTIVE takes" in text_of(inventory["c:struct"]["f2fs_hotness_options"][2])
    assert text_of(inventory["c:enumerator"]["F2FS_ERR_NOSPC"][2]) == "no space left"
    assert text_of(inventory["c:member"]["f2fs_stat.nlink"][2]) == "number of names"
    assert text_of(inventory["py:data"]["f2fskit.structs"][2]) == "Every structure by name."
    page = pathlib.Path(inventory["py:function"]["f2fskit.mkfs"][2].split("#")[0]).read_text()
    mkfs = page.split('id="f2fskit.mkfs"')[1].split('<dt class="sig')[0]
    assert "Keyword Arguments" in mkfs and "<strong>overprovision</strong>" in mkfs


def test_names_lead_to_their_places_and_code_is_code(manual, inventory):
    area = pathlib.Path(inventory["py:class"]["f2fskit.Area"][2].split("#")[0]).read_text()
    assert 'href="../c/volume.html#c.f2fs_area"' in area
    assert '<div class="highlight-c ' in (manual[1] / "c/index.html").read_text()
    assert re.search(r'href="[^"]*#f2fskit\.Volume"', (manual[1] / "python/index.html").read_text())


def test_undocumented_names_end_it(top, tmp_path):
    shutil.copytree(top / "include/f2fskit", tmp_path / "include/f2fskit")
    header = tmp_path / "include/f2fskit/error.h"
    bare = re.sub(r"/\* (Return the errno that|errno of the host's).*?\*/", "", header.read_text())
    header.write_text(bare)
    done = make(top, tmp_path, tmp_path / "out")
    assert done.returncode == 1
    for name in ("f2fs_error_errno", "sys_errno"):
        assert re.search(r"error\.h:\d+: warning: Member %s\b.* is not documented" % name, done.stderr)


def test_every_module_is_there(top, inventory):
    """Those of the package's own names, and those that programs import by theirs. Two are no programs' business."""
    public = {path.stem for path in (top / "python/f2fskit").glob("*.py") if not path.stem.startswith("_")}
    text = (top / "docs/manual/pages.toml").read_text()
    code = "import f2fskit, sys; print(*(name.partition('.')[2] for name in sys.modules if name.startswith('f2fskit.')))"
    here = dict(os.environ, PYTHONPATH=str(pathlib.Path(f2fskit.__file__).parents[1]))
    imported = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here).stdout.split())
    for name in sorted(public - imported - {"own_process", "report_style"}):
        assert f"f2fskit.{name}" in inventory["py:module"] and f'"{name}"' in text, name
    assert {"f2fskit.plots", "f2fskit.testing", "f2fskit.fsspec_filesystem"} <= set(inventory["py:module"])
