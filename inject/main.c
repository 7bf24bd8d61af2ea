/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inject.f2fs: overwrite one field of a volume, with the options of the program of that name in f2fs-tools. A table
 * maps the name of a field to an address of f2fskit/inject.h; f2fs set has all addresses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <f2fskit/format.h>
#include <f2fskit/inject.h>

#include "cli/field_value.h"
#include "cli/program.h"
#include "cli/size.h"

#define CLI_OPTIONS_FILE "inject/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "WHERE --mb=NAME {--val=VALUE | --str=TEXT} [OPTION]... DEVICE", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the field was overwritten" },
	{ CLI_EXIT_FAILURE, "failure, or wrong usage" },
};

static const struct cli_tool tool = {
	.name = "inject.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Overwrite one field of an F2FS volume in place, to test what checks and repairs it.",
	CLI_TOOL_TABLES,
};

/*
 * Names of fields and their addresses: $c stands for the copy, $i for --idx, $n for --nid, $s and $o for the segment of
 * --blk and the block in it, $k for the word of the checksum, $d for the directory entry. Other names of a structure
 * stand for themselves, see others[].
 */
static const struct {
	int where;
	const char *name, *address;
	unsigned flags; /* enum f2fs_inject_flag */
} fields[] = {
	{ OPT_sb, "s_stop_reason", "sb[$c].s_stop_reason[$i]", 0 },
	{ OPT_sb, "s_errors", "sb[$c].s_errors[$i]", 0 },
	{ OPT_sb, "devs.path", "sb[$c].devs[$i].path", 0 },
	{ OPT_cp, "cur_node_segno", "cp[$c].cur_node_segno[$i]", 0 },
	{ OPT_cp, "cur_node_blkoff", "cp[$c].cur_node_blkoff[$i]", 0 },
	{ OPT_cp, "cur_data_segno", "cp[$c].cur_data_segno[$i]", 0 },
	{ OPT_cp, "cur_data_blkoff", "cp[$c].cur_data_blkoff[$i]", 0 },
	{ OPT_cp, "alloc_type", "cp[$c].alloc_type[$i]", 0 },
	{ OPT_cp, "crc", "cp[$c].u32[$k]", F2FS_INJECT_RAW },
	{ OPT_sit, "valid_map", "sit[$s,$c].valid_map[$i]", 0 },
	{ OPT_ssa, "entry_type", "ssa[$s].entry_type", 0 },
	{ OPT_ssa, "check_sum", "ssa[$s].check_sum", 0 },
	{ OPT_node, "nid", "node[$n].footer.nid", 0 },
	{ OPT_node, "ino", "node[$n].footer.ino", 0 },
	{ OPT_node, "flag", "node[$n].footer.flag", 0 },
	{ OPT_node, "cp_ver", "node[$n].footer.cp_ver", 0 },
	{ OPT_node, "next_blkaddr", "node[$n].footer.next_blkaddr", 0 },
	{ OPT_node, "i_ext.fofs", "node[$n].i_ext_fofs", 0 },
	{ OPT_node, "i_ext.blk_addr", "node[$n].i_ext_blk", 0 },
	{ OPT_node, "i_ext.len", "node[$n].i_ext_len", 0 },
	{ OPT_node, "i_extra_isize", "node[$n].extra.i_extra_isize", 0 },
	{ OPT_node, "i_inline_xattr_size", "node[$n].extra.i_inline_xattr_size", 0 },
	{ OPT_node, "i_inode_checksum", "node[$n].extra.i_inode_checksum", F2FS_INJECT_RAW },
	{ OPT_node, "i_compr_blocks", "node[$n].extra.i_compr_blocks", 0 },
	{ OPT_node, "i_addr", "node[$n].i_addr[$i]", 0 },
	{ OPT_node, "i_nid", "node[$n].i_nid[$i]", 0 },
	{ OPT_node, "addr", "node[$n].addr[$i]", 0 },
	{ OPT_dent, "d_bitmap", "$d.used", 0 },
	{ OPT_dent, "d_hash", "$d.hash", 0 },
	{ OPT_dent, "d_ino", "$d.ino", 0 },
	{ OPT_dent, "d_ftype", "$d.file_type", 0 },
	{ OPT_dent, "filename", "$d.name", 0 },
};

/* Where other names are looked for; $m is the name. */
static const struct {
	int where;
	const char *address;
} others[] = {
	{ OPT_sb, "sb[$c].$m" },      { OPT_cp, "cp[$c].$m" },	     { OPT_nat, "nat[$n,$c].$m" },
	{ OPT_sit, "sit[$s,$c].$m" }, { OPT_ssa, "ssa[$s][$o].$m" }, { OPT_node, "node[$n].$m" },
};

struct arguments {
	struct cli_image image;
	int where, value_option; /* ids of the options */
	uint32_t copy, nid, blk, idx, dots;
	const char *member, *value;
	unsigned flags;
};

/* ---- addresses ---- */

struct text {
	char bytes[1400];
	size_t length;
};

