/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line of mkfs.f2fs. Each option has a function take_<id>() that returns NULL, or an error text about the
 * value. The library judges combinations.
 */
#include "arguments.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/feature_list.h"
#include "cli/size.h"
#include "cli/usage.h"
#include "cli/uuid.h"

#define CLI_OPTIONS_FILE "mkfs/options.def"
#define CLI_PACKING_LETTER(letter) 0 /* taken here */
#include "cli/option_table.h"

static const char *const usage[] = { "[OPTION]... DEVICE [SIZE]", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the volume was made (or, with --dry-run, can be)" },
	{ CLI_EXIT_FAILURE, "failure; or only standard output failed; or wrong usage" },
	{ CLI_EXIT_INCOMPLETE, "with --root-dir: made, but some entries (named on standard error) were not copied" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT
	  "a new file is gone, an old one may be empty" },
};

const struct cli_tool mkfs_tool = {
	.name = "mkfs.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Make an F2FS file system on a device or in a file. SIZE limits it; a file that does not exist\n"
		   "or is smaller gets that size. SIZE has a suffix (s, K, M, G, T, KiB, MB ...) or counts sectors.",
	CLI_TOOL_TABLES,
};

/* checkpoint version of -r: what f2fs-tools' random generator gives with its fixed seed */
#define FIXED_VERSION 0x6B8B4567u

static const char *take_block_size(struct arguments *a, const char *value)
{
	uint64_t size;
	const char *why = cli_parse_size(value, 1, 512, &size);

	if (!why && size != 4096 && size != 16384)
		why = "is not a block size (4096 or 16384)";
	if (!why)
		a->options.block_size = (uint32_t)size;
	return why;
}

static const char *take_segs_per_sec(struct arguments *a, const char *value)
{
	return cli_parse_u32(value, 1, UINT32_MAX, &a->options.segs_per_sec);
}

static const char *take_secs_per_zone(struct arguments *a, const char *value)
{
	return cli_parse_u32(value, 1, UINT32_MAX, &a->options.secs_per_zone);
}

static const char *take_overprovision(struct arguments *a, const char *value)
{
	return cli_parse_fraction(value, &a->options.overprovision);
}

static const char *take_reserved_sections(struct arguments *a, const char *value)
{
	return cli_parse_u32(value, 1, UINT32_MAX, &a->options.reserved_sections);
}

static const char *take_large_nat(struct arguments *a, const char *value)
{
	(void)value;
	a->options.large_nat = 1;
	return NULL;
}

static const char *take_device(struct arguments *a, const char *value)
{
	char *memory = a->paths_memory[a->count];
	size_t n = strcspn(value, "@");

	if (a->count == F2FS_MAX_DEVICES)
		return "is one device too many";
	if (n == 0 || strlen(value) >= sizeof(a->paths_memory[0]))
		return "is not the path of a device";
	memcpy(memory, value, strlen(value) + 1);
	a->paths[a->count] = memory;
	if (memory[n]) {
		memory[n] = '\0';
		a->aliases[a->count] = memory + n + 1;
	}
	a->count++;
	return NULL;
}

static const char *take_zoned(struct arguments *a, const char *value)
{
	(void)value;
	a->options.zoned = 1;
	return NULL;
}

static const char *take_offset(struct arguments *a, const char *value)
{
	const char *why = cli_parse_size(value, 1, 512, &a->offset);

	return !why && a->offset % 512 ? "is not a whole number of sectors of 512 bytes" : why;
}

static const char *take_partition(struct arguments *a, const char *value)
{
	a->partition = value;
	return NULL;
}

static const char *take_sector_size(struct arguments *a, const char *value)
{
	uint64_t unit;
	const char *why = cli_parse_size(value, 1, 512, &unit);

	if (!why && (unit == 0 || (unit & (unit - 1)) || unit > 65536))
		why = "is not a sector size";
	if (!why)
		a->unit = unit;
	return why;
}

static const char *take_label(struct arguments *a, const char *value)
{
	a->options.label = value;
	return NULL;
}

