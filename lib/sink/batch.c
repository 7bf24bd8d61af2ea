/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process a batch on a worker's thread. First read as much as the window holds in device order, with neighbours joined
 * into one call. Then make, fill and finish file after file. Errors are noted in the batch and reported later by the
 * thread that owns the context. A block that cannot be read stays a hole. The rest of its file is written.
 */
#include "sink/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "format/cluster.h"
#include "host/files.h"
#include "sink/hostattr.h"
#include "sink/report.h"

#define MOST_IOV 64u

/* A worker at work on a batch. */
struct worker {
	struct host_batch *batch;
	struct host_slot *slot;
	struct f2fs_device *dev;
	uint32_t block_size;
	uint32_t loaded_from, loaded_to; /* runs in the window */
};

/* ---- reading */

static bool is_read(const struct host_run *run)
{
	return run->kind == RUN_DEVICE || run->kind == RUN_STORED;
}

/* Bytes a run takes on the device: whole blocks, so that neighbours join. */
static uint32_t stored_bytes(const struct worker *w, const struct host_run *run)
{
	return (run->length + w->block_size - 1) & ~(w->block_size - 1);
}

/* Choose the runs from first on that the window holds, and their places. Returns the end; *count of order is set. */
static uint32_t fill_window(struct worker *w, uint32_t first, uint32_t *count)
{
	struct host_slot *slot = w->slot;
	size_t used = 0;
	uint32_t i;

	*count = 0;
	for (i = first; i < w->batch->run_count; i++) {
		const struct host_run *run = &w->batch->runs[i];
		uint32_t bytes = stored_bytes(w, run);

		if (!is_read(run))
			continue;
		if (bytes > slot->window_size - used)
			break;
		slot->place[i] = (uint32_t)used;
		used += bytes;
		slot->order[(*count)++] = i;
	}
	return i;
}

/*
 * Sort the runs into device order. They nearly always are in order, so insertion sort is fast. It stops when many are
 * out of order, because reading in the order of the files is good enough then.
 */
static void sort_by_place(struct worker *w, uint32_t count)
{
	const struct host_run *runs = w->batch->runs;
	uint32_t *order = w->slot->order;
	uint32_t budget = 8 * BATCH_RUNS;

	for (uint32_t i = 1; i < count; i++) {
		uint32_t run = order[i], k = i;

		for (; k > 0 && runs[order[k - 1]].source > runs[run].source && budget; k--, budget--)
			order[k] = order[k - 1];
		order[k] = run;
	}
}

/* Read the runs order[from..to), which follow each other on the device. */
static void read_group(struct worker *w, uint32_t from, uint32_t to)
{
	struct host_slot *slot = w->slot;
	struct f2fs_iovec iov[MOST_IOV] = { { 0 } };
	unsigned iov_count = 0;

	for (uint32_t i = from; i < to; i++) {
		struct host_run *run = &w->batch->runs[slot->order[i]];
		uint8_t *to_here = slot->window + slot->place[slot->order[i]];
		struct f2fs_iovec *last = iov_count ? &iov[iov_count - 1] : NULL;

		if (last && (uint8_t *)last->base + last->length == to_here)
			last->length += stored_bytes(w, run);
		else
			iov[iov_count++] = (struct f2fs_iovec){ to_here, stored_bytes(w, run) };
	}
	if (device_readv_quiet(w->dev, w->batch->runs[slot->order[from]].source, iov, iov_count) == 0)
		return;
	for (uint32_t i = from; i < to; i++) {
		struct host_run *run = &w->batch->runs[slot->order[i]];

		run->is_bad = device_read_quiet(w->dev, run->source, slot->window + slot->place[slot->order[i]],
						stored_bytes(w, run)) != 0;
	}
}

/* Load the window with the runs from first on. */
static void load_window(struct worker *w, uint32_t first)
{
	const struct host_run *runs = w->batch->runs;
	uint32_t count, from = 0;

	w->loaded_from = first;
	w->loaded_to = fill_window(w, first, &count);
	sort_by_place(w, count);
	for (uint32_t i = 1; i <= count; i++) {
		const struct host_run *last = &runs[w->slot->order[i - 1]];

		if (i < count && i - from < MOST_IOV &&
		    runs[w->slot->order[i]].source == last->source + stored_bytes(w, last))
			continue;
		read_group(w, from, i);
		from = i;
	}
}

/* ---- writing */

