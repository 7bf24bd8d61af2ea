/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.f2fs: look into an F2FS volume and copy out of it, without mounting it and without writing to it. This file
 * reads the options, opens the volume and runs the views in the order of views.def.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/image.h"
#include "cli/opt.h"
#include "cli/program.h"
#include "cli/repaired.h"
#include "cli/state.h"
#include "cli/size.h"
#include "cli/usage.h"
#include "dump/classic.h"
#include "dump/copy_options.h"
#include "dump/earlier.h"
#include "dump/save_image.h"
#include "dump/view_volume.h"
#include "dump/views.h"
#include "f2fskit_config.h"

#define CLI_OPTIONS_FILE "dump/options.def"
#include "cli/option_table.h"

static const struct cli_exit exits[] = {
	{ DUMP_OK, "everything that was asked for was shown or written" },
	{ DUMP_USAGE, "wrong usage" },
	{ DUMP_MISSING, "something that was asked for does not exist, or has the wrong type" },
	{ DUMP_INCOMPLETE, "something could not be read fully (damaged, encrypted, not supported); it is named" },
	{ DUMP_FAILED, "could not run: the image cannot be opened, is no F2FS volume, the output cannot be written" },
	{ CLI_EXIT_STOPPED,
	  CLI_STOPPED_TEXT "extracted files stay, none in part" },
};

static const char *const usage[] = { "[OPTION]... IMAGE", "{--extract=DIR | --tar=FILE} [OPTION]... IMAGE [PATH]...",
				     NULL };

static const struct cli_part parts[] = {
	{ "libmagic", "types of carved files", HAVE_MAGIC },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "dump.f2fs",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Look into an F2FS volume and copy out of it, without mounting it. Nothing is written to it.",
	CLI_TOOL_TABLES,
	.parts = parts,
};

enum view_kind {
	RECORD,	 /* members of one object */
	TABLE,	 /* opens a table of its own */
	LIST,	 /* an object for each argument */
	BYTES,	 /* neither text nor JSON */
	FILES,	 /* writes files */
	DEVICE,	 /* copies the device, whatever is on it; alone */
	CLASSIC, /* text of f2fs-tools */
};

struct view {
	int option;
	enum view_kind kind;
	int knows_past; /* can show an earlier checkpoint */
	const char *member;
	int (*run)(struct dump *d, const char *argument);
};

static const struct view views[] = {
#define VIEW(option, member, kind, function) { OPT_##option, kind, 0, member, function },
#define VIEW_OF_FILES(option, member, kind, function) { OPT_##option, kind, 1, member, function },
#define VIEW_OF_DEVICE(option, member) { OPT_##option, DEVICE, 0, member, NULL },
#include "dump/views.def"
#undef VIEW
#undef VIEW_OF_FILES
#undef VIEW_OF_DEVICE
};
enum { VIEW_COUNT = sizeof(views) / sizeof(views[0]) };

static const char not_of_past[] = "--state=as-of goes with "
#define VIEW(option, member, kind, function)
#define VIEW_OF_FILES(option, member, kind, function) "--" #option ", "
#define VIEW_OF_DEVICE(option, member)
#include "dump/views.def"
#undef VIEW
#undef VIEW_OF_FILES
#undef VIEW_OF_DEVICE
				  "and no other view";

struct request {
	const struct view *view;
	const char *argument;
};

struct arguments {
	struct cli_image image;
	struct request *requests;
	unsigned request_count;
	int is_json, is_quiet, debug, is_thorough, scrambles_names, form, asks_magic, takes_blank;
	uint64_t carve_size;
	const char *read_log;
	const char *to;
	struct copy_options copy;
};

/* ---- options ---- */

static const struct view *find_view(int option)
{
	for (unsigned i = 0; i < VIEW_COUNT; i++)
		if (views[i].option == option)
			return &views[i];
	return NULL;
}

static int complain(struct dump *d, const char *what, const char *value, const char *why)
{
	cli_usage_error(&d->cli, what, value, why);
	return -1;
}

