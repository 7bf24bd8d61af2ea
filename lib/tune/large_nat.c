/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change the layout of the checkpoint.
 */
#include "tune/large_nat.h"

#include "base/error.h"
#include "file/change.h"
#include "log/commit.h"

bool large_nat_is_on(const struct f2fs_volume *vol)
{
	return (cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_large_nat_bitmap) != 0;
}

int large_nat_judge(struct f2fs_volume *vol, bool on)
{
	const uint8_t *cp = vol->view->cp;

	if (checkpoint_bitmaps_fit(cp, &vol->geo, on))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
			 "large_nat_bitmap stays %s: the checkpoint has no room for the %u bytes of the NAT's bitmap "
			 "and the %u of the SIT's otherwise; both become smaller when resize.f2fs makes the volume "
			 "smaller",
			 on ? "off" : "on", (unsigned)cp_nat_ver_bitmap_bytesize(cp),
			 (unsigned)cp_sit_ver_bitmap_bytesize(cp));
}

int large_nat_switch(struct f2fs_volume *vol, bool on)
{
	const uint32_t flag = FLAG_ckpt_flags_large_nat_bitmap;
	const struct commit_form form = { .flags = on ? flag : 0, .cleared = on ? 0 : flag };
	int err = change_start(vol);

	if (!err)
		err = txn_commit_as(vol, &form);
	if (err)
		txn_roll_back(vol);
	return err;
}
