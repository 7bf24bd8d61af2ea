/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results as text or JSON from one description. A record is an object with named values, which may hold objects and
 * arrays in turn. As text each value is a line of its own with its whole path, made for people and grep:
 *
 *	block_size = 4096
 *	areas[1].start = 1536
 *
 * Memory is bounded by one record: a table is a stream of records, which as JSON is an array with a record per line,
 *and with CLI_NDJSON just a record per line.
 *
 * Text from an image may be any bytes. In text, and in JSON when it is not valid UTF-8, it is written with escapes
 * (\xNN, \\) that can be turned back; JSON then has the member "<name>_hex" with the bytes besides.
 */
#ifndef F2FSKIT_CLI_PRINT_H
#define F2FSKIT_CLI_PRINT_H

#include <stdint.h>
#include <stdio.h>

enum cli_format { CLI_TEXT = 0, CLI_JSON = 1, CLI_NDJSON = 2 };

struct cli_print;

/* Start; NULL when memory is short. */
struct cli_print *cli_print_open(FILE *to, enum cli_format format);
/* What follows is a stream of records; call before the first one. */
void cli_print_stream(struct cli_print *p);
/* End and free. Returns 0, or -1 when memory was short or writing failed at any time before. */
int cli_print_close(struct cli_print *p);

/* An object: a record when nothing is open (name is not used then), else a member, or an element (name NULL). */
void cli_print_begin(struct cli_print *p, const char *name);
void cli_print_end(struct cli_print *p);
void cli_print_begin_array(struct cli_print *p, const char *name);
void cli_print_end_array(struct cli_print *p);

/* Values; name is NULL for elements of an array. */
void cli_print_u64(struct cli_print *p, const char *name, uint64_t value);
void cli_print_s64(struct cli_print *p, const char *name, int64_t value);
/* As text "0x1f", as JSON a number. */
void cli_print_hex(struct cli_print *p, const char *name, uint64_t value);
/* A fraction with that many decimals. */
void cli_print_fixed(struct cli_print *p, const char *name, double value, int decimals);
void cli_print_bool(struct cli_print *p, const char *name, int value);
/* The program's own text. */
void cli_print_string(struct cli_print *p, const char *name, const char *value);
/* n bytes that nobody vouches for. */
void cli_print_bytes(struct cli_print *p, const char *name, const void *bytes, size_t n);
/* n bytes as hexadecimal digits. */
void cli_print_digits(struct cli_print *p, const char *name, const uint8_t *bytes, size_t n);
void cli_print_uuid(struct cli_print *p, const char *name, const uint8_t uuid[16]);
/* Nothing known: "-" and null. */
void cli_print_null(struct cli_print *p, const char *name);

#endif
