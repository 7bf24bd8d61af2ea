#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Build every configuration, run every test, and add the results up: the inside of `./bootstrap test`.

The packages must be there already. A failure, a crash or no result at all counts as failed. Skipped tests are named with their
reason. The last line is always "N passed, N failed".
"""
import argparse
import concurrent.futures
import dataclasses
import glob
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "kernel"))
import uml  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One way to build: a Meson directory, a compiler, options; `choice` chooses among the tests of the build, `pytest`
    names the test folders to run against it, `marks` which of their tests."""
    name: str
    compiler: str
    options: tuple = ()
    choice: tuple = ()
    pytest: tuple = ()
    marks: tuple = ()
    environment: tuple = ()


SANITIZERS = (("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0:allocator_may_return_null=1"),
              ("LSAN_OPTIONS", "print_suppressions=0:suppressions=" + os.path.join(TOP, "tests", "common", "leaks_of_others.txt")),
              ("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1"))
EVERY_PYTHON_TEST = ("tests/kernel", "tests/clients", "tests/cli", "tests/python", "tests/cases", "tests/lab", "tests/fuse")
TESTS_OF_PROGRAMS = ("tests/cli", "tests/cases")
# Sanitized programs are tested with the Python module of gcc's build: the interpreter is not sanitized either. So a test of
# the module alone would only run again.
# A program starts ten times slower with sanitizers, so one test in six of those is run: the same ones each time.
PROGRAMS_ALONE = ("-m", "not module_only and not long_with_sanitizers", "--one-in", "6")
NOTHING_CHOSEN = 5  # status of pytest
PYTHON_MODULE = os.path.join(TOP, "build")
# Several pytests run side by side, each with some files of one folder: of the kernel's one, as these take longest and
# mostly wait for it.
FILES_AT_ONCE, ONE_BY_ONE = 8, ("tests/kernel",)

# A Python test that hangs fails after this many seconds, and a pytest that still does not end is ended: otherwise it would
# hide the results of all others.
TEST_SECONDS, PYTEST_SECONDS = 900, 50 * 60

# How many of the slowest files and tests are listed at the end.
SLOWEST = 40

# Tests that take minutes are run by hand; a sample of each is among the others.
NO_LONG = ("--no-suite", "long")
# Lints that only read the sources find the same everywhere.
NO_LINT = ("--no-suite", "lint")
# These examine states of a device after power cuts, which are the same with sanitizers. Cuts before a recovery or a repair
# stay, as their states are unusual input.
NO_CUTS = NO_LONG + NO_LINT + ("--no-suite", "cuts")
# What depends on the machine shows in the quick ones; faults and power cuts are the same on all of them.
QUICK = ("--suite", "quick", *NO_LINT)
# Compiling takes a third of the time. Traces of a sanitizer need lines, not variables, and optimization costs more than it saves.
LEAN = ("-Ddebug=false", "-Doptimization=1", "-Dc_args=-g1")
CONFIGURATIONS = (
    Configuration("gcc", "gcc", ("-Dwerror=true",), NO_LONG, EVERY_PYTHON_TEST),
    # Both in one, as each would compile everything again. Clang's programs start twice as fast as those with gcc's sanitizers.
    Configuration("clang", "clang", ("-Dwerror=true", "-Db_sanitize=address,undefined", "-Db_lundef=false", *LEAN), NO_CUTS,
                  TESTS_OF_PROGRAMS, PROGRAMS_ALONE, SANITIZERS),
)

# A busy machine is several times slower; what hangs is ended all the same.
PATIENCE = ("--timeout-multiplier", "10")


@dataclasses.dataclass(frozen=True)
class Foreign:
    """A machine to build for; `arguments` choose its tests."""
    name: str
    compiler: str
    arguments: tuple = ()


# A big-endian and a 32-bit machine, and the compilers that Debian has for them. The first is emulated and some ten times
# slower.
FOREIGN = (
    Foreign("s390x", "s390x-linux-gnu-gcc", QUICK + ("--timeout-multiplier", "10")),
    Foreign("i686", "i686-linux-gnu-gcc", QUICK + PATIENCE),
)


