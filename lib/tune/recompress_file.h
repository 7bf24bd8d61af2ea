/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rewrite the contents of one file, compressed or not.
 */
#ifndef F2FSKIT_TUNE_RECOMPRESS_FILE_H
#define F2FSKIT_TUNE_RECOMPRESS_FILE_H

#include <f2fskit/compress.h>

#include "base/comp.h"
#include "file/object.h"

/* What an inode gets: nothing else, all extra attributes, or none. */
enum reshape { RESHAPE_NOT, RESHAPE_WIDE, RESHAPE_NARROW };

struct recompress {
	struct f2fs_volume *vol;
	const struct f2fs_compress_files_options *options;
	struct change_rules rules; /* of the handle that writes */
	struct f2fs_volume *view;  /* the volume as the last commit has it; NULL: not opened yet */
	struct comp_state codec;
	size_t chunk; /* bytes of plain */
	uint8_t *plain, *packed;
	void *work;
	enum reshape reshape; /* not RESHAPE_NOT: no matter of compression */
	int why; /* enum f2fs_compress_left: what the last failure means, NONE if it is not the file's own */
};

/* Make and free the buffers. */
int recompress_init(struct recompress *r);
void recompress_fini(struct recompress *r);
/* Is there a reason to leave a file as it is (enum f2fs_compress_left)? */
int recompress_judge(struct recompress *r, struct f2fs_inode *inode);
/* Count the blocks that store the contents of a file. */
int recompress_count(struct f2fs_inode *inode, uint64_t *blocks);
/*
 * Count the blocks that would store them after the change. Stops at the first that is saved with until_one. Sets why.
 */
int recompress_try(struct recompress *r, struct f2fs_inode *inode, bool until_one, uint64_t *blocks, uint64_t *saved);
/*
 * Rewrite a file in the running transaction, from the view. Its inode gets room for all extra attributes. A failure may
 * have changed it half-way: roll back then. Sets why.
 */
int recompress_rewrite(struct recompress *r, f2fs_nid_t ino);
/* Can the blocks of a file move, or its contents move out of the inode, so that its inode gets another form? */
bool recompress_is_movable(const struct f2fs_geometry *geo, const uint8_t *block);
#endif
