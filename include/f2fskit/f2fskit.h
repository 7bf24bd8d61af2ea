/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fskit: read and write F2FS images without mounting them. This header includes the rest.
 *
 *	struct f2fs_context *ctx;
 *	struct f2fs_device *dev;
 *	struct f2fs_volume *vol;
 *	struct f2fs_inode *file;
 *	char text[100];
 *	size_t done;
 *
 *	f2fs_context_open(NULL, &ctx);
 *	if (f2fs_device_open_image(ctx, "disk.img", F2FS_OPEN_READ, &dev) == 0 &&
 *	    f2fs_volume_open(ctx, dev, NULL, &vol) == 0 &&
 *	    f2fs_lookup(vol, "/etc/hostname", 0, &file) == 0 &&
 *	    f2fs_inode_read(file, 0, text, sizeof(text), &done) == 0)
 *		fwrite(text, 1, done, stdout);
 *	else
 *		fprintf(stderr, "%s\n", f2fs_context_error(ctx)->message);
 *
 * (Close all of them afterwards: f2fs_inode_close, f2fs_volume_close, f2fs_device_close, f2fs_context_close. examples/
 * has the whole program.)
 */
#ifndef F2FSKIT_F2FSKIT_H
#define F2FSKIT_F2FSKIT_H

#include <f2fskit/base.h>
#include <f2fskit/carve.h>
#include <f2fskit/check.h>
#include <f2fskit/gc.h>
#include <f2fskit/compress.h>
#include <f2fskit/context.h>
#include <f2fskit/defrag.h>
#include <f2fskit/device.h>
#include <f2fskit/diff.h>
#include <f2fskit/engine.h>
#include <f2fskit/error.h>
#include <f2fskit/evidence.h>
#include <f2fskit/file.h>
#include <f2fskit/forensics.h>
#include <f2fskit/format.h>
#include <f2fskit/hotness.h>
#include <f2fskit/inject.h>
#include <f2fskit/key.h>
#include <f2fskit/label.h>
#include <f2fskit/listing.h>
#include <f2fskit/metadata.h>
#include <f2fskit/mkfs.h>
#include <f2fskit/partition.h>
#include <f2fskit/placement.h>
#include <f2fskit/populate.h>
#include <f2fskit/recover.h>
#include <f2fskit/resize.h>
#include <f2fskit/tree.h>
#include <f2fskit/undelete.h>
#include <f2fskit/volume.h>
#include <f2fskit/write.h>

#endif
