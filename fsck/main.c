/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fsck.f2fs: open the volume, run the check once, or twice with a question to the user in between, and turn the result
 * into the exit code of fsck(8).
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "request.h"
#include "restore.h"
#include "lines.h"
#include "listing.h"
#include "findings.h"
#include "devices.h"
#include "short_device.h"
#include "stopped_resize.h"
#include "tune.h"

/* The parts of a run. */
struct run {
	struct cli *cli;
	struct f2fs_context *ctx;
	const struct arguments *arguments;
	struct session session;
	struct report report;
	struct f2fs_check_result result;
	struct short_device device;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* On a terminal; anything but yes is no. */
static int ask(const char *question)
{
	char line[64];

	if (!isatty(STDIN_FILENO))
		return 0;
	printf("%s [Y/N] ", question);
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) && (line[0] == 'y' || line[0] == 'Y');
}

/* What became of the problems that no option leaves out. */
static uint64_t problems_found(const struct run *run)
{
	return run->result.found > run->report.ignored ? run->result.found - run->report.ignored : 0;
}

static uint64_t problems_fixed(const struct run *run)
{
	return run->report.is_repairing && run->result.left < run->result.found ? run->result.found - run->result.left
										: 0;
}

static int exit_of(const struct run *run)
{
	const uint64_t found = problems_found(run), fixed = problems_fixed(run);

	if (run->result.state == F2FS_CHECK_IMPOSSIBLE)
		return CLI_EXIT_UNCORRECTED;
	if (run->session.answer == FSCK_DRY_RUN)
		return found > 0 ? CLI_EXIT_UNCORRECTED : CLI_EXIT_OK;
	return (fixed > 0 ? CLI_EXIT_CORRECTED : 0) | (found > fixed ? CLI_EXIT_UNCORRECTED : 0);
}

/* Was a problem of this name reported? */
static int report_has(const struct report *r, const char *name)
{
	for (unsigned i = 0; i < r->problem_count; i++)
		if (r->counts[i] && !strcmp(f2fs_problem_at(i)->name, name))
			return 1;
	return 0;
}

/* No option asks for a repair, and no question will. */
static int only_looks(const struct run *run)
{
	const enum fsck_answer answer = run->session.answer;

	return answer == FSCK_NO || (answer == FSCK_ASK && !run->arguments->is_asking && !isatty(STDIN_FILENO));
}

static void put_totals(const struct run *run)
{
	const struct f2fs_check_result *result = &run->result;
	const struct report *r = &run->report;
	const uint64_t found = problems_found(run), fixed = problems_fixed(run);

	for (unsigned i = 0; i < r->problem_count; i++)
		if (r->counts[i] > REPORT_SHOWN_PER_KIND && !r->arguments->is_verbose)
			printf("Info: %s: %llu in all (-v prints them)\n", f2fs_problem_at(i)->name,
			       (unsigned long long)r->counts[i]);
	if (result->recovered_nodes || result->recovered_orphans)
		printf("Info: recovered %llu nodes of %u synced files, deleted %u unlinked files\n",
		       (unsigned long long)result->recovered_nodes, result->recovered_inodes,
		       result->recovered_orphans);
	printf("%s: %llu files, %llu directories, %llu others, %llu blocks in use; %llu problem%s",
	       r->arguments->image.path, (unsigned long long)result->files, (unsigned long long)result->directories,
	       (unsigned long long)(result->symlinks + result->specials), (unsigned long long)result->blocks,
	       (unsigned long long)found, found == 1 ? "" : "s");
	if (fixed)
		printf(", %llu %s", (unsigned long long)fixed,
		       run->session.answer == FSCK_DRY_RUN ? "would be repaired" : "repaired");
	if (found > fixed)
		printf(", %llu left", (unsigned long long)(found - fixed));
	putchar('\n');
	if (report_has(r, "FOREIGN"))
		puts("Info: the signature of another system keeps everything from being repaired (--accept-foreign "
		     "ignores it)");
	else if (short_device_says_why(&run->session, &run->device))
		return;
	else if (found > fixed && only_looks(run))
		puts("Info: --dry-run shows the effects of a repair, -y repairs, --explain=NAME explains a problem");
}

static int try_check(struct run *run, int repair)
{
	const struct arguments *a = run->arguments;
	int rc;
	const struct f2fs_check_options options = {
		F2FS_SIZED(f2fs_check_options),
		.only = a->only.count ? a->only.at : NULL,
		.except = a->except.count ? a->except.at : NULL,
		.depth = a->with_content ? F2FS_CHECK_CONTENT : F2FS_CHECK_FULL,
		.repair = repair,
		.cut_at = short_device_cut(&run->session, &run->device),
		.problem = report_problem,
		.user = &run->report,
		.open = &run->session.opened.options,
	};

	report_restart(&run->report, repair);
	rc = f2fs_check(run->ctx, run->session.opened.device, &options, &run->result);
	short_device_note(&run->session, &run->device, run->report.device_has, run->report.device_needs);
	return rc;
}

