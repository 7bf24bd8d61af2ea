/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output of f2fs-tools about the volume as a whole: the lines before and after its results, which scripts read, and
 * superblock and checkpoint as "name: value" (-l) or "name [hex : decimal]" (-d 1).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dump/classic.h"
#include "dump/classic_zones.h"
#include "dump/fields.h"
#include "dump/views.h"

enum style { STYLE_LAYOUT, STYLE_DEBUG };

void classic_number(const char *name, uint64_t value)
{
	printf("%-30s\t\t[0x%8" PRIx64 " : %" PRIu64 "]\n", name, value, value);
}

static void put_number(enum style style, const char *name, uint64_t value)
{
	char label[80];

	if (style == STYLE_DEBUG) {
		classic_number(name, value);
		return;
	}
	snprintf(label, sizeof(label), "%s:", name);
	printf("%-30s %" PRIu64 "\n", label, value);
}

static void put_text(enum style style, const char *name, const char *text)
{
	char label[80];

	snprintf(label, sizeof(label), "%s%s", name, style == STYLE_LAYOUT ? ":" : "");
	printf(style == STYLE_LAYOUT ? "%-30s %s\n" : "%-30s\t\t[%s]\n", label, text);
}

/* Text of an image, up to a NUL. */
static void put_untrusted(enum style style, const char *name, const uint8_t *bytes, size_t room)
{
	const uint8_t *end = memchr(bytes, 0, room);
	char text[4 * 1536 + 1];

	f2fs_text_printable(bytes, end ? (size_t)(end - bytes) : room, text, sizeof(text));
	put_text(style, name, text);
}

static void put_uuid(enum style style, const char *name, const uint8_t *u)
{
	char text[37];
	size_t n = 0;

	for (int i = 0; i < 16; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", u[i]);
	put_text(style, name, text);
}

static void put_label(enum style style, const uint8_t *units)
{
	char text[3 * 512 + 1];

	f2fs_text_from_utf16(units, 512, text, sizeof(text));
	put_untrusted(style, style == STYLE_LAYOUT ? "Filesystem volume name" : "volum_name", (const uint8_t *)text,
		      strlen(text));
}

/* Names of the list from first on, one per line or four. */
static void put_extensions(enum style style, const uint8_t *list, uint32_t first, uint32_t count, const char *kind)
{
	char text[33];

	printf("%s file extentsions\n", kind);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = first + i;
		char raw[9] = "";

		if (at < 64)
			memcpy(raw, list + (size_t)8 * at, 8);
		f2fs_text_printable(raw, strlen(raw), text, sizeof(text));
		if (style == STYLE_LAYOUT)
			printf("%-30s %-8.8s\n", "extension_list", text);
		else
			printf(i % 4 == 0 ? "%-30s\t\t[%-8s" : "%.0s%-8s", "", text);
		if (style == STYLE_DEBUG && i % 4 == 3)
			puts("]");
	}
	if (style == STYLE_DEBUG && count % 4)
		printf("%*s]\n", (int)(8 * (4 - count % 4)), "");
}

static void put_devices(enum style style, const uint8_t *devs)
{
	const struct f2fs_struct *type = dump_struct("sb_device");
	const struct f2fs_field *path = f2fs_field_find(type, "path");

	for (unsigned i = 0; i < 8 && devs[i * type->size]; i++) {
		const uint8_t *raw = devs + i * type->size;

		put_untrusted(style, "devs[i].path", raw + path->offset, path->count);
		put_number(style, "devs[i].total_segments", dump_get(type, raw, "total_segments", 0));
	}
}

/* Counters and bits of damage that are set; nothing on a healthy volume. */
static void put_trouble(enum style style, const uint8_t *sb)
{
	const struct f2fs_struct *type = dump_struct("superblock");
	uint32_t errors = 0;
	unsigned count;
	const struct f2fs_flag *f = f2fs_flags_find("s_stop_reason", &count);

	for (unsigned i = 0; i < count; i++) {
		unsigned n = (unsigned)dump_get(type, sb, "s_stop_reason", i);

		if (n && style == STYLE_LAYOUT)
			printf("%-30s %s(%s, %u)\n", "", "stop_reason", f[i].name, n);
		else if (n)
			printf("%-30s\t\t[%-20s : %u]\n", "", f[i].name, n);
	}
	for (int i = 3; i >= 0; i--)
		errors = errors << 8 | sb[f2fs_field_find(type, "s_errors")->offset + (unsigned)i];
	f = f2fs_flags_find("s_errors", &count);
	for (unsigned i = 0; i < count; i++)
		if (errors & f[i].mask)
			printf(style == STYLE_LAYOUT ? "%-30s errors(%s)\n" : "%-30s\t\t[%-20s]\n", "", f[i].name);
}

static void put_quota_inodes(enum style style, const struct f2fs_field *f, const uint8_t *sb)
{
	static const char *const names[] = { "qf_ino[USRQUOTA]", "qf_ino[GRPQUOTA]", "qf_ino[PRJQUOTA]" };

	for (unsigned i = 0; i < 3; i++)
		put_number(style, names[i], f2fs_field_get(f, sb, i));
}

