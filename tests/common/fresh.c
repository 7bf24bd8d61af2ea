/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making, reopening and closing them. */
#include "common/fresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fresh_need(struct fresh *f, int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "fresh volume: %s: %s\n", what, f->ctx ? f2fs_context_error(f->ctx)->message : "no context");
	exit(1);
}

/* Put zones over the device in memory. */
static void add_zones(struct fresh *f, const struct f2fs_zone_options *zones)
{
	struct f2fs_device *memory = f->dev;

	fresh_need(f, f2fs_device_open_zoned(memory, zones, &f->dev), "zones");
	f2fs_device_close(memory);
}

static void open_new(struct fresh *f, const struct f2fs_host *host, uint64_t size,
		     const struct f2fs_mkfs_options *options, const struct f2fs_zone_options *zones)
{
	static const uint8_t uuid[16] = { 7 };
	struct f2fs_mkfs_options opt = *options;
	struct f2fs_mkfs_device device = { 0 };

	memset(f, 0, sizeof(*f));
	fresh_need(f, f2fs_context_open(host, &f->ctx), "context");
	fresh_need(f, f2fs_device_open_memory(f->ctx, size, &f->dev), "device");
	if (zones)
		add_zones(f, zones);
	device.device = f->dev;
	opt.zoned = zones != NULL;
	opt.uuid = uuid;
	opt.has_time = 1;
	opt.time = 1600000000;
	opt.checkpoint_version = 5;
	fresh_need(f, f2fs_mkfs_write(f->ctx, &device, 1, &opt, NULL), "mkfs");
	fresh_need(f, f2fs_volume_open(f->ctx, f->dev, NULL, &f->vol), "open");
}

void fresh_open_with(struct fresh *f, uint64_t size, const struct f2fs_mkfs_options *options)
{
	open_new(f, NULL, size, options, NULL);
}

void fresh_open_on(struct fresh *f, const struct f2fs_host *host, uint64_t size,
		   const struct f2fs_mkfs_options *options)
{
	open_new(f, host, size, options, NULL);
}

void fresh_open_zoned(struct fresh *f, uint64_t size, const struct f2fs_mkfs_options *options,
		      const struct f2fs_zone_options *zones)
{
	open_new(f, NULL, size, options, zones);
}

void fresh_open(struct fresh *f, uint64_t size, uint32_t features)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = features };

	fresh_open_with(f, size, &options);
}

void fresh_reopen(struct fresh *f)
{
	fresh_need(f, f2fs_volume_commit(f->vol), "commit");
	f2fs_volume_close(f->vol);
	fresh_need(f, f2fs_volume_open(f->ctx, f->dev, NULL, &f->vol), "open");
}

void fresh_reopen_keep(struct fresh *f, struct f2fs_inode **inode, const char *path)
{
	f2fs_inode_close(*inode);
	fresh_reopen(f);
	fresh_need(f, f2fs_lookup(f->vol, path, 0, inode), path);
}

struct f2fs_inode *fresh_make(struct fresh *f, const char *name, unsigned mode)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode };
	struct f2fs_inode *root, *made;

	fresh_need(f, f2fs_lookup(f->vol, "/", 0, &root), "root");
	fresh_need(f, f2fs_create(root, name, strlen(name), &spec, &made), name);
	f2fs_inode_close(root);
	return made;
}

void fresh_close(struct fresh *f)
{
	f2fs_volume_close(f->vol);
	f2fs_device_close(f->dev);
	f2fs_context_close(f->ctx);
}
uint32_t fresh_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}