static int check_once(struct run *run, int repair)
{
	int rc = try_check(run, repair);

	if (rc)
		cli_error_of(run->cli, run->ctx, run->arguments->image.path);
	return rc;
}

/* Is everything repaired except that the device is short? Then the files past its end have been dropped. */
static int is_repaired(const struct run *run)
{
	return run->result.fixed > 0 || run->result.left <= 1;
}

/* Check once more, silently, to count the remaining problems. */
static int recheck(struct run *run)
{
	struct f2fs_check_result first = run->result;
	int rc;

	run->report.is_silent = 1;
	rc = check_once(run, 0);
	run->report.is_silent = 0;
	run->report.is_repairing = 1;
	if (rc)
		return rc;
	first.left = run->result.left;
	first.state = first.left ? F2FS_CHECK_LEFT : F2FS_CHECK_REPAIRED;
	run->result = first;
	return 0;
}

/* Make the file longer if the repair lacks room, then repair. All findings were reported already. */
static int grow_and_repair(struct run *run)
{
	int rc = F2FS_ERR_IO;

	if (short_device_grow(&run->session, &run->device))
		return rc;
	run->report.is_silent = 1;
	rc = check_once(run, 1);
	run->report.is_silent = 0;
	return rc;
}

static int repair_once(struct run *run)
{
	struct session *s = &run->session;
	struct short_device *d = &run->device;
	int rc = try_check(run, 1);

	if (cli_is_full(run->ctx, rc) && short_device_must_fit(s, d) && short_device_may_grow(s, d))
		rc = grow_and_repair(run);
	else if (rc)
		cli_error_of(run->cli, run->ctx, run->arguments->image.path);
	if (rc || !is_repaired(run) || !short_device_must_fit(s, d) || short_device_fit(s, d))
		return rc;
	return recheck(run);
}

static int is_clean(const struct run *run)
{
	return problems_found(run) == 0;
}

/* Look, ask, then repair. */
static int check_and_ask(struct run *run)
{
	int rc = check_once(run, 0);

	if (rc || is_clean(run) || !ask("Do you want to fix this partition?"))
		return rc;
	run->session.answer = FSCK_YES;
	if (short_device_must_fit(&run->session, &run->device) && short_device_is_file(&run->session))
		run->device.must_shrink = !ask("Its end is lost. Make the file as long as it was? Otherwise the volume "
					       "shrinks to the present length.");
	return repair_once(run);
}

/* What -a and -p do has nothing to say about a volume without problems, so they look silently first. */
static int check_silently_first(struct run *run, int *is_done)
{
	int rc;

	*is_done = 0;
	if (run->arguments->depth == FSCK_FULL || run->report.json)
		return 0;
	run->report.is_silent = 1;
	rc = check_once(run, 0);
	run->report.is_silent = 0;
	*is_done = rc || is_clean(run);
	return rc;
}

static int is_sound(const struct run *run)
{
	return run->result.state == F2FS_CHECK_SOUND || run->result.state == F2FS_CHECK_REPAIRED;
}

/* Continue a stopped resize if nothing is wrong (any more) and the options allow it. */
static void finish_resize(struct run *run)
{
	struct session *s = &run->session;

	if (!run->report.has_hop || !is_sound(run) || !short_device_gives_up(run->arguments) || s->answer == FSCK_NO)
		return;
	if (s->answer != FSCK_ASK || ask("A resize was stopped. Do you want to move the areas back to the start?"))
		stopped_resize_finish(s);
}

static int check_as_told(struct run *run)
{
	int is_done, rc = check_silently_first(run, &is_done);

	if (is_done)
		return rc;
	if (run->session.answer == FSCK_NO)
		return check_once(run, 0);
	return run->session.answer == FSCK_ASK && !run->arguments->is_asking ? check_and_ask(run) : repair_once(run);
}

static int check_volume(struct run *run)
{
	int rc = check_as_told(run);

	if (!rc)
		finish_resize(run);
	return rc;
}

static void put_summary(struct run *run, double started)
{
	const struct arguments *a = run->arguments;

	if (run->report.json || a->is_quiet || (a->depth != FSCK_FULL && is_clean(run)))
		return;
	listing_summary(&run->session, &run->report, &run->result);
	if (run->report.is_quit)
		puts("Info: nothing was changed");
	put_totals(run);
	printf("\nDone: %f secs\n", now() - started);
}

