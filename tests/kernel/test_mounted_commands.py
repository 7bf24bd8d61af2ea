# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fs_io on mounted volumes: the lines and statuses of f2fs-tools 1.15 for the commands that it has, and those of newer versions
for the others. Both programs run the same rows, each on a volume of its own."""
import json
import os
import re

import pytest

import uml

HERE = os.path.dirname(os.path.abspath(__file__))
JOB = ("mkdir -p /run/a /run/b; for d in a b; do mount -o compress_mode=user,compress_extension=none /dev/ubd$d /run/$d; done; "
       "python3 %s %s /run/a %s /run/b '%s'; status=$?; umount /run/a /run/b; exit $status")
FIBMAP = [["fibmap.f2fs", "f"], ["fibmap.f2fs", "sparse"], ["fibmap.f2fs", "."], ["fibmap.f2fs", "gone"]]
STAT = ["f2fstat", "-c", "1", "--json", "-p", "ubda"]   # the peer has no -c, and prints nothing
SAME = "same"  # as f2fs-tools 1.15
# (words, SAME or a pattern of all that our program prints, exit status)
ROWS = [
    ("write 2 1 3 inc_num buffered f", SAME, 0),
    ("write 1 0 1 zero dio f", SAME, 0),
    ("write 1 0 1 zero osync f", SAME, 0),
    ("write 1 0 2 inc_num atomic_commit old", "Written 8192 bytes with pattern = inc_num, .*\n", 0),
    ("fsync f", r"fsync total_time = \d+ us\n", 0),
    ("fdatasync f", "fdatasync a file\n", 0),
    ("read 2 2 1 buffered 20 f", "Read 8192 bytes .* print 20 bytes:\n00004000 : 0100 0000 (0000 ){5}0000\n00004010 : 0000 0000 \n", 0),
    ("read 1 4 1 dio 4 f", "Read 4096 bytes .*\n00004000 : 0100 0000 \n", 0),
    ("read 1 4 1 mmap 4 f", "Read 4096 bytes .*\n00004000 : 0100 0000 \n", 0),
    ("read 2 3 9 buffered 0 f", "pread expected: 8192, readed: 0\nRead 8192 bytes .*\n00006000 : \n", 0),
    ("read 1 2 1 mlock 0 4 f", "Read 4096 bytes .* print 4 bytes:\n00002000 : 0000 0000 \n", 0),
    ("read 1 2 99 madvise 1 4 f", "fadvise SEQUENTIAL.WILLNEED to a file: f\nRead 24576 bytes .*\n00002000 : 0000 0000 \n", 0),
    ("read 1 99 1 fadvise 0 4 f", "Read 0 bytes .* print 0 bytes:\n00063000 : \n", 0),
    ("write 1 0 1 zero osync one", SAME, 0),
    ("fiemap 0 8 one", SAME, 0),    # one block is one extent, however Linux writes back
    ("copy f g", SAME, 0),
    ("copy -d f g", SAME, 0),
    ("copy -m f g", SAME, 0),
    ("copy -s f g", SAME, 0),
    ("copy -x f g", "", 2),
    ("fallocate 1 0 65536 g", SAME, 0),
    ("fallocate 0 0 65536 g", SAME, 0),
    ("fallocate -p 1 4096 8192 g", r"fallocated a file: i_size=65536, i_blocks=\d+\n", 0),
    ("lseek hole 0 g", "returned offset=4096\n", 0),
    ("lseek data 4096 g", "returned offset=12288\n", 0),
    ("ftruncate 8192 g", "", 0),
    ("lseek end 0 g", "returned offset=8192\n", 0),
    ("fadvise dontneed 0 4096 f", "fadvice dontneed to a file: f\n", 0),
    ("rename g h 1", SAME, 0),
    ("defrag_file 0 8192 f", SAME, 0),
    ("defrag_file 0 8192 no", "", 1),
    ("defrag_file h", r"defrag h in region\[0, 8192\]\n", 0),
    ("write 1 3 2 inc_num buffered sparse", SAME, 0),
    ("getflags f", SAME, 0),
    ("write 1 0 0 zero buffered small", SAME, 0),
    ("setflags compression small", SAME, 0),
    ("getflags small", SAME, 0),
    ("set_coption 1 3 small", SAME, 0),
    ("get_coption small", SAME, 0),
    ("write 1 0 64 inc_num buffered small", SAME, 0),
    ("compress small", SAME, 0),
    ("get_cblocks small", SAME, 0),
    ("release_cblocks small", SAME, 0),
    ("reserve_cblocks small", SAME, 0),
    ("decompress small", SAME, 0),
    ("get_cblocks f", SAME, 1),
    ("write 1 0 0 zero buffered plain", SAME, 0),
    ("setflags nocompression plain", SAME, 0),
    ("clearflags nocompression plain", r"get a flag on nocompression ret=0, flags=\w+\nclear a flag on plain ret=0, .*\n", 0),
    ("setflags upper plain", "", 1),
    ("setflags casefold f", "get a flag on casefold ret=0, flags=\\w+\n", 1),
    ("write 1 0 0 zero buffered pin", SAME, 0),
    ("pinfile set pin", "set pinfile: 0 blocks moved in pin\n", 0),
    ("pinfile get pin", SAME, 0),
    ("pinfile unset pin", "unset pinfile in pin\n", 0),
    ("pinfile get pin", "get_pin_file: un-pinned with 0 blocks moved in pin\n", 0),
    ("pinfile set pin 4194304", "set pinfile: 0 blocks moved and fallocate 4194304 bytes in pin\n", 0),
    ("setxattr user.a one f", "setxattr f CREATE: name: user.a, value: one: ret=0\n", 0),
    ("setxattr user.a two f", "setxattr f CREATE: .* ret=-1\nsetxattr f REPLACE: name: user.a, value: two: ret=0\n", 0),
    ("listxattr f", "user.a: two\n", 0),
    ("removexattr user.a f", "removexattr user.a REMOVE: name: f: ret=0\n", 0),
    ("removexattr user.a f", "", 1),
    ("listxattr f", "f has no attributes.\n", 0),
    ("setxattr system.advise 1 h", "setxattr h CREATE: .*\n(setxattr h REPLACE: .*\n)?", 0),
    ("get_advise h", "i_advise=0x11, advise_type: cold keep_size \n", 0),
    ("move_range f moved 0 0 4096", "move range ret=0\n", 0),
    ("precache_extents f", "trigger precache extents ret=0\n", 0),
    ("checkpoint .", "trigger filesystem checkpoint ret=0\n", 0),
    ("gc_range 1 4294967295 1 h", "", 1),
    ("set_verity h", "Set fsverity bit to h\n", 0),
    ("getflags h", SAME, 0),
    ("get_filename_encrypt_mode f", SAME, 1),
    ("write 1 -4 2 rand buffered dice", "Written 8192 bytes with pattern = rand, .*\n", 0),
    ("lseek end 0 dice", "returned offset=(4096|8192|12288|16384)\n", 0),
    ("write_advice 1 0 1 zero buffered cold chilled", "Written 4096 bytes with pattern = zero, .*\n", 0),
    ("get_advise chilled", r"i_advise=0x1, advise_type: cold \n", 0),
    ("write_advice 1 1 1 zero atomic_commit hot warmed 1", "Written 4096 bytes with pattern = zero, .*\n", 0),
    ("get_advise warmed", r"i_advise=0x20, advise_type: hot \n", 0),
    ("write_advice 1 0 1 zero buffered warm chilled", "", 1),
    ("setxattr user.fadvise 1 chilled", "setxattr chilled CREATE: .* value: 1: ret=0\n", 0),
    ("get_fadvise chilled", "fadvise=0x1, advise_type: largefolio\n", 0),
    ("get_fadvise f", "", 1),
    ("read 1 4 1 dontcache 4 f", "Read 4096 bytes .*\n00004000 : 0100 0000 \n|", None),    # by the kernel's version
    ("randread 2 9 buffered 1 f", r"fadvise RANDOM.WILLNEED to a file: f\nRead 73728 bytes total_time = \d+ us, avg. latency = .* MB/s\n", 0),
    ("randread 1 9 dio 0 f", r"Read 36864 bytes .* IOPs= \d+, BW = .*\n", 0),
    ("randread 1 9 mmap 0 f", "Read 36864 bytes .*\n", 0),
    ("randread 9 9 buffered 0 f", "", 1),       # larger than the file
    ("fragread 2 1 2 1 f", r"Touched allocated memory: count = 2\n - allocated memory: =  \w+ \w+\nfadvise SEQUENTIAL.WILLNEED to a file: f\n"
     r"Fragmented_Read 16384 bytes .* MB/s\n\n", 0),
    ("fragread 2 2 9 0 f", "Touched .*\n.*\npread expected: 8192, readed: 0\nFragmented_Read 16384 bytes .*\n\n", 0),
    ("fragread 262144 0 1 0 f", "", 1),         # memory
    ("test_create_perf -s -S . 5 8", r"Starting test: Creating 5 files of 8KB each in . \(fsync: Enabled\)\n"
     r"Deleting 5 created files \(sync: Enabled\)\nOperation,total_files,file_size_kb,total_time_s,throughput_files_per_sec\n"
     r"CREATE,5,8,\d.*\nDELETE,5,8,\d.*\n", 0),
    ("test_lookup_perf . 5", "Measure readdir performance\nMeasure stat performance\n", 1),     # all are gone
    ("test_create_perf no 5 8", "Starting test: .*\nDeleting 0 created files .*\n", 1),
    ("test_lookup_perf -i . 5", "Starting test: Creating 5 files in .\n", 0),
    ("test_lookup_perf . 6", "Measure readdir performance\nMeasure stat performance\n", 1),
    ("test_lookup_perf -v . 5", r"Measure readdir performance\ninode    file type  d_reclen  d_off    d_name\n(.*\n)*\d+ +regular .* test_file_4\n(.*\n)*"
     r"Measure stat performance\nOperation: .*\nreaddir: 5, .*\nstat: 5, .*\n", 0),
    ("test_lookup_perf -x . 5", "", 2),
    ("freeze .", "freeze filesystem ret=0\n", 0),
    ("thaw .", "thaw filesystem ret=0\n", 0),
    ("gc_urgent none start", "", 1),
    ("getflags no", SAME, 1),
    ("shutdown 9 .", SAME, 1),
    ("shutdown 0 .", SAME, 0),
]
# What differs between versions, or between two runs.
MASKS = [(r"\d+ us", "N us"), (r" ?= ?", "="), (r"(?m)^(\d+\t\w{16}) \w{16} ", r"\1 ADDRESS ")]
NOT_IN_PEER = {"getflags h"}    # the peer's volume has no verity file: 1.15 makes none


def masked(text):
    for pattern, to in MASKS:
        text = re.sub(pattern, to, text)
    return text


@pytest.fixture(scope="module")
def answers(kernel, build_dir, run_tool, tmp_path_factory):
    if not {"compression", "verity"} <= set(kernel.features):
        pytest.skip("this kernel has no compression or no verity")
    folder = tmp_path_factory.mktemp("f2fs_io")
    program = os.path.join(build_dir, "mounted", "f2fs_io")
    if not os.path.exists(program):
        pytest.skip("built without programs for mounted volumes")
    images = [folder / "ours.img", folder / "peers.img"]
    for image in images:
        run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression,verity", image, "128M")
    (folder / "rows.json").write_text(json.dumps([["f2fs_io", *row[0].split()] for row in ROWS[:-1]] + FIBMAP + [STAT] + [["f2fs_io", *ROWS[-1][0].split()]]))
    peer = "/usr/sbin" if os.path.exists("/usr/sbin/f2fs_io") else ""
    job = JOB % (os.path.join(HERE, "guest", "commands_twice.py"), folder / "rows.json", os.path.dirname(program), peer)
    done = uml.run(job, images=[str(image) for image in images], kernel=kernel)
    done.check(problems=["Stopped filesystem due to reason: 0"])
    answers = json.loads(done.stdout)
    return answers[:len(ROWS) - 1] + answers[-1:] + answers[len(ROWS) - 1:-1]     # the last row stops the volumes


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row[0].replace(" ", "-") for row in ROWS])
def test_row(answers, number):
    words, expected, status = ROWS[number]
    (rc, out, err), peers = answers[number]
    if status is None:
        status = 1 if err.endswith("read failed: Operation not supported\n") else 0
        assert bool(out) == (not status), (out, err)
    assert rc == status, (out, err)
    assert bool(err) == bool(status) and err.startswith("f2fs_io: " if status else ""), err
    if expected is not SAME:
        assert re.fullmatch(expected, out), out
    elif peers and words not in NOT_IN_PEER:
        assert rc == peers[0] and (status or masked(out) == masked(peers[1])), peers


def test_fibmap(answers):
    """All lines of f2fs-tools but the device's, which that one finds only with udev, and what the two files have of their own."""
    whole, sparse, folder, gone = answers[len(ROWS):-1]
    own = r"(?m)^(dev|ino|mode|blocks) .*\n|^ *\d+ +\d+ +\d+ +\d+\n"
    for ours, peers in (whole, sparse):
        rows = ours[1].partition("file info")[2]
        assert ours[0] == 0 and "devname = ubda\nstart_lba = 0\n" in ours[1]
        if peers:
            theirs = peers[1].partition("file info")[2]
            assert re.sub(own, "", rows) == re.sub(own, "", theirs)
    assert re.search(r"blks\n +0 +0 +0 +3\n +12288 +(\d+) +\d+ +2\n$", sparse[0][1]), sparse[0][1]
    assert folder[0] == [1, "", "fibmap.f2fs: .: not a regular file\n"]
    assert gone[0] == [1, "", "fibmap.f2fs: gone: open: No such file or directory\n"]


def test_f2fstat(answers):
    """The kernel's status has every key."""
    rc, out, err = answers[-1][0]
    numbers = json.loads(out)
    assert (rc, err) == (0, "") and numbers.pop("partition") == "ubda"
    assert None not in numbers.values() and numbers["free_segments"] > 0 and numbers["checkpoints"] > 0, numbers


def test_messages_name_file_and_cause(answers):
    said = {row[0]: answer[0][2] for row, answer in zip(ROWS, answers)}
    assert said["get_cblocks f"] == "f2fs_io: get_cblocks f: F2FS_IOC_GET_COMPRESS_BLOCKS failed: Invalid argument\n"
    assert said["getflags no"] == "f2fs_io: getflags no: open failed: No such file or directory\n"
    assert said["gc_urgent none start"].startswith("f2fs_io: gc_urgent none: open of gc_urgent in /sys/fs/f2fs failed")
