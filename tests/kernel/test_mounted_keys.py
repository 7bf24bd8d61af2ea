# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fscrypt on mounted volumes: the lines and statuses of f2fs-tools 1.15, the same keys, and directories that are read offline with
the same passphrase. Both programs run the same rows, each on a volume of its own."""
import json
import os
import re

import pytest

import uml

HERE = os.path.dirname(os.path.abspath(__file__))
JOB = ("mkdir -p /run/a /run/b; for d in a b; do mount /dev/ubd$d /run/$d; mkdir /run/$d/1 /run/$d/2 /run/$d/3; echo full >/run/$d/full; done; "
       "python3 %s %s /run/a %s /run/b '%s'; status=$?; umount /run/a /run/b; exit $status")
PHRASE = "correct horse\n"
ASKED = r"Enter passphrase \(echo disabled\): \n"
SAME = "same"   # as f2fs-tools 1.15, but for descriptors of volumes, and whether the other program has added the key
FAIL = "fail"   # f2fs-tools end with status 0, or write the error to the standard output
# (words with the input before a bar, SAME, FAIL or a pattern of all that our program prints, exit status)
ROWS = [
    (["f2fscrypt", "get_policy", "1"], FAIL, 1),
    (["f2fscrypt", "get_policy", "gone"], FAIL, 1),
    (["f2fscrypt", "get_policy"], SAME, 1),
    (["f2fscrypt", "unknown"], FAIL, 1),
    (["|f2fscrypt", "add_key", "-S", "s:salt"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "salt"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "0x1"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-x"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "s:salt", "-k", "@none"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "s:salt", "full"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "s:salt", "gone"], SAME, 1),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "s:salt"], SAME, 0),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "s:salt"], SAME, 0),
    ([PHRASE + "|f2fscrypt", "add_key", "-q", "-S", "s:salt"], SAME, 0),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "0x00ff10", "-S", "01234567-89ab-cdef-0123-456789abcdef", "-k", "@u"], SAME, 0),
    ([PHRASE.strip() + "|f2fscrypt", "add_key", "-S", "s:"], SAME, 0),
    ([PHRASE + "|f2fscrypt", "add_key", "-v", "-S", "f:.", "-p", "16", "1"], SAME, 0),
    (["f2fscrypt", "get_policy", "1"], SAME, 0),
    ([PHRASE + "|f2fscrypt", "add_key", "-S", "f:.", "-p", "5", "1"], SAME, 1),
    (["f2fscrypt", "set_policy", "-p", "32", "0123456789abcdef", "2", "3"], SAME, 0),
    (["f2fscrypt", "set_policy", "0123456789abcdef", "2"], FAIL, 1),    # other padding
    (["f2fscrypt", "set_policy", "-p", "32", "0123456789abcdef", "2"], SAME, 0),
    (["f2fscrypt", "set_policy", "0123456789abcdef"], SAME, 1),
    (["f2fscrypt", "set_policy", "0123456789ABCDEF", "3"], SAME, 1),
    (["f2fscrypt", "set_policy", "-p", "5", "0123456789abcdef", "3"], SAME, 1),
    (["f2fscrypt", "set_policy", "0123456789abcdef", "full"], SAME, 1),
    (["f2fscrypt", "get_policy", "2", "3"], SAME, 0),
    (["f2fscrypt", "new_session", "excess"], SAME, 1),
    (["f2fscrypt", "new_session"], SAME, 0),
]
WRITE = ["/bin/sh", "-c", "mkdir 1/sub && echo 'secret contents' >'1/sub/plain name' && sync"]
MASKS = [(r"Added key with descriptor (\[\w+\])|Key with descriptor (\[\w+\]) already exists", r"key \1\2"), (r"keyring \d+", "keyring N")]
OF_VOLUME = [(r"\[\w+\]", "[D]"), (r"(?m)^1: \w{16}$", "1: D"), (r"salt [\w-]{36}", "salt S")]


def masked(text, masks):
    for pattern, to in masks:
        text = re.sub(pattern, to, text)
    return text


@pytest.fixture(scope="module")
def done(kernel, build_dir, run_tool, tmp_path_factory):
    """The two images, and the answers of both programs."""
    if "encryption" not in kernel.features:
        pytest.skip("this kernel has no encryption")
    if not os.path.exists(os.path.join(build_dir, "mounted", "f2fscrypt")):
        pytest.skip("built without programs for mounted volumes")
    folder = tmp_path_factory.mktemp("f2fscrypt")
    images = [folder / "ours.img", folder / "peers.img"]
    for image in images:
        run_tool("mkfs.f2fs", "-q", "-O", "encrypt", image, "64M")
    rows = [row[0] for row in ROWS]
    rows.insert(17, WRITE)
    (folder / "rows.json").write_text(json.dumps(rows))
    peer = "/usr/sbin" if os.path.exists("/usr/sbin/f2fscrypt") else ""
    job = JOB % (os.path.join(HERE, "guest", "commands_twice.py"), folder / "rows.json", os.path.join(build_dir, "mounted"), peer)
    guest = uml.run(job, images=[str(image) for image in images], kernel=kernel)
    guest.check(problems=["setting deprecated v1 encryption policy"])
    answers = json.loads(guest.stdout)
    written = answers.pop(17)
    assert all(answer is None or answer[0] == 0 for answer in written), written
    return images, answers, peer


@pytest.mark.parametrize("number", range(len(ROWS)), ids=["%d-%s" % (i, "-".join(row[0][1:3])) for i, row in enumerate(ROWS)])
def test_row(done, number):
    words, expected, status = ROWS[number]
    (rc, out, err), peers = done[1][number]
    assert rc == status, (out, err)
    assert bool(err) == bool(status) and err.startswith("f2fscrypt: " if status else ""), err
    if peers and expected is SAME:
        masks = MASKS + (OF_VOLUME if "1" in words else [])
        assert rc == peers[0] and (status or masked(out, masks) == masked(peers[1], masks)), peers
    if peers and expected is FAIL:
        assert peers[0] == 0, "f2fs-tools have changed"


def test_messages_name_path_and_cause(done):
    said = [answer[0][2] for answer in done[1]]
    assert said[0] == "f2fscrypt: get_policy 1: FS_IOC_GET_ENCRYPTION_POLICY failed: No data available\n"
    assert said[9] == "f2fscrypt: add_key: 'full' is not a directory (f2fscrypt help add_key explains)\n"
    assert said[20].startswith("f2fscrypt: set_policy 2: FS_IOC_SET_ENCRYPTION_POLICY failed: File exists")


@pytest.mark.parametrize("which", ["ours", "peers"])
def test_read_offline(done, run_tool, f2fskit, tmp_path, which):
    """The salt is that of the volume, and the passphrase is all that is needed. A wrong one shows nothing."""
    images, _, peer = done
    if which == "peers" and not peer:
        pytest.skip("f2fs-tools have no f2fscrypt here")
    image = images[["ours", "peers"].index(which)]
    (tmp_path / "phrase").write_text(PHRASE)
    (tmp_path / "wrong").write_text("incorrect horse\n")
    shown = run_tool("f2fs", "--passphrase", tmp_path / "phrase", image, "cat", "/1/sub/plain name").stdout
    assert shown == b"secret contents\n" and shown not in image.read_bytes()
    assert b"none of the keys at hand (1) is the one" in run_tool("f2fs", "--passphrase", tmp_path / "wrong", image, "cat", "/1/sub/plain name", rc=None).stderr
    with f2fskit.open(image) as volume:
        salt = volume.superblock.encrypt_pw_salt
        volume.add_passphrase(PHRASE.strip(), salt)
        assert volume.path("/1/sub/plain name").read_bytes() == shown
    (tmp_path / "phrase").write_text(PHRASE + "0x%s\n" % salt.hex())
    assert run_tool("f2fs", "--passphrase", tmp_path / "phrase", image, "cat", "/1/sub/plain name").stdout == shown
    (tmp_path / "phrase").write_text(PHRASE + "s:other\n")
    run_tool("f2fs", "--passphrase", tmp_path / "phrase", image, "cat", "/1/sub/plain name", rc=4)
