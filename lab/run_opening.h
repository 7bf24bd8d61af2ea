/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open the volume, the sources and the meter of a variant's run.
 */
#ifndef F2FSKIT_LAB_RUN_OPENING_H
#define F2FSKIT_LAB_RUN_OPENING_H

#include "lab/run_state.h"

/*
 * Read the configuration, refuse settings that nobody understands, and open sources and devices. Return 0, or -1 with
 * config->error.
 */
int lab_run_read(struct lab_run *r, uint64_t seed);
/* Make the volume and open the engine. Return 0, or -1 after a message. */
int lab_run_open(struct lab_run *r);
/* Close all, and free r. */
void lab_run_close(struct lab_run *r);

#endif
