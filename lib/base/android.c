/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths and capabilities as Android's two lists write them.
 */
#include "base/android.h"

#include <string.h>

#include "base/bytes.h"

#define CAPABILITY_HEAD 0x02000001u /* revision 2, and permitted capabilities are effective */

int android_mount_path(struct vec *to, const char *mount_point, const char *path, const char **out)
{
	const char *mount = mount_point ? mount_point : "";
	size_t n, length;
	char *text;

	mount += strspn(mount, "/");
	n = strlen(mount);
	while (n > 0 && mount[n - 1] == '/')
		n--;
	length = strlen(path);
	to->count = 0;
	text = vec_push(to, n + length + 3);
	if (!text)
		return F2FS_ERR_NOMEM;
	text[0] = '/';
	memcpy(text + 1, mount, n);
	if (n && length)
		text[++n] = '/';
	memcpy(text + 1 + n, path, length + 1);
	*out = text;
	return 0;
}

void android_capability_encode(uint64_t mask, uint8_t value[ANDROID_CAPABILITY_SIZE])
{
	memset(value, 0, ANDROID_CAPABILITY_SIZE);
	put_le32(value, CAPABILITY_HEAD);
	put_le32(value + 4, (uint32_t)mask);
	put_le32(value + 12, (uint32_t)(mask >> 32));
}

bool android_capability_decode(const uint8_t *value, size_t size, uint64_t *mask)
{
	uint8_t again[ANDROID_CAPABILITY_SIZE];

	if (size != ANDROID_CAPABILITY_SIZE)
		return false;
	*mask = get_le32(value + 4) | (uint64_t)get_le32(value + 12) << 32;
	android_capability_encode(*mask, again);
	return !memcmp(again, value, size);
}