static const char *take_uuid(struct arguments *a, const char *value)
{
	a->options.uuid = a->uuid;
	return cli_parse_uuid(value, a->uuid);
}

static const char *take_features(struct arguments *a, const char *value)
{
	const uint32_t not_settable = F2FS_FEAT_BLKZONED | F2FS_FEAT_ATOMIC_WRITE | F2FS_FEAT_DEVICE_ALIAS;

	return cli_parse_features(value, ~not_settable, &a->options.feature);
}

static const char *take_casefold(struct arguments *a, const char *value)
{
	struct cli_encoding encoding = { .flags = a->options.encoding_flags };
	const char *why = cli_parse_encoding(value, &encoding);

	if (why)
		return why;
	a->options.feature |= F2FS_FEAT_CASEFOLD;
	a->options.encoding_flags = encoding.flags;
	a->hash_flag_given |= encoding.has_hash_flag;
	return NULL;
}

static const char *take_cold_extensions(struct arguments *a, const char *value)
{
	a->options.cold_extensions = value;
	return NULL;
}

static const char *take_hot_extensions(struct arguments *a, const char *value)
{
	a->options.hot_extensions = value;
	return NULL;
}

static const char *take_root_owner(struct arguments *a, const char *value)
{
	char uid[24];
	size_t n = strcspn(value, ":");
	const char *why = "is not UID:GID";

	if (!value[n] || n >= sizeof(uid))
		return why;
	memcpy(uid, value, n);
	uid[n] = '\0';
	if (cli_parse_u32(uid, 0, UINT32_MAX - 1, &a->options.root_uid) ||
	    cli_parse_u32(value + n + 1, 0, UINT32_MAX - 1, &a->options.root_gid))
		return why;
	a->owner_given = 1;
	return NULL;
}

static const char *take_root_dir(struct arguments *a, const char *value)
{
	cli_copy_in_source(&a->in, value);
	return NULL;
}

static const char *take_key(struct arguments *a, const char *value)
{
	return cli_keys_take(&a->keys, value);
}

static const char *take_encrypt(struct arguments *a, const char *value)
{
	if (!*value || strchr(value, '/') || !strcmp(value, ".") || !strcmp(value, ".."))
		return "is not a name in the root";
	a->encrypt = value;
	return NULL;
}

static const char *take_policy(struct arguments *a, const char *value)
{
	a->has_policy = 1;
	return cli_policy_take(&a->policy, value);
}

static const char *take_fs_config(struct arguments *a, const char *value)
{
	return cli_copy_in_take(&a->in, CLI_COPY_fs_config, value);
}

static const char *take_file_contexts(struct arguments *a, const char *value)
{
	return cli_copy_in_take(&a->in, CLI_COPY_file_contexts, value);
}

static const char *take_mount_point(struct arguments *a, const char *value)
{
	a->in.options.mount_point = value;
	return NULL;
}

static const char *take_preset(struct arguments *a, const char *value)
{
	a->is_android = strcmp(value, "android") == 0;
	a->unknown_preset = a->is_android ? NULL : value;
	return NULL;
}

static const char *take_purpose(struct arguments *a, const char *value)
{
	return purpose_find(value, &a->purpose);
}

static const char *take_time(struct arguments *a, const char *value)
{
	uint64_t positive;
	int64_t seconds;
	const char *why = cli_parse_s64(value, &seconds);

	if (why) {
		why = cli_parse_u64(value, 0, INT64_MAX, &positive);
		seconds = why ? 0 : (int64_t)positive;
	}
	if (why)
		return why;
	a->options.has_time = seconds != -1;
	a->options.time = seconds;
	return NULL;
}

static const char *take_fixed_seed(struct arguments *a, const char *value)
{
	(void)value;
	a->options.checkpoint_version = FIXED_VERSION;
	return NULL;
}

/* The kernel's own text. */
static const char *read_kernel_version(struct arguments *a)
{
	FILE *f = fopen("/proc/version", "r");
	size_t n;

	if (!f)
		return "cannot be found out here";
	n = fread(a->stamp, 1, sizeof(a->stamp) - 1, f);
	fclose(f);
	a->stamp[n] = '\0';
	a->stamp[strcspn(a->stamp, "\n")] = '\0';
	a->options.stamp = a->stamp;
	return NULL;
}

