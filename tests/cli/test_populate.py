# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filling volumes from directories and manifests: policies for what exists, patterns, rules, Android's lists."""
import json
import os
import re
import resource
import stat
import struct
import subprocess

import pytest

import volumes
from test_write import same_trees

FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"


def tree(path, entries):
    """Files of a directory: {path: contents, None for a directory, str for a symlink}."""
    for name, what in entries.items():
        full = path / name
        full.parent.mkdir(parents=True, exist_ok=True)
        if what is None:
            full.mkdir(exist_ok=True)
        elif isinstance(what, str):
            full.symlink_to(what)
        else:
            full.write_bytes(what)


def listing(run_tool, image, tmp_path):
    """{path: contents} of a volume, {} for directories, the target of symlinks."""
    back = tmp_path / "listing"
    subprocess.run(["rm", "-rf", str(back)], check=True)
    run_tool("dump.f2fs", "-q", "--extract=%s" % back, image)
    found = {}
    for path in back.rglob("*"):
        name = str(path.relative_to(back))
        found[name] = os.readlink(path) if path.is_symlink() else {} if path.is_dir() else path.read_bytes()
    return found


@pytest.fixture
def sload(run_tool, peer_check):
    """sload(image, ...): (the result, the messages)"""
    def run(image, *args, rc=0):
        done = run_tool("sload.f2fs", "--json", *args, image, rc=rc)
        if rc in (0, 4):
            peer_check(image)
        return json.loads(done.stdout) if rc in (0, 4) else None, done.stderr.decode()
    return run


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, path, "64M")
    return path


OLD = {"same": b"same", "changed": b"old", "gone": b"x", "dir/in": b"1", "dir/gone/deep/file": b"2", "dir/link": "old",
       "was-dir/full": b"3", "was-file": b"4"}
NEW = {"same": b"same", "changed": b"new!", "dir/in": b"1", "dir/link": "new", "was-dir": b"5", "was-file/in": b"6", "more": b"7"}


def load_old(sload, tmp_path, image):
    tree(tmp_path / "old", OLD)
    tree(tmp_path / "new", NEW)
    for name in ("same", "dir/in"):
        for top in ("old", "new"):
            os.utime(tmp_path / top / name, ns=(5, 10**18 + 7))
    sload(image, "-f", tmp_path / "old")


def test_existing_is_refused(run_tool, sload, tmp_path, image):
    load_old(sload, tmp_path, image)
    before = listing(run_tool, image, tmp_path)
    result, said = sload(image, "-f", tmp_path / "new", "--existing=refuse", rc=4)
    assert result["problems"] == 6 and result["files"] == 1
    assert said.count("exists already") == 5 and "1 more exist already" in said
    after = listing(run_tool, image, tmp_path)
    assert after.pop("more") == b"7" and after == before


@pytest.mark.parametrize("policy", [(), ("--existing=skip",)])
def test_existing_is_skipped(run_tool, sload, tmp_path, image, policy):
    """As f2fs-tools do without an option. Then it is said how many stay."""
    load_old(sload, tmp_path, image)
    before = listing(run_tool, image, tmp_path)
    os.chmod(tmp_path / "new/dir", 0o700)
    result, said = sload(image, "-f", tmp_path / "new", *policy, "--exclude=was-file")
    assert ("names that exist already stay as they are: 5 (--existing=update" in said) == (not policy)
    assert result["skipped"] == 5 and result["files"] == 1 and result["problems"] == 0
    after = listing(run_tool, image, tmp_path)
    assert after.pop("more") == b"7" and after == before
    assert stat.S_IMODE(os.stat(tmp_path / "listing/dir").st_mode) == 0o755


def test_existing_is_replaced(run_tool, sload, tmp_path, image):
    load_old(sload, tmp_path, image)
    result, said = sload(image, "-f", tmp_path / "new", "--replace", rc=4)
    assert said.splitlines() == ["sload.f2fs: /was-dir: directory inode %s is not empty" % said.split()[4]]
    after = listing(run_tool, image, tmp_path)
    assert after["changed"] == b"new!" and after["dir/link"] == "new" and after["was-file/in"] == b"6"
    assert after["gone"] == b"x" and after["dir/gone/deep/file"] == b"2"
    assert result["files"] == 5 and result["replaced"] >= 5


