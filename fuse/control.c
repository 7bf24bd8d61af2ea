/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The entries of /.f2fs, the text of its file status, and the commands of its file control.
 */

#include <f2fskit/engine.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuse/collector.h"
#include "fuse/control.h"
#include "fuse/guard.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

enum { STATUS_BYTES = 2047 /* more than the text with its largest numbers */ };

fuse_ino_t control_number(unsigned id)
{
	return (fuse_ino_t)SPACE_CONTROL << 32 | id;
}

const char *control_entry(const struct mount *m, unsigned index, fuse_ino_t *number, mode_t *mode)
{
	const struct {
		const char *name;
		fuse_ino_t number;
		mode_t mode;
	} entries[] = {
		{ "status", control_number(CONTROL_STATUS), S_IFREG | 0400 },
		{ "control", control_number(CONTROL_COMMANDS), S_IFREG | 0200 },
		{ "deleted", (fuse_ino_t)SPACE_DELETED << 32, S_IFDIR | 0500 },
		{ "versions", (fuse_ino_t)SPACE_MIRROR << 32 | m->root, S_IFDIR | 0500 },
		{ "checkpoints", control_number(CONTROL_CHECKPOINTS), S_IFDIR | 0500 },
	};
	const unsigned count = m->history ? 5 : 2;

	if (index >= count)
		return NULL;
	*number = entries[index].number;
	*mode = entries[index].mode;
	return entries[index].name;
}

/* ---- status ---- */

static const char *truth(int value)
{
	return value ? "true" : "false";
}

static double since(int64_t then_ns)
{
	return then_ns ? (double)(mount_clock() - then_ns) / 1e9 : 0;
}

static void put_writes(struct mount *m, FILE *out)
{
	struct f2fs_counters c = { F2FS_SIZED(f2fs_counters) };

	f2fs_volume_counters(m->vol, &c);
	fprintf(out, "\"direct_reads\":%" PRIu64 ",", m->direct_reads);
	fprintf(out, "\"spliced_reads\":%" PRIu64 ",", m->spliced_reads);
	fprintf(out, "\"repeated_reads\":%" PRIu64 ",", m->repeated_reads);
	fprintf(out, "\"write_requests\":%" PRIu64 ",\"written_by_programs\":%" PRIu64 ",\"written_to_device\":{",
		m->write_requests, m->written_bytes);
	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++)
		fprintf(out, "%s\"%s\":%" PRIu64, i ? "," : "", f2fs_write_cause_name(i), c.bytes[i]);
	fprintf(out, "},\"into_holes\":%" PRIu64 ",\"discarded\":%" PRIu64, c.threaded_bytes, c.discard_bytes);
	fprintf(out, ",\"checkpoints\":%" PRIu64 ",\"flushes\":%" PRIu64, c.commits, c.flushes);
	fprintf(out, ",\"gc_sections\":%" PRIu64 ",\"gc_blocks\":%" PRIu64, c.gc_sections, c.gc_blocks);
}

static void put_background(const struct mount *m, FILE *out)
{
	static const char *const modes[] = { [MOUNT_GC_ON] = "on", [MOUNT_GC_OFF] = "off", [MOUNT_GC_SYNC] = "sync" };
	const struct mount_gc_state *gc = &m->gc;
	const uint64_t kept = gc->victim_count < MOUNT_VICTIMS ? gc->victim_count : MOUNT_VICTIMS;
	const double left = (double)(gc->next_ns - mount_clock()) / 1e9;

	fprintf(out, ",\"background_gc\":{\"mode\":\"%s\",\"charging\":%s,\"screen\":%s,\"allowed\":%s,\"urgent\":%s,",
		modes[m->options.gc], truth(gc->has_power), truth(gc->screen_is_on), truth(collector_is_allowed(m)),
		truth(collector_is_urgent(m)));
	fprintf(out, "\"done\":%s,\"next_seconds\":%.1f", truth(m->gc_is_done), left > 0 ? left : 0);
	fprintf(out, ",\"runs\":%" PRIu64 ",\"sections\":%" PRIu64, gc->runs, gc->sections);
	fprintf(out, ",\"moved_data\":%" PRIu64 ",\"moved_nodes\":%" PRIu64 ",\"victims\":[", gc->moved_data,
		gc->moved_nodes);
	for (uint64_t i = gc->victim_count - kept; i < gc->victim_count; i++) {
		const struct mount_victim *victim = &gc->victims[i % MOUNT_VICTIMS];

		fprintf(out, "%s{\"section\":%u,\"blocks\":%u}", i == gc->victim_count - kept ? "" : ",",
			(unsigned)victim->section, (unsigned)victim->blocks);
	}
	fprintf(out, "]}");
}

