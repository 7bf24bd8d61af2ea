/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep findings, and report them in order.
 */
#ifndef F2FSKIT_FACTS_FINDING_H
#define F2FSKIT_FACTS_FINDING_H

#include "facts/run.h"

struct tell_room;

/* Keep a finding; 0, F2FS_ERR_NOMEM. */
int problem_raise(struct checker *c, const struct finding *finding);
/* Keep a finding about an inode, with the found and the expected value. */
int inode_raise(struct checker *c, enum problem problem, const struct inode_fact *inode, uint64_t found,
		uint64_t expected);
/* Report all findings in order, with paths and names. */
int findings_tell(struct checker *c);
/* Make the room for the texts of findings; NULL: out of memory. */
struct tell_room *finding_room(struct checker *c);
/* Report one finding. Returns the result of the callback in the options. */
int finding_tell(struct checker *c, const struct finding *finding, const struct f2fs_check_options *options, int action,
		 struct tell_room *room);

#endif