@pytest.mark.parametrize("policy", ["--replace", "--update"])
def test_trees_are_made_equal(run_tool, sload, tmp_path, image, policy):
    load_old(sload, tmp_path, image)
    run_tool("f2fs", "-w", image, "setfattr", "/same", "user.stale", "1")
    os.chmod(tmp_path / "new/same", 0o600)
    result, _ = sload(image, "-f", tmp_path / "new", "--delete", policy)
    after = listing(run_tool, image, tmp_path)
    same_trees(tmp_path / "new", tmp_path / "listing")
    assert set(after) == {"same", "changed", "dir", "dir/in", "dir/link", "was-dir", "was-file", "was-file/in", "more"}
    assert result["deleted"] == 5 + 1           # gone, dir/gone with all in it, was-dir/full
    assert result["kept"] == (2 if policy == "--update" else 0)
    assert stat.S_IMODE(os.stat(tmp_path / "listing/same").st_mode) == 0o600
    assert b"user.stale" not in run_tool("dump.f2fs", "--xattr=/same", image).stdout


def test_delete_spares_what_patterns_leave_out(run_tool, sload, tmp_path, image):
    load_old(sload, tmp_path, image)
    sload(image, "-f", tmp_path / "new", "--delete", "--replace", "--exclude=gone", "--into=/dir")
    after = listing(run_tool, image, tmp_path)
    assert after["gone"] == b"x" and after["dir/gone/deep/file"] == b"2" and after["dir/dir/in"] == b"1"
    assert "dir/in" not in after and "dir/link" not in after


def test_delete_keeps_what_could_not_be_read(run_tool, sload, tmp_path, image):
    load_old(sload, tmp_path, image)
    manifest = tmp_path / "list"
    manifest.write_text('{"path": "same", "source": "/nonexistent/file"}\n')
    _, said = sload(image, "--manifest", manifest, "--delete", "--replace", rc=4)
    assert "/same: cannot open" in said
    assert listing(run_tool, image, tmp_path) == {"same": b"same"}


def test_delete_keeps_what_few_descriptors_do_not_reach(run_tool, sload, tmp_path, image):
    """Directories that cannot be opened, and those that can be opened and not read."""
    load_old(sload, tmp_path, image)
    before, said = listing(run_tool, image, tmp_path), b""
    for limit in range(3, 12):
        done = run_tool("sload.f2fs", "-f", tmp_path / "old", "--update", "--delete", image, rc=None,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        assert listing(run_tool, image, tmp_path) == before
        said += done.stderr if done.returncode == 4 else b""
    assert b"cannot read the directory" in said or b"cannot open the directory" in said


@pytest.mark.parametrize("keep", ["keep", "/was-dir/keep", "sub"])
@pytest.mark.parametrize("policy", ["--update", "--replace"])
def test_a_directory_with_what_patterns_leave_out_is_not_replaced(run_tool, sload, tmp_path, image, keep, policy):
    tree(tmp_path / "old", {"was-dir/keep": b"1", "was-dir/sub/keep": b"2", "was-dir/more": b"3", "gone/sub/keep": b"4",
                            "gone/sub/more": b"5", "gone/more": b"6"})
    tree(tmp_path / "new", {"was-dir": b"a file"})
    sload(image, "-f", tmp_path / "old")
    result, said = sload(image, "-f", tmp_path / "new", policy, "--delete", "--exclude", keep, rc=4)
    assert said.startswith("sload.f2fs: /was-dir: it is a directory now, and was-dir/") and said.count("\n") == 1
    after = {path: what for path, what in listing(run_tool, image, tmp_path).items() if what != {}}
    left = {"keep": {"gone/sub/keep": b"4"}, "sub": {"gone/sub/keep": b"4", "gone/sub/more": b"5"}}.get(keep, {})
    assert after == {"was-dir/keep": b"1", "was-dir/sub/keep": b"2", "was-dir/more": b"3", **left}
    assert result["problems"] == 1
    sload(image, "-f", tmp_path / "new", policy, "--delete")
    assert listing(run_tool, image, tmp_path) == {"was-dir": b"a file"}


@pytest.mark.parametrize("policy", ["--update", "--replace"])
def test_delete_knows_names_of_another_case(run_tool, tmp_path, policy):
    tree(tmp_path / "old", {"a/file": b"1", "a/gone": b"2", "a/sub/in": b"3"})
    tree(tmp_path / "new", {"A/FILE": b"1", "A/Sub/IN": b"3"})
    for path in ("old/a/file", "old/a/sub/in", "new/A/FILE", "new/A/Sub/IN"):
        os.utime(tmp_path / path, ns=(5, 10**18 + 7))
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "casefold", "-C", "utf8", image, "64M")
    run_tool("f2fs", "-w", image, "chattr", "+F", "/")
    run_tool("sload.f2fs", "-q", "-f", tmp_path / "old", image)
    run_tool("sload.f2fs", "-q", "-f", tmp_path / "new", policy, "--delete", image)
    after = run_tool("f2fs", image, "find").stdout.decode().split()
    assert after == (["/", "/a", "/a/file", "/a/sub", "/a/sub/in"] if policy == "--update" else
                     ["/", "/a", "/a/FILE", "/a/sub", "/a/sub/IN"])


