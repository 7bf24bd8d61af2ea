/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The option parser: every way to write an option, and every way to get it wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/opt.h"
#include "cli/usage.h"

enum { OPT_NONE, OPT_FORCE, OPT_YES, OPT_SIZE, OPT_PREEN, OPT_MODE, OPT_LONG };

static const struct cli_option options[] = {
	CLI_GROUP_ROW("First group") CLI_OPTION_ROW(FORCE, 'f', "force", NONE, NULL, "overwrite",
						    "") CLI_OPTION_ROW(YES, 'y', NULL, NONE, NULL, "answer yes", "")
		CLI_OPTION_ROW(SIZE, 'b', "block-size", REQUIRED, "SIZE", "size of a block",
			       "More\\on\nit.") CLI_OPTION_ROW(PREEN, 'p', "preen", NUMBER, "LEVEL", "repair", "")
			CLI_OPTION_ROW(MODE, 'm', "mode", OPTIONAL, "MODE", "a mode", "") CLI_OPTION_ROW(
				LONG, 0, "long-only", NONE, NULL,
				"an option whose help is so long that it has to be broken at the end of the line", "")
};
static const char *const usage[] = { "[options] DEVICE", NULL };
static const struct cli_exit exits[] = { { 0, "done" }, { 16, "wrong usage" } };
static const struct cli_tool tool = { .name = "tool",
				      .usage = usage,
				      .summary = "A tool.",
				      .options = options,
				      .option_count = sizeof(options) / sizeof(options[0]),
				      .exits = exits,
				      .exit_count = 2 };

/* Parse words and write what comes out as "id=value id id | operand operand". */
static const char *parse(const char *const *words)
{
	static char out[256];
	char *argv[16] = { (char *)(uintptr_t) "tool" };
	struct cli_parser p;
	int argc = 1, id;

	while (words[argc - 1]) {
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
		argc++;
	}
	out[0] = '\0';
	cli_opt_init(&p, &tool, argc, argv);
	while ((id = cli_opt_next(&p)) > 0) {
		size_t n = strlen(out);

		snprintf(out + n, sizeof(out) - n, "%d%s%s ", id, p.value ? "=" : "", p.value ? p.value : "");
	}
	if (id != CLI_OPT_END)
		return id == CLI_OPT_ERROR ? "error" : "exit";
	strcat(out, "|");
	for (int i = 0; i < p.operand_count; i++) {
		strcat(out, " ");
		strcat(out, p.operands[i]);
	}
	return out;
}
#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void test_letters(void **state)
{
	(void)state;
	assert_string_equal(PARSE("-f", "img"), "1 | img");
	assert_string_equal(PARSE("img", "-fy", "20"), "1 2 | img 20");
	assert_string_equal(PARSE("-b4096"), "3=4096 |");
	assert_string_equal(PARSE("-b", "4096"), "3=4096 |");
	assert_string_equal(PARSE("-fb4096", "-y"), "1 3=4096 2 |");
	assert_string_equal(PARSE("-fb", "-y"), "1 3=-y |");
	assert_string_equal(PARSE("-m", "x"), "5 | x");
	assert_string_equal(PARSE("-mx"), "5=x |");
}

static void test_number(void **state)
{
	(void)state;
	assert_string_equal(PARSE("-p", "2", "dev"), "4=2 | dev");
	assert_string_equal(PARSE("-p", "dev"), "4 | dev");
	assert_string_equal(PARSE("-p2"), "4=2 |");
	assert_string_equal(PARSE("-py"), "4 2 |");
	assert_string_equal(PARSE("-yp", "1"), "2 4=1 |");
	assert_string_equal(PARSE("--preen=1"), "4=1 |");
	assert_string_equal(PARSE("--preen", "1"), "4 | 1");
	assert_string_equal(PARSE("--preen=x"), "error");
	assert_string_equal(PARSE("-p"), "4 |");
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(PARSE("--force", "--block-size=1", "--block-size", "2"), "1 3=1 3=2 |");
	assert_string_equal(PARSE("--mode", "a"), "5 | a");
	assert_string_equal(PARSE("--mode=a"), "5=a |");
	assert_string_equal(PARSE("--mode="), "5= |");
	assert_string_equal(PARSE("--long-only"), "6 |");
}

static void test_operands(void **state)
{
	(void)state;
	assert_string_equal(PARSE("--", "-f", "--force"), "| -f --force");
	assert_string_equal(PARSE("a", "--", "-f", "--"), "| a -f --");
	assert_string_equal(PARSE("-", "-f"), "1 | -");
	assert_string_equal(PARSE(NULL), "|");
}

static void test_errors(void **state)
{
	(void)state;
	assert_string_equal(PARSE("-z"), "error");
	assert_string_equal(PARSE("--nope"), "error");
	assert_string_equal(PARSE("--forc"), "error");
	assert_string_equal(PARSE("--help=1"), "error");
	assert_string_equal(PARSE("-b"), "error");
	assert_string_equal(PARSE("--block-size"), "error");
	assert_string_equal(PARSE("--force=1"), "error");
	assert_string_equal(PARSE("--help"), "exit");
	assert_string_equal(PARSE("-fV"), "exit");
}

static void read_back(void (*write)(const struct cli_tool *, FILE *), char *text, size_t size)
{
	FILE *f = tmpfile();
	size_t n;

	assert_non_null(f);
	write(&tool, f);
	rewind(f);
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
}

static void test_help(void **state)
{
	char text[4096];

	(void)state;
	read_back(cli_opt_help, text, sizeof(text));
	assert_non_null(strstr(text, "Usage: tool [options] DEVICE\nA tool.\n\nFirst group:\n"));
	assert_non_null(
		strstr(text, "  -f, --force               overwrite\n  -y                        answer yes\n"));
	assert_non_null(strstr(text, "  -b, --block-size=SIZE     size of a block\n"));
	assert_non_null(strstr(text, "  -p, --preen[=LEVEL]       repair\n"));
	assert_non_null(strstr(text, "      --long-only           an option whose help is so long that it has to be\n"
				     "                            broken at the end of the line\n"));
	assert_non_null(strstr(text, "  -V, --version "));
	assert_non_null(strstr(text, "Exit status:\n    0  done\n   16  wrong usage\n"));
}

static void test_dump(void **state)
{
	char text[4096];

	(void)state;
	read_back(cli_opt_dump, text, sizeof(text));
	assert_non_null(strstr(text, "group\tFirst group\n"));
	assert_non_null(strstr(text, "option\tb\tblock-size\trequired\tSIZE\tsize of a block\tMore\\\\on\\nit.\n"));
	assert_non_null(strstr(text, "exit\t16\twrong usage\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_letters),	 cmocka_unit_test(test_number), cmocka_unit_test(test_names),
		cmocka_unit_test(test_operands), cmocka_unit_test(test_errors), cmocka_unit_test(test_help),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
