/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes that override what the source says: first Android's fs_config, then the caller's rules, of which a later
 * one overrides an earlier one. SELinux labels come from file_contexts.
 */
#include <string.h>

#include "base/bytes.h"
#include "task/populate/populate.h"
#include "task/populate/android.h"

/* Put the mount point in front of a path, "system/bin/sh", in p->mounted; with a slash in front. */
static int mount_path(struct populate *p, const char *path, const char **out)
{
	const char *mount = p->opt.mount_point ? p->opt.mount_point : "";
	size_t n, length;
	char *to;

	mount += strspn(mount, "/");
	n = strlen(mount);
	while (n > 0 && mount[n - 1] == '/')
		n--;
	length = strlen(path);
	p->mounted.count = 0;
	to = vec_push(&p->mounted, n + length + 3);
	if (!to)
		return F2FS_ERR_NOMEM;
	to[0] = '/';
	memcpy(to + 1, mount, n);
	if (n && length)
		to[++n] = '/';
	memcpy(to + 1 + n, path, length + 1);
	*out = to;
	return 0;
}

/* A capability mask as the kernel keeps it: permitted and effective, revision 2. */
static int add_capabilities(struct populate *p, uint64_t mask, struct vec *attributes)
{
	uint8_t value[20] = { 0 };

	put_le32(value, 0x02000001);
	put_le32(value + 4, (uint32_t)mask);
	put_le32(value + 12, (uint32_t)(mask >> 32));
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
		err = mount_path(p, path, &mounted);
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