/* Fields that are not one number under their own name; returns 0 for one that is. */
static int put_special(enum style style, const struct f2fs_struct *type, const struct f2fs_field *f, const uint8_t *sb)
{
	static const char *const silent[] = { "version_time", "hot_ext_count", "s_stop_reason", "s_errors",
					      "reserved" };
	const uint8_t *raw = sb + f->offset;
	uint32_t cold = (uint32_t)dump_get(type, sb, "extension_count", 0);
	uint32_t hot = (uint32_t)dump_get(type, sb, "hot_ext_count", 0);

	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		if (!strcmp(f->name, silent[i]))
			return 1;
	if (f->show == F2FS_SHOW_UUID || !strcmp(f->name, "encrypt_pw_salt")) {
		put_uuid(style, f->name, raw);
	} else if (f->show == F2FS_SHOW_UTF16) {
		put_label(style, raw);
	} else if (!strcmp(f->name, "extension_list")) {
		put_extensions(style, raw, 0, cold < 64 ? cold : 64, "cold");
		put_number(style, "hot_ext_count", hot);
		put_extensions(style, raw, cold < 64 ? cold : 64, hot < 64 ? hot : 64, "hot");
	} else if (!strcmp(f->name, "devs")) {
		put_devices(style, raw);
	} else if (!strcmp(f->name, "qf_ino")) {
		put_quota_inodes(style, f, sb);
	} else if (f->show == F2FS_SHOW_TEXT) {
		put_untrusted(style, f->name, raw, f->count < 252 ? f->count : 252);
	} else {
		return 0;
	}
	return 1;
}

static void put_superblock(struct dump *d, enum style style)
{
	const struct f2fs_struct *type = dump_struct("superblock");
	const uint8_t *sb = f2fs_volume_superblock(d->vol, NULL);

	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct f2fs_field *f = &type->fields[i];

		if (!put_special(style, type, f, sb))
			put_number(style, f->name, f2fs_field_get(f, sb, 0));
	}
	put_trouble(style, sb);
	putchar('\n');
}

/* ---- checkpoint ---- */

static void put_heads(enum style style, const struct f2fs_struct *type, const uint8_t *cp, const char *kind,
		      unsigned first_log)
{
	static const char *const heats[] = { "HOT", "WARM", "COLD" };
	const char *upper = first_log == F2FS_HOT_NODE ? "NODE" : "DATA";
	char label[60], field[40];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(label, sizeof(label), "alloc_type[CURSEG_%s_%s]", heats[i], upper);
		put_number(style, label, dump_get(type, cp, "alloc_type", first_log + i));
	}
	for (unsigned part = 0; part < 2; part++) {
		snprintf(field, sizeof(field), "cur_%s_%s", kind, part ? "blkoff" : "segno");
		for (unsigned i = 0; i < 3; i++) {
			snprintf(label, sizeof(label), "%s[%u]", field, i);
			put_number(style, label, dump_get(type, cp, field, i));
		}
	}
}

static void put_bitmap(const char *name, const uint8_t *map, size_t size)
{
	char label[60];

	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint32_t word =
			map[i] | (uint32_t)map[i + 1] << 8 | (uint32_t)map[i + 2] << 16 | (uint32_t)map[i + 3] << 24;

		snprintf(label, sizeof(label), "%s[%zu]", name, i / 4);
		classic_number(label, word);
	}
}

static void put_checkpoint(struct dump *d, enum style style)
{
	static const char *const heads[] = { "cur_node_segno", "cur_node_blkoff", "cur_data_segno", "cur_data_blkoff",
					     "alloc_type" };
	const struct f2fs_struct *type = dump_struct("checkpoint");
	size_t length, size;
	const uint8_t *map;
	const uint8_t *cp = f2fs_volume_checkpoint(d->vol, &length, NULL);
	uint64_t at = dump_get(type, cp, "checksum_offset", 0);

	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct f2fs_field *f = &type->fields[i];
		unsigned k = 0;

		while (k < 5 && strcmp(f->name, heads[k]) != 0)
			k++;
		if (k == 5) {
			put_number(style, f->name, f2fs_field_get(f, cp, 0));
		} else if (k == 0) {
			put_heads(style, type, cp, "node", F2FS_HOT_NODE);
			put_heads(style, type, cp, "data", F2FS_HOT_DATA);
		}
	}
	if (at + 4 <= length)
		classic_number("checksum", cp[at] | (uint32_t)cp[at + 1] << 8 | (uint32_t)cp[at + 2] << 16 |
						   (uint32_t)cp[at + 3] << 24);
	map = f2fs_nat_bitmap(d->vol, &size);
	put_bitmap("nat_version_bitmap", map, size);
	map = f2fs_sit_bitmap(d->vol, &size);
	put_bitmap("sit_version_bitmap", map, size);
	fputs("\n\n", stdout);
}

int classic_layout(struct dump *d, const char *argument)
{
	(void)argument;
	put_superblock(d, STYLE_LAYOUT);
	put_checkpoint(d, STYLE_LAYOUT);
	return 0;
}

