/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the counts of a run of a variant.
 */
#ifndef F2FSKIT_LAB_RUN_SAMPLES_H
#define F2FSKIT_LAB_RUN_SAMPLES_H

#include "lab/run_state.h"

/* Look at the free segments if a checkpoint was made. */
void lab_run_watch(struct lab_run *r);
/* Take a sample if it is time for one. Return 0, or -1 after a message; the next two do, too. */
int lab_run_sample(struct lab_run *r);
/* End the last sample of a round with these counts, if one must end there. */
int lab_run_end_sample(struct lab_run *r, int is_last, const struct lab_sample *end);
/* Commit, and read all counts. The meter's must be the library's. */
int lab_run_count(struct lab_run *r, struct lab_sample *out);
/* Return the host's clock, in seconds. */
double lab_run_now(void);

#endif
