/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report failures, and note them in the exit status.
 */
#ifndef F2FSKIT_EDIT_FAILURE_H
#define F2FSKIT_EDIT_FAILURE_H

#include "edit/run.h"

/* Let a failure decide the status, unless an earlier one did. */
void edit_note(struct edit *e, int status);
/* Report the context's last error, what in front of it; note it in the status; return rc. */
int edit_fail(struct edit *e, int rc, const char *what);
/* Report wrong usage: "what: 'value' why". */
int edit_usage(struct edit *e, const char *what, const char *value, const char *why);
/* Report a failure of the host (errno). */
int edit_host_fail(struct edit *e, const char *what);
/* Note a failure of the host in the status, after its message was written. */
int edit_told(struct edit *e);
int edit_no_memory(struct edit *e);
/* Report that a signal stopped the command. */
int edit_stopped(struct edit *e, const char *what);

#endif