static const char *take_stamp(struct arguments *a, const char *value)
{
	if (!strcmp(value, "kernel"))
		return read_kernel_version(a);
	a->options.stamp = value;
	return NULL;
}

static const char *take_force(struct arguments *a, const char *value)
{
	(void)value;
	a->force = 1;
	return NULL;
}

static const char *take_discard(struct arguments *a, const char *value)
{
	int64_t on = 0;

	/* "-t f2fs", meant for mkfs of util-linux: image builders pass it on, and the peer reads it as 0 */
	if (strcmp(value, "nodiscard") != 0 && strcmp(value, "f2fs") != 0 && cli_parse_s64(value, &on))
		return "is neither a number nor nodiscard";
	a->options.no_discard = on == 0;
	return NULL;
}

static const char *take_sparse(struct arguments *a, const char *value)
{
	const char *why;

	if (strcmp(value, "auto") == 0) {
		a->sparse = 1; /* until it is known */
		a->is_auto = 1;
		return NULL;
	}
	why = cli_parse_size(value, 1, 512, &a->sparse);
	return !why && a->sparse == 0 ? "is too small" : why;
}

static const char *take_no_lock(struct arguments *a, const char *value)
{
	(void)value;
	a->no_lock = 1;
	return NULL;
}

static const char *take_dry_run(struct arguments *a, const char *value)
{
	(void)value;
	a->dry_run = 1;
	return NULL;
}

static const char *take_json(struct arguments *a, const char *value)
{
	(void)value;
	a->json = 1;
	return NULL;
}

static const char *take_quiet(struct arguments *a, const char *value)
{
	(void)value;
	a->quiet = 1;
	return NULL;
}

static const char *take_debug(struct arguments *a, const char *value)
{
	uint32_t level;
	const char *why = cli_parse_u32(value, 0, 1000, &level);

	if (!why)
		a->debug = (int)level;
	return why;
}

static const char *take_heap(struct arguments *a, const char *value)
{
	(void)a;
	(void)value;
	return NULL;
}

static const char *take_write_hints(struct arguments *a, const char *value)
{
	(void)a;
	(void)value;
	return NULL;
}

static const char *take_size(struct arguments *a, const char *text);

static const char *(*const takers[OPT_COUNT])(struct arguments *a, const char *value) = {
#define GROUP(title)
#define OPTION(id, letter, name, arg, arg_name, help, doc) [OPT_##id] = take_##id,
#define RENAMED(id, name, arg, arg_name, instead)
#define COPY_OPTION(id, letter, name, arg, arg_name, help, doc)
#define PACKING_OPTION(id, letter, name, arg, arg_name, help, doc)
#include CLI_OPTIONS_FILE
#undef GROUP
#undef OPTION
#undef RENAMED
#undef COPY_OPTION
#undef PACKING_OPTION
};

/* Returns NULL, or an error text about the value. */
static const char *take(struct arguments *a, int id, const char *value)
{
	if (cli_is_copy_in_option(id))
		return cli_copy_in_take(&a->in, id, value);
	if (cli_is_packing_option(id))
		return cli_packing_take(&a->packing, id, value);
	return takers[id](a, value);
}

/* -g android, once everything else is known. */
static void apply_android(struct arguments *a)
{
	a->force = 1;
	a->unit = 4096;
	a->options.root_uid = 0;
	a->options.root_gid = 0;
	a->options.no_nat_bits = 1;
	if (!a->hash_flag_given && (a->options.feature & F2FS_FEAT_CASEFOLD))
		a->options.encoding_flags |= 2;
	if (!(a->options.feature & F2FS_FEAT_RO))
		a->options.feature |= F2FS_FEAT_ENCRYPT | F2FS_FEAT_QUOTA | F2FS_FEAT_PROJECT_QUOTA |
				      F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_VERITY;
}

