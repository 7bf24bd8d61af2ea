/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One operation of a load. A source makes a stream of them, an engine carries them out, a trace keeps them.
 */
#ifndef F2FSKIT_LAB_OP_H
#define F2FSKIT_LAB_OP_H

#include <stdint.h>

enum lab_op_kind {
#define OP(id, letter, name, text) LAB_OP_##id,
#include "lab/op.def"
#undef OP
	LAB_OP_KINDS
};

struct lab_op {
	uint8_t kind;	  /* enum lab_op_kind */
	uint16_t thread;  /* of the load, from 0 */
	uint32_t file;	  /* a number that the source chose; it is free again when the file was removed */
	uint64_t offset;  /* bytes; TRUNCATE: the new size */
	uint64_t length;  /* bytes */
	uint64_t time_us; /* since the start, 0 when the source has no times */
	const char *name; /* CREATE: the path, "dir/name"; good until the next operation */
};

/* "create", "write", ...; NULL for other numbers. */
const char *lab_op_name(unsigned kind);

#endif
