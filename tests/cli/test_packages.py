# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recipes of packages name every file that `meson install` installs, in one package each, and none that is not there.

packaging/check builds and installs the Debian packages; this reads their lists.
"""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import tarfile

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEBIAN = os.path.join(TOP, "packaging", "debian")
HOOKS = ["usr/share/initramfs-tools/hooks/f2fskit", "usr/lib/dracut/modules.d/90f2fskit/module-setup.sh"]


def read(*path):
    with open(os.path.join(TOP, *path)) as opened:
        return opened.read()


@pytest.fixture(scope="module")
def installed(build_dir):
    """Paths below /, of an installation with the prefix /usr and the hooks."""
    if not shutil.which("meson"):
        pytest.skip("meson is not installed")

    def ask(what):
        return json.loads(subprocess.run(["meson", "introspect", what, build_dir], check=True, capture_output=True, text=True).stdout)
    prefix = {option["name"]: option["value"] for option in ask("--buildoptions")}["prefix"]
    found = ["usr" + path[len(prefix):] for path in ask("--installed").values() if path.startswith(prefix)]
    # the build under test may have no hooks; a python below /usr/local has another folder
    return sorted({re.sub(r"lib/python3[^/]*/(dist|site)-packages", "lib/python3/dist-packages", path) for path in found + HOOKS})


def debian_lists():
    """{file of packaging/debian: its patterns}, with files under the names that the build under test gives them."""
    lists = {}
    for path in glob.glob(os.path.join(DEBIAN, "*.install")) + [os.path.join(DEBIAN, "not-installed")]:
        rows = [row for row in read(path).splitlines() if row and not row.startswith("#")]
        lists[os.path.basename(path)] = [row.replace("zsh/vendor-completions", "zsh/site-functions") for row in rows]
    return lists


def is_named(path, pattern):
    """As dh_install does: a pattern takes no slash into *, and a folder stands for all in it."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


RECIPES = {"alpine/APKBUILD": "\npkgver=%s\n", "arch/PKGBUILD": "\npkgver=%s\n", "fedora/f2fskit.spec": "\nVersion:        %s\n",
           "homebrew/f2fskit.rb": '\n  version "%s"\n', "nix/package.nix": '\n  version = "%s";\n'}
# Macros of packaging/fedora/f2fskit.spec, for the build under test.
MACROS = {"_bindir": "usr/bin", "_sbindir": "usr/sbin", "_libdir": "usr/lib/*", "_includedir": "usr/include", "_mandir": "usr/share/man",
          "_docdir": "usr/share/doc", "_datadir": "usr/share", "_prefix": "usr", "python3_sitearch": "usr/lib/python3/dist-packages",
          "name": "f2fskit", "version": "*"}


def fedora_lists():
    """{package: its patterns} of the spec."""
    lists = {}
    for head, body in re.findall(r"^%files *(.*)\n((?:.+\n)+)", read("packaging/fedora/f2fskit.spec"), re.M):
        rows = [row for row in body.splitlines() if row.startswith("%{")]
        lists[head or "main"] = [re.sub(r"%\{(\w+)\}", lambda m: MACROS[m[1]], row) for row in rows]
    return lists


def problems(files, lists):
    """The differences between installed files and lists."""
    found = []
    for path in files:
        owners = [name for name, patterns in lists.items() if any(is_named(path, pattern) for pattern in patterns)]
        if len(owners) != 1:
            found.append("%s: in %s" % (path, ", ".join(sorted(owners)) or "no list"))
    found += ["%s: %s names no file" % (name, pattern) for name, patterns in lists.items() for pattern in patterns
              if not any(is_named(path, pattern) for path in files)]
    return found


def test_debian(installed):
    has_fuse = any(path.endswith("/f2fsfuse") for path in installed)
    lists = {name: rows for name, rows in debian_lists().items() if has_fuse or not name.startswith("f2fsfuse")}
    assert len(installed) > 150 and problems(installed, lists) == []


def test_fedora(installed):
    has_fuse = any(path.endswith("/f2fsfuse") for path in installed)
    lists = {name: rows for name, rows in fedora_lists().items() if has_fuse or name != "-n f2fsfuse"}
    files = [path for path in installed if path != HOOKS[0]]
    lists["removed"] = [row.split("%{buildroot}")[1].replace("%{_libdir}", "usr/lib/*")
                        for row in read("packaging/fedora/f2fskit.spec").splitlines() if row.startswith("rm %{buildroot}")]
    assert len(lists) == 6 + has_fuse and problems(files, lists) == []


def test_problems_are_found():
    files = ["usr/bin/a", "usr/bin/b", "usr/share/x/y/z"]
    assert problems(files, {"one": ["usr/bin/*"], "two": ["usr/share/x"]}) == []
    assert problems(files, {"one": ["usr/bin/a"], "two": ["usr/share/*/y"]}) == ["usr/bin/b: in no list"]
    assert problems(files, {"one": ["usr/bin"], "two": ["usr/share", "usr/bin/b"]}) == ["usr/bin/b: in one, two"]
    assert problems(files, {"one": ["usr/bin", "usr/share", "usr/lib"]}) == ["one: usr/lib names no file"]


def test_each_debian_package_has_a_list():
    packages = re.findall(r"^Package: (.*)$", read("packaging/debian/control"), re.M)
    assert {name.removesuffix(".install") for name in debian_lists()} - {"not-installed"} == set(packages)
    zsh = re.search(r"-Dzsh_completion_dir=share/(\S+)", read("packaging/debian/rules"))[1]
    assert "usr/share/%s/_f2fskit" % zsh in read("packaging/debian/f2fskit.install")


def test_versions_and_map_agree():
    version = re.search(r"^  version: '(.*)'", read("meson.build"), re.M)[1]
    assert read("packaging/debian/changelog").startswith("f2fskit (%s-" % version)
    for path, words in RECIPES.items():
        assert words % version in read("packaging", path), path
    node = re.search(r"^(\w+[\d.]+) \{", read("lib/libf2fskit.map"), re.M)[1]
    assert "(symver)%s %s\n" % (node, version) in read("packaging/debian/libf2fskit0.symbols")
    soversion = re.search(r"soversion: '(\d+)'", read("lib/meson.build"))[1]
    assert read("packaging/debian/libf2fskit0.symbols").startswith("libf2fskit.so.%s libf2fskit%s " % (soversion, soversion))


def test_archives_of_a_commit_are_equal(tmp_path):
    """`meson dist` takes times and modes of all members from Git, so nothing in the archive depends on the hour or the umask."""
    if not shutil.which("meson") or not os.path.exists(os.path.join(TOP, ".git")):
        pytest.skip("no Meson, or not in a repository")
    source, build = tmp_path / "source", tmp_path / "build"
    subprocess.run(["git", "clone", "--quiet", "--shared", TOP, source], check=True)
    subprocess.run(["meson", "setup", "--auto-features=disabled", "-Dtools=false", "-Dtests=false", build, source], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["meson", "dist", "-C", build, "--no-tests"], check=True, stdout=subprocess.DEVNULL, umask=0o077)
    archive, = build.glob("meson-dist/*.tar.xz")
    committed = int(subprocess.run(["git", "-C", source, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True).stdout)
    with tarfile.open(archive) as opened:
        members = opened.getmembers()
    assert len(members) > 1000 and {member.mtime for member in members} == {committed}
    assert {member.mode for member in members} == {0o775, 0o664}
