/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the result of mkfs.f2fs.
 */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "cli/print.h"

static uint64_t total_bytes(const struct f2fs_layout *layout)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < layout->device_count; i++)
		bytes += layout->devices[i].size;
	return bytes;
}

static void say_options(const struct arguments *a, uint32_t feature)
{
	printf("Info: Debug level = %d\n", a->debug);
	if (a->options.label) {
		char shown[4 * 512 + 1];

		f2fs_text_printable(a->options.label, strlen(a->options.label), shown, sizeof(shown));
		printf("Info: Label = %s\n", shown);
	}
	printf("Info: Trim is %s\n", a->options.no_discard ? "disabled" : "enabled");
	if (a->purpose)
		purpose_print(a->purpose, a);
	if (a->is_android)
		printf("Info: Set conf for android\n");
	if (feature & F2FS_FEAT_CASEFOLD)
		printf("Info: Enable UTF-8 with casefolding\n");
	if (feature & F2FS_FEAT_PROJECT_QUOTA)
		printf("Info: Enable Project quota\n");
	if (feature & F2FS_FEAT_COMPRESSION)
		printf("Info: Enable Compression\n");
	if (feature & F2FS_FEAT_DEVICE_ALIAS)
		printf("Info: Enable device aliasing\n");
	if ((a->options.feature & F2FS_FEAT_PACKED_SSA) && !(feature & F2FS_FEAT_PACKED_SSA))
		printf("Info: packed_ssa feature is disabled for 4k block.\n");
}

void report_start(const struct arguments *a, const struct f2fs_layout *layout)
{
	const struct f2fs_geometry *geo = &layout->geometry;
	uint64_t bytes = total_bytes(layout);

	printf("\n\tf2fskit: mkfs.f2fs Ver: %s\n\n", f2fs_version());
	say_options(a, geo->feature);
	printf("Info: Segments per section = %u\n", geo->segs_per_sec);
	printf("Info: Sections per zone = %u\n", geo->secs_per_zone);
	printf("Info: sector size = %u\n", geo->sector_size);
	printf("Info: total sectors = %llu (%llu MB)\n", (unsigned long long)(bytes / geo->sector_size),
	       (unsigned long long)(bytes >> 20));
	printf("Info: block size = %u\n", geo->block_size);
	printf("Info: zone aligned segment0 blkaddr: %u\n", geo->segment0_blkaddr);
	fflush(stdout);
}

void report_end(const struct arguments *a, const struct f2fs_mkfs_result *result)
{
	const struct f2fs_layout *layout = &result->layout;

	for (unsigned i = 0; i < 3; i++)
		if (result->quota_ino[i])
			printf("Info: add quota type = %u => %u\n", i, result->quota_ino[i]);
	printf("Info: format version with\n  \"%s\"\n", a->options.stamp ? a->options.stamp : "f2fskit");
	for (unsigned i = 0; i < layout->device_count; i++)
		if (result->trimmed)
			printf("Info: [%s] %s\n", a->paths[i],
			       layout->devices[i].is_alias ? "Skip Discarding as aliased" : "Discarding device");
	printf("Info: Overprovision ratio = %.3f%%\n", layout->overprovision);
	printf("Info: Overprovision segments = %u (GC reserved = %u)\n", layout->overprovision_segments,
	       layout->reserved_segments);
	printf("Info: format successful\n");
}

static void put_geometry(struct cli_print *p, const struct f2fs_geometry *geo)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	cli_print_u64(p, "block_size", geo->block_size);
	cli_print_u64(p, "sector_size", geo->sector_size);
	cli_print_flags(p, "feature", geo->feature, flags, count);
	cli_print_u64(p, "segs_per_sec", geo->segs_per_sec);
	cli_print_u64(p, "secs_per_zone", geo->secs_per_zone);
	cli_print_u64(p, "block_count", geo->block_count);
	cli_print_u64(p, "segment_count", geo->segment_count);
	cli_print_u64(p, "segment_count_ckpt", geo->segment_count_ckpt);
	cli_print_u64(p, "segment_count_sit", geo->segment_count_sit);
	cli_print_u64(p, "segment_count_nat", geo->segment_count_nat);
	cli_print_u64(p, "segment_count_ssa", geo->segment_count_ssa);
	cli_print_u64(p, "segment_count_main", geo->segment_count_main);
	cli_print_u64(p, "section_count", geo->section_count);
	cli_print_u64(p, "segment0_blkaddr", geo->segment0_blkaddr);
	cli_print_u64(p, "cp_blkaddr", geo->cp_blkaddr);
	cli_print_u64(p, "sit_blkaddr", geo->sit_blkaddr);
	cli_print_u64(p, "nat_blkaddr", geo->nat_blkaddr);
	cli_print_u64(p, "ssa_blkaddr", geo->ssa_blkaddr);
	cli_print_u64(p, "main_blkaddr", geo->main_blkaddr);
	cli_print_u64(p, "cp_payload", geo->cp_payload);
	cli_print_u64(p, "max_nid", geo->max_nid);
}

