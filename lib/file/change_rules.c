/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules of a change: its exceptions to the volume's options.
 */
#include "file/change_rules.h"
#include "file/run.h"
#include "file/write.h"

void change_compression(const struct txn *txn, struct change_rules *out)
{
	const struct f2fs_write_options *usual = &txn->vol->write;
	const struct change_rules *own = txn->file->rules;

	if (own && own->compression) {
		*out = *own;
		return;
	}
	*out = (struct change_rules){ .compression = usual->has_compression ? &usual->compression : NULL,
				      .minimum_saved = usual->minimum_saved,
				      .compress_names = usual->compress_names,
				      .plain_names = usual->plain_names };
}

bool change_releases(const struct txn *txn)
{
	return txn->file->rules && txn->file->rules->releases;
}

void change_end_rules(struct f2fs_volume *vol, const struct change_rules *rules)
{
	if (vol->txn && vol->txn->file && vol->txn->file->rules == rules)
		vol->txn->file->rules = NULL;
}
