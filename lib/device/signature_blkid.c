/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signatures by libblkid, which reads from a descriptor alone. It gets an unnamed sparse file that is as long as the
 * device and holds copies of its start and end, so any device can be asked about, and bytes of the volume stay hidden.
 */
#include "device/signature_blkid.h"
#include "device/signature_find.h"
#include "device/signature_scope.h"

#include "f2fskit_config.h"

#if HAVE_BLKID
#include <blkid/blkid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"

#define PIECE 65536u
/* A stop for a probe that finds no end. */
#define MOST_FOUND 64

/* Copy [from, end) to the file, where it is not zero. */
static bool copy_range(struct f2fs_device *dev, const struct foreign_scope *scope, int fd, uint8_t *piece,
		       uint64_t from, uint64_t end)
{
	while (from < end) {
		const size_t n = end - from < PIECE ? (size_t)(end - from) : PIECE;
		uint64_t run = n;
		int is_hole = 0;

		if (from >= scope->head_length && device_extent_quiet(dev, from, &run, &is_hole) == 0 && is_hole &&
		    run > 0) {
			from += run;
			continue;
		}
		foreign_read(dev, scope, from, piece, n);
		if (!is_zero(piece, n) && pwrite(fd, piece, n, (off_t)from) != (ssize_t)n)
			return false;
		from += n;
	}
	return true;
}

int foreign_copy_ends(struct f2fs_device *dev, const struct foreign_scope *scope)
{
	const uint64_t size = f2fs_device_info(dev)->size;
	const uint64_t head = size < FOREIGN_HEAD ? size : FOREIGN_HEAD;
	uint64_t tail = size > FOREIGN_TAIL ? size - FOREIGN_TAIL : 0;
	uint8_t *piece = mem_alloc(dev->ctx, PIECE);
	int fd = piece ? memfd_create("f2fskit", MFD_CLOEXEC) : -1;
	bool is_done;

	if (tail < head)
		tail = head;
	is_done = fd >= 0 && ftruncate(fd, (off_t)size) == 0 && copy_range(dev, scope, fd, piece, 0, head) &&
		  (!scope->with_tail || copy_range(dev, scope, fd, piece, tail, size));
	mem_free(dev->ctx, piece);
	if (!is_done && fd >= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void get_text(blkid_probe probe, const char *name, char *out, size_t size)
{
	const char *value;

	if (blkid_probe_lookup_value(probe, name, &value, NULL) == 0)
		f2fs_text_printable(value, strlen(value), out, size);
}

static uint64_t get_offset(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? strtoull(value, NULL, 10) : 0;
}

static uint32_t kind_of(const char *type, const char *usage)
{
	static const struct {
		const char *word;
		uint32_t kind;
	} types[] = { { "swap", F2FS_SIGNATURE_SWAP },
		      { "swsuspend", F2FS_SIGNATURE_SWAP },
		      { "LVM1_member", F2FS_SIGNATURE_LVM },
		      { "LVM2_member", F2FS_SIGNATURE_LVM },
		      { "DM_verity_hash", F2FS_SIGNATURE_VERIFIED } },
	  usages[] = { { "filesystem", F2FS_SIGNATURE_FILE_SYSTEM },
		       { "crypto", F2FS_SIGNATURE_CRYPTO },
		       { "raid", F2FS_SIGNATURE_RAID } };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i].word) == 0)
			return types[i].kind;
	for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++)
		if (strcmp(usage, usages[i].word) == 0)
			return usages[i].kind;
	return F2FS_SIGNATURE_OTHER;
}

static void get_found(blkid_probe probe, struct f2fs_signature *out)
{
	char usage[32] = "";

	memset(out, 0, sizeof(*out));
	get_text(probe, "TYPE", out->type, sizeof(out->type));
	if (!out->type[0]) {
		get_text(probe, "PTTYPE", out->type, sizeof(out->type));
		out->kind = F2FS_SIGNATURE_PARTITIONS;
		out->offset = get_offset(probe, "PTMAGIC_OFFSET");
		return;
	}
	get_text(probe, "USAGE", usage, sizeof(usage));
	get_text(probe, "LABEL", out->label, sizeof(out->label));
	get_text(probe, "UUID", out->uuid, sizeof(out->uuid));
	out->kind = kind_of(out->type, usage);
	out->offset = get_offset(probe, "SBMAGIC_OFFSET");
}

/* A boot sector has the magic of a partition table, even without any partition. */
static bool is_wanted(struct f2fs_device *dev, const struct foreign_scope *scope, const struct f2fs_signature *found)
{
	if (strcmp(found->type, "f2fs") == 0)
		return scope->with_f2fs;
	if (strcmp(found->type, "dos") == 0 && !scope->with_f2fs && !foreign_has_partitions(dev, scope))
		return false;
	return foreign_counts(scope, found);
}

int foreign_ask_blkid(struct f2fs_device *dev, const struct foreign_scope *scope, struct f2fs_signature *out)
{
	const int fd = foreign_copy_ends(dev, scope);
	blkid_probe probe = fd >= 0 ? blkid_new_probe() : NULL;
	int rc = F2FS_ERR_NOT_FOUND;

	if (probe && blkid_probe_set_device(probe, fd, 0, (blkid_loff_t)f2fs_device_info(dev)->size) == 0) {
		blkid_probe_enable_superblocks(probe, 1);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
								 BLKID_SUBLKS_UUID | BLKID_SUBLKS_MAGIC);
		blkid_probe_enable_partitions(probe, 1);
		blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
		for (unsigned i = 0; i < MOST_FOUND && rc != 0 && blkid_do_probe(probe) == 0; i++) {
			struct f2fs_signature found;

			get_found(probe, &found);
			if (!is_wanted(dev, scope, &found))
				continue;
			*out = found;
			rc = 0;
		}
	}
	blkid_free_probe(probe);
	if (fd >= 0)
		close(fd);
	return rc;
}
#else
int foreign_copy_ends(struct f2fs_device *dev, const struct foreign_scope *scope)
{
	(void)dev;
	(void)scope;
	return -1;
}

int foreign_ask_blkid(struct f2fs_device *dev, const struct foreign_scope *scope, struct f2fs_signature *out)
{
	(void)dev;
	(void)scope;
	(void)out;
	return F2FS_ERR_NOT_FOUND;
}
#endif
