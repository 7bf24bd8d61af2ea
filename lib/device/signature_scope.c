/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes of a device for a search for signatures. Those of the volume are hidden, and the start is read once and kept.
 */
#include <string.h>

#include "base/bytes.h"
#include "device/signature_find.h"
#include "device/signature_scope.h"

#define SECTOR 512u

int foreign_load_head(struct f2fs_device *dev, struct foreign_scope *scope)
{
	const uint64_t size = f2fs_device_info(dev)->size;
	const size_t length = size < FOREIGN_KEPT ? (size_t)size : FOREIGN_KEPT;
	uint8_t *head = mem_alloc(dev->ctx, FOREIGN_KEPT);

	if (!head)
		return F2FS_ERR_NOMEM;
	if (device_read_quiet(dev, 0, head, length) == 0) {
		scope->head = head;
		scope->head_length = length;
	} else { /* each byte is tried by itself then */
		mem_free(dev->ctx, head);
	}
	return 0;
}

void foreign_drop_head(struct f2fs_device *dev, struct foreign_scope *scope)
{
	mem_free(dev->ctx, scope->head);
	scope->head = NULL;
	scope->head_length = 0;
}

static bool is_owned(const struct foreign_scope *scope, uint64_t offset, size_t length)
{
	for (unsigned i = 0; i < scope->owned_count; i++)
		if (scope->owned[i].start <= offset && offset + length <= scope->owned[i].end)
			return true;
	return false;
}

void foreign_read(struct f2fs_device *dev, const struct foreign_scope *scope, uint64_t offset, uint8_t *buffer,
		  size_t length)
{
	const uint64_t size = f2fs_device_info(dev)->size;
	size_t got = offset >= size ? 0 : size - offset < length ? (size_t)(size - offset) : length;

	if (is_owned(scope, offset, length))
		got = 0;
	else if (offset + got <= scope->head_length)
		memcpy(buffer, scope->head + offset, got);
	else if (got > 0 && device_read_quiet(dev, offset, buffer, got) != 0)
		got = 0;
	memset(buffer + got, 0, length - got);
	for (unsigned i = 0; i < scope->owned_count; i++) {
		const struct foreign_range *own = &scope->owned[i];
		const uint64_t from = own->start > offset ? own->start : offset;
		const uint64_t end = own->end < offset + length ? own->end : offset + length;

		if (from < end)
			memset(buffer + (from - offset), 0, (size_t)(end - from));
	}
}

bool foreign_counts(const struct foreign_scope *scope, const struct f2fs_signature *found)
{
	static const char *const boot_sectors[] = { "vfat", "msdos", "fat", "exfat", "ntfs" };

	if (!(scope->kinds & 1u << found->kind))
		return false;
	for (size_t i = 0; !scope->with_boot_sectors && i < sizeof(boot_sectors) / sizeof(boot_sectors[0]); i++)
		if (strcmp(found->type, boot_sectors[i]) == 0)
			return false;
	return true;
}

bool foreign_has_partitions(struct f2fs_device *dev, const struct foreign_scope *scope)
{
	const uint64_t sectors = f2fs_device_info(dev)->size / SECTOR;
	unsigned used = 0;
	uint8_t s[SECTOR];

	foreign_read(dev, scope, 0, s, sizeof(s));
	if (s[510] != 0x55 || s[511] != 0xAA)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *entry = s + 446 + i * 16;
		const uint32_t start = get_le32(entry + 8), count = get_le32(entry + 12);

		if (entry[0] != 0 && entry[0] != 0x80)
			return false;
		if (entry[4] == 0 && count == 0)
			continue;
		/* the protective entry of a GPT may name more sectors than there are */
		if (entry[4] == 0 || start == 0 || count == 0 || start >= sectors)
			return false;
		used++;
	}
	return used > 0;
}
