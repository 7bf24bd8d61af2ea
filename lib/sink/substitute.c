/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Give entries substitute names where the host refuses theirs, or takes two names for one (in another case, in another
 * normal form). Only a manifest can note the true name, so without one nothing is renamed. The host itself is asked: an
 * entry is made under its own name first. A substitute is plain ASCII: the start of the name, a checksum of all of it,
 * and its ending. The same volume gives the same names each time, and no other entry of its directory has them.
 */
#include "sink/substitute.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"
#include "base/error.h"
#include "file/dir_find.h"
#include "sink/lists.h"

#define PROBE	       ".f2fskit-name"
#define LONGEST_NAME   255u
#define LONGEST_STEM   32u
#define LONGEST_SUFFIX 8u

/* ---- the host */

/* Make a file of that name and remove it; false: the host refuses. */
static bool takes_name(int dir, const char *name, const char *alias)
{
	struct stat st;
	bool is_exact;
	const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	close(fd);
	is_exact = fstatat(dir, alias, &st, AT_SYMLINK_NOFOLLOW) != 0;
	unlinkat(dir, name, 0);
	return is_exact;
}

void host_names_probe(struct host *h)
{
	/* of everything that some host refuses: no UTF-8, reserved by Windows, a dot at the end, the greatest length */
	static const char awkward[] = "-\xff:*?\"<>|\\\x01 ";
	char name[LONGEST_NAME + 1], alias[LONGEST_NAME + 1];
	const int n = snprintf(name, sizeof(name), "%s-%ld", PROBE, (long)getpid());

	snprintf(alias, sizeof(alias), ".F2FSKIT-NAME-%ld", (long)getpid());
	h->sink->is_choosy = !takes_name(h->top.fd, name, alias);
	if (h->sink->is_choosy)
		return;
	memset(name + n, 'x', LONGEST_NAME - (unsigned)n);
	memcpy(name + n, awkward, sizeof(awkward) - 1);
	memcpy(name + LONGEST_NAME - 1, ".", 2);
	memcpy(alias, name, LONGEST_NAME - 1);
	alias[LONGEST_NAME - 1] = '\0';
	h->sink->is_choosy = !takes_name(h->top.fd, name, alias);
}

bool host_names_are_tried(const struct host *h, const struct sink_dir *dir)
{
	return dir->is_choosy && (sink_has_manifest(h->sink) || h->sink->opt.existing != F2FS_EXISTING_REFUSE);
}

bool host_is_alias(int dir_fd, const char *name)
{
	const int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry = NULL;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	while ((entry = readdir(stream)) != NULL && strcmp(entry->d_name, name) != 0)
		;
	closedir(stream);
	return !entry;
}

/* ---- substitutes */

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The ending by which hosts know the type of a file, with its dot; "": none. */
static const char *suffix_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	const size_t n = dot ? strlen(dot + 1) : 0;

	if (!dot || dot == name || n == 0 || n > LONGEST_SUFFIX)
		return "";
	for (const char *p = dot + 1; *p; p++)
		if (!is_plain(*p))
			return "";
	return dot;
}

/* Copy the start of a name. Other characters than letters and digits become one low line each run. */
static size_t copy_stem(const char *name, size_t length, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < length && n < LONGEST_STEM; i++) {
		if (is_plain(name[i]) || (n > 0 && (name[i] == '-' || name[i] == '.')))
			to[n++] = name[i];
		else if (n == 0 || to[n - 1] != '_')
			to[n++] = '_';
	}
	return n;
}

/* Has the directory in the volume an entry of that name? */
static int is_in_volume(struct host *h, const struct sink_dir *dir, const char *name, bool *is_there)
{
	struct f2fs_dirent dirent;
	struct f2fs_inode *inode;
	int err = f2fs_inode_open(h->sink->vol, dir->ino, &inode);

	if (err)
		return err;
	err = dir_lookup(inode, name, strlen(name), &dirent);
	f2fs_inode_close(inode);
	*is_there = err != F2FS_ERR_NOT_FOUND;
	return err == F2FS_ERR_NOMEM ? err : 0;
}

/* Find a name that no other entry of the volume has or gets. */
static int choose(struct host *h, const struct sink_place *place, struct host_naming *naming)
{
	const char *suffix = suffix_of(place->name);
	const size_t length = strlen(place->name);
	const uint32_t sum = crc_f2fs(CRC_F2FS_SEED, place->name, length);
	char *name = naming->substitute;
	bool is_there = true;

	while (is_there) {
		const uint64_t *used = map32_find(&h->substitutes, sum);
		const uint64_t number = used ? *used : 0;
		size_t n = copy_stem(place->name, length - strlen(suffix), name);
		int err = map32_set(&h->substitutes, sum, number + 1);

		if (err)
			return err;
		n += (size_t)snprintf(name + n, SINK_NAME_ROOM - n, "~%08lx", (unsigned long)sum);
		if (number)
			n += (size_t)snprintf(name + n, SINK_NAME_ROOM - n, "-%llu", (unsigned long long)number);
		snprintf(name + n, SINK_NAME_ROOM - n, "%s", suffix);
		err = is_in_volume(h, place->dir, name, &is_there);
		if (err)
			return err;
	}
	naming->name = name;
	return 0;
}

/* Some hosts drop dots and blanks at the end without a word. */
static bool is_cut(const char *name)
{
	const size_t n = strlen(name);

	return n > 0 && (name[n - 1] == '.' || name[n - 1] == ' ');
}

int host_naming_begin(struct host *h, const struct sink_place *place, struct host_naming *naming)
{
	naming->name = place->name;
	naming->sys_errno = EILSEQ;
	memset(naming->substitute, 0, sizeof(naming->substitute));
	if (!place->dir->is_choosy || !sink_has_manifest(h->sink) || !is_cut(place->name))
		return 0;
	return choose(h, place, naming);
}

/* May the name be the reason? */
static bool is_about_name(int sys_errno)
{
	return sys_errno == HOST_ALIAS || sys_errno == EILSEQ || sys_errno == EINVAL || sys_errno == ENAMETOOLONG ||
	       sys_errno == ENOENT;
}

int host_naming_again(struct host *h, const struct sink_place *place, struct host_naming *naming, int *sys_errno)
{
	int err;

	if (naming->substitute[0]) {
		if (is_about_name(*sys_errno))
			*sys_errno = naming->sys_errno;
		return 0;
	}
	if (!place->dir->is_choosy || !sink_has_manifest(h->sink) || !is_about_name(*sys_errno))
		return 0;
	naming->sys_errno = *sys_errno;
	err = choose(h, place, naming);
	return err ? err : 1;
}

int host_naming_end(struct host *h, const struct sink_place *place, const struct host_naming *naming, char *to)
{
	struct sink_place at = *place;

	memcpy(to, naming->substitute, SINK_NAME_ROOM);
	if (!naming->substitute[0])
		return 0;
	at.what = "name";
	h->sink->result->renamed++;
	error_set(h->sink->ctx, F2FS_ERR_INVALID, "the host does not take the name: it is %s there",
		  naming->substitute);
	return sink_remark(h->sink, F2FS_PROBLEM_NAME, &at);
}
