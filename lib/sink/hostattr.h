/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owner, mode, attributes and times of one file. No context: for any thread.
 */
#ifndef F2FSKIT_SINK_HOSTATTR_H
#define F2FSKIT_SINK_HOSTATTR_H

#include "sink/hostrun.h"

void host_attrs_apply(const struct host_subject *subject, struct host_wish *wish);
/* Set up a wish for a file as it is made in a directory. */
void host_wish_init(const struct host *h, struct host_wish *wish, const struct sink_attr *attr, bool is_foreign);
/* Return the permissions to create a file with: only final ones, and those needed to set attributes. */
uint32_t host_create_mode(const struct host_wish *wish, bool has_xattrs);
/* A name in an open directory. */
struct host_target {
	int dir_fd;
	const char *name;
	bool is_choosy; /* see struct sink_dir */
};

/* Make a file; 0, an errno or HOST_ALIAS. EEXIST only if the existing entry stays. */
int host_create(const struct host *h, const struct host_target *target, uint32_t mode, int *fd);
/*
 * After EEXIST: remove the existing entry if that is the policy and it is neither the image itself nor one of another
 * name. Returns true: try again.
 */
bool host_make_way(const struct host *h, const struct host_target *target, int *sys_errno);

#endif
