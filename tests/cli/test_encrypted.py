# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs with --key: encrypted directories are made, filled, listed and copied out; keys from files of all kinds."""
import pytest

KEY = bytes((5 + 11 * i) & 255 for i in range(64))
IDENTIFIER = "a525b310d975604e26c761134e6c35d1"    # of the key 3, 10, 17, ...


@pytest.fixture
def image(run_tool, tmp_path, peer_check):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "encrypt,extra_attr", path, "64M")
    yield path
    peer_check(path)


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "the.key"
    path.write_bytes(KEY)
    return path


def test_made_filled_and_copied_out(run_tool, image, key, tmp_path):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "plain name").write_bytes(b"secret contents\n" * 1000)
    (source / "link").symlink_to("sub/plain name")
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/a", "/b", "--", "encrypt", "/a", "--", "encrypt", "-1", "-c",
             "adiantum", "-p", "16", "/b", "--", "put", source / "sub" / "plain name", "/b/file")
    run_tool("sload.f2fs", "--key", key, "-q", "-f", source, "--into=/a", image)
    for words in (("dump.f2fs", "--key", key, "--tree=/", image), ("f2fs", "--key", key, image, "find")):
        shown = run_tool(*words).stdout
        assert b"plain name" in shown and b"link" in shown
    assert run_tool("dump.f2fs", "--key", key, "--cat", "/a/link", image).stdout == b"secret contents\n" * 1000
    assert run_tool("f2fs", "--key", key, image, "cat", "/b/file").stdout == b"secret contents\n" * 1000
    run_tool("dump.f2fs", "--key", key, "--extract=" + str(tmp_path / "out"), image)
    assert (tmp_path / "out" / "a" / "sub" / "plain name").read_bytes() == b"secret contents\n" * 1000
    raw = image.read_bytes()
    assert b"secret" not in raw and b"plain name" not in raw
    assert b"plain name" not in run_tool("dump.f2fs", "--tree=/", image).stdout
    run_tool("f2fs", "-w", image, "touch", "/a/new", rc=4)


def test_names_in_clear_without_the_key(run_tool, image, key, tmp_path):
    """All that takes a path says that a key is needed, and finds names as they are listed."""
    (tmp_path / "file").write_bytes(b"secret contents\n" * 1000)
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/a", "--", "encrypt", "/a", "--", "mkdir", "/a/sub", "--", "put",
             tmp_path / "file", "/a/sub/plain name")
    path, out = "/a/sub/plain name", tmp_path / "out"
    needed = b'cannot look for "sub": names of inode'
    commands = [("f2fs", image, *words.split(), path) for words in (
        "stat", "cat", "ls", "find", "readlink", "getfattr", "lsattr", "du")]
    commands += [("f2fs", image, "get", path, out), ("f2fs", image, "cat", "/a/sub/*"), ("defrag.f2fs", image, path)]
    commands += [("f2fs", "-w", image, *words.split(), path) for words in (
        "rm", "touch", "mkdir -p", "chmod 600", "rmdir", "chown 1", "pin")]
    commands += [("f2fs", "-w", image, "mv", path, "/b"), ("f2fs", "-w", image, "ln", path, "/b")]
    commands += [("dump.f2fs", f"--{view}={path}", image) for view in (
        "ls", "inode", "tree", "cat", "map", "versions", "xattr", "verity", "fragmentation")]
    commands += [("dump.f2fs", f"--extract={out}", image, path), ("sload.f2fs", "-q", "-f", tmp_path, f"--into={path}", image)]
    for command in commands:
        done = run_tool(*command, rc=None)
        print(*command, done.returncode, done.stderr)
        assert needed in done.stderr, command
    done = run_tool("f2fs", image, "field", 'dentry[4]["sub"].ino', rc=None)
    assert b"encrypted: its entries go by their slots" in done.stderr
    done = run_tool("f2fs", image, "diff", tmp_path, rc=1)          # nothing of /a is in the other
    (tmp_path / "a" / "sub").mkdir(parents=True)
    assert b"! /a/sub: cannot look" in run_tool("f2fs", image, "diff", tmp_path, rc=2).stdout
    lines = run_tool("f2fs", image, "find", "/a").stdout.decode().split()
    deepest = max(lines, key=len)
    assert deepest.count("/") == 3 and run_tool("f2fs", image, "stat", deepest).stdout
    done = run_tool("f2fs", image, "cat", deepest, rc=4)
    assert b"contents of inode" in done.stderr and b"no key is at hand" in done.stderr
    for words in ((f"--cat={deepest}", image), ("--hashes", image), (f"--extract={out}", image, deepest)):
        assert b"no key is at hand" in run_tool("dump.f2fs", *words, rc=4).stderr


