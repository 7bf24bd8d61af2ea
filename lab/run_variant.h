/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run one variant of an experiment.
 */
#ifndef F2FSKIT_LAB_RUN_VARIANT_H
#define F2FSKIT_LAB_RUN_VARIANT_H

#include "lab/experiment.h"

/* Run a variant with a configuration of its own. Return 0, or -1 after a message. */
int lab_variant_run(struct cli *cli, struct lab_config *config, uint64_t seed, uint64_t rounds,
		    struct lab_variant *variant);

#endif
