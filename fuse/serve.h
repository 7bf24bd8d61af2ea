/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Groups of requests, as serve.def lists them. Each adds its functions to the operations.
 */
#ifndef F2FSKIT_FUSE_SERVE_H
#define F2FSKIT_FUSE_SERVE_H

#include "fuse/mount.h"

#define SERVE(function, when) void function(struct fuse_lowlevel_ops *ops);
#include "fuse/serve.def"
#undef SERVE

#endif
