/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A line of strace: process, time, call, arguments and result. The parts point into the line, which is cut at them.
 */
#ifndef F2FSKIT_LAB_STRACE_TEXT_H
#define F2FSKIT_LAB_STRACE_TEXT_H

#include <stdint.h>

enum { STRACE_ARGUMENTS = 8 };

struct strace_call {
	uint64_t pid;	      /* 0: none is shown */
	const char *time;     /* as it stands there; NULL: none is shown */
	char *body;	      /* what follows */
	const char *name;     /* of the call */
	char *arguments[STRACE_ARGUMENTS];
	unsigned count;
	const char *result;   /* after the = */
};

/* Take process and time off a line. */
void strace_head(char *text, struct strace_call *call);
/* Parse call->body. Returns NULL, or an error text. */
const char *strace_take(struct strace_call *call);
/* A string argument without its quotes, escapes undone, in place; NULL when it is none, or was cut off. */
char *strace_string(char *argument);
/* Return the path that -y shows after a descriptor, "3</tmp/a>", cut out in place; NULL when there is none. */
char *strace_path(char *argument);

#endif
