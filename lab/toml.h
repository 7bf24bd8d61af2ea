/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Experiments are written in a part of TOML 1.0: tables [a.b], keys with dots, strings "..." and '...', numbers, true
 * and false, lists of these (over several lines, too), comments. Arrays of tables, inline tables, dates and strings of
 * several lines are refused, not misread: a file that is read here is the same to every reader of TOML.
 */
#ifndef F2FSKIT_LAB_TOML_H
#define F2FSKIT_LAB_TOML_H

#include "lab/config.h"

/* Read a file into settings, "table.key". 0, or -1 with config->error, which names file and line. path stays the
 * caller's as long as the configuration is used. */
int lab_toml_read(struct lab_config *config, const char *path);

#endif
