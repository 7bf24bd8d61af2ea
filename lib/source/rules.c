/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes that override what the source says: first Android's fs_config, then the caller's rules, of which a later
 * one overrides an earlier one. SELinux labels come from file_contexts.
 */
#include <string.h>

#include "base/android.h"
#include "source/android.h"
#include "source/populate.h"

/* A capability mask as the kernel keeps it. */
static int add_capabilities(struct populate *p, uint64_t mask, struct vec *attributes)
{
	uint8_t value[ANDROID_CAPABILITY_SIZE];

	android_capability_encode(mask, value);
	return populate_attribute_put(p, attributes, "security.capability", value, sizeof(value));
}

static int apply_fs_config(struct populate *p, const char *mounted, struct populate_item *item, struct vec *attributes)
{
	const struct fs_config_entry *entry = fs_config_find(p->fs_config, mounted + 1);
	int err = 0;

	if (!entry) {
		error_set(p->ctx, F2FS_ERR_NOT_FOUND, "%.200s has no line for %.200s", p->opt.fs_config, mounted);
		return populate_problem(p, "fs_config");
	}
	item->mode = (item->mode & MODE_TYPE) | (entry->mode & 07777);
	item->uid = entry->uid;
	item->gid = entry->gid;
	item->forced |= GIVEN_MODE | GIVEN_OWNER;
	item->is_listed = true;
	item->is_capable = entry->capabilities != 0;
	if (entry->capabilities)
		err = add_capabilities(p, entry->capabilities, attributes);
	if (!err && entry->label)
		err = populate_attribute_put(p, attributes, "security.selinux", entry->label, strlen(entry->label) + 1);
	return err;
}

static void apply_rules(const struct populate *p, const char *path, struct populate_item *item)
{
	for (unsigned i = 0; i < p->opt.rule_count; i++) {
		const struct f2fs_populate_rule *rule = &p->opt.rules[i];

		if (!populate_matches(rule->pattern, path))
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

int populate_adjust(struct populate *p, const char *path, struct populate_item *item, struct vec *attributes)
{
	const char *mounted, *label;
	int err = 0;

	if (p->fs_config || p->contexts) {
		err = android_mount_path(&p->mounted, p->opt.mount_point, path, &mounted);
		if (!err && p->fs_config)
			err = apply_fs_config(p, mounted, item, attributes);
		label = !err && p->contexts ? contexts_find(p->contexts, mounted, item->mode) : NULL;
		if (label)
			err = populate_attribute_put(p, attributes, "security.selinux", label, strlen(label) + 1);
	}
	if (!err)
		apply_rules(p, path, item);
	return err;
}

int populate_rules_open(struct populate *p)
{
	const struct f2fs_populate_options *o = &p->opt;
	int err = 0;

	for (unsigned i = 0; i < o->rule_count; i++)
		if (!o->rules[i].pattern || !o->rules[i].set ||
		    (o->rules[i].set & ~(unsigned)(F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_MTIME)))
			return error_set(p->ctx, F2FS_ERR_INVALID, "a rule has no pattern or cannot set what it says");
	if (o->fs_config)
		err = fs_config_load(p->ctx, o->fs_config, &p->fs_config);
	for (unsigned i = 0; i < o->file_contexts_count && !err; i++)
		err = contexts_load(p->ctx, o->file_contexts[i], &p->contexts);
	return err;
}

void populate_rules_close(struct populate *p)
{
	fs_config_free(p->fs_config);
	contexts_free(p->contexts);
	vec_fini(&p->mounted);
}
