/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What Android's two lists have in common: texts and words, paths from the mount point on, capabilities as a mask.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "task/populate/android.h"

#define TEXT_LIMIT (256u << 20)
#define CAPABILITY_HEAD 0x02000001u /* revision 2, and what is permitted is effective */

static int read_stream(struct f2fs_context *ctx, const char *path, FILE *file, char **text)
{
	struct vec bytes;
	size_t n;
	int err = 0;

	vec_init(&bytes, ctx, 1);
	do {
		err = bytes.count > TEXT_LIMIT ? error_set(ctx, F2FS_ERR_TOO_BIG, "%s is too large", path)
					       : vec_reserve(&bytes, 65536);
		if (err)
			break;
		n = fread((char *)bytes.items + bytes.count, 1, 65535, file);
		bytes.count += n;
	} while (n > 0);
	if (!err && ferror(file))
		err = error_sys(ctx, errno, "cannot read %s", path);
	if (!err && memchr(bytes.items, 0, bytes.count))
		err = error_set(ctx, F2FS_ERR_INVALID, "%s is not a text file", path);
	if (err) {
		vec_fini(&bytes);
		return err;
	}
	*text = bytes.items;
	(*text)[bytes.count] = '\0';
	return 0;
}

int android_read_text(struct f2fs_context *ctx, const char *path, char **text)
{
	FILE *file = fopen(path, "re");
	int err;

	if (!file)
		return error_sys(ctx, errno, "cannot open %s", path);
	err = read_stream(ctx, path, file, text);
	fclose(file);
	return err;
}

char *android_word(char **line)
{
	static const char blanks[] = " \t\r\v\f";
	char *word = *line + strspn(*line, blanks);

	if (!*word)
		return NULL;
	*line = word + strcspn(word, blanks);
	if (**line)
		*(*line)++ = '\0';
	return word;
}

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
