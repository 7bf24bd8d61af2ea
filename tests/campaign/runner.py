# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run many small works in processes that may die or hang, and keep their output line by line."""
import json
import os
import signal
import sys
import time

PATIENCE = 300      # seconds for one work
NAP = 0.02


def read_lines(path):
    """The whole lines of JSON in a file; none if there is no file."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


class Worker:
    """A process that does some works, one after the other. do(work) returns the dictionary to keep."""

    def __init__(self, works, do, path):
        self.works, self.path, self.status = works, path, None
        self.size, self.since = -1, time.monotonic()
        self.child = os.fork()
        if self.child == 0:
            status = 1
            try:
                self.run(do)
                status = 0
            except BaseException as error:  # the parent sees which works are missing
                print("%s: %s" % (type(error).__name__, error), file=sys.stderr, flush=True)
            finally:
                os._exit(status)

    def run(self, do):
        with open(self.path, "w") as out:
            for i, work in enumerate(self.works):
                print(json.dumps({"begin": i}), file=out, flush=True)
                print(json.dumps({"at": i, "result": do(work)}), file=out, flush=True)

    def is_over(self):
        """Whether it has ended; one that does nothing for too long is killed."""
        done, status = os.waitpid(self.child, os.WNOHANG)
        if done:
            self.status = status
            return True
        size = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        if size != self.size:
            self.size, self.since = size, time.monotonic()
        if time.monotonic() - self.since > PATIENCE:
            os.kill(self.child, signal.SIGKILL)
            self.status = os.waitpid(self.child, 0)[1]
            return True
        return False

    def take(self, died):
        """(results, works that are to be done again). died(work, status) is the result of a work that ended the process."""
        lines = read_lines(self.path)
        if os.path.exists(self.path):
            os.unlink(self.path)
        got = {line["at"]: line["result"] for line in lines if "at" in line}
        begun = [line["begin"] for line in lines if "begin" in line]
        if self.status and begun and begun[-1] not in got:
            got[begun[-1]] = died(self.works[begun[-1]], self.status)
        if not got:
            raise RuntimeError("nothing was done of %d works" % len(self.works))
        return list(got.values()), [work for i, work in enumerate(self.works) if i not in got]


def run(works, do, died, folder, jobs=1, at_once=200):
    """Yield the results of all works. works may be endless: they are taken when there is time for them."""
    works, again, running, count = iter(works), [], [], 0

    def some():
        chosen = again[:at_once]
        del again[:at_once]
        for work in works if len(chosen) < at_once else ():
            chosen.append(work)
            if len(chosen) == at_once:
                break
        return chosen
    while True:
        while len(running) < jobs and (chosen := some()):
            count += 1
            running.append(Worker(chosen, do, os.path.join(folder, "part-%d" % count)))
        if not running:
            return
        over = [worker for worker in running if worker.is_over()]
        for worker in over:
            running.remove(worker)
            results, left = worker.take(died)
            again += left
            yield from results
        if not over:
            time.sleep(NAP)