/* Map options of the program to options of copying out. */
static enum copy_option copy_option_of(int option)
{
	static const struct {
		int option;
		enum copy_option copy;
	} rows[] = {
		{ OPT_include, COPY_INCLUDE },	   { OPT_exclude, COPY_EXCLUDE },   { OPT_strip, COPY_STRIP },
		{ OPT_relative, COPY_RELATIVE },   { OPT_keep, COPY_KEEP },	    { OPT_require, COPY_REQUIRE },
		{ OPT_uid_map, COPY_UID_MAP },	   { OPT_gid_map, COPY_GID_MAP },   { OPT_existing, COPY_EXISTING },
		{ OPT_encrypted, COPY_ENCRYPTED }, { OPT_threads, COPY_THREADS },   { OPT_max_bytes, COPY_MAX_BYTES },
		{ OPT_sync, COPY_SYNC },	   { OPT_compress, COPY_COMPRESS }, { OPT_manifest, COPY_MANIFEST },
		{ OPT_fs_config, COPY_FS_CONFIG }, { OPT_mount_point, COPY_MOUNT_POINT },
		{ OPT_file_contexts, COPY_FILE_CONTEXTS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].option == option)
			return rows[i].copy;
	return COPY_NONE;
}

/* Options of f2fs-tools that go with -i and -r. */
static void take_classic(struct copy_options *c, int option, const char *value)
{
	switch (option) {
	case OPT_c_base:
		c->base_path = value;
		break;
	case OPT_c_preserve:
		c->preserve = 1;
		break;
	case OPT_c_force:
	case OPT_c_yes:
		c->force = 1;
		break;
	case OPT_c_no:
		c->answer_no = 1;
		break;
	default:
		break;
	}
}

static int take_setting(struct dump *d, struct arguments *a, int option, const char *shown, const char *value)
{
	const char *why = NULL;
	uint32_t number = 0;

	if (copy_option_of(option) != COPY_NONE) {
		why = copy_take_option(&a->copy, copy_option_of(option), value);
		return why ? complain(d, shown, value, why) : 0;
	}
	if (cli_is_image_option(option)) {
		why = cli_image_take(&a->image, option, value);
		return why ? complain(d, shown, value, why) : 0;
	}
	switch (option) {
	case OPT_c_debug:
		why = cli_parse_u32(value, 0, 100, &number);
		a->debug = (int)number;
		break;
	case OPT_pack:
		why = cli_parse_u32(value, 1, 2, &number);
		a->image.pack = (int)number;
		break;
	case OPT_recover_view:
		a->image.recover = F2FS_RECOVER_VIEW;
		break;
	case OPT_strict:
		a->image.mode = F2FS_MODE_STRICT;
		break;
	case OPT_repaired:
		a->image.is_repaired = 1;
		break;
	case OPT_rescue:
		a->image.mode = F2FS_MODE_RESCUE;
		break;
	case OPT_thorough:
		a->is_thorough = 1;
		break;
	case OPT_scramble_names:
		a->scrambles_names = 1;
		break;
	case OPT_blank:
		a->takes_blank = 1;
		break;
	case OPT_magic:
		a->asks_magic = 1;
		break;
	case OPT_carve_size:
		why = cli_parse_size(value, 1, 512, &a->carve_size);
		break;
	case OPT_image_form:
		a->form = (int)image_form_of(value);
		why = a->form == (int)FORM_DEFAULT ? "is none of zstd, sparse, raw" : NULL;
		break;
	case OPT_as_of:
		a->image.as_of = value;
		break;
	case OPT_to:
		a->to = value;
		break;
	case OPT_read_log:
		a->read_log = value;
		break;
	case OPT_json:
		a->is_json = 1;
		break;
	case OPT_quiet:
		a->is_quiet = 1;
		break;
	default:
		take_classic(&a->copy, option, value);
		break;
	}
	return why ? complain(d, shown, value, why) : 0;
}

static int is_asked(const struct arguments *a, int option)
{
	for (unsigned i = 0; i < a->request_count; i++)
		if (a->requests[i].view->option == option)
			return 1;
	return 0;
}

static int take_view(struct dump *d, struct arguments *a, const struct view *view, const char *shown, const char *value)
{
	if ((view->kind == RECORD || view->kind == TABLE) && is_asked(a, view->option)) {
		cli_error(&d->cli, "option %s can be given once", shown);
		cli_opt_hint(&tool);
		return -1;
	}
	a->requests[a->request_count].view = view;
	a->requests[a->request_count].argument = value;
	a->request_count++;
	return 0;
}

