/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers and sizes of the command line. A function returns NULL, or an error phrase that fits after the text: "'12q' "
 * "is not a size (...)". It refuses text that it does not understand completely.
 */
#ifndef F2FSKIT_CLI_SIZE_H
#define F2FSKIT_CLI_SIZE_H

#include <stdint.h>

/*
 * A size in bytes. K M G T P and KiB ... are powers of 1024, kB/KB MB ... powers of 1000, B is bytes, s is sectors of
 * sector bytes; a number without suffix counts units of unit bytes. A decimal fraction needs a suffix above B.
 */
const char *cli_parse_size(const char *text, uint64_t unit, uint64_t sector, uint64_t *bytes);
/* A number from min to max; decimal, or hexadecimal with 0x. */
const char *cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);
const char *cli_parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *value);
/* A decimal number with an optional sign. */
const char *cli_parse_s64(const char *text, int64_t *value);
/* A finite decimal fraction, like "12.5". */
const char *cli_parse_fraction(const char *text, double *value);

/* Write a size for people, exact or with one decimal: "512 B", "1.5 GiB". Returns buffer. */
char *cli_format_size(uint64_t bytes, char buffer[24]);

#endif
