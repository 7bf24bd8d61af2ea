# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manual pages of the library have every function, type and member of the public headers, and readers show them cleanly."""
import glob
import os
import re
import shutil
import subprocess
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = sorted(set(glob.glob(TOP + "/include/f2fskit/*.h")) - {TOP + "/include/f2fskit/f2fskit.h"})
FUNCTION = re.compile(r"^F2FS_API[^;]*?\b(f2fs_\w+)\(", re.M)
AGGREGATE = re.compile(r"^((?:struct|enum) f2fs_\w+) \{\n(.*?)^\};", re.M | re.S)
MEMBER = re.compile(r"^\t[a-z][^;(]*?\b(\w+)(?:\[[^;]*\])?;", re.M)

# Each kind of text that a header can have, in one.
SMALL = r"""/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Head of the header.
 *
 *	.code "of" it
 */
#ifndef F2FSKIT_LABEL_H
#define F2FSKIT_LABEL_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_unseen;

/* A paragraph of its own. */

#define F2FS_FEW 3u /* bytes */
/* Kinds. */
enum f2fs_kind { F2FS_ONE = 1, F2FS_TWO = (1 << 1), F2FS_LAST /* no comma */ };
enum { F2FS_STEPS = 16 }; /* steps */

/* A pair. */
struct f2fs_pair {
	uint8_t a[F2FS_FEW]; /* the first,
			      * in two lines */
	/* the second; see `a` */
	int (*b)(void *self,
		 int number);
};
/*
 * Compare with -1 at the start:
 *	f2fs_x(a, b);
 * Fails with IO.
 */
F2FS_API int f2fs_x(const struct f2fs_pair *a,
		    const struct f2fs_pair *b);

#ifdef __cplusplus
}
#endif
#endif
"""
PAGE = r""".\" Made from include/f2fskit/label.h by man/header_page.py.
.TH F2FSKIT_LABEL 3 "" "f2fskit 1.2" "Library Functions Manual"
.nh
.ad l
.SH NAME
f2fskit_label, f2fs_x \- label and UUID
.SH SYNOPSIS
.B #include <f2fskit/label.h>
.PP
.B cc prog.c $(pkg\-config \-\-cflags \-\-libs f2fskit)
.SH DESCRIPTION
Head of the header.
.RS 4
.nf
\&.code "of" it
.fi
.RE
.PP
A paragraph of its own.
.SH FUNCTIONS
.HP
\fBint f2fs_x(const struct f2fs_pair *a, const struct f2fs_pair *b);\fR
.IP
Compare with \-1 at the start:
.RS 11
.nf
f2fs_x(a, b);
.fi
.RE
.IP
Fails with IO.
.SH TYPES
.SS enum f2fs_kind
Kinds.
.TP
\fBF2FS_ONE = 1\fR
.TP
\fBF2FS_TWO = (1 << 1)\fR
.TP
\fBF2FS_LAST\fR
no comma
.SS struct f2fs_pair
A pair.
.TP
\fBuint8_t a[F2FS_FEW];\fR
the first,
in two lines
.TP
\fBint (*b)(void *self, int number);\fR
the second; see \fBa\fR
.SH CONSTANTS AND MACROS
.TP
\fBF2FS_FEW 3u\fR
bytes
.TP
\fBF2FS_STEPS = 16\fR
steps
.SH SEE ALSO
.BR libf2fskit (3),
.BR f2fskit_write (3),
.BR f2fskit_engine (3),
.BR f2fskit_compress (3)
"""


@pytest.fixture(scope="module")
def pages(build_dir):
    """{name: text} of the manual pages of the library."""
    found = {}
    for path in glob.glob(build_dir + "/man/*.3"):
        with open(path, encoding="utf-8") as opened:
            found[os.path.basename(path)] = opened.read()
    return found


def page_of(pages, header):
    return pages["f2fskit_%s.3" % os.path.basename(header)[:-2]].replace("\\-", "-")


def read(path):
    with open(path, encoding="utf-8") as opened:
        return opened.read()


def test_each_header_has_a_page(pages):
    expected = {"f2fskit_%s.3" % os.path.basename(header)[:-2] for header in HEADERS}
    assert len(expected) > 30 and set(pages) == expected | {"libf2fskit.3"}
    for name in expected:
        assert "\n.BR %s (3)\n" % name[:-2] in pages["libf2fskit.3"]
        assert "\n.BR libf2fskit (3)" in pages[name]


@pytest.mark.parametrize("header", HEADERS, ids=os.path.basename)
def test_every_declaration_is_described(pages, header):
    text, page = read(header), page_of(pages, header)
    names = re.search(r"^\.SH NAME\n(.*) - ", page, re.M)[1].split(", ")[1:]
    assert names == FUNCTION.findall(text)
    for name in names:
        assert len(re.findall(r"^\.HP\n\\fB[^\n]*\b%s\([^\n]*;\\fR\n\.IP\n[^.\n]" % name, page, re.M)) == 1, name
    for head, body in AGGREGATE.findall(text):
        part = re.search(r"^\.SS %s\n(.*?)(?=^\.S[SH])" % head, page, re.M | re.S)[1]
        members = MEMBER.findall(re.sub(r"/\*.*?\*/", "", body, flags=re.S)) if head.startswith("struct") else []
        for member in members:
            assert re.search(r"^\.TP\n\\fB[^\n]*\b%s\b(\[[^\n]*\])?;\\fR\n[^.\n]" % member, part, re.M), (head, member)
        assert ".TP\n" in part, head


def test_every_kind_of_text(tmp_path):
    header = tmp_path / "label.h"
    header.write_text(SMALL)
    subprocess.run([sys.executable, TOP + "/man/header_page.py", TOP + "/docs/manual/pages.toml", header, tmp_path / "page", "1.2"], check=True)
    assert (tmp_path / "page").read_text() == PAGE


def test_readers_show_all_pages_without_warnings(build_dir):
    paths = glob.glob(build_dir + "/man/*.[138]")
    assert len(paths) > 40
    readers = [[command, *arguments] for command, *arguments in (("mandoc", "-T", "lint", "-W", "warning"), ("groff", "-man", "-ww", "-z"))
               if shutil.which(command)]
    if not readers:
        pytest.skip("neither mandoc nor groff is installed")
    for reader in readers:
        for path in paths:
            done = subprocess.run(reader + [path], capture_output=True, text=True)
            # pages have no date, so that two builds are equal
            lines = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
            assert lines == [], reader