static void put_volume(struct mount *m, FILE *out)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(m->vol, &st);
	fprintf(out, "{\"read_only\":%s,\"stopped\":%s,\"dirty_seconds\":%.1f,\"idle_seconds\":%.1f,",
		truth(m->options.is_read_only), truth(m->is_broken), since(m->changed_ns), since(m->requested_ns));
	fprintf(out, "\"blocks\":%" PRIu64 ",\"valid_blocks\":%" PRIu64, st.block_count, st.valid_blocks);
	fprintf(out, ",\"free_blocks\":%" PRIu64 ",\"free_segments\":%u,", st.free_blocks, (unsigned)st.free_segments);
}

size_t control_status(struct mount *m)
{
	const size_t before = m->status_length;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return before;
	put_volume(m, out);
	put_writes(m, out);
	put_background(m, out);
	fprintf(out, "}");
	fflush(out);
	/* a reader that asks again at the end gets the rest of a later text: blanks alone */
	fprintf(out, "%*s\n", length < STATUS_BYTES ? (int)(STATUS_BYTES - length) : 0, "");
	fflush(out);
	if (length == before)
		fprintf(out, "\n");
	if (fclose(out) != 0) {
		free(text);
		return before;
	}
	free(m->status);
	m->status = text;
	m->status_length = length;
	return length;
}

const char *control_status_text(const struct mount *m, size_t *length)
{
	*length = m->status_length;
	return m->status;
}

void control_free(struct mount *m)
{
	free(m->status);
	m->status = NULL;
}

/* ---- commands ---- */

static int checkpoint(struct mount *m, const char *argument)
{
	return *argument ? F2FS_ERR_INVALID : mount_checkpoint(m);
}

static int trim(struct mount *m, const char *argument)
{
	int err = *argument ? F2FS_ERR_INVALID : mount_checkpoint(m);

	return err ? err : f2fs_volume_trim(m->vol, 0, NULL);
}

static int collect(struct mount *m, const char *argument)
{
	char *end;
	const unsigned long sections = *argument ? strtoul(argument, &end, 10) : 1;
	uint32_t emptied;
	int err;

	if (*argument && (*end || sections < 1 || sections > UINT32_MAX || *argument == '-'))
		return F2FS_ERR_INVALID;
	err = collector_empty(m, F2FS_GC_COST_BENEFIT, (uint32_t)sections, &emptied);
	return err || emptied ? err : MOUNT_NO_VICTIM;
}

/* Nobody will use the mount for some time: do not wait for proof. */
static int idle(struct mount *m, const char *argument)
{
	if (*argument)
		return F2FS_ERR_INVALID;
	collector_wake(m);
	m->requested_ns = 0;
	m->gc.next_ns = 0;
	return 0;
}

static int take_switch(struct mount *m, int *state, const char *argument)
{
	const int is_on = !strcmp(argument, "on");

	if (!is_on && strcmp(argument, "off") != 0)
		return F2FS_ERR_INVALID;
	*state = is_on;
	collector_wake(m);
	return 0;
}

static int charging(struct mount *m, const char *argument)
{
	return take_switch(m, &m->gc.has_power, argument);
}

static int screen(struct mount *m, const char *argument)
{
	return take_switch(m, &m->gc.screen_is_on, argument);
}

int control_run(struct mount *m, const char *line, size_t size)
{
	static const struct {
		const char *name;
		int (*run)(struct mount *m, const char *argument);
	} commands[] = { { "checkpoint", checkpoint }, { "gc", collect },	{ "idle", idle },
			 { "charging", charging },     { "screen", screen }, { "trim", trim } };
	char text[64], *argument;

	while (size > 0 && (line[size - 1] == '\n' || line[size - 1] == ' '))
		size--;
	if (size >= sizeof(text))
		return F2FS_ERR_INVALID;
	memcpy(text, line, size);
	text[size] = '\0';
	argument = strchr(text, ' ');
	if (argument)
		*argument++ = '\0';
	if (m->options.is_read_only)
		return F2FS_ERR_READ_ONLY;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(text, commands[i].name))
			return commands[i].run(m, argument ? argument : "");
	return F2FS_ERR_INVALID;
}
