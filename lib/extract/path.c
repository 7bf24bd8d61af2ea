/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resolve the listed paths to their real places (no links, no ".."). They are sorted so that the walk never returns to
 * a directory it left. Paths below another one are dropped.
 */
#include "extract/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "extract/run.h"

#define PATH_ROOM 65536u

/* A path being resolved. */
struct resolver {
	struct extract *x;
	const char *listed;
	struct vec canonical;  /* char, NUL-terminated: "" or "a/b" */
	struct f2fs_inode *at; /* the inode that canonical names */
};

static int set_canonical(struct resolver *r, const char *text)
{
	size_t length;
	char *to;

	text += strspn(text, "/");
	length = strlen(text);
	r->canonical.count = 0;
	to = vec_push(&r->canonical, length + 1);
	if (!to)
		return F2FS_ERR_NOMEM;
	memcpy(to, text, length + 1);
	return 0;
}

static int add_component(struct resolver *r, const char *name, size_t length)
{
	size_t old = strlen(r->canonical.items);
	char *to = vec_push(&r->canonical, length + 1);

	if (!to)
		return F2FS_ERR_NOMEM;
	to = r->canonical.items;
	if (old)
		to[old++] = '/';
	memcpy(to + old, name, length);
	to[old + length] = '\0';
	return 0;
}

static void move_to(struct resolver *r, struct f2fs_inode *inode)
{
	f2fs_inode_close(r->at);
	r->at = inode;
}

/* A link on the way: follow it, and find out where that is. */
static int follow_link(struct resolver *r, size_t prefix_length)
{
	struct f2fs_context *ctx = r->x->ctx;
	char *text = mem_alloc(ctx, PATH_ROOM);
	struct f2fs_inode *inode;
	int err;

	if (!text)
		return F2FS_ERR_NOMEM;
	if (prefix_length >= PATH_ROOM) {
		err = error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "the path is too long");
	} else {
		memcpy(text, r->listed, prefix_length);
		text[prefix_length] = '\0';
		err = f2fs_lookup(r->x->vol, text, F2FS_LOOKUP_FOLLOW, &inode);
	}
	if (!err) {
		move_to(r, inode);
		err = f2fs_inode_path(inode, text, PATH_ROOM);
	}
	if (!err)
		err = set_canonical(r, text);
	mem_free(ctx, text);
	return err;
}

static int go_to_parent(struct resolver *r)
{
	char *text = r->canonical.items, *slash = strrchr(text, '/');
	struct f2fs_inode *inode;
	int err;

	r->canonical.count = slash ? (size_t)(slash - text) + 1 : 1;
	text[r->canonical.count - 1] = '\0';
	err = f2fs_lookup(r->x->vol, text, 0, &inode);
	if (!err)
		move_to(r, inode);
	return err;
}

/* Step down to a name. rest: the part after the name in the listed path. */
static int go_to_child(struct resolver *r, const char *name, size_t length, const char *rest)
{
	struct f2fs_dirent dirent;
	struct f2fs_inode *child;
	int err = f2fs_dir_lookup(r->at, name, length, &dirent);

	if (!err)
		err = f2fs_inode_open(r->x->vol, dirent.ino, &child);
	if (err)
		return err;
	if (*rest && inode_type(child) == MODE_LNK) {
		f2fs_inode_close(child);
		return follow_link(r, (size_t)(rest - r->listed));
	}
	move_to(r, child);
	return add_component(r, dirent.name, dirent.name_len);
}

static int resolve(struct resolver *r)
{
	const char *p = r->listed;
	int err = set_canonical(r, "");

	if (!err)
		err = f2fs_inode_open(r->x->vol, r->x->vol->geo.root_ino, &r->at);
	while (!err) {
		size_t length;

		p += strspn(p, "/");
		length = strcspn(p, "/");
		if (!length)
			break;
		p += length;
		if (length == 1 && p[-1] == '.')
			continue;
		if (length == 2 && p[-1] == '.' && p[-2] == '.')
			err = go_to_parent(r);
		else
			err = go_to_child(r, p - length, length, p);
	}
	return err;
}

/* Record that a listed path cannot be used, with the part that failed. */
static int refuse_path(struct extract *x, const char *path, int code)
{
	struct f2fs_error_detail *detail = &x->ctx->error;
	char message[sizeof(detail->message)];

	memcpy(message, detail->message, sizeof(message));
	return code == F2FS_ERR_NOMEM ? code : error_set(x->ctx, code, "%s: %s", path, message);
}

static int add_target(struct extract *x, const char *path, struct vec *targets)
{
	struct resolver r = { .x = x, .listed = path };
	struct extract_target *target;
	int err;

	vec_init(&r.canonical, x->ctx, 1);
	err = resolve(&r);
	if (err) {
		err = refuse_path(x, path, err);
		goto out;
	}
	target = vec_push(targets, 1);
	if (!target) {
		err = F2FS_ERR_NOMEM;
		goto out;
	}
	target->path = mem_strdup(x->ctx, r.canonical.items);
	if (!target->path)
		err = F2FS_ERR_NOMEM;
	target->ino = f2fs_inode_number(r.at);
out:
	f2fs_inode_close(r.at);
	vec_fini(&r.canonical);
	return err;
}

/* Order of paths in which everything below a path follows it at once: a slash sorts before any other byte. */
static int compare(const void *a, const void *b)
{
	const char *p = ((const struct extract_target *)a)->path, *q = ((const struct extract_target *)b)->path;
	int c, d;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	c = *p == '/' ? 1 : *p ? 1 + (uint8_t)*p : 0;
	d = *q == '/' ? 1 : *q ? 1 + (uint8_t)*q : 0;
	return (c > d) - (c < d);
}

static bool lies_below(const char *path, const char *top)
{
	size_t length = strlen(top);

	return !length || (!strncmp(path, top, length) && (!path[length] || path[length] == '/'));
}

static uint32_t count_components(const char *path)
{
	uint32_t count = *path != '\0';

	for (; *path; path++)
		count += *path == '/';
	return count;
}

static void prune(struct extract *x, struct vec *targets)
{
	const unsigned flags = x->options->flags;
	size_t kept = 0;

	for (size_t i = 0; i < targets->count; i++) {
		struct extract_target *target = vec_at(targets, i), *last = vec_at(targets, kept ? kept - 1 : 0);

		if (kept && lies_below(target->path, last->path)) {
			mem_free(x->ctx, target->path);
			continue;
		}
		target->depth = count_components(target->path);
		target->strip = x->options->strip;
		if ((flags & F2FS_EXTRACT_RELATIVE) && target->depth)
			target->strip += target->depth - 1;
		*(struct extract_target *)vec_at(targets, kept++) = *target;
	}
	targets->count = kept;
}

int extract_targets_load(struct extract *x, struct vec *targets)
{
	const struct f2fs_extract_options *options = x->options;
	int err = 0;

	vec_init(targets, x->ctx, sizeof(struct extract_target));
	if (!options->path_count)
		err = add_target(x, "/", targets);
	for (unsigned i = 0; i < options->path_count && !err; i++)
		err = add_target(x, options->paths[i], targets);
	if (err)
		return err;
	vec_sort(targets, compare);
	prune(x, targets);
	return 0;
}

void extract_targets_fini(struct vec *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		mem_free(targets->ctx, ((struct extract_target *)vec_at(targets, i))->path);
	vec_fini(targets);
}