def test_an_empty_manifest_deletes_nothing(run_tool, sload, tmp_path, image):
    load_old(sload, tmp_path, image)
    before = listing(run_tool, image, tmp_path)
    manifest = tmp_path / "list"
    manifest.write_text("\n")
    _, said = sload(image, "--manifest", manifest, "--delete", "--replace", rc=4)
    assert "the manifest is empty" in said and listing(run_tool, image, tmp_path) == before
    manifest.write_text('{"path": "/", "type": "directory"}\n')
    sload(image, "--manifest", manifest, "--delete", "--replace")
    assert listing(run_tool, image, tmp_path) == {}


def test_manifest_of_extraction(run_tool, peer_check, sload, tmp_path, image):
    source, out, again = tmp_path / "source", tmp_path / "out", tmp_path / "again.img"
    source.mkdir()
    volumes.plant(source)
    os.link(source / "big", source / "sub" / "second-name")
    os.mkfifo(source / "pipe")
    os.chmod(source / "sub", 0o2711)
    os.utime(source / "medium", ns=(1, 123456789987654321))
    sload(image, "-P", "-f", source)
    run_tool("f2fs", "-w", image, "setfattr", "/medium", "user.color", "red")
    run_tool("f2fs", "-w", image, "chown", "1234:5678", "/sub/deeper")
    run_tool("dump.f2fs", "-q", "--extract=%s" % out, "--manifest=%s" % (tmp_path / "list"), image)
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--manifest", tmp_path / "list", "--root-dir", out, again, "64M")
    peer_check(again)
    archives = [run_tool("dump.f2fs", "-q", "--keep=all", "--tar=-", i).stdout for i in (image, again)]
    assert archives[0] == archives[1]


def test_manifest_by_hand(run_tool, sload, tmp_path, image):
    (tmp_path / "bytes").write_bytes(b"contents")
    manifest = tmp_path / "list"
    manifest.write_text("\n".join([
        '{"path": "a/b/c", "source": "%s", "mode": "4755", "uid": 5, "gid": 6, "mtime": [7, 8]}' % (tmp_path / "bytes"),
        '  ', '{"path": "/dev/null", "type": "character", "major": 1, "minor": 3, "mode": "0666"}',
        '{"path": "l", "type": "symlink", "target": "a\\/b\\u002Fc"}', '{"path": "h", "type": "link", "target": "a/b/c"}',
        '{"path_hex": "66ff", "unknown": [{"x": [1.5e3, null, true]}], "xattrs": {"user.x": "0041"}}',
        '{"path": "a", "type": "directory", "mode": "0700", "mtime": [-1, 5]}']))
    result, said = sload(image, "--manifest", manifest, "-P")
    assert not said and result["links"] == 1 and result["files"] == 2 and result["specials"] == 1
    found = listing(run_tool, image, tmp_path)
    assert found["a/b/c"] == b"contents" and found["l"] == "a/b/c" and found[os.fsdecode(b"f\xff")] == b""
    inode = run_tool("dump.f2fs", "--inode=/h", image).stdout.decode()
    for line in ("i_uid = 5", "i_gid = 6", "i_mtime = 7", "i_mtime_nsec = 8", "i_links = 2", "4755"):
        assert line in inode
    inode = run_tool("dump.f2fs", "--inode=/a", image).stdout.decode()
    assert "i_mtime_nsec = 5" in inode and "0700" in inode