/* Things but a view's text that go to the standard output. */
static unsigned count_to_stdout(const struct arguments *a, const struct request *request)
{
	const int option = request->view->option;
	const int is_file = (option == OPT_tar || option == OPT_report) && !strcmp(request->argument, "-");

	return (unsigned)(request->view->kind == BYTES || is_file) + copy_lists_to_stdout(&a->copy);
}

static int is_image_view(const struct view *view)
{
	return view->option == OPT_metadata_image || view->option == OPT_used_image;
}

/* Return why a view cannot be shown with the other arguments, or NULL. */
static const char *request_conflict(const struct arguments *a, const struct request *request)
{
	const struct view *view = request->view;
	const unsigned outputs = count_to_stdout(a, request);

	if (a->is_json && view->kind == CLASSIC)
		return "--json goes with the options that have long names";
	if (a->is_json && outputs)
		return "--json needs the standard output for itself";
	if (is_image_view(view) && !strcmp(request->argument, "-"))
		return "an image is written to a new file, not to the standard output";
	if (view->kind == DEVICE && a->request_count > 1)
		return "--restore-image stands alone";
	if ((outputs && view->kind != BYTES && a->request_count > 1) || outputs > 1)
		return "the standard output can take one archive, page, list or view only";
	return NULL;
}

/* Return why arguments do not go together, or NULL. */
static const char *conflict(const struct arguments *a)
{
	const char *why = NULL;

	for (unsigned i = 0; a->image.as_of && i < a->request_count; i++)
		if (!a->requests[i].view->knows_past)
			return not_of_past;
	if (cli_state_conflict(&a->image))
		return cli_state_conflict(&a->image);
	if (a->image.as_of && a->request_count == 0)
		return "--state=as-of needs a view, like --tree";
	for (unsigned i = 0; i < a->request_count && !why; i++)
		why = request_conflict(a, &a->requests[i]);
	if (!why && a->is_json && a->request_count == 0)
		why = "--json needs a view, like --info";
	return why;
}

static int check_arguments(struct dump *d, const struct arguments *a)
{
	const char *why = conflict(a);

	d->cli.offers_repaired = cli_state_is_current(&a->image);
	return why ? cli_refuse(&d->cli, why) : 0;
}

/* Returns 0, 1 to exit with 0, or -1 after a message. */
static int parse(struct dump *d, struct arguments *a, int argc, char **argv)
{
	struct cli_parser p;
	int option;

	cli_opt_init(&p, &tool, argc, argv);
	while ((option = cli_opt_next(&p)) != CLI_OPT_END) {
		const struct view *view;
		int rc;

		if (option == CLI_OPT_EXIT)
			return 1;
		if (option < 0)
			return -1;
		view = find_view(option);
		rc = view ? take_view(d, a, view, p.shown, p.value) : take_setting(d, a, option, p.shown, p.value);
		if (rc)
			return rc;
	}
	if (p.operand_count < 1 || (p.operand_count > 1 && !is_asked(a, OPT_extract) && !is_asked(a, OPT_tar))) {
		cli_error(&d->cli, p.operand_count ? "one image at a time; a view takes its value after =, as in "
						     "--ls=/etc; paths go with --extract and --tar"
						   : "no image given");
		cli_opt_hint(&tool);
		return -1;
	}
	a->copy.extract.paths = (const char *const *)p.operands + 1;
	a->copy.extract.path_count = (unsigned)p.operand_count - 1;
	a->image.path = p.operands[0];
	return check_arguments(d, a);
}

/* ---- running ---- */

static void run_text(struct dump *d, const struct arguments *a, const struct request *request, int is_alone)
{
	const struct view *view = request->view;
	char heading[80];

	if (!is_alone && view->member && !count_to_stdout(a, request)) {
		snprintf(heading, sizeof(heading), "== %s%s%.50s ==", view->member, request->argument ? " " : "",
			 request->argument ? request->argument : "");
		cli_print_heading(d->out, heading);
	}
	view->run(d, request->argument);
}

