/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command diff: the volume beside another image, a directory, an archive or a manifest; exit status as diff(1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/earlier_state.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"

enum { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };
enum other { OTHER_IMAGE, OTHER_DIRECTORY, OTHER_TAR, OTHER_MANIFEST };

#define MAGIC_AT 1024u
#define MAGIC 0xF2F52010u

struct diff {
	struct edit *e;
	struct f2fs_diff_options options;
	struct f2fs_diff_result result;
	struct f2fs_input input;
	const char *exclude[1];
	struct cli_opened opened; /* of another image */
	struct f2fs_volume *vol;
	struct f2fs_volume *view; /* with -a: of the earlier checkpoint */
	struct f2fs_as_of_stat as_of;
	struct cli_print *out; /* NULL: text */
	int is_quiet;
};

static uint32_t number_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int begins_with_f2fs(struct f2fs_device *device, uint64_t offset)
{
	unsigned char magic[4];

	return f2fs_device_read(device, offset + MAGIC_AT, magic, sizeof(magic)) == 0 && number_at(magic) == MAGIC;
}

/* Find F2FS on a device: at its start, else where --offset or --partition of the first image says, else in its only
 * partition with F2FS. */
static int find_volume(const struct edit *e, struct f2fs_device *device, struct cli_image *image)
{
	struct f2fs_device *part;
	int rc;

	if (begins_with_f2fs(device, 0))
		return 1;
	image->offset = e->image.offset;
	image->partition = e->image.partition;
	if (image->offset)
		return begins_with_f2fs(device, image->offset);
	rc = f2fs_device_open_partition(device, image->partition, NULL, &part);
	if (!rc)
		f2fs_device_close(part);
	return !rc || rc == F2FS_ERR_INVALID; /* of several one must be named: opening it lists them */
}

static int holds_volume(const struct edit *e, struct cli_image *image)
{
	struct f2fs_device *device;
	int is_found;

	if (f2fs_device_open_image(e->ctx, image->path, F2FS_OPEN_READ, &device))
		return 1; /* a damaged container: opening it again reports why */
	is_found = find_volume(e, device, image);
	f2fs_device_close(device);
	return is_found;
}

/* Identify a file of the host. A volume whose superblocks are both lost must be named as an image by being the first of
 * the two. */
static int look_at(struct edit *e, struct cli_image *image, enum other *out)
{
	struct stat st;
	FILE *file;

	*out = OTHER_TAR;
	if (!strcmp(image->path, "-"))
		return 0;
	if (stat(image->path, &st))
		return edit_host_fail(e, image->path);
	if (S_ISDIR(st.st_mode))
		*out = OTHER_DIRECTORY;
	else if (!S_ISFIFO(st.st_mode) && (holds_volume(e, image) || !S_ISREG(st.st_mode)))
		*out = OTHER_IMAGE;
	if (*out != OTHER_TAR || S_ISFIFO(st.st_mode))
		return 0;
	file = fopen(image->path, "rb");
	if (!file)
		return edit_host_fail(e, image->path);
	if (getc(file) == '{')
		*out = OTHER_MANIFEST;
	fclose(file);
	return 0;
}

static int open_image(struct diff *d, struct cli_image *image)
{
	struct edit *e = d->e;
	int rc;

	image->keys = e->image.keys;
	image->accept_unread = e->image.accept_unread;
	image->accept_foreign = e->image.accept_foreign;
	image->no_lock = e->image.no_lock;
	image->trust_devices = e->image.trust_devices;
	image->read_log = e->image.read_log;
	rc = cli_image_open(&e->cli, e->ctx, image, &d->opened);
	if (!rc)
		rc = cli_opened_volume(&e->cli, &d->opened, &d->vol);
	d->options.volume = d->vol;
	return rc;
}

static int open_other(struct diff *d, const struct edit_call *call)
{
	const char *path = call->operands[0];
	struct cli_image image = { .path = path };
	enum other other = OTHER_MANIFEST;
	int rc = edit_has(call, 'm') ? 0 : look_at(d->e, &image, &other);

	if (rc)
		return rc;
	d->input.fd = -1;
	if (strcmp(path, "-") != 0)
		d->input.path = path;
	else
		d->input.fd = 0;
	if (other == OTHER_IMAGE)
		return open_image(d, &image);
	if (other == OTHER_DIRECTORY)
		d->options.directory = path;
	else if (other == OTHER_TAR)
		d->options.tar = &d->input;
	else
		d->options.manifest = &d->input;
	if (other == OTHER_MANIFEST)
		d->options.directory = call->options['C'];
	else if (edit_has(call, 'C'))
		return edit_usage(d->e, "diff -C", call->options['C'], "goes with a manifest");
	if (edit_has(call, 'l'))
		return edit_usage(d->e, "diff -l", path, "is no image, so nothing is known of its layout");
	return 0;
}

/* Take the fields of a list away from those that are compared. */
static int ignore(struct diff *d, const char *list)
{
	char word[40];

	for (size_t n; list && *list; list += n + (list[n] == ',')) {
		unsigned field = 1;

		n = strcspn(list, ",");
		while ((field & F2FS_DIFF_ALL) && (strlen(f2fs_diff_field_name(field)) != n ||
						   strncmp(f2fs_diff_field_name(field), list, n) != 0))
			field <<= 1;
		if (!(field & F2FS_DIFF_ALL) || field == F2FS_DIFF_TYPE) {
			snprintf(word, sizeof(word), "%.*s", n < sizeof(word) ? (int)n : (int)sizeof(word) - 1, list);
			return edit_usage(d->e, "diff -i", word, "is no field to ignore (see f2fs IMAGE help diff)");
		}
		d->options.fields &= ~field;
	}
	return 0;
}

static void put_text(const struct f2fs_difference *found)
{
	static const char marks[] = { '?', '+', '-', 'M', '!' };
	const char *separator = ": ";

	printf("%c ", marks[found->kind]);
	edit_put_name(found->path, strlen(found->path));
	for (unsigned field = 1; field & F2FS_DIFF_ALL; field <<= 1)
		if (found->fields & field) {
			printf("%s%s", separator, f2fs_diff_field_name(field));
			separator = ", ";
		}
	if (found->detail) {
		fputs(": ", stdout);
		cli_put_text(stdout, found->detail->message);
	}
	putchar('\n');
}

static void put_record(struct cli_print *out, const struct f2fs_difference *found)
{
	static const char *const kinds[] = { "", "added", "removed", "changed", "unreadable" };

	cli_print_begin(out, NULL);
	cli_print_bytes(out, "path", found->path, strlen(found->path));
	cli_print_string(out, "kind", kinds[found->kind]);
	cli_print_begin_array(out, "fields");
	for (unsigned field = 1; field & F2FS_DIFF_ALL; field <<= 1)
		if (found->fields & field)
			cli_print_string(out, NULL, f2fs_diff_field_name(field));
	cli_print_end_array(out);
	if (found->detail)
		cli_print_string(out, "error", found->detail->message);
	cli_print_end(out);
}

static int visit(void *user, const struct f2fs_difference *found)
{
	struct diff *d = user;

	if (d->out)
		put_record(d->out, found);
	else if (!d->is_quiet)
		put_text(found);
	return cli_stopped();
}

static int compare(struct diff *d)
{
	static const struct cli_column columns[] = { { "path", -1 } };
	struct edit *e = d->e;
	int rc;

	if (e->is_json && !d->is_quiet) {
		d->out = edit_print_open(e);
		if (!d->out)
			return F2FS_ERR_NOMEM;
		cli_print_begin(d->out, NULL);
		cli_print_begin_table(d->out, "differences", columns, 1);
	}
	d->options.struct_size = sizeof(d->options);
	d->result.struct_size = sizeof(d->result);
	rc = f2fs_diff(d->view ? d->view : e->vol, &d->options, &d->result);
	if (rc)
		edit_fail(e, rc, d->options.tar && d->input.path ? d->input.path : "diff");
	if (d->view)
		f2fs_volume_as_of_stat(d->view, &d->as_of);
	if (!d->out) {
		if (d->view && e->cli.level != F2FS_LOG_ERROR)
			cli_as_of_warn(&e->cli, e->image.path, &d->as_of);
		return rc;
	}
	cli_print_end_array(d->out);
	cli_print_u64(d->out, "compared", d->result.compared);
	cli_print_u64(d->out, "added", d->result.added);
	cli_print_u64(d->out, "removed", d->result.removed);
	cli_print_u64(d->out, "changed", d->result.changed);
	cli_print_u64(d->out, "unreadable", d->result.unreadable);
	if (d->view)
		cli_as_of_put(d->out, &d->as_of);
	cli_print_end(d->out);
	return edit_print_close(e, d->out) ? F2FS_ERR_IO : rc;
}

/* Open the view that is compared in place of the volume. */
static int go_back(struct diff *d, const char *version)
{
	const struct cli_as_of from = { .vol = d->e->vol, .version = version };
	const char *why = NULL;
	int rc = cli_as_of_open(&from, &why, &d->view);

	if (why)
		return edit_usage(d->e, "diff -a", version, why);
	return rc ? edit_fail(d->e, rc, "diff -a") : 0;
}

int do_diff(struct edit *e, const struct edit_call *call)
{
	struct diff d = { .e = e,
			  .is_quiet = edit_has(call, 'q'),
			  .as_of = { F2FS_SIZED(f2fs_as_of_stat) } };
	const int before = e->status;
	int rc = edit_open_volume(e);

	d.options.visit = visit;
	d.options.user = &d;
	d.options.fields = edit_has(call, 'l') ? F2FS_DIFF_ALL : F2FS_DIFF_DEFAULT;
	d.exclude[0] = call->options['x'];
	d.options.exclude = d.exclude;
	d.options.exclude_count = edit_has(call, 'x') ? 1 : 0;
	if (!rc)
		rc = ignore(&d, call->options['i']);
	if (!rc)
		rc = open_other(&d, call);
	if (!rc && edit_has(call, 'a'))
		rc = go_back(&d, call->options['a']);
	if (!rc)
		rc = compare(&d);
	f2fs_volume_close(d.view);
	f2fs_volume_close(d.vol);
	cli_image_close(&d.opened);
	if (!rc && (fflush(stdout) != 0 || ferror(stdout))) /* some differences were not printed */
		rc = F2FS_ERR_IO;
	if (rc || d.result.unreadable || cli_as_of_lost(&d.as_of))
		e->status = TROUBLE;
	else if (d.result.added + d.result.removed + d.result.changed && before == SAME)
		e->status = DIFFERENT;
	return rc;
}