@pytest.mark.parametrize("line, why", [
    ("x", "not a value"), ("[]", "not a JSON object"), ("{}", "there is no path"), ('{"path": 5}', "another type"),
    ('{"path": "a", "mode": "9"}', "octal"), ('{"path": "a", "type": "door"}', "not a type"), ('{"path": "a"} x', "after the value"),
    ('{"path": "a", "uid": -1}', "out of range"), ('{"path": "a", "mtime": [1]}', "nanoseconds"), ('{"path": "../a"}', '".."'),
    ('{"path": "a", "type": "symlink"}', "no target"), ('{"path": "a\\u0000b"}', "NUL"), ('{"path_hex": "6"}', "hexadecimal"),
    ('{"path": "a", "xattrs": {"user.x": 5}}', "hexadecimal"), ('{"path": "a"', "comma"), ('{"path": "a", "x": ' + "[" * 40, "levels")])
def test_manifests_that_are_wrong(run_tool, sload, tmp_path, image, line, why):
    (tmp_path / "list").write_text('{"path": "first"}\n' + line + "\n")
    _, said = sload(image, "--manifest", tmp_path / "list", rc=8)
    assert "the manifest, line 2: " in said and why in said, said
    assert listing(run_tool, image, tmp_path) == {}


def test_rules(run_tool, peer_check, tmp_path, image):
    tree(tmp_path / "source", {"bin/tool": b"", "etc/conf": b"", "etc/secret=1": b""})
    (tmp_path / "ignored").write_text("# comment\n\n*.o\nsub/\n")
    tree(tmp_path / "source", {"x.o": b""})
    run_tool("sload.f2fs", "-q", "-T", "100", "-f", tmp_path / "source", "--exclude-from", tmp_path / "ignored",
             "--set-mode", "*=640", "--set-mode", "/bin=755", "--set-mode", "bin/*=4755", "--set-mode", "etc=750",
             "--set-owner", "etc/**=0:12", "--set-owner", "etc/secret=1=7:8", "--set-time", "bin/**=-5", image)
    peer_check(image)
    assert "x.o" not in listing(run_tool, image, tmp_path)
    for path, lines in {"bin": ("0755", "i_mtime = 100"), "bin/tool": ("4755", "i_mtime = -5", "i_uid = 0"),
                        "etc/conf": ("0640", "i_gid = 12"), "etc/secret=1": ("i_uid = 7", "i_gid = 8")}.items():
        inode = run_tool("dump.f2fs", "--inode=/" + path, image).stdout.decode()
        for line in lines:
            assert line in inode, (path, line, inode)


def test_patterns_that_match_nothing(run_tool, tmp_path, image):
    """They are named, on the way in and out, and no others: also if another pattern or a directory above matches first."""
    tree(tmp_path / "source", {"bin/tool": b"", "etc/conf": b""})
    done = run_tool("sload.f2fs", "-q", "-f", tmp_path / "source", "--include", "bin", "--include", "/bin/tool", "--include", "*ool",
                    "--include", "sbin", "--set-mode", "tool=755", "--set-mode", "conf=640", "--set-owner", "/bin=1:2", image)
    assert done.stderr.decode().splitlines() == ["sload.f2fs: warning: nothing matches the pattern sbin",
                                                 "sload.f2fs: warning: nothing matches the rule's pattern conf"]
    done = run_tool("dump.f2fs", "--extract", tmp_path / "out", "--include", "bin", "--include", "tool", "--include", "conf", image)
    assert done.stderr.decode().splitlines() == ["dump.f2fs: warning: nothing matches the pattern conf"]
    assert (tmp_path / "out" / "bin" / "tool").exists()
    names = ["nothing-%d" % i for i in range(25)]
    done = run_tool("dump.f2fs", "--extract", tmp_path / "out-2", *["--include=" + name for name in names], image)
    assert done.stderr.decode().splitlines() == ["dump.f2fs: warning: nothing matches the pattern " + name for name in names[:10]] + \
        ["dump.f2fs: warning: nothing matches 15 more patterns"]