static void run_json(struct dump *d, const struct view *view, const struct request *request)
{
	switch (view->kind) {
	case RECORD:
		cli_print_begin(d->out, view->member);
		view->run(d, request->argument);
		cli_print_end(d->out);
		break;
	case LIST:
		cli_print_begin_element(d->out);
		if (request->argument)
			cli_print_bytes(d->out, "argument", request->argument, strlen(request->argument));
		view->run(d, request->argument);
		cli_print_end(d->out);
		break;
	default:
		view->run(d, request->argument);
	}
}

static void run_view(struct dump *d, const struct arguments *a, const struct view *view)
{
	int is_list = a->is_json && view->kind == LIST && is_asked(a, view->option);

	if (is_list)
		cli_print_begin_array(d->out, view->member);
	for (unsigned i = 0; i < a->request_count && !cli_stopped(); i++) {
		if (a->requests[i].view != view)
			continue;
		if (a->is_json)
			run_json(d, view, &a->requests[i]);
		else
			run_text(d, a, &a->requests[i], a->request_count == 1);
	}
	if (is_list)
		cli_print_end_array(d->out);
}

/* Report fsynced data that a mount would bring back and that is not shown here. */
static void report_pending(struct dump *d, const struct arguments *a)
{
	uint64_t nodes = 0;
	int rc = f2fs_volume_pending(d->vol, &nodes);

	if (rc)
		cli_warning(&d->cli, "%s: cannot determine whether a mount would replay synced nodes: %s", d->image,
			    f2fs_context_error(d->ctx)->message);
	else if (nodes > 0 && !a->is_quiet)
		cli_warning(
			&d->cli,
			"%s: %llu nodes were synced after the last checkpoint; a mount would replay them, shown is the "
			"checkpoint",
			d->image, (unsigned long long)nodes);
	if (a->is_json)
		cli_print_u64(d->out, "pending_fsync_nodes", nodes);
}