/* A number of sectors, or bytes with a suffix, or auto. */
static const char *take_size(struct arguments *a, const char *text)
{
	if (a->has_size || a->has_sectors || a->is_auto)
		return "is a second size";
	if (strcmp(text, "auto") == 0) {
		a->is_auto = 1;
		return NULL;
	}
	if (text[strspn(text, "0123456789")] == '\0') {
		const char *why = cli_parse_u64(text, 1, UINT64_MAX / 65536, &a->sectors);

		a->has_sectors = !why;
		return why;
	}
	a->has_size = 1;
	return cli_parse_size(text, 512, a->unit ? a->unit : 512, &a->size);
}

/* Is a size something this volume can have? */
static const char *check_size(const struct arguments *a)
{
	if (a->count > 1)
		return "is a size, which a volume on several devices cannot have";
	if (a->sparse && !a->is_auto)
		return "is a size beside the one of -S";
	if (a->is_auto && !a->in.source)
		return "depends on contents: --root-dir or --manifest is needed";
	return NULL;
}

static int take_operands(struct arguments *a, struct cli *cli, const struct cli_parser *p)
{
	const char *why;

	if (p->operand_count < 1) {
		cli_error(cli, "no device given");
		cli_opt_hint(cli->tool);
		return CLI_OPT_ERROR;
	}
	a->paths[0] = p->operands[0];
	why = p->operand_count > 2 ? "is one operand too many" : NULL;
	if (p->operand_count == 2)
		why = take_size(a, p->operands[1]);
	if (!why && (a->has_size || a->has_sectors || a->is_auto))
		why = check_size(a);
	if (why)
		cli_usage_error(cli, "size", p->operands[p->operand_count - 1], why);
	return why ? CLI_OPT_ERROR : 0;
}

/* Return NULL, or an error text about options that need each other. */
static const char *complaint(struct arguments *a)
{
	if (a->partition && (a->offset || a->sparse || a->count > 1))
		return "--partition does not go with --offset, --sparse-size or several devices";
	if (a->has_policy && !a->encrypt)
		return "--policy goes with --encrypt";
	if (!a->encrypt != !a->keys.count || (a->encrypt && !a->in.source))
		return "--encrypt goes with --key and --root-dir or --manifest";
	if (a->encrypt && !(a->options.feature & F2FS_FEAT_ENCRYPT))
		return "--encrypt needs -O encrypt";
	if (a->packing.is_on && !a->in.source)
		return "--compress goes with --root-dir or --manifest";
	if (a->packing.is_on && !(a->options.feature & F2FS_FEAT_COMPRESSION))
		return "--compress needs -O extra_attr,compression";
	return cli_packing_finish(&a->packing, &a->in.options);
}

int arguments_parse(struct arguments *a, struct cli *cli, int argc, char **argv)
{
	struct cli_parser p;
	const char *why;
	int id;

	memset(a, 0, sizeof(*a));
	a->count = 1;
	cli_policy_init(&a->policy);
	a->packing = (struct cli_packing)CLI_PACKING_DEFAULT;
	a->options.struct_size = sizeof(a->options);
	a->in.options.struct_size = sizeof(a->in.options);
	a->options.root_uid = getuid();
	a->options.root_gid = getgid();
	cli_opt_init(&p, cli->tool, argc, argv);
	while ((id = cli_opt_next(&p)) > 0) {
		why = take(a, id, p.value);
		if (why) {
			cli_usage_error(cli, p.shown, p.value, why);
			return CLI_OPT_ERROR;
		}
	}
	if (id != CLI_OPT_END)
		return id;
	if (a->purpose)
		purpose_apply(a->purpose, a);
	if (a->is_android)
		apply_android(a);
	why = a->purpose ? purpose_judge(a->purpose, a) : NULL;
	if (!why)
		why = complaint(a);
	if (why) {
		cli_error(cli, "%s", why);
		cli_opt_hint(cli->tool);
		return CLI_OPT_ERROR;
	}
	if (a->unknown_preset && !a->quiet)
		cli_warning(cli, "-g: '%s' is not a preset (android) and changes nothing", a->unknown_preset);
	if (a->sparse)
		a->options.no_discard = 1;
	return take_operands(a, cli, &p);
}