@pytest.mark.parametrize("option", ["--set-owner=5:6", "--set-owner=a=5", "--set-mode=a=9", "--set-mode=a=77777", "--set-time=a=x",
                                    "--existing=maybe", "--exclude-from=/nonexistent", "--owner=1:x", "--time=x"])
def test_options_that_are_wrong(run_tool, tmp_path, image, option):
    done = run_tool("sload.f2fs", "-f", tmp_path, option, image, rc=16)
    assert option.split("=")[0].encode() in done.stderr


def attribute(run_tool, image, path, name):
    found = json.loads(run_tool("dump.f2fs", "--json", "--xattr=" + path, image).stdout)["xattr"][0]["xattrs"]
    return {xattr["name"]: bytes.fromhex(xattr["value_hex"]) for xattr in found}.get(name)


def test_android_lists(run_tool, peer_check, tmp_path, image):
    tree(tmp_path / "source", {"bin/sh": b"#!", "bin/su": b"", "lib/libc.so": b"", "lib/other": "libc.so", "etc/new": b""})
    (tmp_path / "fs_config").write_text(
        " 0 0 0755 selabel=u:object_r:rootfs:s0\nsystem/bin 0 2000 751\nsystem/bin/sh 0 2000 0755\n"
        "/system/bin/su 1 3 4750 capabilities=0x2000000040\nsystem/lib 0 0 0755\nsystem/lib/libc.so 0 0 0644\n"
        "system/lib/other 0 0 0777\nsystem/etc 0 0 0755\nsystem 0 0 0711\n")
    (tmp_path / "contexts").write_text(
        "# comment\n/system(/.*)?  u:object_r:system_file:s0\n/system/bin/su -- u:object_r:su_exec:s0\n"
        "/system/bin/s.*   u:object_r:shell_exec:s0\n/system/lib/.* -l <<none>>\n")
    (tmp_path / "more").write_text("/system/lib(64)?(/.*)? u:object_r:system_lib:s0\n/system/lib/.* -l <<none>>\n")
    done = run_tool("sload.f2fs", "-f", tmp_path / "source", "-t", "/system", "-p", tmp_path, "-C", tmp_path / "fs_config",
                    "-s", "%s,%s" % (tmp_path / "contexts", tmp_path / "more"), "-T", "1230768000", image, rc=4)
    peer_check(image)
    assert done.stderr.decode().splitlines() == [
        "sload.f2fs: /etc/new: fs_config: %s has no line for /system/etc/new" % (tmp_path / "fs_config")]
    su = run_tool("dump.f2fs", "--inode=/bin/su", image).stdout.decode()
    for line in ("4750", "i_uid = 1", "i_gid = 3", "i_mtime = 1230768000"):
        assert line in su
    labels = {"/": "system_file", "/bin": "system_file", "/bin/sh": "shell_exec", "/bin/su": "su_exec", "/lib": "system_lib",
              "/lib/libc.so": "system_lib", "/lib/other": None}
    for path, label in labels.items():
        value = attribute(run_tool, image, path, "security.selinux")
        assert value == (b"u:object_r:%s:s0\0" % label.encode() if label else None), path
    assert attribute(run_tool, image, "/bin/su", "security.capability") == struct.pack("<5I", 0x02000001, 0x40, 0, 0x20, 0)
    assert "0711" in run_tool("dump.f2fs", "--inode=/", image).stdout.decode()


