/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the SELinux label of a path in file_contexts. A line is
 *
 *	REGEX [-b|-c|-d|-p|-l|-s|--] CONTEXT
 *
 * REGEX stands for the whole path. A context of <<none>> means no label. Lines without an operator of regular
 * expressions are tried before the others. Of two that match the later one counts.
 *
 * This is written here, over the C library's extended regular expressions, and does not use libselinux. That library
 * takes one file alone and looks for compiled and local ones beside it. The same command would make other volumes on
 * other hosts. Most lines begin with plain text, which is compared first.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "format/inode.h"
#include "source/contexts.h"
#include "source/listtext.h"

struct spec {
	regex_t regex;
	char *prefix; /* the plain text that paths begin with; the whole path when is_plain */
	size_t prefix_length;
	bool is_plain;
	uint32_t type;	   /* of inodes; 0: any */
	const char *label; /* NULL: none */
};

struct contexts {
	struct f2fs_context *ctx;
	struct vec texts; /* char *: the texts of the specs */
	struct vec specs; /* struct spec */
};

static bool is_operator(char c)
{
	return c && strchr(".^$?*+|[({", c) != NULL;
}

/* Find the plain text at the start of a regular expression. */
static int find_prefix(struct f2fs_context *ctx, const char *regex, struct spec *spec)
{
	size_t n = 0;
	bool is_plain = true;

	spec->prefix = mem_alloc(ctx, strlen(regex) + 1);
	if (!spec->prefix)
		return F2FS_ERR_NOMEM;
	for (const char *p = regex; *p; p++) {
		if (*p == '\\' && p[1] && strchr(".^$?*+|[](){}\\/-_+@ ~", p[1])) {
			p++;
		} else if (is_operator(*p) || *p == '\\') {
			is_plain = false;
			if (n > 0 && strchr("?*{", *p))
				n--; /* there may be none of the last character */
			break;
		}
		spec->prefix[n++] = *p;
	}
	if (!is_plain && strchr(regex, '|'))
		n = 0; /* the other side begins otherwise */
	spec->prefix[n] = '\0';
	spec->prefix_length = n;
	spec->is_plain = is_plain;
	return 0;
}

static int compile(struct f2fs_context *ctx, const char *name, size_t number, const char *regex, struct spec *spec)
{
	char *anchored = mem_alloc(ctx, strlen(regex) + 3);
	char why[160];
	int rc;

	if (!anchored)
		return F2FS_ERR_NOMEM;
	sprintf(anchored, "^%s$", regex);
	rc = regcomp(&spec->regex, anchored, REG_EXTENDED | REG_NOSUB);
	mem_free(ctx, anchored);
	if (rc == 0)
		return find_prefix(ctx, regex, spec);
	regerror(rc, &spec->regex, why, sizeof(why));
	memset(&spec->regex, 0, sizeof(spec->regex));
	return error_set(ctx, F2FS_ERR_INVALID, "%.200s, line %zu: %s", name, number, why);
}

/* The type of inodes that a word like "-d" means; false for another word. */
static bool take_type(const char *word, uint32_t *type)
{
	static const struct {
		const char *word;
		uint32_t type;
	} types[] = {
		{ "-b", MODE_BLK }, { "-c", MODE_CHR },	 { "-d", MODE_DIR }, { "-p", MODE_FIFO },
		{ "-l", MODE_LNK }, { "-s", MODE_SOCK }, { "--", MODE_REG },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].word, word) == 0) {
			*type = types[i].type;
			return true;
		}
	}
	return false;
}

static int take_line(struct contexts *contexts, const char *name, size_t number, char *line)
{
	const char *regex = listtext_word(&line), *word = listtext_word(&line), *label;
	struct spec spec = { .type = 0 };
	struct spec *slot;
	int err;

	if (!regex || regex[0] == '#')
		return 0;
	label = word && take_type(word, &spec.type) ? listtext_word(&line) : word;
	if (!label || listtext_word(&line))
		return error_set(contexts->ctx, F2FS_ERR_INVALID,
				 "%.200s, line %zu: not a regular expression, a type and a context", name, number);
	spec.label = strcmp(label, "<<none>>") == 0 ? NULL : label;
	err = compile(contexts->ctx, name, number, regex, &spec);
	slot = err ? NULL : vec_push(&contexts->specs, 1);
	if (slot) {
		*slot = spec;
		return 0;
	}
	regfree(&spec.regex); /* all zeros when it was not compiled */
	mem_free(contexts->ctx, spec.prefix);
	return err ? err : F2FS_ERR_NOMEM;
}

static int take_lines(struct contexts *contexts, const char *name, char *line)
{
	int err = 0;

	for (size_t number = 1; *line && !err; number++) {
		char *end = line + strcspn(line, "\n"), *following = *end ? end + 1 : end;

		*end = '\0';
		err = take_line(contexts, name, number, line);
		line = following;
	}
	return err;
}

int contexts_parse(struct f2fs_context *ctx, const char *name, char *text, struct contexts **contexts)
{
	char **slot;

	if (!*contexts) {
		*contexts = mem_zalloc(ctx, sizeof(**contexts));
		if (*contexts) {
			(*contexts)->ctx = ctx;
			vec_init(&(*contexts)->texts, ctx, sizeof(char *));
			vec_init(&(*contexts)->specs, ctx, sizeof(struct spec));
		}
	}
	slot = *contexts ? vec_push(&(*contexts)->texts, 1) : NULL;
	if (!slot) {
		mem_free(ctx, text);
		return F2FS_ERR_NOMEM;
	}
	*slot = text;
	return take_lines(*contexts, name, text);
}

int contexts_load(struct f2fs_context *ctx, const char *path, struct contexts **contexts)
{
	char *text;
	int err = listtext_read(ctx, path, &text);

	return err ? err : contexts_parse(ctx, path, text, contexts);
}

void contexts_free(struct contexts *contexts)
{
	if (!contexts)
		return;
	for (size_t i = 0; i < contexts->specs.count; i++) {
		struct spec *spec = vec_at(&contexts->specs, i);

		regfree(&spec->regex);
		mem_free(contexts->ctx, spec->prefix);
	}
	for (size_t i = 0; i < contexts->texts.count; i++)
		mem_free(contexts->ctx, *(char **)vec_at(&contexts->texts, i));
	vec_fini(&contexts->specs);
	vec_fini(&contexts->texts);
	mem_free(contexts->ctx, contexts);
}

static bool matches(const struct spec *spec, const char *path, uint32_t mode)
{
	if (spec->type && spec->type != (mode & MODE_TYPE))
		return false;
	if (spec->is_plain)
		return strcmp(spec->prefix, path) == 0;
	return strncmp(spec->prefix, path, spec->prefix_length) == 0 && regexec(&spec->regex, path, 0, NULL, 0) == 0;
}

const char *contexts_find(const struct contexts *contexts, const char *path, uint32_t mode)
{
	for (int plain = 1; plain >= 0; plain--) {
		for (size_t i = contexts->specs.count; i-- > 0;) {
			const struct spec *spec = vec_at(&contexts->specs, i);

			if (spec->is_plain == (plain == 1) && matches(spec, path, mode))
				return spec->label;
		}
	}
	return NULL;
}
