/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find what else than an F2FS volume a device holds: file systems, swap space, encrypted volumes, LVM, RAID, partition
 * tables, metadata of verified boot. The caller says which bytes belong to the volume, as a file may hold any bytes.
 */
#ifndef F2FSKIT_DEVICE_SIGNATURE_FIND_H
#define F2FSKIT_DEVICE_SIGNATURE_FIND_H

#include "device/device.h"

#define FOREIGN_MOST_OWNED 3u
#define FOREIGN_MOST_ENDS 2u
/* Bytes further from the start, and from the end, are not examined. */
#define FOREIGN_HEAD (4u << 20)
#define FOREIGN_TAIL (1u << 20)
/* Bytes of the start that are read once: all places of our own table. */
#define FOREIGN_KEPT (132u << 10)

/* Bytes from start up to end. */
struct foreign_range {
	uint64_t start, end;
};

/* Where to look, and what counts. */
struct foreign_scope {
	struct foreign_range owned[FOREIGN_MOST_OWNED]; /* of the F2FS volume: not looked at */
	unsigned owned_count;
	uint64_t ends[FOREIGN_MOST_ENDS]; /* where the volume may end: metadata follows there; 0: none */
	uint32_t kinds;	    /* bit n: signatures of kind n (enum f2fs_signature_kind) count */
	bool with_boot_sectors; /* sector 0 alone makes a FAT, exFAT or NTFS file system */
	bool with_tail;	    /* look at the end of the device, too */
	bool with_f2fs;	    /* F2FS itself counts, too; nothing is owned then */
	uint8_t *head;	    /* the device's first bytes, read once; NULL: they are read where they are looked at */
	size_t head_length;
};

#define FOREIGN_ALL_KINDS 0xFFFFFFFFu

/* Fill *out with the first signature that counts. 0, F2FS_ERR_NOT_FOUND (no error is recorded), F2FS_ERR_NOMEM.
 * Unreadable bytes count as no signature. */
int foreign_find(struct f2fs_device *dev, const struct foreign_scope *scope, struct f2fs_signature *out);

#endif
