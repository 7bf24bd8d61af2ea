/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Predict the findings of a repair without writing. Some damage shows only after other damage has been repaired. If a
 * first look finds something repairable, or no superblock, the repair is rehearsed on layers over all devices, and its
 * findings are the result. The devices are only read. A sound volume costs the first look alone.
 */
#include "check/check_open.h"
#include "device/device.h"
#include "device/overlay.h"
#include "facts/finding.h"
#include "repair/decisions.h"
#include "repair/rehearsal.h"
#include "repair/repair.h"
#include "repair/repair_driver.h"
#include "volume/roots.h"

/* Layers over the devices of a volume, and the options that open it by them. */
struct layers {
	struct f2fs_context *ctx;
	const struct f2fs_open_options *given; /* NULL: the defaults */
	struct f2fs_open_options open;
	struct f2fs_device *first;
	struct f2fs_device **more;
	unsigned count;
};

/*
 * Overlay a device. Data that does not fit into memory goes to the caller's directory. Without one all of it stays in
 * memory.
 */
static int lay_over(const struct layers *l, struct f2fs_device *dev, struct f2fs_device **out)
{
	const char *dir = l->open.spill_dir;

	return device_new_overlay(dev, dir ? 0 : UINT64_MAX, dir, out);
}

/* The callback open_device: a device gets the layer that the first one has. */
static int open_covered(void *user, const char *path, struct f2fs_device **out)
{
	struct layers *l = user;
	struct f2fs_device *dev;
	int err = l->given->open_device(l->given->user, path, &dev);

	if (err)
		return err;
	err = lay_over(l, dev, out);
	f2fs_device_close(dev);
	return err;
}

static void layers_fini(struct layers *l)
{
	for (unsigned i = 0; i < l->count; i++)
		f2fs_device_close(l->more[i]);
	mem_free(l->ctx, l->more);
	f2fs_device_close(l->first);
}

static int layers_init(struct layers *l, struct f2fs_device *dev)
{
	const unsigned wanted = l->open.device_count;
	int err;

	if (l->open.open_device) {
		l->open.open_device = open_covered;
		l->open.user = l;
	}
	err = lay_over(l, dev, &l->first);
	if (err || wanted == 0)
		return err;
	l->more = mem_calloc(l->ctx, wanted, sizeof(struct f2fs_device *));
	if (!l->more)
		err = F2FS_ERR_NOMEM;
	while (!err && l->count < wanted) {
		err = lay_over(l, l->given->devices[l->count], &l->more[l->count]);
		l->count += !err;
	}
	l->open.devices = l->more;
	return err;
}

static int rehearse(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result)
{
	struct layers l = { .ctx = ctx, .given = options->open };
	struct f2fs_check_options own = *options;
	int err;

	if (l.given)
		l.open = *l.given;
	own.open = &l.open;
	err = layers_init(&l, dev);
	if (!err)
		err = repair_rehearse(ctx, l.first, &own, result);
	layers_fini(&l);
	return err;
}

int check_rehearsed(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result)
{
	struct f2fs_check_options silent = *options;
	const struct check_run run = { .options = &silent, .mode = F2FS_MODE_TOLERANT };
	struct checker *c;
	bool wants;
	int err;

	silent.problem = NULL;
	err = check_open(ctx, dev, &run, result, &c);
	if (err == F2FS_ERR_NOT_F2FS) /* a repair searches for remains of a volume */
		return rehearse(ctx, dev, options, result);
	if (err)
		return err;
	if (result->found > 0 && c->vol) /* half of the blocks that were read may be of another state */
		err = volume_check_current(c->vol);
	wants = decisions_want(c);
	if (!err && !wants) {
		c->options.problem = options->problem;
		err = findings_tell(c);
	}
	check_close(ctx, c, err);
	return !err && wants ? rehearse(ctx, dev, options, result) : err;
}
