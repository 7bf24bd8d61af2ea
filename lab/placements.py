#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare placements on many loads: blocks that cleaning moves for each block that the load wrote.

    python3 lab/placements.py BUILD [--size GB] [--seeds N] [--load NAME]... [--policy NAME]... [--set KEY=VALUE]...
    python3 lab/placements.py BUILD --print LOAD POLICY
    python3 lab/placements.py --write

lab/placement_loads.toml has the loads and policies. Each cell is the ratio to the first policy, six logs with greedy
victims: its mean over the seeds, and the least and the most. The second column has that policy's own moves per block.
Last come, for each policy with streams, the loads on which it is worse than the best six logs or than a baseline.
--print writes one run as an experiment, for f2fs-lab run. --write makes the experiments load-LOAD of
lab/experiments from the loads, at 1 GB. --json keeps all numbers. --policy NAME=PLACEMENT@CLEANING
adds a policy; the first one named is the one that others are divided by.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
EDGE = 1.05  # a ratio to the best six logs that counts as not worse
LEAST = 0.005  # moves per block; below it, ratios say nothing


def value(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    return '"%s"' % v if isinstance(v, str) else repr(v)


def section(name, given, gigabytes):
    lines = ["[%s]" % name]
    scaled = given.get("scaled", [])
    for key, v in given.items():
        if key in ("scaled", "text", "six"):
            continue
        if key in scaled:
            v = v * gigabytes if isinstance(v, float) else max(1, round(v * gigabytes))
        lines.append("%s = %s" % (key, value(v)))
    return lines


def experiment(table, load, policy, gigabytes):
    """The text of an experiment of one load and one policy."""
    engine = dict(table["engine"], **table["policy"][policy])
    lines = section("experiment", dict(table["experiment"], title=table["load"][load]["text"]), gigabytes)
    lines += section("volume", dict(table["volume"], size="%gGB" % gigabytes), gigabytes)
    lines += section("engine", engine, gigabytes)
    for name, source in table["load"][load].items():
        if name != "text":
            lines += section("source." + name, source, gigabytes)
    return "\n".join(lines) + "\n"


def standing(table, load):
    """The experiment of a load in lab/experiments: six logs with greedy, and a small form."""
    text = experiment(table, load, next(iter(table["policy"])), 1)
    head = ("# SPDX-License-Identifier: LGPL-2.1-or-later\n"
            "# Made by python3 lab/placements.py --write from lab/placement_loads.toml.\n")
    return head + text.replace("[volume]", 'plot = "moved_share"\n[volume]', 1) + "[small]\nexperiment.rounds = 1\n"


def measure(build, text, seed, settings):
    """Moves per block that the load wrote, over all rounds; None: the volume had no room."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "load.toml", pathlib.Path(folder) / "out.json"
        path.write_text(text)
        done = subprocess.run([build / "lab/f2fs-lab", "run", path, "--seed", str(seed), "--json", out] +
                              ["--set=" + s for s in settings], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode:
            return None, done.stderr.strip().splitlines()[-1]
        variant = json.loads(out.read_text())["variants"][0]
        rounds = variant["rounds"]
        asked = sum(r["asked_blocks"] for r in rounds)
        return {"moved": sum(r["moved_blocks"] for r in rounds) / asked,
                "waf": sum(r["device_blocks"] for r in rounds) / asked,
                "bytes": rounds[-1]["placement_bytes"],
                "used": variant.get("used_share", 0)}, None


def cell(values, base):
    """Mean ratio with its spread; seeds in pairs."""
    if None in values or None in base:
        return "-", None
    ratios = [ratio(v["moved"], b["moved"]) for v, b in zip(values, base)]
    mean = sum(ratios) / len(ratios)
    return "%.2f" % mean + (" (%.2f-%.2f)" % (min(ratios), max(ratios)) if len(ratios) > 1 else ""), mean


def ratio(a, b):
    return 1.0 if a < LEAST and b < LEAST else a / max(b, LEAST)


def mean_moved(values):
    return None if None in values else sum(v["moved"] for v in values) / len(values)


def judge(table, found, policies):
    """For each policy with streams: loads where it is worse than the best six logs, or a baseline."""
    six = [p for p in policies if table["policy"][p].get("six")]
    for policy in policies:
        if policy in six:
            continue
        worse = []
        for load, cells in found.items():
            own = mean_moved(cells[policy])
            best = min((m for m in (mean_moved(cells[p]) for p in six) if m is not None), default=None)
            if own is None:
                worse.append("%s fails" % load)
            elif best is not None and own > LEAST and own > EDGE * best:
                worse.append("%s %.2f" % (load, own / max(best, LEAST)))
        print("%-12s above %.2f of the best six logs: %s" % (policy, EDGE, ", ".join(worse) or "nowhere"))
        for other in ("dac", "sepbit"):
            if other in policies and other != policy:
                worse = ["%s %.2f" % (load, mean_moved(c[policy]) / max(mean_moved(c[other]), LEAST))
                         for load, c in found.items() if None not in c[policy] + c[other] and
                         mean_moved(c[policy]) > LEAST and mean_moved(c[policy]) > 1.005 * mean_moved(c[other])]
                print("%-12s above %s: %s" % ("", other, ", ".join(worse) or "nowhere"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--write", action="store_true", help="make the experiments of lab/experiments")
    parser.add_argument("--size", type=float, default=1, help="of the volume, in GB")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--load", action="append", help="only this one")
    parser.add_argument("--policy", action="append", help="only this one, or NAME=PLACEMENT[@CLEANING]")
    parser.add_argument("--set", action="append", default=[], help="of f2fs-lab run")
    parser.add_argument("--print", nargs=2, metavar=("LOAD", "POLICY"))
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    table = tomllib.loads((HERE / "placement_loads.toml").read_text())
    if args.write:
        for load in table["load"]:
            (HERE / "experiments" / ("load-%s.toml" % load)).write_text(standing(table, load))
        return 0
    if not args.build:
        parser.error("BUILD is missing")
    if args.print:
        print(experiment(table, args.print[0], args.print[1], args.size), end="")
        return 0
    loads = args.load or list(table["load"])
    policies = args.policy or list(table["policy"])
    for i, name in enumerate(policies):
        if "=" in name:
            name, placement = name.split("=", 1)
            placement, _, cleaning = placement.partition("@")
            table["policy"][name] = {"placement": placement, "cleaning": cleaning}
            policies[i] = name
    found = {}
    print("%-14s %7s %6s" % ("load", "used", policies[0][:6]) + "".join(" %18s" % p for p in policies[1:]))
    for load in loads:
        found[load] = {}
        for policy in policies:
            runs = []
            for seed in range(1, args.seeds + 1):
                numbers, why = measure(args.build, experiment(table, load, policy, args.size), seed, args.set)
                if why:
                    print("%s, %s, seed %d: %s" % (load, policy, seed, why), file=sys.stderr)
                runs.append(numbers)
            found[load][policy] = runs
        base = found[load][policies[0]]
        print("%-14s %7s %6s" % (load, base[0] and "%.3f" % base[0]["used"],
                                 "-" if None in base else "%.3f" % mean_moved(base)) +
              "".join(" %18s" % cell(found[load][p], base)[0] for p in policies[1:]), flush=True)
        if args.json:
            args.json.write_text(json.dumps({"size": args.size, "seeds": args.seeds, "found": found}, indent=1))
    judge(table, found, policies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
