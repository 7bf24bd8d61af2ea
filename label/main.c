/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fslabel: show or set the label of a volume. Output lines are those of the program of that name in f2fs-tools.
 */
#include <stdio.h>
#include <string.h>

#include <f2fskit/label.h>

#include "cli/program.h"
#include "cli/size.h"

#define CLI_OPTIONS_FILE "label/options.def"
#include "cli/option_table.h"

static const char *const usage[] = { "[OPTION]... DEVICE [LABEL]", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "the label was shown or set" },
	{ CLI_EXIT_FAILURE, "failure, or wrong usage" },
};

static const struct cli_tool tool = {
	.name = "f2fslabel",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Show or set the label of an F2FS volume on a device or in a file.",
	CLI_TOOL_TABLES,
};

struct arguments {
	struct cli_image image;
	const char *label; /* NULL: show it */
	int quiet;
};

/* Take one option. Returns NULL, or an error text about its value. */
static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;

	(void)cli;
	if (cli_is_image_option(id))
		return cli_image_take(&a->image, id, value);
	switch (id) {
	default: /* OPT_quiet */
		a->quiet = 1;
		return NULL;
	}
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	struct arguments *a = arguments;

	if (parser->operand_count < 1 || parser->operand_count > 2)
		return cli_refuse(cli, parser->operand_count ? "one label at a time: quote it" : "no device given");
	a->image.path = parser->operands[0];
	a->label = parser->operand_count > 1 ? parser->operands[1] : NULL;
	a->image.flags = a->label ? F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE : F2FS_OPEN_READ;
	a->image.saves = 1;
	return 0;
}

/* Bytes that text has for a label, but for backslashes that are doubled. */
static size_t shown_once(const char *text)
{
	size_t n = 0;

	for (; *text; text++, n++)
		text += text[0] == '\\' && text[1] == '\\';
	return n;
}

/*
 * Show the label, with odd bytes made visible. A script that asks for nothing else gets one without any as it is: with
 * backslashes as they are.
 */
static void show(const struct arguments *a, struct f2fs_volume *vol)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	char text[4 * sizeof(st.label) + 1];

	f2fs_volume_statfs(vol, &st);
	f2fs_text_printable(st.label, strlen(st.label), text, sizeof(text));
	if (a->quiet && shown_once(text) == strlen(st.label))
		memcpy(text, st.label, strlen(st.label) + 1);
	printf(a->quiet ? "%s\n" : "Info: volume label = %s\n", text);
}

static int set_label(struct cli *cli, const struct arguments *a, struct cli_opened *opened, struct f2fs_volume *vol)
{
	int rc = f2fs_volume_set_label(vol, a->label);

	if (rc)
		cli_error_of(cli, opened->ctx, a->image.path);
	else
		rc = cli_image_save(cli, opened);
	if (!rc && !a->quiet)
		printf("Info: volume label is changed to %s\n", a->label);
	return rc;
}

static int work(void *arguments, struct cli *cli, struct cli_opened *opened)
{
	const struct arguments *a = arguments;
	struct f2fs_volume *vol;
	int rc = cli_opened_volume(cli, opened, &vol);

	if (rc)
		return CLI_EXIT_FAILURE;
	if (a->label)
		rc = set_label(cli, a, opened, vol);
	else
		show(a, vol);
	f2fs_volume_close(vol);
	return rc ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.take = take,
	.complete = complete,
	.work = work,
};

int main(int argc, char **argv)
{
	static struct arguments a;

	return cli_program_main(&program, &a, argc, argv);
}
