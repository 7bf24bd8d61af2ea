/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect salts. The kernel makes the salt of a volume when somebody first asks for it.
 */
#include "mounted/crypt_salts.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/salt.h"
#include "mounted/kernel_calls.h"

enum { VOLUME_SALT = 16 };

/* Returns NULL if there are too many. */
static struct crypt_salt *add(struct crypt_call *call, const uint8_t *bytes, size_t length)
{
	struct crypt_salt *salt = call->salts;

	for (unsigned i = 0; i < call->salt_count; i++, salt++)
		if (salt->length == length && !memcmp(salt->bytes, bytes, length))
			return salt;
	if (call->salt_count == CRYPT_SALTS)
		return NULL;
	memcpy(salt->bytes, bytes, length);
	salt->length = length;
	call->salt_count++;
	return salt;
}

/* Ask for the salt of a volume. Returns 0, or -1 with errno. */
static int ask_volume(const char *path, uint8_t salt[VOLUME_SALT])
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc, error;

	if (fd < 0)
		return -1;
	rc = host_request(fd, FS_IOC_GET_ENCRYPTION_PWSALT, salt);
	error = errno;
	close(fd);
	errno = error;
	return rc;
}

static void show_salt(const char *path, const uint8_t salt[VOLUME_SALT])
{
	cli_put_text(stdout, path);
	printf(" has pw salt ");
	for (unsigned i = 0; i < VOLUME_SALT; i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", salt[i]);
	printf("\n");
}

const struct crypt_salt *crypt_salt_of(struct crypt_call *call, const char *path)
{
	const struct crypt_salt *found;
	uint8_t salt[VOLUME_SALT];

	if (ask_volume(path, salt)) {
		crypt_fail(call, path, "FS_IOC_GET_ENCRYPTION_PWSALT");
		return NULL;
	}
	found = add(call, salt, sizeof(salt));
	if (!found)
		crypt_refuse(call, path, "is one salt too many");
	return found;
}

int crypt_add_volume(struct crypt_call *call, const char *path)
{
	const struct crypt_salt *salt = crypt_salt_of(call, path);

	if (salt && call->is_verbose)
		show_salt(path, salt->bytes);
	return salt ? 0 : -1;
}

int crypt_take_salt(struct crypt_call *call, const char *word)
{
	uint8_t salt[F2FS_SALT_MAX];
	size_t length;
	const char *why;

	if (word[0] == '/' || !strncmp(word, "f:", 2))
		return crypt_add_volume(call, word[0] == '/' ? word : word + 2);
	why = cli_parse_salt(word, salt, &length);
	if (!why && !add(call, salt, length))
		why = "is one salt too many";
	return why ? crypt_refuse(call, word, why) : 0;
}

int crypt_add_mounted(struct crypt_call *call)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry;
	uint8_t salt[VOLUME_SALT];
	int rc = 0;

	if (!mounts)
		return crypt_fail(call, "/proc/self/mounts", "open");
	while (!rc && (entry = getmntent(mounts)) != NULL) {
		if (strcmp(entry->mnt_type, "f2fs") != 0 || ask_volume(entry->mnt_dir, salt))
			continue; /* a volume without the feature has no salt */
		if (call->is_verbose)
			show_salt(entry->mnt_dir, salt);
		if (!add(call, salt, sizeof(salt)))
			rc = crypt_refuse(call, entry->mnt_dir, "is one salt too many");
	}
	endmntent(mounts);
	if (!rc && !call->salt_count) {
		cli_error(call->cli, "%s: no salt is given, and no mounted volume has one", call->command);
		rc = -1;
	}
	return rc;
}
