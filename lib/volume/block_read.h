/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read blocks of an open volume, and record damage.
 */
#ifndef F2FSKIT_VOLUME_BLOCK_READ_H
#define F2FSKIT_VOLUME_BLOCK_READ_H

#include "volume/volume.h"

struct f2fs_device;

/* Record F2FS_ERR_CORRUPT: which rule a structure at a block (F2FS_NO_BLOCK: none) breaks, then the details. */
int volume_corrupt(struct f2fs_volume *vol, enum rule rule, uint64_t block, f2fs_nid_t nid, const char *format, ...)
	PRINTF_LIKE(5, 6);
#if defined(__clang_analyzer__) && !defined(F2FSKIT_ERRORS_THEMSELVES) /* as in base/context.h */
#define volume_corrupt(vol, rule, ...) ((void)volume_corrupt(vol, rule, __VA_ARGS__), F2FS_ERR_CORRUPT)
#endif
/* Note damage that opening worked around, as a sentence; also log it as a warning. */
int volume_note(struct f2fs_volume *vol, const char *format, ...) PRINTF_LIKE(2, 3);

/* Read from dev, the volume's device or the cache over it. What an image cut short lacks is F2FS_ERR_IO: not a mistake
 * of the caller's. */
int volume_device_read(struct f2fs_volume *vol, struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length);
/* Point at a block through the cache; valid until the next call that reads. Any area. */
int volume_peek(struct f2fs_volume *vol, f2fs_blk_t addr, const uint8_t **out);

/* Read bytes of the main area at a block's start plus within, past the cache: for file contents. */
int volume_read(struct f2fs_volume *vol, f2fs_blk_t addr, uint64_t within, void *buffer, size_t length);
/*
 * Read whole blocks, and blank ones a second time. For bytes that nothing else vouches for and that are about to be
 * written elsewhere or taken for an end: a device may once give zeros instead of an error.
 */
int volume_read_twice(struct f2fs_volume *vol, f2fs_blk_t addr, uint32_t count, uint8_t *buffer);

#endif