def test_android_lists_make_a_round_trip(run_tool, peer_check, tmp_path, image):
    """Copying out with lists and filling in again with them gives the same volume; the host never sees owners or labels."""
    odd = "odd.name+[1]{a}^$(b)|c*\\"
    tree(tmp_path / "source", {"bin/sh": b"#!", "bin/su": b"", "lib/other": "sh", "etc/" + odd: b"", "etc/plain": b""})
    run_tool("sload.f2fs", "-f", tmp_path / "source", image)
    other = tmp_path / "other.img"
    run_tool("mkfs.f2fs", "-q", other, "64M")
    script = ["chown 0:2000 /bin/sh", "chown 1:3 /bin/su", "chmod 4750 /bin/su", "chmod 711 /", "chown -h 7:8 /lib/other"]
    script += ["setfattr %s security.selinux 0x%s" % (path, (b"u:object_r:%s:s0\0" % label).hex()) for path, label in (
        ("/", b"rootfs"), ("/bin", b"bin_dir"), ("/bin/su", b"su_exec"), ("/etc/odd*", b"odd"))]
    script.append("setfattr /bin/su security.capability 0x" + struct.pack("<5I", 0x02000001, 0x40, 0, 0x20, 0).hex())
    run_tool("f2fs", "-w", image, "-c", "\n".join(script))
    lists = [tmp_path / name for name in ("config", "contexts")]

    def copy_out(source, to):
        run_tool("dump.f2fs", "--extract=%s" % (tmp_path / to), "--keep=links,times", "--fs-config=%s" % lists[0],
                 "--file-contexts=%s" % lists[1], "--mount-point=/system/", source)
        return [sorted(path.read_text().splitlines()) for path in lists]

    config, contexts = first = copy_out(image, "out")
    assert "system 0 0 0711" in config and "system/bin/su 1 3 4750 capabilities=0x2000000040" in config, config
    assert len(config) == 9 and "/system u:object_r:rootfs:s0" in contexts and len(contexts) == 4, first
    run_tool("sload.f2fs", "-f", tmp_path / "out", "-t", "/system", "-C", lists[0], "-s", lists[1], other)
    assert run_tool("f2fs", other, "diff", "-i", "mtime,flags", image).stdout == b""
    assert copy_out(other, "again") == first
    peer_check(other)


def test_what_android_lists_cannot_say(run_tool, tmp_path, image):
    tree(tmp_path / "source", {"with blank": b"", "capable": b"", "labelled": b""})
    run_tool("sload.f2fs", "-f", tmp_path / "source", image)
    run_tool("f2fs", "-w", image, "-c", "setfattr '/with blank' security.selinux u:s0\nsetfattr /labelled security.selinux 'a b'\n"
             "setfattr /capable security.capability short")
    done = run_tool("dump.f2fs", "--tar=/dev/null", "--fs-config=-", "--file-contexts=%s" % (tmp_path / "contexts"), image, rc=4)
    said = done.stderr.decode()
    for words in ("/with blank: fs_config: a path with a blank", "/capable: fs_config: its capabilities", "/labelled: file_contexts: its label"):
        assert words in said, said
    assert sorted(line.split()[0] for line in done.stdout.decode().splitlines()) == ["0", "capable", "labelled"], done.stdout
    assert (tmp_path / "contexts").read_text() == "/with[[:space:]]blank u:s0\n"


@pytest.mark.parametrize("first, second, said", [
    ("1 1 0600", "1 1 0600", ""), ("1 1 0600", "2 2 0600", " owner 2:2"), ("1 1 0600", "1 1 0644", " mode 0644"),
    ("1 1 0600", "2 2 0644 capabilities=0x1", " owner 2:2 mode 0644 other capabilities or labels"),
    ("1 1 0600 capabilities=0x1", "1 1 0600", " other capabilities or labels"),
    ("1 1 0600 capabilities=0x1", "1 1 0600 capabilities=0x1", ""),
    ("1 1 0600 capabilities=0x1", "1 1 0600 capabilities=0x2", " other capabilities or labels"),
    ("1 1 0600 selabel=a", "1 1 0600 selabel=b", " other capabilities or labels"), ("1 1 0600", None, " mode 0644")])
