/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: a host that takes names as FAT, NTFS and macOS do. It refuses characters that Windows reserves,
 * control characters and text that is no UTF-8, and drops dots at the end of a name. Names are equal to it that differ
 * in the case of ASCII letters alone, or in the normal form of an e with an acute accent. $LONGEST_NAME is the greatest
 * length in bytes. Only calls relative to an open directory are changed, and of their paths the last name.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM 4096

static void *next_call(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int is_utf8(const unsigned char *p)
{
	while (*p) {
		const int more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : -1;

		if (more < 0)
			return 0;
		p++;
		for (int i = 0; i < more; i++, p++)
			if ((*p & 0xc0) != 0x80)
				return 0;
	}
	return 1;
}

/* Why the host refuses a name; 0: it does not. */
static int fault_of(const char *name)
{
	const char *longest = getenv("LONGEST_NAME");

	if (longest && strlen(name) > (size_t)atoi(longest))
		return ENAMETOOLONG;
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p < 0x20 || strchr("\"*:<>?\\|", *p))
			return EINVAL;
	return is_utf8((const unsigned char *)name) ? 0 : EINVAL;
}

/* A name with its letters in one case and one normal form. */
static void fold(const char *name, char *to)
{
	static const char composed[] = "\xc3\xa9", decomposed[] = "e\xcc\x81";

	while (*name) {
		if (strncmp(name, decomposed, 3) == 0) {
			to = stpcpy(to, composed);
			name += 3;
		} else {
			*to++ = (char)(*name >= 'A' && *name <= 'Z' ? *name + 'a' - 'A' : *name);
			name++;
		}
	}
	*to = '\0';
}

/* Replace the last name of a path by that of an existing entry that folds to the same. */
static void find_existing(int at, char *path, size_t start)
{
	int (*open_at)(int, const char *, int, ...);
	char folder[ROOM], wanted[ROOM], found[ROOM];
	struct dirent *entry;
	DIR *dir;
	int fd;

	*(void **)&open_at = next_call("openat64");
	memcpy(folder, path, start);
	strcpy(folder + start, ".");
	fd = open_at(at, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return;
	fold(path + start, wanted);
	while ((entry = readdir(dir)) != NULL) {
		fold(entry->d_name, found);
		if (strcmp(found, wanted) == 0) {
			strcpy(path + start, entry->d_name);
			break;
		}
	}
	closedir(dir);
}

/* Find what the host makes of a path. Returns 0, or -1 with errno. */
static int host_path(int at, const char *path, char *out)
{
	const char *slash = strrchr(path, '/');
	const size_t start = slash ? (size_t)(slash + 1 - path) : 0;
	size_t n = strlen(path);
	int fault;

	if (n >= ROOM / 2) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(out, path);
	if (at == AT_FDCWD || !path[start] || !strcmp(path + start, ".") || !strcmp(path + start, ".."))
		return 0;
	fault = fault_of(path + start);
	if (fault) {
		errno = fault;
		return -1;
	}
	while (n > start + 1 && out[n - 1] == '.')
		out[--n] = '\0';
	find_existing(at, out, start);
	return 0;
}

int openat64(int at, const char *path, int flags, ...)
{
	int (*next)(int, const char *, int, ...);
	char there[ROOM];
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	*(void **)&next = next_call("openat64");
	return host_path(at, path, there) ? -1 : next(at, there, flags, mode);
}

int mkdirat(int at, const char *path, mode_t mode)
{
	int (*next)(int, const char *, mode_t);
	char there[ROOM];

	*(void **)&next = next_call("mkdirat");
	return host_path(at, path, there) ? -1 : next(at, there, mode);
}

int symlinkat(const char *target, int at, const char *path)
{
	int (*next)(const char *, int, const char *);
	char there[ROOM];

	*(void **)&next = next_call("symlinkat");
	return host_path(at, path, there) ? -1 : next(target, at, there);
}

int mknodat(int at, const char *path, mode_t mode, dev_t device)
{
	int (*next)(int, const char *, mode_t, dev_t);
	char there[ROOM];

	*(void **)&next = next_call("mknodat");
	return host_path(at, path, there) ? -1 : next(at, there, mode, device);
}

int linkat(int from, const char *old, int to, const char *path, int flags)
{
	int (*next)(int, const char *, int, const char *, int);
	char here[ROOM], there[ROOM];

	*(void **)&next = next_call("linkat");
	return host_path(from, old, here) || host_path(to, path, there) ? -1 : next(from, here, to, there, flags);
}

int unlinkat(int at, const char *path, int flags)
{
	int (*next)(int, const char *, int);
	char there[ROOM];

	*(void **)&next = next_call("unlinkat");
	return host_path(at, path, there) ? -1 : next(at, there, flags);
}

int fstatat64(int at, const char *path, struct stat64 *st, int flags)
{
	int (*next)(int, const char *, struct stat64 *, int);
	char there[ROOM];

	*(void **)&next = next_call("fstatat64");
	return host_path(at, path, there) ? -1 : next(at, there, st, flags);
}

int fchownat(int at, const char *path, uid_t uid, gid_t gid, int flags)
{
	int (*next)(int, const char *, uid_t, gid_t, int);
	char there[ROOM];

	*(void **)&next = next_call("fchownat");
	return host_path(at, path, there) ? -1 : next(at, there, uid, gid, flags);
}

int utimensat(int at, const char *path, const struct timespec times[2], int flags)
{
	int (*next)(int, const char *, const struct timespec[2], int);
	char there[ROOM];

	*(void **)&next = next_call("utimensat");
	return host_path(at, path, there) ? -1 : next(at, there, times, flags);
}