/* ---- before and after the results ---- */

static void put_box(const char *title)
{
	static const char edge[] = "+--------------------------------------------------------+";

	printf("\n%s\n| %-55s|\n%s\n", edge, title, edge);
}

/* Features by the names that f2fs-tools print, which are those of the options but for one. */
static void put_features(uint32_t feature)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	printf("Info: superblock features = %x : ", feature);
	for (unsigned i = 0; i < count; i++)
		if (feature & flags[i].mask)
			printf(" %s", flags[i].mask == F2FS_FEAT_QUOTA ? "quota_ino" : flags[i].name);
	putchar('\n');
}

/* Print the blocks of each device of a volume on several. The paths are those of the superblock. */
static void put_places(struct dump *d, const uint8_t *sb)
{
	const struct f2fs_struct *type = dump_struct("sb_device");
	const struct f2fs_field *path = f2fs_field_find(type, "path");
	const uint8_t *devs = sb + f2fs_field_find(dump_struct("superblock"), "devs")->offset;
	uint64_t first = 0;

	for (unsigned i = 0; i < 8 && devs[i * type->size]; i++) {
		struct f2fs_device *further = i && i <= d->further_count ? d->further[i - 1] : NULL;
		const uint8_t *raw = devs + i * type->size, *name = raw + path->offset;
		const uint8_t *end = memchr(name, 0, path->count);
		uint64_t next = first + (i ? 0 : d->geo->segment0_blkaddr) +
				dump_get(type, raw, "total_segments", 0) * F2FS_SEGMENT_BLOCKS;
		char text[4 * 64 + 1];

		f2fs_text_printable(name, end ? (size_t)(end - name) : path->count, text, sizeof(text));
		if (further)
			classic_zones(stdout, further, d->geo->block_size);
		printf("Info: Device[%u] : %s blkaddr = %" PRIx64 "--%" PRIx64 "\n", i, text, first, next - 1);
		first = next;
	}
}

void classic_banner(struct dump *d)
{
	const struct f2fs_struct *type = dump_struct("superblock");
	const uint8_t *sb = f2fs_volume_superblock(d->vol, NULL);
	const uint8_t *init = sb + f2fs_field_find(type, "init_version")->offset;
	const uint8_t *salt = sb + f2fs_field_find(type, "encrypt_pw_salt")->offset;
	unsigned sector_bits = (unsigned)dump_get(type, sb, "log_sectorsize", 0);
	uint64_t sectors = d->geo->block_count << dump_get(type, sb, "log_sectors_per_block", 0);
	const uint8_t *end = memchr(init, 0, 252);
	char text[4 * 252 + 1];

	if (d->debug > 0)
		printf("Info: Debug level = %d\n", d->debug);
	if (d->device)
		classic_zones(stdout, d->device, d->geo->block_size);
	f2fs_text_printable(init, end ? (size_t)(end - init) : 252, text, sizeof(text));
	printf("Info: MKFS version\n  \"%s\"\n", text);
	put_features(d->geo->feature);
	printf("Info: superblock encrypt level = %u, salt = ", (unsigned)dump_get(type, sb, "encryption_level", 0));
	for (int i = 0; i < 16; i++)
		printf("%02x", salt[i]);
	putchar('\n');
	if (d->debug > 0) {
		put_box("Super block");
		put_superblock(d, STYLE_DEBUG);
	}
	put_places(d, sb);
	printf("Info: Segments per section = %u\n", d->geo->segs_per_sec);
	printf("Info: Sections per zone = %u\n", d->geo->secs_per_zone);
	printf("Info: sector size = %u\n", d->geo->sector_size);
	printf("Info: total FS sectors = %" PRIu64 " (%" PRIu64 " MB)\n", sectors, sectors >> (20 - sector_bits));
	printf("Info: CKPT version = %" PRIx64 "\n",
	       dump_get(dump_struct("checkpoint"), f2fs_volume_checkpoint(d->vol, NULL, NULL), "checkpoint_ver", 0));
	if (d->debug > 0) {
		put_box("Checkpoint");
		put_checkpoint(d, STYLE_DEBUG);
	}
}

void classic_state(struct dump *d)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("ckpt_flags", &count);
	const uint8_t *cp = f2fs_volume_checkpoint(d->vol, NULL, NULL);
	uint32_t state = (uint32_t)dump_get(dump_struct("checkpoint"), cp, "ckpt_flags", 0);

	printf("Info: checkpoint state = %x : ", state);
	for (unsigned i = count; i-- > 0;)
		if (state & flags[i].mask & 0x0ffe)
			printf(" %s", flags[i].name);
	for (unsigned i = 0; i < count; i++)
		if (state & flags[i].mask & ~0x0fffU)
			printf(" %s", flags[i].name);
	puts(state & 1 ? " unmount" : " sudden-power-off");
}

void classic_footer(struct dump *d, double seconds)
{
	classic_state(d);
	printf("\nDone: %f secs\n", seconds);
}
