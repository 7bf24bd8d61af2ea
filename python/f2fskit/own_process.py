# SPDX-License-Identifier: LGPL-2.1-or-later
"""Answer each question in a process of its own, with a bound of time.

Python with this package takes twenty times as long to start as a small image takes to look at. So a *starter* is started once. It has
imported everything, runs one thread, and forks a process for each question. The caller itself may have threads, so it cannot fork.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from typing import Any, Callable, NamedTuple, NoReturn, Optional

Question = dict[str, Any]
Answerer = Callable[[Question], bytes]

_HEAD = struct.Struct("=?iQ")  # in time, status, length of the output
_MOST_BYTES = 16 << 20  # of an output; the rest is dropped
_LONGEST_WAIT = 1e6  # seconds that poll() waits at once


class Answer(NamedTuple):
    """The end of a process."""

    status: Optional[int]
    """Negative for a signal; None: it took too long."""
    output: bytes
    """Standard output and standard error."""


class StarterEnded(Exception):
    """The starter has ended. The text is the reason."""


# In the process that asks.


class _Starter:
    """A starter, which answers one question at a time."""

    def __init__(self, program: str) -> None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([sys.executable, "-c", program, package], stdin=pipe, stdout=pipe, stderr=pipe)

    def ask(self, question: Question, seconds: float) -> Answer:
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        with contextlib.suppress(BrokenPipeError):  # the read finds its end
            process.stdin.write(json.dumps([seconds, question]).encode() + b"\n")
            process.stdin.flush()
        head = process.stdout.read(_HEAD.size)
        if len(head) == _HEAD.size:
            in_time, status, length = _HEAD.unpack(head)
            output = process.stdout.read(length)
            if len(output) == length:
                return Answer(status if in_time else None, output)
        raise StarterEnded(last_line(process.stderr.read()) or describe(process.wait()))

    def close(self) -> None:
        """End the starter, and the process that may be answering, by an empty line and the end of its input."""
        with contextlib.suppress(BrokenPipeError):
            if self._process.stdin:
                self._process.stdin.write(b"\n")  # a process that was forked at the wrong moment may keep the pipe open
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):
                if pipe:
                    pipe.close()
        self._process.wait()
        _starters.discard(self)

    def forget(self) -> None:
        """Leave the starter to the parent, in a child of fork(): its input ends when the parent closes it."""
        self._process.returncode = 0  # not to be waited for
        if isinstance(self._process.stdin, io.BufferedWriter):
            self._process.stdin.raw.close()  # another thread may have been writing, which nothing ends here


_starters: set[_Starter] = set()  # all of this process
_idle: dict[str, list[_Starter]] = {}  # by program
_lock = threading.Lock()


def ask(program: str, question: Question, seconds: float) -> Answer:
    """Have a question answered by a new process.

    Args:
        program: Python code that calls `serve()`; sys.argv[1] is the package's folder. A starter serves all questions to its program.
        question: plain data.
        seconds: bound of time for the answer.

    Raises:
        StarterEnded: there is no answer.
        OSError: no process can be started.
    """
    while True:
        with _lock:
            idle = _idle.get(program)
            known = idle.pop() if idle else None
        starter = known or _Starter(program)
        _starters.add(starter)
        try:
            answer = starter.ask(question, seconds)
        except BaseException as error:
            starter.close()
            if known and isinstance(error, StarterEnded):
                continue  # it may have ended long ago
            raise
        with _lock:
            _idle.setdefault(program, []).append(starter)
        return answer


def close_idle() -> None:
    """End the starters that wait for a question. The next question starts another one."""
    with _lock:
        idle = [starter for starters in _idle.values() for starter in starters]
        _idle.clear()
    for starter in idle:
        starter.close()


def describe(status: int) -> str:
    """Say how a process ended."""
    return f"the process was ended by {signal.Signals(-status).name}" if status < 0 else f"the process ended with status {status}"


def last_line(output: bytes) -> str:
    """Return the last line of an output, "" if there is none."""
    return (output.decode("utf-8", "replace").strip().splitlines() or [""])[-1]


def _forget() -> None:
    global _lock
    _lock = threading.Lock()
    for starter in _starters:
        starter.forget()
    _starters.clear()
    _idle.clear()


os.register_at_fork(after_in_child=_forget)
atexit.register(close_idle)


# In the starter.


def serve(answer: Answerer) -> None:
    """Be a starter: have each question of standard input answered by a process, until an empty line or the end of the input."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.freeze()  # the collector would copy pages that the processes share
    for line in sys.stdin.buffer:
        if line == b"\n":
            break
        seconds, question = json.loads(line)
        sys.stdout.buffer.write(_run(answer, question, time.monotonic() + seconds))
        sys.stdout.buffer.flush()


def _run(answer: Answerer, question: Question, end: float) -> bytes:
    """Return the head and the output of a process that answers a question."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _be_child(answer, question, writer)
    os.close(writer)
    in_time, output = _read(reader, end)
    os.close(reader)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return _HEAD.pack(in_time, code, len(output)) + output


def _read(reader: int, end: float) -> tuple[bool, bytes]:
    """Read until the writer ends. Return False if the time is over, or if nobody waits for the answer any more."""
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    poll.register(sys.stdin, select.POLLIN)  # there is no other question yet, only the end
    output = bytearray()
    while True:
        left = min(end - time.monotonic(), _LONGEST_WAIT)
        ready = {file for file, _ in poll.poll(left * 1000)} if left > 0 else set()
        if left <= 0 or sys.stdin.fileno() in ready:
            return False, bytes(output)
        if reader in ready:
            found = os.read(reader, 1 << 16)
            if not found:
                return True, bytes(output)
            output += found if len(output) < _MOST_BYTES else b""


def _be_child(answer: Answerer, question: Question, writer: int) -> NoReturn:
    status = 1
    try:
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        with open(writer, "wb") as pipe:
            pipe.write(answer(question))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
