# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a command with so many processor seconds at most, and prints what it took as JSON. A process of its own: the peak memory
that Linux tells of a program begins with that of the process which started it, and a run of many tests is large."""
import json
import os
import resource
import subprocess
import sys
import time


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]), int(sys.argv[1])))


started = time.monotonic()
with subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                      preexec_fn=limit) as process:
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
json.dump([time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode,
           said.decode(errors="replace")], sys.stdout)