@pytest.mark.parametrize("is_tar", [False, True])
def test_lists_that_say_two_things_of_one_file(run_tool, peer_check, tmp_path, image, first, second, said, is_tar):
    """The second name is named, with what differs; without a line for it a rule may differ, too."""
    source, config = tmp_path / "source", tmp_path / "fs_config"
    tree(source, {"aaa": b"1"})
    os.link(source / "aaa", source / "zzz")
    config.write_text(" 0 0 0755\naaa %s\n%s" % (first, "zzz %s\n" % (second or first)))
    if is_tar:
        subprocess.run(["tar", "-cf", tmp_path / "a.tar", "--sort=name", "-C", source, "."], check=True)
        source = tmp_path / "a.tar"
    done = run_tool("sload.f2fs", "-f", source, "-C", config, *([] if second else ["--set-mode=zzz=0644"]), image, rc=4 if said else 0)
    want = "sload.f2fs: /zzz: hard link: it is a further name of /aaa and stays as that is, 1:1 0600, though it is given%s" % said
    assert done.stderr.decode().splitlines() == ([want] if said else [])
    peer_check(image)


@pytest.mark.parametrize("kind, line, why", [
    ("-C", "a 1", "owner"), ("-C", "a 1 2 8", "octal"), ("-C", "a 1 2 755 x", "neither"), ("-C", "a 1 2 755 capabilities=x", "number"),
    ("-s", "/a", "context"), ("-s", "/a -x b", "context"), ("-s", "/a( b", "line 2")])
def test_android_lists_that_are_wrong(run_tool, sload, tmp_path, image, kind, line, why):
    (tmp_path / "source").mkdir()
    (tmp_path / "list").write_text("\n" + line + "\n")
    _, said = sload(image, "-f", tmp_path / "source", kind, tmp_path / "list", rc=8)
    assert "line 2: " in said and why in said, said


