/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wait for ioctls that are answered beside the loop of requests.
 */
#ifndef F2FSKIT_FUSE_SERVE_IOCTLS_H
#define F2FSKIT_FUSE_SERVE_IOCTLS_H

/* Wait until all ioctls are answered. The session must be unmounted, so that none waits for a request. */
void ioctls_wait(void);

#endif
