/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings of an experiment, and parameters read from them.
 */
#include "lab/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"

struct lab_setting *lab_config_find(const struct lab_config *config, const char *key)
{
	for (unsigned i = 0; i < config->count; i++)
		if (strcmp(config->settings[i].key, key) == 0)
			return &config->settings[i];
	return NULL;
}

static int no_memory(struct lab_config *config)
{
	snprintf(config->error, sizeof(config->error), "out of memory");
	return -1;
}

static void forget(struct lab_setting *s)
{
	for (unsigned i = 0; i < s->count; i++)
		free(s->items[i]);
	free(s->items);
	free(s->key);
}

int lab_config_wrong(struct lab_config *config, const struct lab_setting *s, const char *why)
{
	if (s->line)
		snprintf(config->error, sizeof(config->error), "%s:%u: %s: %s", config->path ? config->path : "",
			 s->line, s->key, why);
	else
		snprintf(config->error, sizeof(config->error), "--set %s: %s", s->key, why);
	return -1;
}

int lab_config_add(struct lab_config *config, const char *key, char *const *items, unsigned count, unsigned line,
		   int is_list)
{
	struct lab_setting *s, *more;

	if (config->count == config->room) {
		const unsigned room = config->room ? config->room * 2 : 32;

		more = realloc(config->settings, room * sizeof(*more));
		if (!more)
			return no_memory(config);
		config->settings = more;
		config->room = room;
	}
	s = &config->settings[config->count];
	*s = (struct lab_setting){ .line = line, .is_list = (uint8_t)is_list };
	s->key = strdup(key);
	s->items = calloc(count ? count : 1, sizeof(*s->items));
	if (s->key && s->items)
		while (s->count < count && (s->items[s->count] = strdup(items[s->count])) != NULL)
			s->count++;
	if (!s->key || !s->items || s->count < count) {
		forget(s);
		return no_memory(config);
	}
	config->count++;
	return 0;
}

int lab_config_replace(struct lab_config *config, const char *key, char *const *items, unsigned count, unsigned line,
		       int is_list)
{
	struct lab_setting *old, *made;

	if (lab_config_add(config, key, items, count, line, is_list))
		return -1;
	made = &config->settings[config->count - 1];
	made->is_chosen = 1;
	old = lab_config_find(config, key);
	if (old == made)
		return 0;
	forget(old);
	*old = *made;
	config->count--;
	return 0;
}

int lab_config_set(struct lab_config *config, const char *assignment)
{
	const char *equals = strchr(assignment, '=');
	char key[128], *value;

	if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof(key)) {
		snprintf(config->error, sizeof(config->error), "--set %s: is not KEY=VALUE", assignment);
		return -1;
	}
	memcpy(key, assignment, (size_t)(equals - assignment));
	key[equals - assignment] = '\0';
	value = (char *)(uintptr_t)(equals + 1); /* it is copied */
	return lab_config_replace(config, key, &value, 1, 0, 0);
}

int lab_config_copy(const struct lab_config *from, struct lab_config *to)
{
	*to = (struct lab_config){ .path = from->path };
	for (unsigned i = 0; i < from->count; i++) {
		const struct lab_setting *s = &from->settings[i];

		if (lab_config_add(to, s->key, s->items, s->count, s->line, s->is_list))
			return -1;
	}
	return 0;
}

int lab_config_all_used(struct lab_config *config)
{
	for (unsigned i = 0; i < config->count; i++)
		if (!config->settings[i].is_used)
			return lab_config_wrong(config, &config->settings[i], "there is no such key");
	return 0;
}

void lab_config_free(struct lab_config *config)
{
	for (unsigned i = 0; i < config->count; i++)
		forget(&config->settings[i]);
	free(config->settings);
	config->settings = NULL;
	config->count = config->room = 0;
}

static const char *take_size(uint64_t whole, const char *text, uint64_t *bytes)
{
	const size_t n = strlen(text);
	char number[32];
	double percent;

	if (n == 0 || text[n - 1] != '%' || n > sizeof(number))
		return cli_parse_size(text, 1, 512, bytes);
	memcpy(number, text, n - 1);
	number[n - 1] = '\0';
	if (cli_parse_fraction(number, &percent) || percent < 0 || percent > 100)
		return "is no percentage";
	*bytes = (uint64_t)((double)whole / 4096 * percent / 100) * 4096;
	return whole ? NULL : "has no volume to be a part of";
}

/* Parse a text as a parameter. Returns NULL, or an error text. */
static const char *take(const struct lab_param *p, uint64_t whole, char *text, void *out)
{
	char *to = (char *)out + p->offset;
	const char *why = NULL;
	uint64_t number = 0;
	double fraction = 0;

	switch (p->kind) {
	case LAB_COUNT:
		why = cli_parse_u64(text, 0, UINT64_MAX, &number);
		break;
	case LAB_SIZE:
		why = take_size(whole, text, &number);
		break;
	case LAB_FRACTION:
		why = cli_parse_fraction(text, &fraction);
		break;
	case LAB_FLAG:
		number = strcmp(text, "true") == 0;
		why = number || strcmp(text, "false") == 0 ? NULL : "is neither true nor false";
		break;
	case LAB_WORD:
		memcpy(to, &text, sizeof(text));
		return NULL;
	}
	if (why)
		return why;
	if (p->kind == LAB_FRACTION) {
		memcpy(to, &fraction, sizeof(fraction));
		return fraction < p->min || fraction > p->max ? "is out of bounds" : NULL;
	}
	memcpy(to, &number, sizeof(number));
	if (p->kind == LAB_FLAG)
		return NULL;
	return (double)number < p->min || (double)number > p->max ? "is out of bounds" : NULL;
}

static int read_one(struct lab_config *config, const char *prefix, const struct lab_param *p, void *out)
{
	struct lab_setting *s;
	char key[128], why[320];
	const char *wrong;

	snprintf(key, sizeof(key), "%s%s", prefix, p->key);
	s = lab_config_find(config, key);
	if (!s) {
		(void)take(p, config->whole, (char *)(uintptr_t)p->standard, out);
		return 0;
	}
	s->is_used = 1;
	if (s->is_list)
		return lab_config_wrong(config, s, "is a list, where one value is wanted");
	wrong = take(p, config->whole, s->items[0], out);
	if (!wrong)
		return 0;
	if (strcmp(wrong, "is out of bounds") == 0)
		snprintf(why, sizeof(why), "'%.100s' is out of bounds: %.17g to %.17g", s->items[0], p->min, p->max);
	else
		snprintf(why, sizeof(why), "'%.100s' %.200s", s->items[0], wrong);
	return lab_config_wrong(config, s, why);
}

int lab_config_read(struct lab_config *config, const char *prefix, const struct lab_param *params, unsigned count,
		    void *out)
{
	for (unsigned i = 0; i < count; i++)
		if (read_one(config, prefix, &params[i], out))
			return -1;
	return 0;
}
