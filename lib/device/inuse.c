/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the user of a file or block device in the host's mount table, swap table and device tree. The kernel's own claim
 * (O_EXCL) is the lock. This only finds the name for messages, and uses that the lock does not cover: of files. Where
 * the host has no such tables nothing is found.
 */
#include "device/inuse.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "host/files.h"

#define LINE_SIZE 4096

/* The object of the search: a block device by its number, or a file by its place. */
struct target {
	enum inuse_purpose purpose;
	const struct inuse_host *host;
	bool is_block;
	dev_t rdev;
	dev_t dev;
	ino_t ino;
	dev_t self; /* a loop device that does not count; 0: none */
};

/* Read a line without its end; what does not fit is dropped. */
static bool read_line(FILE *f, char line[LINE_SIZE])
{
	size_t n;

	if (!fgets(line, LINE_SIZE, f))
		return false;
	n = strlen(line);
	if (n > 0 && line[n - 1] == '\n') {
		line[n - 1] = 0;
	} else {
		for (int c = getc(f); c != EOF && c != '\n';)
			c = getc(f);
	}
	return true;
}

static bool read_first_line(const char *path, char line[LINE_SIZE])
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = read_line(f, line);
	fclose(f);
	return ok;
}

/* Turn \ooo (blanks and backslashes in the host's tables) back into characters. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++, to++) {
		*to = *s;
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
		    s[3] <= '7') {
			*to = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		}
	}
	*to = 0;
}

/* Is the device number that of a partition of the disk looked for? */
static bool is_partition_of(const struct target *target, dev_t part)
{
	char line[LINE_SIZE];
	char path[256];
	unsigned maj, min;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/partition", target->host->sys, host_major(part),
		 host_minor(part));
	if (access(path, F_OK) != 0)
		return false;
	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/../dev", target->host->sys, host_major(part),
		 host_minor(part));
	return read_first_line(path, line) && sscanf(line, "%u:%u", &maj, &min) == 2 &&
	       host_device(maj, min) == target->rdev;
}

static bool matches_device(const struct target *target, dev_t rdev)
{
	return target->is_block && (rdev == target->rdev || is_partition_of(target, rdev));
}

/* Does a path lead to the target? */
static bool matches_path(const struct target *target, const char *path)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) != 0)
		return false;
	if (S_ISBLK(st.st_mode))
		return matches_device(target, st.st_rdev);
	return !target->is_block && S_ISREG(st.st_mode) && st.st_dev == target->dev && st.st_ino == target->ino;
}

/*
 * A line of the mount table: "36 35 98:0 /root /mountpoint options [fields] - type source options". The number of a
 * file system that has several devices is made up, so the source is looked at too.
 */
static bool is_mount_of(const struct target *target, char *line, const char **mountpoint)
{
	unsigned maj, min;
	int skip = 0;
	char *point, *source;
	bool is_read_only = false;

	if (sscanf(line, "%*u %*u %u:%u %*s %n", &maj, &min, &skip) != 2 || skip == 0)
		return false;
	point = line + skip;
	source = strstr(point, " - ");
	if (!point[0])
		return false;
	if (source) {
		source += 3;
		source += strcspn(source, " ");
		source += strspn(source, " ");
		is_read_only = strncmp(source + strcspn(source, " "), " ro", 3) == 0;
		source[strcspn(source, " ")] = 0;
		unescape(source);
	}
	if (is_read_only && target->purpose == INUSE_READING)
		return false;
	point[strcspn(point, " ")] = 0;
	unescape(point);
	*mountpoint = point;
	return matches_device(target, host_device(maj, min)) || (source && matches_path(target, source));
}

static bool find_mount(const struct target *target, char line[LINE_SIZE], const char **mountpoint)
{
	FILE *f = fopen(target->host->mountinfo, "re");
	bool found = false;

	if (!f)
		return false;
	while (!found && read_line(f, line))
		found = is_mount_of(target, line, mountpoint);
	fclose(f);
	return found;
}

static bool find_swap(const struct target *target)
{
	char line[LINE_SIZE];
	FILE *f = fopen(target->host->swaps, "re");
	bool found = false;

	if (!f)
		return false;
	while (!found && read_line(f, line)) {
		line[strcspn(line, " \t")] = 0;
		unescape(line);
		found = matches_path(target, line);
	}
	fclose(f);
	return found;
}

