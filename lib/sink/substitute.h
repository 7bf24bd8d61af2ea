/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that the host refuses, or takes for the name of another entry.
 */
#ifndef F2FSKIT_SINK_SUBSTITUTE_H
#define F2FSKIT_SINK_SUBSTITUTE_H

#include "sink/hostrun.h"
#include "sink/report.h"

/* In place of an errno: the host takes the name for that of another entry, which is not to be touched. */
#define HOST_ALIAS (-1)

/* The name under which an entry is made. */
struct host_naming {
	const char *name; /* the one to try */
	int sys_errno;	  /* why its own was refused */
	char substitute[SINK_NAME_ROOM]; /* "": it has its own */
};

/* Learn by files in the destination which names the host takes: sets sink->is_choosy. */
void host_names_probe(struct host *h);
/* Must files be made at once, one after the other, because the host may refuse their names? */
bool host_names_are_tried(const struct host *h, const struct sink_dir *dir);
/* After EEXIST: is there no entry of exactly that name? */
bool host_is_alias(int dir_fd, const char *name);
/* Begin with the name of an entry of place->dir. 0 or an error. */
int host_naming_begin(struct host *h, const struct sink_place *place, struct host_naming *naming);
/*
 * The host did not make the entry. Returns 1 when there is another name to be tried, 0 when there is none: then
 * *sys_errno is the reason to report, or an error.
 */
int host_naming_again(struct host *h, const struct sink_place *place, struct host_naming *naming, int *sys_errno);
/* The entry was made: count and report its substitute name, and copy it to that place of SINK_NAME_ROOM bytes. */
int host_naming_end(struct host *h, const struct sink_place *place, const struct host_naming *naming, char *to);

#endif
