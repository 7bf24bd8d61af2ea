/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of the states of a deleted file's path.
 */
#ifndef F2FSKIT_DUMP_VIEW_DELETED_H
#define F2FSKIT_DUMP_VIEW_DELETED_H

#include "dump/run.h"

/* "sure", "likely", "part" */
const char *dump_path_state_name(int state);

#endif
