/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the text that names a model and its parameters; see ftl.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftl_options.h"

enum kind { SIZE, COUNT, SHARE };

static const struct key {
	const char *name;
	enum kind kind;
	unsigned models;
	uint64_t smallest, largest, standard;
	size_t place; /* in struct ftl_options */
} keys[] = {
#define FTL_KEY(name, kind, models, smallest, largest, standard, meaning)                                              \
	{ #name, kind, models, smallest, largest, standard, offsetof(struct ftl_options, name) },
#include "ftl_keys.def"
#undef FTL_KEY
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

static const struct ftl_model *const models[] = { &ftl_page_map, &ftl_block_map, &ftl_bast,
						  &ftl_fast,	 &ftl_sast,	 &ftl_dftl, &ftl_multi_stream };

#define MODEL_COUNT (sizeof(models) / sizeof(models[0]))

/* Say which model, key and value are refused, and by which rule. */
static int refuse(struct f2fs_context *ctx, const struct ftl_model *model, const char *part, const char *rule)
{
	char message[256];

	snprintf(message, sizeof(message), "flash model %s: %.80s: %.120s", model->name, part, rule);
	return f2fs_context_fail(ctx, F2FS_ERR_INVALID, message);
}

static void write_value(char *text, size_t size, const struct key *key, uint64_t value)
{
	if (key->kind == SHARE)
		snprintf(text, size, "%g%%", (double)value / 1e4);
	else
		snprintf(text, size, "%llu", (unsigned long long)value);
}

/* Read a number with its unit; return whether it is one. Shares are kept in millionths. */
static int read_value(const char *text, enum kind kind, uint64_t *value)
{
	char *end;
	double number;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	number = strtod(text, &end);
	if (kind == SHARE) {
		if (strcmp(end, "%") != 0)
			return 0;
		number *= 1e4;
	} else if (strspn(text, "0123456789") != (size_t)(end - text)) {
		return 0;
	} else if (kind == SIZE && *end && strchr("KMG", *end)) {
		number *= *end == 'K' ? 1024.0 : *end == 'M' ? 1048576.0 : 1073741824.0;
		end++;
	}
	if (kind != SHARE && *end)
		return 0;
	*value = number < 1e18 ? (uint64_t)(number + 0.5) : UINT64_MAX;
	return 1;
}

/* Take one "key=value"; part is the caller's, and is cut. */
static int take_key(struct f2fs_context *ctx, const struct ftl_model *model, char *part, struct ftl_options *options)
{
	static const char *const forms[] = { "a size needs digits, then K, M or G or nothing", "a number needs digits",
					     "a share needs a number and %" };
	char *equals = strchr(part, '='), rule[120], low[32], high[32];
	uint64_t value;

	if (!equals)
		return refuse(ctx, model, part, "a key needs = and a value");
	*equals = 0;
	for (size_t i = 0; i < KEY_COUNT; i++) {
		const struct key *key = &keys[i];

		if (strcmp(key->name, part) != 0 || !(key->models & model->bit))
			continue;
		*equals = '=';
		if (!read_value(equals + 1, key->kind, &value))
			return refuse(ctx, model, part, forms[key->kind]);
		if (value < key->smallest || value > key->largest) {
			write_value(low, sizeof(low), key, key->smallest);
			write_value(high, sizeof(high), key, key->largest);
			snprintf(rule, sizeof(rule), "it may be %s to %s", low, high);
			return refuse(ctx, model, part, rule);
		}
		memcpy((char *)options + key->place, &value, sizeof(value));
		return 0;
	}
	return refuse(ctx, model, part, "the model has no such key");
}

/* Rules that need more than one key. */
static int check_together(struct f2fs_context *ctx, const struct ftl_model *model, const struct ftl_options *options)
{
	if (options->superpage % 512 != 0)
		return refuse(ctx, model, "superpage", "it must be a multiple of 512");
	if (options->superblock % options->superpage != 0)
		return refuse(ctx, model, "superblock", "it must be a multiple of superpage");
	if (options->superblock == options->superpage)
		return refuse(ctx, model, "superblock", "it must have two superpages at least");
	if (model == &ftl_dftl && options->entry > options->superpage)
		return refuse(ctx, model, "entry", "it may be no larger than superpage");
	if (model == &ftl_fast && options->logs < 2)
		return refuse(ctx, model, "logs", "one is sequential, so there must be two at least");
	return 0;
}

static const struct ftl_model *find_model(const char *text, size_t length)
{
	for (size_t i = 0; i < MODEL_COUNT; i++)
		if (strlen(models[i]->name) == length && memcmp(models[i]->name, text, length) == 0)
			return models[i];
	return NULL;
}

int ftl_parse(struct f2fs_context *ctx, const char *text, const struct ftl_model **model,
	      struct ftl_options *options)
{
	const size_t length = strcspn(text, ":");
	const char *next = text[length] ? text + length + 1 : text + length;

	*model = find_model(text, length);
	if (!*model)
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID,
					 "a flash model is page, block, bast, fast, sast, dftl or multi, then a colon "
					 "and its keys");
	for (size_t i = 0; i < KEY_COUNT; i++)
		memcpy((char *)options + keys[i].place, &keys[i].standard, sizeof(uint64_t));
	while (*next) {
		const size_t size = strcspn(next, ",");
		char part[96];
		int rc;

		if (size >= sizeof(part))
			return refuse(ctx, *model, next, "a key and its value are too long");
		memcpy(part, next, size);
		part[size] = 0;
		rc = take_key(ctx, *model, part, options);
		if (rc != 0)
			return rc;
		next += size + (next[size] == ',');
	}
	return check_together(ctx, *model, options);
}