static void put(struct text *t, const char *bytes, size_t n)
{
	if (n < sizeof(t->bytes) - t->length) {
		memcpy(t->bytes + t->length, bytes, n);
		t->length += n;
		t->bytes[t->length] = '\0';
	}
}

static void put_number(struct text *t, uint32_t number)
{
	char digits[16];

	put(t, digits, (size_t)snprintf(digits, sizeof(digits), "%u", number));
}

static int get(struct f2fs_inject *inject, struct f2fs_inject_value *value, const char *format, uint32_t number)
{
	char address[64];

	snprintf(address, sizeof(address), format, number);
	return f2fs_inject_get(inject, address, value);
}

/* The entry of an inode in its parent, under the name that it remembers; or a dot of a directory. */
static int put_entry(struct text *t, const struct arguments *a, struct f2fs_inject *inject,
		     struct f2fs_inject_value *value)
{
	uint64_t length;
	int rc = 0;

	put(t, "dentry[", 7);
	if (a->dots) {
		put_number(t, a->nid);
		put(t, a->dots == 1 ? "][\".\"]" : "][\"..\"]", a->dots == 1 ? 6 : 7);
		return 0;
	}
	rc = get(inject, value, "inode[%u].i_pino", a->nid);
	if (rc)
		return rc;
	put_number(t, (uint32_t)value->number);
	rc = get(inject, value, "inode[%u].i_namelen", a->nid);
	length = value->number;
	if (!rc)
		rc = get(inject, value, "inode[%u].i_name", a->nid);
	put(t, "][\"", 3);
	for (uint64_t i = 0; !rc && i < length && i < value->size; i++) {
		const unsigned char c = value->bytes[i];
		char escaped[8];

		/* the rest as people read it: a message shows the address */
		put(t, escaped, (size_t)snprintf(escaped, sizeof(escaped), c < ' ' || c > '~' ? "\\x%02x" :
						 c == '"' || c == '\\' ? "\\%c" : "%c", c));
	}
	put(t, "\"]", 2);
	return rc;
}

/* Fill the places of a pattern. */
static int make_address(struct text *t, const char *pattern, const struct arguments *a, struct f2fs_inject *inject)
{
	struct f2fs_inject_value *value = calloc(1, sizeof(*value));
	uint32_t main_blkaddr = 0;
	int rc = value ? 0 : F2FS_ERR_NOMEM;

	if (!rc && a->blk) {
		rc = get(inject, value, "sb.main_blkaddr", 0);
		main_blkaddr = (uint32_t)value->number;
	}
	for (const char *c = pattern; !rc && *c; c++) {
		if (*c != '$') {
			put(t, c, 1);
			continue;
		}
		switch (*++c) {
		case 'c':
			put_number(t, a->copy);
			break;
		case 'i':
			put_number(t, a->idx);
			break;
		case 'n':
			put_number(t, a->nid);
			break;
		case 'k':
			rc = get(inject, value, "cp[%u].checksum_offset", a->copy);
			if (!rc)
				put_number(t, (uint32_t)value->number / 4);
			break;
		case 's':
			put_number(t, (a->blk - main_blkaddr) / F2FS_SEGMENT_BLOCKS);
			break;
		case 'o':
			put_number(t, (a->blk - main_blkaddr) % F2FS_SEGMENT_BLOCKS);
			break;
		case 'm':
			put(t, a->member, strlen(a->member));
			break;
		default: /* d */
			rc = put_entry(t, a, inject, value);
			break;
		}
	}
	free(value);
	return rc;
}

static const char *find_pattern(struct arguments *a)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].where == a->where && !strcmp(fields[i].name, a->member)) {
			a->flags |= fields[i].flags;
			return fields[i].address;
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].where == a->where)
			return others[i].address;
	return NULL;
}

/* ---- arguments ---- */

/* Structures whose fields are members as they are. */
static const struct {
	int where;
	const char *structure;
} structures[] = {
	{ OPT_sb, "superblock" }, { OPT_cp, "checkpoint" },	{ OPT_nat, "nat_entry" }, { OPT_sit, "sit_entry" },
	{ OPT_node, "inode" },	  { OPT_ssa, "summary_entry" },
};

static int has_own_row(int where, const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].where == where && !strcmp(fields[i].name, name))
			return 1;
	return 0;
}

/* One member a line: "  i_links: DOC". Test suites look for the name with its colon. */
static void list_members(int where)
{
	puts("\nMembers (--mb):");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].where == where)
			printf("  %s: %s\n", fields[i].name,
			       strstr(fields[i].address, "$i") ? "the element --idx" : "the field of that name");
	for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]); i++) {
		const struct f2fs_struct *type = f2fs_struct_find(structures[i].structure);

		for (uint32_t j = 0; structures[i].where == where && j < type->field_count; j++)
			if (!has_own_row(where, type->fields[j].name))
				printf("  %s: %s\n", type->fields[j].name, type->fields[j].doc);
	}
}

/* One field of one structure is overwritten by one value. */
static const char *take_where(struct arguments *a, int id)
{
	if (a->where && a->where != id)
		return "goes with none of the others of --sb --cp --nat --sit --ssa --node --dent";
	a->where = id;
	return NULL;
}

