/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading key files. Their bytes are wiped once the volume has them.
 */
#include "cli/keys.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/hex.h"
#include "cli/salt.h"

#define TEXT_MAX (2 * F2FS_KEY_MAX + 2) /* hexadecimal digits and the end of a line */
#define LINES_MAX (F2FS_PASSPHRASE_MAX + CLI_SALT_TEXT_MAX + 2) /* a passphrase, a salt, and the ends of their lines */

void cli_wipe(void *secret, size_t n)
{
	volatile unsigned char *p = secret;

	while (n-- > 0)
		*p++ = 0;
}

const char *cli_keys_take(struct cli_keys *keys, const char *path)
{
	if (keys->count == CLI_MAX_KEYS)
		return "is one too many";
	keys->paths[keys->count++] = path;
	return NULL;
}

const char *cli_keys_take_passphrase(struct cli_keys *keys, const char *path)
{
	keys->is_passphrase[keys->count % CLI_MAX_KEYS] = 1;
	return cli_keys_take(keys, path);
}

/* The name of a key in the name of its file: 16 or 8 bytes, or none. */
static size_t name_of_file(const char *path, uint8_t name[F2FS_KEY_IDENTIFIER])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t digits = 0;

	while (cli_hex_digit(base[digits]) >= 0)
		digits++;
	if (digits != 2 * F2FS_KEY_IDENTIFIER && digits != 2 * F2FS_KEY_DESCRIPTOR)
		return 0;
	return cli_parse_hex(base, digits, name) == 0 ? digits / 2 : 0;
}

/* Turn hexadecimal digits into the bytes that they are; others stay. Returns how many bytes there are. */
static size_t decode(char *text, size_t length)
{
	uint8_t bytes[F2FS_KEY_MAX];
	size_t digits = length;

	while (digits > 0 && (text[digits - 1] == '\n' || text[digits - 1] == '\r'))
		digits--;
	if (digits % 2 != 0 || digits < 2 * (size_t)F2FS_KEY_MIN || digits > 2 * (size_t)F2FS_KEY_MAX)
		return length;
	if (cli_parse_hex(text, digits, bytes) == 0) {
		memcpy(text, bytes, digits / 2);
		length = digits / 2;
	}
	cli_wipe(bytes, sizeof(bytes));
	return length;
}

static int cannot_read(struct cli *cli, const char *path)
{
	cli_error(cli, "%s: cannot read the key: %s", path, strerror(errno));
	return F2FS_ERR_IO;
}

/* Read up to @room bytes of a file. Returns 0, or a negative error after a message. */
static int read_secret(struct cli *cli, const char *path, char *text, size_t room, size_t *length)
{
	FILE *file = fopen(path, "rb");
	int rc;

	if (!file)
		return cannot_read(cli, path);
	setvbuf(file, NULL, _IONBF, 0); /* no copy of the key in a buffer */
	*length = fread(text, 1, room, file);
	rc = ferror(file) ? cannot_read(cli, path) : 0;
	fclose(file);
	return rc;
}

static int add_file(struct cli *cli, const char *path, struct f2fs_context *ctx, struct f2fs_volume *vol)
{
	uint8_t name[F2FS_KEY_IDENTIFIER];
	char text[TEXT_MAX + 1];
	const size_t name_length = name_of_file(path, name);
	size_t length;
	int rc = read_secret(cli, path, text, sizeof(text), &length);

	if (!rc) {
		rc = f2fs_volume_add_key(vol, text, decode(text, length), name_length ? name : NULL, name_length, NULL);
		if (rc)
			cli_error_of(cli, ctx, path);
	}
	cli_wipe(text, sizeof(text));
	return rc;
}

enum { NO_SALT = F2FS_SALT_MAX + 1 };

/* Divide the text of a file into passphrase and salt, or NO_SALT. Returns NULL, or an error text. */
static const char *divide(char *text, size_t length, size_t *passphrase, uint8_t *salt, size_t *salt_length)
{
	char *line = memchr(text, '\n', length), *end;

	*passphrase = line ? (size_t)(line - text) : length;
	*salt_length = NO_SALT;
	if (!line || ++line == text + length)
		return NULL;
	text[length] = 0;
	end = strchr(line, '\n');
	if (strlen(line) != (size_t)(text + length - line) || (end && end[1]))
		return "more than a passphrase and a salt";
	if (end)
		*end = 0;
	return cli_parse_salt(line, salt, salt_length) ? "the second line is not a salt" : NULL;
}

static int add_passphrase(struct cli *cli, const char *path, struct f2fs_context *ctx, struct f2fs_volume *vol)
{
	uint8_t salt[F2FS_SALT_MAX];
	char text[LINES_MAX + 1];
	size_t length, passphrase, salt_length;
	const char *why;
	int rc = read_secret(cli, path, text, sizeof(text) - 1, &length);

	if (!rc) {
		why = divide(text, length, &passphrase, salt, &salt_length);
		if (why) {
			cli_error(cli, "%s: %s", path, why);
			rc = F2FS_ERR_INVALID;
		}
	}
	if (!rc) {
		rc = f2fs_volume_add_passphrase(vol, text, passphrase, salt_length == NO_SALT ? NULL : salt,
						salt_length, NULL);
		if (rc)
			cli_error_of(cli, ctx, path);
	}
	cli_wipe(text, sizeof(text));
	return rc;
}

static int add_directory(struct cli *cli, const char *path, struct f2fs_context *ctx, struct f2fs_volume *vol)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	struct stat st;
	int rc = 0;

	if (!dir)
		return cannot_read(cli, path);
	while (!rc && (errno = 0, entry = readdir(dir)) != NULL) {
		const size_t room = strlen(path) + strlen(entry->d_name) + 2;
		char *both = malloc(room);

		if (!both) {
			cli_error(cli, "out of memory");
			rc = F2FS_ERR_NOMEM;
			break;
		}
		snprintf(both, room, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.' && stat(both, &st) == 0 && S_ISREG(st.st_mode))
			rc = add_file(cli, both, ctx, vol);
		free(both);
	}
	if (!rc && errno)
		rc = cannot_read(cli, path);
	closedir(dir);
	return rc;
}

int cli_keys_add(struct cli *cli, const struct cli_keys *keys, struct f2fs_context *ctx, struct f2fs_volume *vol)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < keys->count; i++) {
		struct stat st;

		if (keys->is_passphrase[i]) {
			rc = add_passphrase(cli, keys->paths[i], ctx, vol);
			continue;
		}
		const int is_dir = stat(keys->paths[i], &st) == 0 && S_ISDIR(st.st_mode);

		rc = is_dir ? add_directory(cli, keys->paths[i], ctx, vol) : add_file(cli, keys->paths[i], ctx, vol);
	}
	return rc;
}