@pytest.mark.parametrize("form", ["raw", "hex", "HEX and line", "directory", "identifier"])
def test_forms_of_keys(run_tool, image, key, tmp_path, form):
    known = bytes((3 + 7 * i) & 255 for i in range(64))
    path = tmp_path / "k"
    if form in ("directory", "identifier"):
        path.mkdir()
        (path / "other").write_bytes(KEY[:32])
        (path / (IDENTIFIER + ".key" if form == "identifier" else "some")).write_bytes(known)
    else:
        path.write_bytes({"raw": known, "hex": known.hex().encode()}.get(form, known.hex().upper().encode() + b"\n"))
    run_tool("f2fs", "-w", "--key", path, image, "mkdir", "/a", "--", "encrypt", "-k", IDENTIFIER, "/a", "--", "touch",
             "/a/file")
    assert b"file" in run_tool("f2fs", "--key", path, image, "ls", "/a").stdout


def test_wrong_keys_are_named(run_tool, image, key, tmp_path):
    wrong = tmp_path / IDENTIFIER
    wrong.write_bytes(KEY)
    assert b"not the one of this identifier" in run_tool("f2fs", "--key", wrong, image, "ls", rc=1).stderr
    short = tmp_path / "short"
    short.write_bytes(b"short")
    assert b"16 to 64 bytes" in run_tool("f2fs", "--key", short, image, "ls", rc=1).stderr
    assert b"cannot read the key" in run_tool("f2fs", "--key", tmp_path / "gone", image, "ls", rc=1).stderr
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/a", "--", "encrypt", "/a", "--", "touch", "/a/file")
    other = tmp_path / "other"
    other.write_bytes(KEY[1:])
    done = run_tool("f2fs", "-w", "--key", other, image, "touch", "/a/more", rc=4)
    assert b"none of the keys at hand (1) is the one" in done.stderr
    done = run_tool("f2fs", "-w", "--key", key, image, "encrypt", "/a", rc=None)
    assert b"encrypted already" in done.stderr
    for words in (("-c", "rot13"), ("-c", "pad-4", "-p", "8"), ("-p", "4", "-c", "adiantum,pad-32"), ("-1", "-c", "v2,pad-8")):
        run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/b", "--", "encrypt", *words, "/b", rc=16)
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/b", "--", "encrypt", "-1", "-c", "v1,pad-8", "-p", "8", "/b")


def test_deleted_files_come_back(run_tool, image, key, tmp_path):
    """With the key: names and contents in clear on the host, and encrypted as they were within the image."""
    (tmp_path / "file").write_bytes(b"secret contents\n" * 1000)
    put = ("put", tmp_path / "file", "/a/sub/plain name")
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/a", "/b", "--", "encrypt", "/a", "--", "encrypt", "-1", "/b", "--", "mkdir",
             "/a/sub", "--", *put, "--", "ln", "/a/sub/plain name", "/a/sub/other name", "--", "put", tmp_path / "file", "/b/kept dir")
    run_tool("f2fs", "-w", "--key", key, image, "rm", "-r", "/a", "/b/kept dir")
    shown = run_tool("dump.f2fs", "--deleted", image).stdout
    assert b"plain name" not in shown
    shown = run_tool("dump.f2fs", "--key", key, "--deleted", image).stdout
    assert (b"/a/sub/plain name" in shown or b"/a/sub/other name" in shown) and b"/b/kept dir" in shown
    run_tool("dump.f2fs", "--undelete=all", f"--to={tmp_path / 'no key'}", image, rc=4)
    run_tool("f2fs", "-w", image, "undelete", "all", rc=4)
    assert not [path for path in (tmp_path / "no key").rglob("*") if path.is_file()]
    run_tool("dump.f2fs", "--key", key, "--undelete=all", f"--to={tmp_path / 'out'}", image)
    for name in ("a/sub/plain name", "a/sub/other name", "b/kept dir"):
        assert (tmp_path / "out" / name).read_bytes() == b"secret contents\n" * 1000
    run_tool("f2fs", "-w", "--key", key, image, "undelete", "all")
    for name in ("/a/sub/plain name", "/a/sub/other name", "/b/kept dir"):
        assert run_tool("f2fs", "--key", key, image, "cat", name).stdout == b"secret contents\n" * 1000
    raw = image.read_bytes()
    assert b"secret" not in raw and b"plain name" not in raw


def test_made_with_contents(run_tool, tmp_path, key, peer_check):
    """mkfs.f2fs fills a directory that is encrypted from the start."""
    image, source = tmp_path / "new.img", tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "plain name").write_bytes(b"secret contents\n" * 1000)
    fill = ("mkfs.f2fs", "-q", "-f", f"--root-dir={source}")
    run_tool(*fill, "-O", "encrypt,extra_attr", "--key", key, "--encrypt=private", image, "64M")
    assert run_tool("dump.f2fs", "--key", key, "--cat=/private/sub/plain name", image).stdout == b"secret contents\n" * 1000
    raw = image.read_bytes()
    assert b"secret" not in raw and b"plain name" not in raw and b"private" in raw
    peer_check(image)
    for wrong in (("-O", "encrypt", "--key", key), ("-O", "encrypt", "--encrypt=private"), ("--key", key, "--encrypt=private"),
                  ("-O", "encrypt", "--key", key, "--encrypt=a/b")):
        run_tool(*fill, *wrong, image, "64M", rc=1)


