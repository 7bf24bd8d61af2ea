# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run a command with a limit of processor seconds, and print its use of resources as JSON. This is a process of its own
because Linux starts a program's peak memory with that of its parent, and a run of many tests is large."""
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
