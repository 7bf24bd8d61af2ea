/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The connection to the kernel.
 */
#ifndef F2FSKIT_FUSE_CONNECTION_H
#define F2FSKIT_FUSE_CONNECTION_H

#include "fuse/mount.h"

/* Let the session of a mount end without an error when the kernel breaks off the connection. Nonzero: no memory. */
int connection_ends_quietly(struct fuse_session *session);

#endif
