/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states of a volume that a program can show: the values of --state. */
#ifndef F2FSKIT_CLI_STATE_H
#define F2FSKIT_CLI_STATE_H

#include "cli/image.h"

/* Set the members of image that a value of --state stands for. Returns the error in the value, or NULL. */
const char *cli_state_take(struct cli_image *image, const char *value);
/* Does the image show another state than the last checkpoint, which cannot be changed? */
int cli_state_is_fixed(const struct cli_image *image);
/* Is the state the last checkpoint, as it is? */
int cli_state_is_current(const struct cli_image *image);
/* Which of the options that choose a state exclude each other? Returns that sentence, or NULL. */
const char *cli_state_conflict(const struct cli_image *image);

#endif