class Results:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []
        self.seconds = []  # (processor seconds, wall seconds, where, name) of each test

    def add(self, where, name, outcome, why=""):
        if outcome == "passed":
            self.passed += 1
        elif outcome == "skipped":
            self.skipped.append("%s: %s%s" % (where, name, ": " + why if why else ""))
        else:
            self.failed.append("%s: %s%s" % (where, name, ": " + why if why else ""))

    def add_junit(self, where, path):
        """Adds up a report; returns the number of its test cases."""
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
        for case in cases:
            name = ".".join(x for x in (case.get("classname"), case.get("name")) if x)
            wall = float(case.get("time") or 0)
            own = [float(p.get("value")) for p in case.iter("property") if p.get("name") == "processor"]
            self.seconds.append((own[0] if own else wall, wall, where, name))
            for kind in ("failure", "error"):
                if case.find(kind) is not None:
                    self.add(where, name, "failed", first_line(case.find(kind)))
                    break
            else:
                skip = case.find("skipped")
                self.add(where, name, "passed" if skip is None else "skipped", first_line(skip))
        return len(cases)

    def report_times(self):
        """List the files and tests that cost most processor time, which other load on the machine hardly changes.

        Wall time stands beside it. Tests of the build and fixtures that several tests share have wall time alone."""
        files, tests = {}, {}
        for own, wall, where, name in self.seconds:
            parts = name.split(".")
            key = "%s: %s" % (where, "/".join(parts[:3]) if parts[0] == "tests" else "tests of the build")
            for table, entry in ((files, key), (tests, "%s: %s" % (where, name))):
                had = table.get(entry, (0, 0))
                table[entry] = (had[0] + own, had[1] + wall)
        for title, table in (("files", files), ("tests", tests)):
            print("\n== the slowest %s: seconds of a processor, of the clock (several run side by side)" % title)
            for name, (own, wall) in sorted(table.items(), key=lambda item: -item[1][0])[:SLOWEST]:
                print("%6.0f %6.0f  %s" % (own, wall, name))

    def report(self):
        self.report_times()
        for title, lines in (("skipped", self.skipped), ("FAILED", self.failed)):
            if lines:
                print("\n== %s" % title)
                print("\n".join(lines))
        print("\n%d passed, %d failed" % (self.passed, len(self.failed)), flush=True)
        return 0 if self.passed and not self.failed else 1


def first_line(element):
    if element is None:
        return ""
    text = element.get("message") or element.text or ""
    return text.strip().split("\n")[0][:200]


def chunks_of(folder):
    """The files of tests of a folder, in lists of those that run together; the last ones first, as the long ones are there."""
    files = sorted((os.path.relpath(path, TOP) for path in glob.glob(os.path.join(TOP, folder, "**", "test_*.py"), recursive=True)),
                   reverse=True)
    step = 1 if folder in ONE_BY_ONE else FILES_AT_ONCE
    return [files[i:i + step] for i in range(0, len(files), step)]


def say(text):
    print("\n== %s" % text, flush=True)


def call(command, **environment):
    """Runs a command with its output to ours; its status."""
    return subprocess.run(command, cwd=TOP, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL).returncode


