/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a line of a manifest, as fs_config, as file_contexts: refused, or with sound values. */
#include <f2fskit/context.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "source/contexts.h"
#include "source/fsconfig.h"
#include "source/manifestline.h"

static void expect(int holds)
{
	if (!holds)
		abort();
}

/* A copy of the size that the parsers may change, as they get it. */
static char *copy_of(struct f2fs_context *ctx, const uint8_t *data, size_t size)
{
	char *text = mem_alloc(ctx, size + 1);

	expect(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static void try_manifest(struct f2fs_context *ctx, const uint8_t *data, size_t size)
{
	struct manifest_entry entry;
	char *text = copy_of(ctx, data, size);
	int err;

	vec_init(&entry.attributes, ctx, sizeof(struct manifest_attribute));
	err = manifest_parse(ctx, text, size, &entry);
	if (err) {
		expect(err == F2FS_ERR_INVALID && f2fs_context_error(ctx)->message[0]);
	} else {
		expect(entry.path >= text && entry.path + strlen(entry.path) <= text + size);
		expect(entry.item.mtime.nanoseconds < 1000000000 && (entry.item.mode & ~0177777u) == 0);
		for (size_t i = 0; i < entry.attributes.count; i++) {
			const struct manifest_attribute *a = vec_at(&entry.attributes, i);

			expect((const char *)a->value >= text && (const char *)a->value + a->size <= text + size);
		}
	}
	vec_fini(&entry.attributes);
	mem_free(ctx, text);
}

static void try_fs_config(struct f2fs_context *ctx, const uint8_t *data, size_t size)
{
	struct fs_config *config;
	int err = fs_config_parse(ctx, "list", copy_of(ctx, data, size), &config);

	if (err) {
		expect(err == F2FS_ERR_INVALID);
		return;
	}
	fs_config_find(config, "");
	fs_config_find(config, "system/bin/sh");
	fs_config_free(config);
}

/* Repetitions of repetitions make the C library's regular expressions grow without bound: these are not on trial. */
static int has_repetitions(const uint8_t *data, size_t size)
{
	for (size_t i = 1; i < size; i++)
		if (data[i] && strchr("*+?", data[i]) && data[i - 1] && strchr("*+?", data[i - 1]))
			return 1;
	return memchr(data, '{', size) || memchr(data, '(', size) || memchr(data, '\\', size);
}

static void try_contexts(struct f2fs_context *ctx, const uint8_t *data, size_t size)
{
	struct contexts *contexts = NULL;
	int err;

	if (has_repetitions(data, size))
		return;
	err = contexts_parse(ctx, "list", copy_of(ctx, data, size), &contexts);
	expect(err == 0 || err == F2FS_ERR_INVALID);
	if (!err)
		contexts_find(contexts, "/system/bin/sh", 0100755);
	contexts_free(contexts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct f2fs_context *ctx;

	if (size < 1 || size > 4096 || memchr(data + 1, 0, size - 1) || f2fs_context_open(NULL, &ctx) != 0)
		return 0;
	switch (data[0] % 3) {
	case 0:
		try_manifest(ctx, data + 1, size - 1);
		break;
	case 1:
		try_fs_config(ctx, data + 1, size - 1);
		break;
	default:
		try_contexts(ctx, data + 1, size - 1);
	}
	f2fs_context_close(ctx);
	return 0;
}