static const char *take_value(struct arguments *a, int id, const char *value)
{
	if (a->value && a->value_option != id)
		return "is one value too many: it is --val or --str";
	a->value = value;
	a->value_option = id;
	return NULL;
}

/* Take one option. Returns NULL, or an error text about its value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;

	const char *why;

	(void)cli;
	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	switch (id) {
	case OPT_sb:
	case OPT_cp:
	case OPT_nat:
	case OPT_sit:
		why = take_where(a, id);
		return why ? why : cli_parse_u32(value, 0, 2, &a->copy);
	case OPT_ssa:
	case OPT_node:
	case OPT_dent:
		return take_where(a, id);
	case OPT_member:
		a->member = value;
		return NULL;
	case OPT_idx:
		return cli_parse_u32(value, 0, UINT32_MAX, &a->idx);
	case OPT_nid:
		return cli_parse_u32(value, 0, UINT32_MAX, &a->nid);
	case OPT_blk:
		return cli_parse_u32(value, 1, UINT32_MAX, &a->blk);
	case OPT_dots:
		return cli_parse_u32(value, 1, 2, &a->dots);
	case OPT_val:
	case OPT_str:
		return take_value(a, id, value);
	case OPT_dry_run:
		a->flags |= F2FS_INJECT_DRY_RUN;
		return NULL;
	case OPT_force:
		a->flags |= F2FS_INJECT_FORCE;
		return NULL;
	default: /* OPT_debug */
		return NULL;
	}
}

/* The fields of the structure that was chosen: --node -h. */
static void help(void *arguments)
{
	const struct arguments *a = arguments;

	if (a->where)
		list_members(a->where);
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;

	if (a->where && !a->member) {
		list_members(a->where);
		return CLI_OPT_EXIT;
	}
	if (parser->operand_count != 1 || !a->where || !a->value)
		return cli_refuse(cli, parser->operand_count != 1 ? "one device or image is needed"
				       : a->where		  ? "a value is needed: --val or --str"
						 : "one of --sb --cp --nat --sit --ssa --node --dent is needed");
	if ((a->where == OPT_nat || a->where == OPT_node || a->where == OPT_dent) && !a->nid)
		return cli_refuse(cli, "--nid is needed");
	if ((a->where == OPT_sit || a->where == OPT_ssa) && !a->blk)
		return cli_refuse(cli, "--blk is needed");
	a->image.path = parser->operands[0];
	a->image.flags = a->flags & F2FS_INJECT_DRY_RUN ? F2FS_OPEN_READ : F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE;
	a->image.saves = 1;
	return 0;
}

/* Test suites read the first line. */
static int say(const char *address, const char *value, const struct f2fs_inject_value *before)
{
	struct cli_print *out;

	printf("Info: inject %s: %s\n", address, value);
	out = cli_print_open(stdout, CLI_TEXT);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_put_field(out, "Info: old value", before);
	cli_print_end(out);
	return cli_print_close(out);
}

static int inject_one(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_inject *inject)
{
	const char *pattern = find_pattern(a);
	static struct f2fs_inject_value before;
	struct text address = { "", 0 };
	int rc;

	if (!pattern) {
		cli_error(cli, "--mb: unknown or unsupported member '%s'", a->member);
		return F2FS_ERR_INVALID;
	}
	rc = make_address(&address, pattern, a, inject);
	if (!rc)
		rc = f2fs_inject_set(inject, address.bytes, a->value, a->flags, &before);
	if (rc)
		cli_error_of(cli, ctx, a->image.path);
	return rc ? rc : say(address.bytes, a->value, &before);
}

static int work(void *arguments, struct cli *cli, struct cli_opened *opened)
{
	struct arguments *a = arguments;
	struct f2fs_inject *inject;
	int rc = f2fs_inject_open(opened->ctx, opened->device, &opened->options, &inject);

	if (rc) {
		cli_error_of(cli, opened->ctx, a->image.path);
		return CLI_EXIT_FAILURE;
	}
	rc = inject_one(cli, opened->ctx, a, inject);
	f2fs_inject_close(inject);
	return rc || cli_image_save(cli, opened) ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.take = take,
	.complete = complete,
	.work = work,
	.help = help,
};

/* "--sb -h" asks for the members of the superblock: its option does not take -h for its value. */
static void ask_for_help(int argc, char **argv)
{
	static char asked[][8] = { "--sb=0", "--cp=0", "--nat=0", "--sit=0" };

	for (int i = 1; i + 1 < argc; i++)
		for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++)
			if (strlen(argv[i]) + 2 == strlen(asked[k]) && !strncmp(argv[i], asked[k], strlen(argv[i])) &&
			    (!strcmp(argv[i + 1], "-h") || !strcmp(argv[i + 1], "--help")))
				argv[i] = asked[k];
}

int main(int argc, char **argv)
{
	static struct arguments a;

	ask_for_help(argc, argv);
	return cli_program_main(&program, &a, argc, argv);
}