class Run:
    def __init__(self, jobs):
        self.jobs, self.results, self.started = jobs, Results(), time.monotonic()

    def clock(self):
        return "%d:%02d" % divmod(int(time.monotonic() - self.started), 60)

    def kernel(self):
        say("the kernel to ask (%s)" % self.clock())
        try:
            kernel = uml.find_or_build_kernel()
            print(kernel.path)
        except uml.NoKernel as e:
            print("none: %s" % e)

    def build(self, c):
        say("build: %s (%s)" % (c.name, self.clock()))
        directory = "build" if c.name == "gcc" else "build-" + c.name
        options = ["-Dtests=true", *c.options]
        if os.path.exists(os.path.join(TOP, directory, "build.ninja")):
            setup = ["meson", "configure", directory, *options]
        else:
            setup = ["meson", "setup", directory, *options]
        for step in (setup, ["ninja", "-C", directory, "-j", str(self.jobs)]):
            if call(step, CC=c.compiler):
                self.results.add(c.name, "build", "failed", " ".join(step))
                return None
        self.results.add(c.name, "build", "passed")
        return directory

    def meson_tests(self, c, directory):
        say("tests of the build: %s (%s)" % (c.name, self.clock()))
        report = os.path.join(TOP, directory, "meson-logs", "testlog.junit.xml")
        if os.path.exists(report):
            os.unlink(report)
        # the Python tests come by themselves, one by one
        choice = [*c.choice, "--no-suite", "python", *PATIENCE]
        status = call(["meson", "test", "-C", directory, "--no-rebuild", "--print-errorlogs", *choice,
                       "--num-processes", str(self.jobs)], **dict(c.environment))
        self.take(c.name, report, status, "meson test")

    def python_tests(self, c, directory):
        """Runs them side by side, as many as there are processors and one more, as some wait. Each is shown at its end."""
        if not c.pytest:
            return
        say("Python tests: %s on %s (%s)" % (c.name, ", ".join(c.pytest), self.clock()))
        with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(self.jobs + (self.jobs > 1)) as pool:
            chunks = [chunk for folder in c.pytest for chunk in chunks_of(folder)]
            done = {pool.submit(self.pytest, c, directory, chunk, work, number): (number, chunk)
                    for number, chunk in enumerate(chunks)}
            for future in concurrent.futures.as_completed(done):
                number, chunk = done[future]
                status, output = future.result()
                if status == NOTHING_CHOSEN and c.marks:
                    continue
                print("-- %s ... (%s)\n%s" % (chunk[0], self.clock(), output), flush=True)
                self.take(c.name, os.path.join(work, "%d.xml" % number), status, "pytest %s ..." % chunk[0])

    @staticmethod
    def pytest(c, directory, files, work, number):
        """Run these files; return the status and the output."""
        environment = dict(os.environ, F2FSKIT_BUILD=os.path.join(TOP, directory), PYTHONDONTWRITEBYTECODE="1",
                           **dict(c.environment))
        if os.path.isdir(os.path.join(PYTHON_MODULE, "python")):
            environment["F2FSKIT_PYTHON_BUILD"] = PYTHON_MODULE
        command = [sys.executable, "-m", "pytest", "-q", "-ra",
                   *(["--timeout", str(TEST_SECONDS)] if importlib.util.find_spec("pytest_timeout") else []),
                   "-o", "cache_dir=%s/%d" % (work, number), "-o", "junit_family=xunit1",
                   "--junitxml", os.path.join(work, "%d.xml" % number), *c.marks, *files]
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(command, cwd=TOP, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT)
            try:
                status = process.wait(PYTEST_SECONDS)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)  # Python's fault handler says where it stood
                status = process.wait()
            output.seek(0)
            return status, output.read()

    def foreign_tests(self, machine):
        say("build and tests for another machine: %s (%s)" % (machine.name, self.clock()))
        directory = os.path.join(TOP, "build-" + machine.name)
        report = os.path.join(directory, "meson-logs", "testlog.junit.xml")
        if os.path.exists(report):
            os.unlink(report)
        status = call([os.path.join(TOP, "tests", "cross", "cross-test"), machine.name, directory, *machine.arguments])
        self.take(machine.name, report, status, "cross-test")

    def take(self, where, report, status, program):
        """A report that is missing, empty or better than the program's status is a failure of its own."""
        before = len(self.results.failed)
        count = self.results.add_junit(where, report) if os.path.exists(report) else 0
        if not count:
            self.results.add(where, program, "failed", "no results (status %d)" % status)
        elif status and len(self.results.failed) == before:
            self.results.add(where, program, "failed", "status %d, but no test failed" % status)

    def everything(self, names):
        self.kernel()
        for c in CONFIGURATIONS:
            if names and c.name not in names:
                continue
            if not shutil.which(c.compiler):
                self.results.add(c.name, "build", "skipped", "no %s" % c.compiler)
                continue
            directory = self.build(c)
            if directory:
                self.meson_tests(c, directory)
                self.python_tests(c, directory)
        for machine in FOREIGN:
            if names and machine.name not in names:
                continue
            if not shutil.which(machine.compiler):
                self.results.add(machine.name, "build", "skipped", "no %s" % machine.compiler)
                continue
            self.foreign_tests(machine)
        say("all done (%s)" % self.clock())
        return self.results.report()


def main():
    p = argparse.ArgumentParser(description="Build every configuration and run every test.")
    p.add_argument("configurations", nargs="*", metavar="NAME", help="only these: " + ", ".join([c.name for c in CONFIGURATIONS + FOREIGN]))
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    o = p.parse_args()
    return Run(o.jobs).everything(o.configurations)


if __name__ == "__main__":
    sys.exit(main())
