/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The container that an image lies in, and its digests.
 */
#include "dump/dump.h"

static void put_container(struct dump *d, const struct f2fs_evidence *evidence)
{
	cli_print_string(d->out, "container", evidence->format);
	cli_print_u64(d->out, "container_bytes", evidence->bytes);
	if (evidence->has_md5)
		cli_print_digits(d->out, "stored_md5", evidence->md5, sizeof(evidence->md5));
	if (evidence->has_sha1)
		cli_print_digits(d->out, "stored_sha1", evidence->sha1, sizeof(evidence->sha1));
	if (evidence->is_incomplete)
		cli_print_bool(d->out, "is_incomplete", 1);
}

void dump_put_container(struct dump *d)
{
	struct f2fs_evidence evidence = { F2FS_SIZED(f2fs_evidence) };

	if (f2fs_device_evidence(d->device, &evidence) == 0)
		put_container(d, &evidence);
}

int view_evidence(struct dump *d, const char *argument)
{
	struct f2fs_evidence evidence = { F2FS_SIZED(f2fs_evidence) };
	int rc = f2fs_device_verify_evidence(d->device, &evidence);

	(void)argument;
	if (rc)
		dump_fail(d, rc, "--evidence");
	if (!evidence.format)
		return rc;
	put_container(d, &evidence);
	if (evidence.has_md5 && (!rc || rc == F2FS_ERR_DAMAGED_DATA))
		cli_print_digits(d->out, "computed_md5", evidence.found_md5, sizeof(evidence.found_md5));
	if (evidence.has_sha1 && (!rc || rc == F2FS_ERR_DAMAGED_DATA))
		cli_print_digits(d->out, "computed_sha1", evidence.found_sha1, sizeof(evidence.found_sha1));
	cli_print_bool(d->out, "is_verified", evidence.is_verified);
	return rc;
}
