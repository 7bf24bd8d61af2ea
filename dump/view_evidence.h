/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the container of the image and the footer of verified boot.
 */
#ifndef F2FSKIT_DUMP_VIEW_EVIDENCE_H
#define F2FSKIT_DUMP_VIEW_EVIDENCE_H

#include "dump/run.h"

/* The container of the image and the footer of verified boot, if there are such, as members of the
 * open record. */
void dump_put_container(struct dump *d);
/* The container with its own digests: members of the open record with JSON, else a line on standard error. */
void dump_say_container(struct dump *d);

#endif