static void put_space(struct cli_print *p, const struct f2fs_layout *layout)
{
	cli_print_fixed(p, "overprovision_ratio", layout->overprovision, 3);
	cli_print_u64(p, "usable_segments", layout->usable_segments);
	cli_print_u64(p, "rsvd_segment_count", layout->reserved_segments);
	cli_print_u64(p, "overprov_segment_count", layout->overprovision_segments);
	cli_print_u64(p, "free_segment_count", layout->free_segments);
	cli_print_u64(p, "user_block_count", layout->user_blocks);
	cli_print_u64(p, "sit_ver_bitmap_bytesize", layout->sit_bitmap_bytes);
	cli_print_u64(p, "nat_ver_bitmap_bytesize", layout->nat_bitmap_bytes);
	cli_print_u64(p, "checksum_offset", layout->checksum_offset);
	cli_print_bool(p, "nat_bits", layout->nat_bits);
	cli_print_bool(p, "large_nat_bitmap", layout->large_nat);
	cli_print_begin(p, "logs");
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		cli_print_u64(p, f2fs_log_type_name(i), layout->logs[i]);
	cli_print_end(p);
}

static void put_devices(struct cli_print *p, const struct arguments *a, const struct f2fs_layout *layout)
{
	cli_print_begin_array(p, "devices");
	for (unsigned i = 0; i < layout->device_count; i++) {
		const struct f2fs_layout_device *dev = &layout->devices[i];

		cli_print_begin(p, NULL);
		cli_print_bytes(p, "path", a->paths[i], strlen(a->paths[i]));
		cli_print_u64(p, "size", dev->size);
		cli_print_u64(p, "segments", dev->segments);
		cli_print_u64(p, "start", dev->start);
		cli_print_u64(p, "end", dev->end);
		if (a->aliases[i])
			cli_print_bytes(p, "alias", a->aliases[i], strlen(a->aliases[i]));
		else
			cli_print_null(p, "alias");
		cli_print_end(p);
	}
	cli_print_end_array(p);
}

static void put_result(struct cli_print *p, const struct f2fs_mkfs_result *result)
{
	static const char *const quota[] = { "user", "group", "project" };

	cli_print_uuid(p, "uuid", result->uuid);
	cli_print_hex(p, "checkpoint_ver", result->checkpoint_version);
	cli_print_s64(p, "time", result->time);
	cli_print_u64(p, "valid_node_count", result->valid_nodes);
	cli_print_u64(p, "valid_block_count", result->valid_blocks);
	cli_print_begin(p, "quota_inodes");
	for (unsigned i = 0; i < 3; i++)
		if (result->quota_ino[i])
			cli_print_u64(p, quota[i], result->quota_ino[i]);
		else
			cli_print_null(p, quota[i]);
	cli_print_end(p);
	if (result->lost_found_ino)
		cli_print_u64(p, "lost_found_inode", result->lost_found_ino);
	else
		cli_print_null(p, "lost_found_inode");
	cli_print_bool(p, "trimmed", result->trimmed);
}

int report_record(const struct arguments *a, const struct f2fs_layout *layout, const struct f2fs_mkfs_result *result)
{
	struct cli_print *p = cli_print_open(stdout, a->json ? CLI_JSON : CLI_TEXT);

	if (!p)
		return -1;
	cli_print_begin(p, NULL);
	cli_print_bool(p, "dry_run", result == NULL);
	put_devices(p, a, layout);
	cli_print_bytes(p, "label", a->options.label ? a->options.label : "",
			a->options.label ? strlen(a->options.label) : 0);
	put_geometry(p, &layout->geometry);
	put_space(p, layout);
	if (result)
		put_result(p, result);
	cli_print_end(p);
	return cli_print_close(p);
}