static void put_result(struct run *run, int status)
{
	static const char *const states[] = { [F2FS_CHECK_SOUND] = "sound",
					      [F2FS_CHECK_LEFT] = "left",
					      [F2FS_CHECK_IMPOSSIBLE] = "impossible",
					      [F2FS_CHECK_REPAIRED] = "repaired" };
	const struct f2fs_check_result *result = &run->result;
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "found", result->found },
		{ "fixed", problems_fixed(run) },
		{ "recovered_nodes", result->recovered_nodes },
		{ "recovered_inodes", result->recovered_inodes },
		{ "recovered_orphans", result->recovered_orphans },
		{ "notes", result->notes },
		{ "pending_nodes", result->pending },
		{ "files", result->files },
		{ "directories", result->directories },
		{ "symlinks", result->symlinks },
		{ "specials", result->specials },
		{ "orphans", result->orphans },
		{ "hard_links", result->hard_links },
		{ "inodes", result->inodes },
		{ "nodes", result->nodes },
		{ "blocks", result->blocks },
		{ "free_segments", result->free_segments },
		{ "memory", result->memory },
		{ "exit_status", (uint64_t)status },
	};
	struct cli_print *p = run->report.json;

	cli_print_end_array(p);
	cli_print_string(p, "state", states[result->state]);
	cli_print_bool(p, "is_unmounted", result->is_unmounted);
	cli_print_bool(p, "is_dry_run", run->session.answer == FSCK_DRY_RUN);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		cli_print_u64(p, numbers[i].name, numbers[i].value);
	cli_print_end(p);
}

static int run_check(struct run *run)
{
	const struct arguments *a = run->arguments;
	const double started = now();
	int status = session_open(&run->session, run->cli, run->ctx, a), rc;

	if (status)
		return status;
	if (a->depth == FSCK_IF_NEEDED && !session_wants_check(&run->session))
		return session_tune(&run->session, 1);
	if (a->depth == FSCK_REPORT && !session_wants_check(&run->session))
		run->session.answer = FSCK_NO;
	if (a->is_json) {
		run->report.json = cli_print_open(stdout, CLI_JSON);
		if (!run->report.json)
			return CLI_EXIT_OPERATIONAL;
		cli_print_begin(run->report.json, NULL);
		cli_print_bytes(run->report.json, "device", a->image.path, strlen(a->image.path));
		cli_print_begin_array(run->report.json, "problems");
	} else if (a->depth == FSCK_FULL && !a->is_quiet) {
		listing_banner(run->cli, &run->session);
	}
	if (a->shows_tree)
		listing_tree(run->cli, &run->session);
	if (short_device_rehearse(&run->session, &run->device))
		return CLI_EXIT_OPERATIONAL;
	rc = check_volume(run);
	if (rc == F2FS_ERR_CANCELED)
		status = CLI_EXIT_CANCELED;
	else
		status = rc ? CLI_EXIT_OPERATIONAL : exit_of(run) | session_tune(&run->session, is_sound(run));
	if (run->report.json) {
		put_result(run, status);
		if (cli_print_close(run->report.json))
			status |= CLI_EXIT_OPERATIONAL;
	} else if (!rc) {
		put_summary(run, started);
	}
	return status;
}

static int run_on_device(struct run *run)
{
	const struct arguments *a = run->arguments;
	int status;

	switch (a->job) {
	case FSCK_CHECK:
		if (report_init(&run->report, run->cli, a)) {
			report_fini(&run->report);
			return CLI_EXIT_USAGE;
		}
		status = run_check(run);
		if (session_save(&run->session))
			status = CLI_EXIT_OPERATIONAL;
		session_close(&run->session);
		if (run->cli->has_logged_error) /* an undo file that was not finished */
			status |= CLI_EXIT_OPERATIONAL;
		report_fini(&run->report);
		return status;
	case FSCK_RESTORE:
		return session_restore(run->cli, run->ctx, a);
	default:
		return listing_run(run->cli, run->ctx, a);
	}
}

static int run_job(struct cli *cli, const struct arguments *a)
{
	struct run run;
	int status;

	if (a->job == FSCK_LIST)
		return a->is_json ? report_explain(cli, "all", 1) : report_list(cli);
	if (a->job == FSCK_EXPLAIN)
		return report_explain(cli, a->explain, a->is_json);
	cli->meter.fd = a->progress_fd;
	cli->meter.device = a->image.path;
	memset(&run, 0, sizeof(run));
	run.cli = cli;
	run.result.struct_size = sizeof(run.result);
	run.arguments = a;
	if (cli_context_new(cli, &run.ctx))
		return CLI_EXIT_OPERATIONAL;
	status = run_on_device(&run);
	f2fs_context_close(run.ctx);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments a;
	struct cli cli;
	int rc;

	if (cli_init(&cli, &fsck_tool))
		return CLI_EXIT_USAGE;
	rc = arguments_parse(&a, &cli, argc, argv);
	if (rc)
		return cli_finish(&cli, rc == CLI_OPT_ERROR ? CLI_EXIT_USAGE : CLI_EXIT_OK, CLI_EXIT_OPERATIONAL);
	return cli_finish(&cli, run_job(&cli, &a), CLI_EXIT_OPERATIONAL);
}