def test_deep_trees(run_tool, sload, tmp_path, image):
    path = tmp_path / "source"
    path.mkdir()
    top = os.open(path, os.O_RDONLY)
    at = os.dup(top)
    for i in range(300):
        os.mkdir("d", dir_fd=at)
        down = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(os.open("after", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        os.close(at)
        at = down
    os.close(at)
    os.close(top)
    result, said = sload(image, "-f", path)
    assert not said and result["directories"] == 300 and result["files"] == 300
    same_trees(path, path)


@pytest.mark.parametrize("form, options", [
    ("directory", ()), ("directory", ("-O", "ro")), ("directory", ("-O", FEATURES + ",quota,project_quota")),
    ("directory", ("-s", "2")), ("directory", ("-o", "5")), ("stdin", ()), ("sparse", ())])
def test_smallest_size(run_tool, tmp_path, peer_check, options, form):
    source, image, smaller = tmp_path / "source", tmp_path / "disk.img", tmp_path / "smaller.img"
    source.mkdir()
    volumes.plant(source)
    (source / "more").write_bytes(volumes.noise(9, 1 << 20) * 20)
    args, kwargs = ["--root-dir", source], {}
    if form == "stdin":
        archive = subprocess.run(["tar", "-C", str(source), "-c", "."], check=True, capture_output=True).stdout
        args, kwargs = ["--root-dir", "-"], {"input": archive}
    if form == "sparse":
        run_tool("mkfs.f2fs", "-q", *options, "-S", "auto", *args, tmp_path / "simg")
        assert run_tool("dump.f2fs", "--cat=/hello.txt", tmp_path / "simg").stdout == b"hello\n"
        assert listing(run_tool, tmp_path / "simg", tmp_path)["more"] == (source / "more").read_bytes()
        return
    image.write_bytes(bytes(200 << 20))                 # a file that is there is cut
    run_tool("mkfs.f2fs", "-q", "-f", *options, *args, image, "auto", **kwargs)
    if "ro" not in options:
        peer_check(image)
    same = listing(run_tool, image, tmp_path)
    assert same["more"] == (source / "more").read_bytes()
    size = image.stat().st_size
    assert 25 << 20 < size < 128 << 20
    step = (2 << 20) * (2 if "-s" in options else 1)
    done = run_tool("mkfs.f2fs", "-q", *options, "--root-dir", source, smaller, "%dB" % (size - step), rc=1)
    assert b"no room" in done.stderr or b"no free segment" in done.stderr or b"too small" in done.stderr


def test_size_of_contents_needs_contents(run_tool, tmp_path):
    done = run_tool("mkfs.f2fs", tmp_path / "disk.img", "auto", rc=1)
    assert b"--root-dir or --manifest is needed" in done.stderr
    done = run_tool("mkfs.f2fs", "--size=1G", tmp_path / "disk.img", "1G", rc=1)
    assert b"second size" in done.stderr


def test_sparse_files(run_tool, sload, tmp_path, image):
    source, simg, back = tmp_path / "source", tmp_path / "a.simg", tmp_path / "listing"
    source.mkdir()
    volumes.plant(source)
    tree(tmp_path / "first", {"a": b"1"})
    run_tool("mkfs.f2fs", "-q", "-S", "100M", "--root-dir", tmp_path / "first", simg)
    os.chmod(simg, 0o640)
    before = simg.read_bytes()
    done = run_tool("sload.f2fs", "-S", "-f", tmp_path / "nowhere", simg, rc=8)
    assert b"nowhere" in done.stderr and simg.read_bytes() == before
    run_tool("sload.f2fs", "-q", "-S", "-f", source, simg)
    found = listing(run_tool, simg, tmp_path)
    assert found.pop("a") == b"1"
    os.unlink(back / "a")
    same_trees(source, back)
    assert simg.stat().st_size < 20 << 20 and stat.S_IMODE(simg.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == sorted(["a.simg", "disk.img", "first", "listing", "source"])
    done = run_tool("sload.f2fs", "-S", "-f", source, image, rc=8)
    assert b"sparse" in done.stderr


def test_same_source_same_bytes(run_tool, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    volumes.plant(source)
    fixed = ["-r", "-U", "01234567-89ab-cdef-0123-456789abcdef", "-R", "0:0"]
    subprocess.run(["tar", "-C", str(source), "--sort=name", "-cf", str(tmp_path / "a.tar"), "."], check=True)
    env = dict(os.environ, SOURCE_DATE_EPOCH="1700000000")
    for origin in (source, tmp_path / "a.tar"):
        images = []
        for locale in ("C", "C.UTF-8"):
            run_tool("mkfs.f2fs", "-q", "-f", *fixed, "--root-dir", origin, tmp_path / "i", "100M", env=dict(env, LC_ALL=locale))
            images.append((tmp_path / "i").read_bytes())
        assert images[0] == images[1]


def test_a_volume_without_room_says_what_size_has_it(run_tool, sload, tmp_path, image):
    """The size in the message is enough, and not far more than enough. A stream can be read only once, so there is no such
    message."""
    tree(tmp_path / "t", {"large": os.urandom(70 << 20), "dir/small": b"x"})
    _, said = sload(image, "-f", tmp_path / "t", rc=8)
    size = int(re.search(r"a new volume needs (\d+) MiB to hold it", said)[1])
    made = run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", tmp_path / "t", tmp_path / "small.img", "64M", rc=1)
    assert "a new volume needs %d MiB" % size in made.stderr.decode()
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", tmp_path / "t", tmp_path / "fits.img", "%dM" % size)
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, "--root-dir", tmp_path / "t", tmp_path / "less.img", "%dM" % (size - 4), rc=1)
    subprocess.run(["tar", "cf", tmp_path / "t.tar", "-C", tmp_path / "t", "."], check=True)
    _, said = sload(image, "-f", tmp_path / "t.tar", rc=8)
    assert "a new volume needs %d MiB" % size in said
    with open(tmp_path / "t.tar", "rb") as stream:
        done = run_tool("sload.f2fs", "-f", "-", image, rc=8, stdin=stream)
    assert b"no room" in done.stderr and b"a new volume needs" not in done.stderr