@pytest.mark.parametrize("words,version,ciphers,flags", [
    ("adiantum,direct-key,pad-16", 2, (9, 9), 6), ("v1,aes-128,pad-4", 1, (5, 6), 0), ("ino-lblk-64", 2, (1, 4), 11),
    ("ino-lblk-32,aes-256-hctr2,pad-8", 2, (1, 10), 17), ("unit-512", 2, (1, 4), 3)])
def test_policies_by_words(run_tool, tmp_path, key, peer_check, f2fskit, words, version, ciphers, flags):
    """What mkfs.f2fs makes of --policy; the smallest volume holds it; f2fs encrypt -c takes the same words."""
    image, source = tmp_path / "new.img", tmp_path / "source"
    source.mkdir()
    for i in range(120):
        (source / f"file {i} with a name").write_bytes(b"secret contents\n" * 300)
    run_tool("mkfs.f2fs", "-q", "-f", f"--root-dir={source}", "-O", "encrypt,extra_attr", "--key", key, "--encrypt=private",
             f"--policy={words}", image, "auto")
    assert image.stat().st_size < 64 << 20
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/second", "--", "encrypt", "-c", words, "/second")
    peer_check(image)
    with f2fskit.open(image) as volume:
        volume.add_key(KEY)
        assert volume.path("/private/file 7 with a name").read_bytes() == b"secret contents\n" * 300
        for top in ("/private", "/second"):
            context, = [value for name, value in volume.lookup(top).xattrs.internal.items() if name.endswith("c")]
            assert list(context[:4]) == [version, *ciphers, flags]


def test_policies_that_cannot_be(run_tool, tmp_path, key):
    image, source = tmp_path / "new.img", tmp_path / "source"
    source.mkdir()
    made = ("mkfs.f2fs", "-q", "-f", f"--root-dir={source}", "-O", "encrypt,extra_attr", "--key", key)
    for words in ("", "aes-256,", "rot13", "pad-5", "v3", "adiantum,aes-256", "pad-4,v2,pad-8", "v1,v2", "unit-512,unit-1024"):
        run_tool(*made, "--encrypt=private", f"--policy={words}", image, "64M", rc=1)
    for words in ("v1,ino-lblk-64", "direct-key,ino-lblk-64", "direct-key", "v1,unit-512"):    # no kernel takes these
        assert b"no kernel takes" in run_tool(*made, "--encrypt=private", f"--policy={words}", image, "64M", rc=1).stderr
        assert b"no kernel takes" in run_tool(*made, "--encrypt=private", f"--policy={words}", image, "auto", rc=1).stderr
    assert not image.exists()
    run_tool(*made[:-2], "--policy=adiantum", image, "64M", rc=1)


def test_without_a_key_encrypt_says_what_it_takes(run_tool, image, key):
    done = run_tool("f2fs", "-w", image, "mkdir", "/a", "--", "encrypt", "/a", rc=4)
    assert b"encrypt: needs the key for the directory: f2fs --key=FILE" in done.stderr
    done = run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/a", "--", "encrypt", "-k", "0" * 32, "/a", rc=4)
    assert b"-k names none of the keys that were given with --key" in done.stderr


def test_passphrases(run_tool, f2fskit, image, tmp_path):
    """A file has a passphrase and, in a second line, a salt. A line too many, and a salt of no known form, are refused."""
    with f2fskit.open(image, "r+") as volume:
        top = volume.path("/secret")
        top.mkdir()
        top.inode().encrypt(volume.add_passphrase(b"correct horse", b"salt"), version=1)
        (top / "file").write_bytes(b"secret contents\n")
    phrase = tmp_path / "phrase"

    def cat(text, rc=0):
        phrase.write_bytes(text)
        return run_tool("f2fs", "--passphrase", phrase, image, "cat", "/secret/file", rc=rc)
    for text in (b"correct horse\ns:salt", b"correct horse\n0x73616c74\n", b"correct horse\n73616c74-0000-0000-0000-000000000000\n"):
        assert cat(text).stdout == b"secret contents\n"
    for text in (b"correct horse\n", b"correct horse"):
        assert b"the volume has no salt" in cat(text, rc=1).stderr
    for text in (b"correct horse\nsalt", b"correct horse\n0x7361\n0x7361\n", b"correct horse\n0x7\n", b"correct horse\ns:salt\0more"):
        assert b"phrase: " in cat(text, rc=1).stderr
    assert b"at most 1023 bytes" in cat(b"x" * 1024 + b"\ns:salt", rc=1).stderr
    assert b"no passphrase" not in cat(b"\ns:", rc=4).stderr          # it may be empty
    assert b"cannot read" in run_tool("f2fs", "--passphrase", tmp_path / "gone", image, "cat", "/secret/file", rc=1).stderr
