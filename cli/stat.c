/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print type, mode and times of a file for listings.
 */
#include "cli/stat.h"

#include <stdio.h>


const char *cli_type_name(unsigned type)
{
	static const char *const names[] = { "unknown", "regular", "directory", "character",
					     "block",	"fifo",	   "socket",	"symlink" };

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

/* "drwxr-xr-x", as ls shows it. */
const char *cli_mode_text(uint32_t mode, char text[12])
{
	static const char types[] = "?pc?d?b?-?l?s???";
	static const char bits[] = "rwxrwxrwx";
	static const struct {
		uint32_t bit;
		int place;
		char with_x, without_x;
	} special[] = { { 04000, 3, 's', 'S' }, { 02000, 6, 's', 'S' }, { 01000, 9, 't', 'T' } };

	text[0] = types[(mode >> 12) & 15];
	for (int i = 0; i < 9; i++)
		text[1 + i] = mode & (0400U >> i) ? bits[i] : '-';
	for (int i = 0; i < 3; i++)
		if (mode & special[i].bit) {
			char *c = &text[special[i].place];

			*c = *c == 'x' ? special[i].with_x : special[i].without_x;
		}
	text[10] = '\0';
	return text;
}

/* Size, or the device number as "major, minor". */
static void put_size(struct cli_print *out, const struct f2fs_stat *st)
{
	char text[32];
	int is_device = (st->mode & F2FS_MODE_TYPE) == F2FS_MODE_CHR || (st->mode & F2FS_MODE_TYPE) == F2FS_MODE_BLK;

	if (!is_device) {
		cli_print_u64(out, "size", st->size);
	} else if (cli_print_is_text(out)) {
		snprintf(text, sizeof(text), "%u, %u", st->rdev_major, st->rdev_minor);
		cli_print_string(out, "size", text);
	} else {
		cli_print_u64(out, "size", st->size);
		cli_print_u64(out, "rdev_major", st->rdev_major);
		cli_print_u64(out, "rdev_minor", st->rdev_minor);
	}
}

/* The columns before the name. */
void cli_print_stat(struct cli_print *out, const struct f2fs_stat *st)
{
	char text[12];

	cli_print_string(out, "mode", cli_mode_text(st->mode, text));
	cli_print_u64(out, "links", st->nlink);
	cli_print_u64(out, "uid", st->uid);
	cli_print_u64(out, "gid", st->gid);
	put_size(out, st);
	cli_print_time(out, "mtime", st->mtime.seconds);
}

/* What only JSON shows. */
void cli_print_stat_more(struct cli_print *out, const struct f2fs_stat *st)
{
	unsigned count = 0;
	const struct f2fs_flag *flags = f2fs_flags_find("i_flags", &count);

	if (cli_print_is_text(out))
		return;
	cli_print_u64(out, "permissions", st->mode & 07777);
	cli_print_u64(out, "mtime_nsec", st->mtime.nanoseconds);
	cli_print_s64(out, "atime", st->atime.seconds);
	cli_print_u64(out, "atime_nsec", st->atime.nanoseconds);
	cli_print_s64(out, "ctime", st->ctime.seconds);
	cli_print_u64(out, "ctime_nsec", st->ctime.nanoseconds);
	if (st->has_crtime) {
		cli_print_s64(out, "crtime", st->crtime.seconds);
		cli_print_u64(out, "crtime_nsec", st->crtime.nanoseconds);
	}
	cli_print_u64(out, "blocks", st->blocks);
	cli_print_u64(out, "projid", st->projid);
	cli_print_flags(out, "flags", st->flags, flags, flags ? count : 0);
	cli_print_bool(out, "is_encrypted", st->is_encrypted);
	cli_print_bool(out, "is_verity", st->is_verity);
	cli_print_bool(out, "is_compressed", st->is_compressed);
	cli_print_bool(out, "is_casefold", st->is_casefold);
	cli_print_bool(out, "is_inline", st->is_inline);
}