/* Lines around the results, as the program of f2fs-tools has them. */
static int has_banner(const struct arguments *a)
{
	if (a->is_json || a->is_quiet || is_asked(a, OPT_c_map))
		return 0;
	for (unsigned i = 0; i < a->request_count; i++) {
		const struct view *view = a->requests[i].view;

		if (view->kind == FILES || (view->kind == CLASSIC && view->option != OPT_c_layout))
			return 1;
	}
	return a->request_count == 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* End the records, or say that the run was stopped: then text stays as it is. Returns whether they ended. */
static int end_records(struct dump *d, const struct arguments *a)
{
	if (cli_stopped()) {
		cli_error(&d->cli, "stopped");
		d->status |= DUMP_FAILED;
		if (!a->is_json)
			return 0;
	}
	if (a->is_json)
		cli_print_u64(d->out, "exit_status", (uint64_t)d->status);
	cli_print_end(d->out);
	return 1;
}

static void run(struct dump *d, const struct arguments *a, double started)
{
	int with_banner = has_banner(a);

	if (with_banner)
		classic_banner(d);
	cli_print_begin(d->out, NULL);
	if (a->is_json)
		dump_notes(d);
	report_pending(d, a);
	if (!a->image.as_of || !dump_open_as_of(d, a->image.as_of))
		for (unsigned i = 0; i < VIEW_COUNT; i++)
			if (!(views[i].option == OPT_c_map && d->as_map))
				run_view(d, a, &views[i]);
	dump_close_as_of(d);
	if (!cli_stopped() && f2fs_volume_check_current(d->vol)) {
		cli_error_of(&d->cli, d->ctx, d->image);
		d->status |= DUMP_INCOMPLETE;
	}
	if (end_records(d, a) && with_banner)
		classic_footer(d, now() - started);
}

/* Open all of the image, whatever is in it. */
static int open_whole(struct dump *d, const struct arguments *a, struct cli_opened *opened)
{
	struct cli_image image = a->image;
	int rc;

	image.is_whole = 1;
	rc = cli_image_open(&d->cli, d->ctx, &image, opened);
	if (rc)
		d->status = DUMP_FAILED;
	return rc;
}

/* Copy the device to a plain file, even when no volume can be opened on it. */
static void restore(struct dump *d, const struct arguments *a)
{
	struct cli_opened opened;

	if (open_whole(d, a, &opened))
		return;
	save_image(d, opened.device, a->requests[0].argument, a->form ? (enum image_form)a->form : FORM_RAW, NULL);
	cli_image_close(&opened);
}

/* Zones may be those of any device of a volume: its further ones are known when they were named, else looked for. */
static void find_zones(struct dump *d, const struct arguments *a, struct cli_opened *opened)
{
	if (!(d->geo->feature & F2FS_FEAT_BLKZONED))
		return;
	if (a->image.mode != F2FS_MODE_RESCUE)
		cli_image_complete(opened);
	d->further = opened->options.devices;
	d->further_count = d->further ? opened->options.device_count : 0;
}

static void close_output(struct dump *d)
{
	/* a run that was stopped left its records open, and has said so */
	if (!d->out || (cli_print_close(d->out) && !cli_stopped())) {
		cli_error(&d->cli, "the output could not be written");
		d->status |= DUMP_FAILED;
	}
}

/* --evidence alone looks at the container, whatever is in it. */
static void show_evidence(struct dump *d, const struct arguments *a)
{
	struct cli_opened opened;

	if (open_whole(d, a, &opened))
		return;
	d->device = opened.device;
	d->out = cli_print_open(stdout, a->is_json ? CLI_JSON : CLI_TEXT);
	if (d->out) {
		cli_print_begin(d->out, NULL);
		run_view(d, a, a->requests[0].view);
		end_records(d, a);
	}
	close_output(d);
	cli_image_close(&opened);
}

static int run_on_image(struct dump *d, struct arguments *a)
{
	double started = now();
	struct cli_opened opened;

	d->image = a->image.path;
	d->debug = a->debug;
	d->copy = &a->copy;
	d->is_quiet = a->is_quiet;
	d->is_json = a->is_json;
	d->is_thorough = a->is_thorough;
	d->to = a->to;
	d->asks_magic = a->asks_magic;
	d->takes_blank = a->takes_blank;
	d->carve_size = a->carve_size;
	d->scrambles_names = a->scrambles_names;
	d->form = a->form;
	d->as_map = is_asked(a, OPT_c_map) && is_asked(a, OPT_c_inode);
	if (a->is_quiet)
		d->cli.level = F2FS_LOG_ERROR;
	if (cli_context_new(&d->cli, &d->ctx))
		return DUMP_FAILED;
	if (a->read_log && read_log_open(&d->cli, a->read_log, &a->image.read_log)) {
		d->status = DUMP_FAILED;
	} else if (is_asked(a, OPT_restore_image)) {
		restore(d, a);
	} else if (is_asked(a, OPT_evidence) && a->request_count == 1) {
		show_evidence(d, a);
	} else if (cli_image_open(&d->cli, d->ctx, &a->image, &opened)) {
		d->status = DUMP_FAILED;
	} else if ((a->image.is_repaired && cli_image_repair(&d->cli, &opened)) ||
		   cli_opened_volume(&d->cli, &opened, &d->vol)) {
		cli_image_close(&opened);
		d->status = DUMP_FAILED;
	} else {
		d->device = opened.device;
		d->opening = &opened.options;
		d->geo = f2fs_volume_geometry(d->vol);
		d->out = cli_print_open(stdout, a->is_json ? CLI_JSON : CLI_TEXT);
		if (has_banner(a))
			find_zones(d, a, &opened);
		if (d->out)
			run(d, a, started);
		close_output(d);
		f2fs_volume_close(d->vol);
		cli_image_close(&opened);
	}
	f2fs_context_close(d->ctx);
	if (read_log_close(a->image.read_log, &d->cli))
		d->status |= DUMP_FAILED;
	return d->status;
}

int main(int argc, char **argv)
{
	struct dump d;
	struct arguments a;
	int status = DUMP_FAILED, rc;

	memset(&d, 0, sizeof(d));
	memset(&a, 0, sizeof(a));
	if (cli_init(&d.cli, &tool))
		return DUMP_USAGE;
	a.requests = calloc((size_t)argc * 8 + 8, sizeof(a.requests[0]));
	if (a.requests && !copy_options_init(&a.copy, argc)) {
		a.copy.base_path = "./lost_found";
		rc = parse(&d, &a, argc, argv);
		status = rc < 0 ? DUMP_USAGE : rc > 0 ? DUMP_OK : run_on_image(&d, &a);
	} else {
		cli_error(&d.cli, "out of memory");
	}
	copy_options_fini(&a.copy);
	free(a.requests);
	return cli_finish(&d.cli, status, DUMP_FAILED);
}
