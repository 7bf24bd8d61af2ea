/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Partitions: list those of a disk or of its image, and open one as a device of its own. Known are the tables that
 * libblkid reads, GPT and MBR among them, and Android's dynamic partitions: those of an image of a super partition, and
 * of a super partition within a disk.
 */
#ifndef F2FSKIT_PARTITION_H
#define F2FSKIT_PARTITION_H

#include <f2fskit/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A partition, and the F2FS volume in it; begin it with F2FS_SIZED. Texts are printable UTF-8, empty: none. */
struct f2fs_partition {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t number;      /* as Linux counts them; 0: a dynamic partition */
	uint64_t offset;      /* bytes from the start of the disk to its first piece */
	uint64_t length;      /* bytes of all pieces */
	uint32_t pieces;      /* 1, or more when it is not in one piece */
	int is_f2fs;	      /* it begins with a superblock of F2FS */
	char scheme[16];      /* libblkid's name of the table: "gpt", "dos"; or "super" */
	char name[128];	      /* the name that f2fs_device_open_partition() takes first: "2", "super:system_a" */
	char label[128];      /* of the partition */
	char uuid[64];	      /* of the partition */
	char type[64];	      /* its type as the table has it */
	char volume_label[128]; /* of the F2FS volume; one that is longer is cut */
	char volume_uuid[64];	/* of the F2FS volume */
};

/*
 * Call visit for each partition of disk, in the order of its table, without extended partitions themselves. Returns 0,
 * or the first value of visit that is not 0, which ends the list. Fails with NOT_FOUND (no table of partitions),
 * CORRUPT (damaged tables of dynamic partitions), IO, NOMEM, UNSUPPORTED (built without libblkid).
 */
F2FS_API int f2fs_partition_list(struct f2fs_device *disk,
				 int (*visit)(void *user, const struct f2fs_partition *partition), void *user);
/*
 * Open a partition of disk as a device that ends with it, for reading and, if disk may be written, for writing. name:
 * its number, label or UUID, or the label or UUID of the F2FS volume in it; NULL: the only one that holds F2FS, where
 * the disk itself does not begin with F2FS. *found gets its description; NULL is allowed. A partition that continues
 * past the end of the disk is cut there. Fails with NOT_FOUND (no such partition), INVALID (several), RANGE (it begins
 * past the end of the disk), CORRUPT (damaged tables of dynamic partitions), IO, NOMEM, UNSUPPORTED (built without
 * libblkid).
 */
F2FS_API int f2fs_device_open_partition(struct f2fs_device *disk, const char *name, struct f2fs_partition *found,
					struct f2fs_device **out);

#ifdef __cplusplus
}
#endif

#endif
