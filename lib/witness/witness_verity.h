/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seal verity files again whose inodes were lost.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_VERITY_H
#define F2FSKIT_WITNESS_WITNESS_VERITY_H

#include "facts/run.h"

/* Take size and mark of each inode that was built again from the verity descriptor after its contents. */
int witness_verity(struct checker *c);

#endif