/* Find what stands on a block device: device mapper, RAID, ... */
static bool find_holder(const struct target *target, char name[256])
{
	const struct dirent *entry;
	char path[256];
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/holders", target->host->sys, host_major(target->rdev),
		 host_minor(target->rdev));
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)) != NULL) {
		found = entry->d_name[0] != '.';
		if (found)
			snprintf(name, 256, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* Is the loop device made from the target? Stores its number. */
static bool is_loop_of(const struct target *target, const char *name, dev_t *number)
{
	char line[LINE_SIZE];
	char path[512];
	unsigned maj, min;

	if (strncmp(name, "loop", 4) != 0)
		return false;
	snprintf(path, sizeof(path), "%s/block/%s/loop/backing_file", target->host->sys, name);
	if (!read_first_line(path, line) || !matches_path(target, line))
		return false;
	snprintf(path, sizeof(path), "%s/block/%s/dev", target->host->sys, name);
	if (!read_first_line(path, line) || sscanf(line, "%u:%u", &maj, &min) != 2)
		return false;
	*number = host_device(maj, min);
	return *number != target->self;
}

static bool find_loop(const struct target *target, char name[256], dev_t *number)
{
	const struct dirent *entry;
	char path[256];
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/block", target->host->sys);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)) != NULL) {
		found = is_loop_of(target, entry->d_name, number);
		if (found)
			snprintf(name, 256, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

static int refuse_loop(const struct target *target, struct f2fs_context *ctx, const char *path)
{
	struct target loop = { .purpose = target->purpose, .host = target->host, .is_block = true };
	char line[LINE_SIZE];
	char name[256];
	const char *mountpoint;

	if (!find_loop(target, name, &loop.rdev))
		return 0;
	if (find_mount(&loop, line, &mountpoint))
		return error_set(ctx, F2FS_ERR_BUSY, "%s is mounted on %s (through /dev/%s)", path, mountpoint, name);
	if (target->purpose == INUSE_READING)
		return 0;
	return error_set(ctx, F2FS_ERR_BUSY, "%s is in use by /dev/%s", path, name);
}

bool inuse_backing(const struct inuse_host *host, dev_t rdev, char *path, size_t room)
{
	static const char *const places[] = { "", "/.." }; /* of the device, of the disk whose partition it is */
	char name[256];

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char line[LINE_SIZE];

		snprintf(name, sizeof(name), "%s/dev/block/%u:%u%s/loop/backing_file", host->sys, host_major(rdev),
			 host_minor(rdev), places[i]);
		if (read_first_line(name, line)) {
			snprintf(path, room, "%s", line);
			return strlen(line) < room;
		}
	}
	return false;
}

void inuse_behind(const struct inuse_host *host, struct stat *st)
{
	char path[LINE_SIZE];
	struct stat backing;

	/* loop devices over loop devices; as many as the host may stack, were they in a circle */
	for (unsigned i = 0; i < 8 && S_ISBLK(st->st_mode); i++) {
		if (!inuse_backing(host, st->st_rdev, path, sizeof(path)) || stat(path, &backing) != 0)
			return;
		*st = backing;
	}
}

/* Refuse the file of a loop device that another loop device uses. */
static int refuse_twin(const struct target *target, struct f2fs_context *ctx, const char *path)
{
	struct target file = { .purpose = target->purpose, .host = target->host, .self = target->rdev };
	char backing[LINE_SIZE];
	struct stat st;

	if (!target->is_block || !inuse_backing(target->host, target->rdev, backing, sizeof(backing)) ||
	    stat(backing, &st) != 0)
		return 0;
	file.is_block = S_ISBLK(st.st_mode);
	file.rdev = st.st_rdev;
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	return refuse_loop(&file, ctx, path);
}

int inuse_refuse_on(const struct inuse_host *host, struct f2fs_context *ctx, const char *path, const struct stat *st,
		    enum inuse_purpose purpose)
{
	const struct target target = { .purpose = purpose,
				       .host = host,
				       .is_block = S_ISBLK(st->st_mode),
				       .rdev = st->st_rdev,
				       .dev = st->st_dev,
				       .ino = st->st_ino };
	char line[LINE_SIZE];
	char name[256];
	const char *mountpoint;

	if (target.is_block && !target.rdev) /* a host whose disks have no numbers, and no lists of them */
		return 0;
	if (find_mount(&target, line, &mountpoint))
		return error_set(ctx, F2FS_ERR_BUSY, "%s is mounted on %s", path, mountpoint);
	if (find_swap(&target))
		return error_set(ctx, F2FS_ERR_BUSY, "%s is in use as swap space", path);
	if (target.is_block && purpose == INUSE_WRITING && find_holder(&target, name))
		return error_set(ctx, F2FS_ERR_BUSY, "%s is in use by %s", path, name);
	return target.is_block ? refuse_twin(&target, ctx, path) : refuse_loop(&target, ctx, path);
}

const struct inuse_host inuse_here = { "/proc/self/mountinfo", "/proc/swaps", "/sys" };

int inuse_refuse(struct f2fs_context *ctx, const char *path, const struct stat *st, enum inuse_purpose purpose)
{
	return inuse_refuse_on(&inuse_here, ctx, path, st, purpose);
}
