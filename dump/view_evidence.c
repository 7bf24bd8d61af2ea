/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show the container of an image with its digests, the start of the volume, and the footer of verified boot.
 */
#include <stdio.h>
#include <string.h>

#include "dump/session.h"
#include "dump/view_evidence.h"
#include "dump/views.h"

static uint64_t big_endian(const uint8_t at[8])
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return value;
}

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

/* Android's verified boot puts a footer at the end of a partition, with numbers in big-endian order. */
static void put_boot_footer(struct dump *d)
{
	enum { FOOTER = 64, IMAGE_BYTES = 12, TABLE_AT = 20, TABLE_BYTES = 28 };
	struct f2fs_device *device = f2fs_volume_device(d->vol);
	const uint64_t size = f2fs_device_info(device)->size;
	uint8_t footer[FOOTER];

	if (size < FOOTER || f2fs_device_read(device, size - FOOTER, footer, FOOTER) != 0 ||
	    memcmp(footer, "AVBf", 4) != 0)
		return;
	cli_print_u64(d->out, "verified_boot_image_bytes", big_endian(footer + IMAGE_BYTES));
	cli_print_u64(d->out, "verified_boot_table_offset", big_endian(footer + TABLE_AT));
	cli_print_u64(d->out, "verified_boot_table_bytes", big_endian(footer + TABLE_BYTES));
}

void dump_put_container(struct dump *d)
{
	struct f2fs_evidence evidence = { F2FS_SIZED(f2fs_evidence) };
	const uint64_t offset = f2fs_device_offset(f2fs_volume_device(d->vol));

	if (f2fs_device_evidence(f2fs_volume_device(d->vol), &evidence) == 0)
		put_container(d, &evidence);
	if (offset)
		cli_print_u64(d->out, "volume_offset", offset);
	put_boot_footer(d);
}

static void add_digest(char *text, size_t size, const char *name, const uint8_t *bytes, size_t n)
{
	size_t at = strlen(text);

	at += (size_t)snprintf(text + at, size - at, ", %s ", name);
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%02x", bytes[i]);
}

void dump_say_container(struct dump *d)
{
	struct f2fs_evidence evidence = { F2FS_SIZED(f2fs_evidence) };
	char digests[120] = "";

	if (f2fs_device_evidence(f2fs_volume_device(d->vol), &evidence) != 0)
		return;
	if (d->is_json) {
		put_container(d, &evidence);
		return;
	}
	if (evidence.has_md5)
		add_digest(digests, sizeof(digests), "MD5", evidence.md5, sizeof(evidence.md5));
	if (evidence.has_sha1)
		add_digest(digests, sizeof(digests), "SHA-1", evidence.sha1, sizeof(evidence.sha1));
	cli_warning(&d->cli, "%s: the volume is in %s%s", d->image, evidence.format, digests);
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
