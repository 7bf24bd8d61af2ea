/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the text of Android's two lists from a file of the host, and split it into words.
 */
#include "source/listtext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

#define TEXT_LIMIT (256u << 20)

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

int listtext_read(struct f2fs_context *ctx, const char *path, char **text)
{
	FILE *file = fopen(path, "re");
	int err;

	if (!file)
		return error_sys(ctx, errno, "cannot open %s", path);
	err = read_stream(ctx, path, file, text);
	fclose(file);
	return err;
}

char *listtext_word(char **line)
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