static void note_host(struct host_file *file, enum host_step step, int sys_errno)
{
	if (file->step != STEP_NONE)
		return;
	file->step = step;
	file->sys_errno = sys_errno;
}

static void note_lost(struct host_file *file, int code, uint64_t offset, uint64_t bytes, uint64_t source)
{
	if (!file->lost_bytes) {
		file->read_code = code;
		file->lost_offset = offset;
		file->lost_source = source;
	}
	file->lost_bytes += bytes;
}

static void write_bytes(struct host_file *file, const uint8_t *data, size_t length, uint64_t offset)
{
	while (length > 0 && file->step == STEP_NONE) {
		ssize_t n = pwrite(file->fd, data, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			note_host(file, STEP_WRITE, n < 0 ? errno : EIO);
			return;
		}
		data += n;
		length -= (size_t)n;
		offset += (uint64_t)n;
		file->bytes += (uint64_t)n;
	}
}

/* A run of which something could not be read: block by block. */
static void write_bad_run(struct worker *w, struct host_file *file, const struct host_run *run)
{
	uint8_t *block = w->slot->window + w->slot->place[run - w->batch->runs];

	for (uint32_t at = 0; at < run->length; at += w->block_size) {
		uint32_t n = run->length - at < w->block_size ? run->length - at : w->block_size;
		int code = device_read_quiet(w->dev, run->source + at, block, w->block_size);

		if (code)
			note_lost(file, code, run->offset + at, n, run->source + at);
		else
			write_bytes(file, block, n, run->offset + at);
	}
}

/* Decompress a cluster whose stored bytes are at raw; 0 or an error code. */
static int decompress(struct worker *w, struct host_file *file, const uint8_t *raw, size_t stored_bytes)
{
	const uint8_t *packed = raw + chead_SIZE;
	unsigned algorithm = file->algorithm;
	struct cluster_header head;
	enum comp_result result;

	if (cluster_header_decode(raw, stored_bytes, &head) != RULE_NONE)
		return F2FS_ERR_DAMAGED_DATA;
	if (file->has_checksum && cluster_checksum(packed, head.length) != head.checksum)
		file->bad_checksums++; /* the kernel, too, gives the data */
	result = comp_decompress(&w->slot->codec, algorithm, packed, head.length, w->slot->cluster,
				 file->cluster_bytes);
	if (result == COMP_CORRUPT) {
		result = comp_decompress_other(&w->slot->codec, &algorithm, packed, head.length, w->slot->cluster,
					       file->cluster_bytes);
		file->misnamed += result == COMP_OK;
	}
	switch (result) {
	case COMP_OK:
		return 0;
	case COMP_UNAVAILABLE:
		return F2FS_ERR_UNSUPPORTED;
	case COMP_NO_MEMORY:
		return F2FS_ERR_NOMEM;
	default:
		return F2FS_ERR_DAMAGED_DATA;
	}
}

/* Decompress the stored runs [stored, cluster) and write the part within the file. */
static void write_cluster(struct worker *w, struct host_file *file, uint32_t stored, uint32_t cluster)
{
	const struct host_run *runs = w->batch->runs, *run = &runs[cluster];
	uint32_t bytes = 0;
	int code = 0;

	for (uint32_t i = stored; i < cluster; i++) {
		bytes += runs[i].length;
		if (runs[i].is_bad)
			code = F2FS_ERR_IO;
	}
	if (!code)
		code = decompress(w, file, w->slot->window + w->slot->place[stored], bytes);
	if (code)
		note_lost(file, code, run->offset, run->length, runs[stored].source);
	else
		write_bytes(file, w->slot->cluster, run->length, run->offset);
}

/* Write the run at i, and the runs after it that follow it in file and window. Returns the next. */
static uint32_t write_device_runs(struct worker *w, struct host_file *file, uint32_t i, uint32_t end)
{
	const struct host_run *runs = w->batch->runs;
	const uint32_t *place = w->slot->place;
	uint32_t first = i, length;

	if (runs[i].is_bad) {
		write_bad_run(w, file, &runs[i]);
		return i + 1;
	}
	length = runs[i].length;
	while (++i < end && i < w->loaded_to && runs[i].kind == RUN_DEVICE && !runs[i].is_bad &&
	       runs[i].offset == runs[first].offset + length && place[i] == place[first] + length)
		length += runs[i].length;
	write_bytes(file, w->slot->window + place[first], length, runs[first].offset);
	return i;
}

