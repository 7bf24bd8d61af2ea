/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Problems as numbers, and findings: a pass's report of a problem it met, stored with its types until the end.
 */
#ifndef F2FSKIT_FACTS_PROBLEM_H
#define F2FSKIT_FACTS_PROBLEM_H

#include <f2fskit/check.h>
#include <f2fskit/volume.h>

#include "base/text.h"
#include "base/vec.h"
#include "format/rules.h"

enum problem {
	P_NONE = 0,
#define PROBLEM(id, name, severity, repair, group, message, fix, explanation) P_##name = (id),
#include "facts/problems.def"
#undef PROBLEM
};

/* Numbers of problems are below. */
#define PROBLEM_LIMIT 1000u

/* Return the row of a problem; never NULL for a number of the table. */
const struct f2fs_problem_info *problem_row(enum problem problem);
/* The problem that a structural rule of an inode stands for (lib/facts/rule_problems.def), P_NONE without one. */
enum problem problem_of_rule(enum rule rule);
/* Is it one that a structural rule of an inode's block stands for? */
bool problem_is_of_inode(enum problem problem);
enum f2fs_repair_kind problem_kind(enum problem problem);

/* A finding; members that do not apply are left zero. */
struct finding {
	uint16_t problem; /* enum problem */
	uint16_t rule;	  /* enum rule that is broken, 0: none */
	uint8_t has_values;
	uint8_t has_slot;
	uint8_t has_segno;
	uint8_t has_block;
	uint8_t is_left; /* of a repair: decided to be left as it is */
	f2fs_nid_t nid, ino;
	f2fs_blk_t block;
	f2fs_seg_t segno;
	uint32_t slot;
	uint16_t entry_slot;	/* the directory entry it is about: slot, */
	f2fs_blk_t entry_block; /* and its block (inline: the inode block); 0: about none */
	uint16_t witnesses; /* enum witness: the believed witnesses, 0: no vote was held */
	uint64_t found, expected;
	const char *text; /* static: name of a field, or the fault; NULL: nothing */
};

/* Write the message of a finding; name is printable. */
void problem_render(const struct finding *finding, const char *name, struct text *out);

#endif
