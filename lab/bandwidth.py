# SPDX-License-Identifier: LGPL-2.1-or-later
"""A model of bandwidth from a result that f2fs-lab run --json wrote: python3 lab/bandwidth.py RESULT... [--request US] [--block US]

A request takes --request microseconds (20), a block that is written or, to be moved, read takes --block microseconds (8, which is
500 MB/s). Print for each variant the load's bandwidth, as a part of the first variant's: in each round, and in all of
them.
"""
import argparse
import json


def seconds(r, request, block):
    return (r["requests"] * request + (r["device_blocks"] + r["moved_blocks"]) * block) / 1e6


def table(variants, request, block):
    """[(label, the part of the first variant's bandwidth in each round, in all)]"""
    rows = []
    for variant in variants:
        times = [seconds(r, request, block) for r in variant["rounds"]]
        asked = [r["asked_blocks"] for r in variant["rounds"]]
        rows.append((variant["label"], [a / t for a, t in zip(asked, times)], sum(asked) / sum(times)))
    first = rows[0]
    return [(label, [x / y for x, y in zip(each, first[1])], whole / first[2]) for label, each, whole in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--request", type=float, default=20)
    parser.add_argument("--block", type=float, default=8)
    o = parser.parse_args()
    variants = []
    for path in o.results:
        with open(path) as f:
            variants += json.load(f)["variants"]
    for label, each, whole in table(variants, o.request, o.block):
        print("%-32s%s   all %.2f" % (label or "-", "".join("%7.2f" % x for x in each), whole))


if __name__ == "__main__":
    main()