static void write_runs(struct worker *w, struct host_file *file)
{
	const struct host_run *runs = w->batch->runs;
	uint32_t i = file->first_run, end = i + file->run_count, stored = i;

	while (i < end && file->step == STEP_NONE) {
		if (i >= w->loaded_to)
			load_window(w, i);
		switch (runs[i].kind) {
		case RUN_DEVICE:
			i = write_device_runs(w, file, i, end);
			break;
		case RUN_ARENA:
			write_bytes(file, w->batch->arena + runs[i].source, runs[i].length, runs[i].offset);
			i++;
			break;
		case RUN_STORED:
			/* a cluster is decompressed out of one window */
			for (stored = i; runs[i].kind == RUN_STORED; i++)
				if (i >= w->loaded_to) {
					load_window(w, stored);
					i = stored;
				}
			break;
		default:
			write_cluster(w, file, stored, i++);
		}
	}
}

/* ---- files */

/* Return the end of the written contents: the end of the last run that was written without an error. */
static uint64_t written_end(const struct host_batch *batch, const struct host_file *file)
{
	const struct host_run *last;

	if (!file->run_count || file->lost_bytes || !file->is_first)
		return UINT64_MAX; /* not known here */
	last = &batch->runs[file->first_run + file->run_count - 1];
	return last->offset + last->length;
}

static void set_size(const struct host *h, struct host_file *file, uint64_t end)
{
	if (file->size == 0)
		return;
	if (end != file->size && ftruncate(file->fd, (off_t)file->size)) {
		note_host(file, STEP_RESIZE, errno);
	} else if (!sink_keeps(h->sink, F2FS_KEEP_HOLES) && host_reserve(file->fd, (off_t)file->size)) {
		note_host(file, STEP_ALLOCATE, errno);
	}
}

void host_batch_finish_file(struct host *h, struct host_file *file, uint64_t end)
{
	const struct host_subject subject = { .fd = file->fd };

	if (file->step == STEP_NONE)
		set_size(h, file, end);
	if (file->step == STEP_NONE) {
		file->wish.xattrs = file->xattrs;
		file->wish.xattr_count = file->xattr_count;
		host_attrs_apply(&subject, &file->wish);
		if ((h->sink->opt.flags & F2FS_EXTRACT_SYNC) && fsync(file->fd))
			note_host(file, STEP_SYNC, errno);
	}
	if (close(file->fd) && errno != EINTR)
		note_host(file, STEP_CLOSE, errno);
	file->fd = -1;
}

void host_batch_create_file(struct host *h, struct host_file *file)
{
	const int existing = h->sink->opt.existing;
	const struct host_target target = { .dir_fd = file->host_dir->fd,
					    .name = file->host_name,
					    .is_choosy = file->dir->is_choosy };
	uint32_t mode;
	int sys_errno;

	host_wish_init(h, &file->wish, &file->attr, file->is_foreign);
	mode = host_create_mode(&file->wish, file->has_xattrs);
	file->step = STEP_NONE; /* of another try */
	file->sys_errno = 0;
	sys_errno = host_create(h, &target, mode, &file->fd);
	if (sys_errno) {
		file->is_skipped = sys_errno == EEXIST && existing == F2FS_EXISTING_SKIP;
		note_host(file, STEP_CREATE, sys_errno);
	} else if (!file->wish.drops_acl) {
		file->wish.mode = mode & h->birth.mode_mask;
	}
}

static void run_file(struct worker *w, struct host_file *file)
{
	struct host *h = w->batch->host;

	if (file->fd < 0 && file->is_first)
		host_batch_create_file(h, file);
	if (file->fd < 0 || file->step != STEP_NONE)
		return;
	write_runs(w, file);
	if (file->is_first && file->is_last)
		host_batch_finish_file(h, file, written_end(w->batch, file));
}

void host_batch_run(struct pool_job *job, unsigned slot)
{
	struct host_batch *batch = (struct host_batch *)job;
	struct host *h = batch->host;
	struct worker w = {
		.batch = batch,
		.slot = &h->slots[slot],
		.dev = h->sink->vol->dev,
		.block_size = h->sink->vol->geo.block_size,
	};

	for (unsigned i = 0; i < batch->file_count && !atomic_load(&h->stop); i++) {
		struct host_file *file = &batch->files[i];

		run_file(&w, file);
		if (sink_is_fatal(file->sys_errno))
			atomic_store(&h->stop, true);
	}
}
