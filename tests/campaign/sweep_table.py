# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults of a result of a sweep, and the table of many results."""
import collections
import os
import tomllib

from sweep_judge import FAULTS

HERE = os.path.dirname(os.path.abspath(__file__))
COSTS = ("names_lost", "files_hurt", "bytes_lost")
DULL = ("seconds", "reads", "wrote", "failed")
MOST = 80       # rows of fields


def load(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return tomllib.load(file)


def brief(result):
    """Without what says nothing."""
    return {key: value for key, value in result.items() if value not in ([], {}, None, 0, "") and key not in DULL}


class Reasons:
    """sweep_reasons.toml: fields of which a single wrong bit may cost something, and why."""

    def __init__(self):
        self.rows = load("sweep_reasons.toml")

    def faults(self, result):
        """The words of FAULTS that are true of a result."""
        found = set(result.get("wrong", ()))
        # several changes at once may cost what each of them may not
        if result["order"] == 1 and result["kind"] not in self.rows:
            found |= {word for word, key in (("lost", "files_hurt"), ("strange", "strange")) if result.get(key)}
        if result.get("kernel"):
            found.add("kernel")
        return found


HEAD = "| field | tried | costs something | names | files | bytes | %s |" % " | ".join(FAULTS)


def row(name, results, reasons):
    words = collections.Counter(word for r in results for word in reasons.faults(r))
    numbers = [len(results), sum(bool(r.get("files_hurt")) for r in results)]
    numbers += [sum(r.get(key, 0) for r in results) for key in COSTS] + [words[word] for word in FAULTS]
    print("| %s | %s |" % (name, " | ".join(str(n or "") for n in numbers)))


def show(results):
    """Print the table; 1 when something in it has no reason."""
    reasons, kinds = Reasons(), collections.defaultdict(list)
    print(HEAD + "\n" + "|---" * (HEAD.count("|") - 1) + "|")
    for order, name in ((1, "**single bits**"), (2, "**pairs**"), (3, "**triples**")):
        row(name, [r for r in results if r["order"] == order], reasons)
    bad = [r for r in results if reasons.faults(r)]
    for result in results:
        if result["order"] == 1:
            kinds[result["kind"]].append(result)
    rows = [(sum(bool(reasons.faults(r)) for r in of), name, of) for name, of in kinds.items()]
    for count, name, of in sorted(rows, key=lambda one: -one[0])[:MOST]:
        if count or name in reasons.rows:
            row(name + (" (reason)" if name in reasons.rows else ""), of, reasons)
    asked = sum(bool(r.get("asked")) for r in results)
    print("\n%d of %d have a fault. The kernel was asked about %d." % (len(bad), len(results), asked))
    for word, text in FAULTS.items():
        print("%7d  %s: %s" % (sum(word in reasons.faults(r) for r in results), word, text))
    return int(bool(bad))
