/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Override attributes of the source: first with Android's fs_config, then with the caller's rules, of which a later one
 * overrides an earlier one. SELinux labels come from file_contexts.
 */
#include "source/rules.h"

#include <string.h>

#include "base/android.h"
#include "base/error.h"
#include "source/attribute.h"
#include "source/contexts.h"
#include "source/fsconfig.h"

/* A capability mask as the kernel keeps it. */
static int add_capabilities(struct source *src, uint64_t mask, struct vec *attributes)
{
	uint8_t value[ANDROID_CAPABILITY_SIZE];

	android_capability_encode(mask, value);
	return source_attribute_put(src, attributes, "security.capability", value, sizeof(value));
}

static int apply_fs_config(struct source *src, const char *mounted, struct source_item *item, struct vec *attributes)
{
	const struct fs_config_entry *entry = fs_config_find(src->fs_config, mounted + 1);
	int err = 0;

	if (!entry) {
		error_set(src->ctx, F2FS_ERR_NOT_FOUND, "%.200s has no line for %.200s", src->opt.fs_config, mounted);
		return source_problem(src, "fs_config");
	}
	item->mode = (item->mode & MODE_TYPE) | (entry->mode & 07777);
	item->uid = entry->uid;
	item->gid = entry->gid;
	item->forced |= GIVEN_MODE | GIVEN_OWNER;
	item->is_listed = true;
	item->is_capable = entry->capabilities != 0;
	if (entry->capabilities)
		err = add_capabilities(src, entry->capabilities, attributes);
	if (!err && entry->label)
		err = source_attribute_put(src, attributes, "security.selinux", entry->label, strlen(entry->label) + 1);
	return err;
}

static void apply_rules(struct source *src, const char *path, struct source_item *item)
{
	for (unsigned i = 0; i < src->opt.rule_count; i++) {
		const struct f2fs_populate_rule *rule = &src->opt.rules[i];

		if (!pattern_set_match(&src->ruled, i, path))
			continue;
		if (rule->set & F2FS_SET_MODE) {
			item->mode = (item->mode & MODE_TYPE) | (rule->mode & 07777);
			item->forced |= GIVEN_MODE;
		}
		if (rule->set & (F2FS_SET_UID | F2FS_SET_GID)) {
			item->uid = rule->uid;
			item->gid = rule->gid;
			item->forced |= GIVEN_OWNER;
		}
		if (rule->set & F2FS_SET_MTIME) {
			item->mtime = rule->time;
			item->forced |= GIVEN_MTIME;
		}
	}
}

int source_adjust(struct source *src, const char *path, struct source_item *item, struct vec *attributes)
{
	const char *mounted, *label;
	int err = 0;

	if (src->fs_config || src->contexts) {
		err = android_mount_path(&src->mounted, src->opt.mount_point, path, &mounted);
		if (!err && src->fs_config)
			err = apply_fs_config(src, mounted, item, attributes);
		label = !err && src->contexts ? contexts_find(src->contexts, mounted, item->mode) : NULL;
		if (label)
			err = source_attribute_put(src, attributes, "security.selinux", label, strlen(label) + 1);
	}
	if (!err)
		apply_rules(src, path, item);
	return err;
}

void source_warn_unmet(const struct source *src)
{
	pattern_set_warn(&src->include, "pattern");
	pattern_set_warn(&src->ruled, "rule's pattern");
}

int source_rules_open(struct source *src)
{
	const struct source_options *o = &src->opt;
	int err = pattern_set_init(&src->ruled, src->ctx, o->rules ? &o->rules->pattern : NULL, sizeof(*o->rules),
				o->rule_count);

	for (unsigned i = 0; i < o->rule_count && !err; i++)
		if (!o->rules[i].pattern || !o->rules[i].set ||
		    (o->rules[i].set & ~(unsigned)(F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_MTIME)))
			return error_set(src->ctx, F2FS_ERR_INVALID,
					 "a rule needs a pattern, and sets mode, owner, group or time");
	if (!err && o->fs_config)
		err = fs_config_load(src->ctx, o->fs_config, &src->fs_config);
	for (unsigned i = 0; i < o->file_contexts_count && !err; i++)
		err = contexts_load(src->ctx, o->file_contexts[i], &src->contexts);
	return err;
}

void source_rules_close(struct source *src)
{
	pattern_set_fini(&src->ruled);
	fs_config_free(src->fs_config);
	contexts_free(src->contexts);
}
