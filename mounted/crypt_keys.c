/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Add keys of passphrases to keyrings. Policies of version 1 find them there by the name f2fs:DESCRIPTOR.
 */
#include "mounted/crypt_keys.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "cli/keys.h"
#include "cli/size.h"
#include "mounted/kernel_calls.h"

#define KEY_TYPE "logon"
#define KEY_PREFIX "f2fs:"

static long control(int command, long a, const void *b, const void *c)
{
	return syscall(SYS_keyctl, command, a, b, c, 0);
}

/* Show or hide what is typed. A standard input that is no terminal stays. */
static void set_echo(int on)
{
	struct termios settings;

	if (tcgetattr(STDIN_FILENO, &settings))
		return;
	settings.c_lflag = on ? settings.c_lflag | ECHO : settings.c_lflag & ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSANOW, &settings);
}

/* Returns 1 at the end of the line, 0 for a further byte, -1 at the end of the input or after an error. */
static int read_byte(char *c)
{
	const ssize_t n = cli_read(STDIN_FILENO, c, 1);

	return n <= 0 ? -1 : *c == '\n';
}

int crypt_ask(struct crypt_call *call, char passphrase[F2FS_PASSPHRASE_MAX + 1], size_t *length)
{
	struct termios settings;
	const int was_shown = tcgetattr(STDIN_FILENO, &settings) == 0 && (settings.c_lflag & ECHO);
	size_t n = 0;
	int rc = 0;
	char c;

	printf("Enter passphrase (echo disabled): ");
	fflush(stdout);
	set_echo(0);
	while (n <= F2FS_PASSPHRASE_MAX && (rc = read_byte(&c)) == 0)
		passphrase[n++] = c;
	if (was_shown)
		set_echo(1);
	printf("\n");
	*length = n;
	if (n <= F2FS_PASSPHRASE_MAX && (rc == 1 || (n && !cli_stopped())))
		return 0;
	cli_wipe(passphrase, n);
	cli_error(call->cli, n ? "%s: the passphrase is too long, or was not ended" : "%s: no passphrase was given",
		  call->command);
	return -1;
}

int32_t crypt_keyring(const struct crypt_call *call)
{
	static const struct {
		const char *name;
		int32_t id;
	} names[] = {
		{ "@us", KEY_SPEC_USER_SESSION_KEYRING }, { "@u", KEY_SPEC_USER_KEYRING },
		{ "@s", KEY_SPEC_SESSION_KEYRING },	  { "@g", KEY_SPEC_GROUP_KEYRING },
		{ "@p", KEY_SPEC_PROCESS_KEYRING },	  { "@t", KEY_SPEC_THREAD_KEYRING },
	};
	uint64_t number;
	long id;

	if (!call->keyring) {
		/* Without a session keyring this is the user's. Adding to @s would make one for this process alone. */
		id = control(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, NULL, NULL);
		if (id < 0)
			crypt_fail(call, "@s", "KEYCTL_GET_KEYRING_ID");
		return id < 0 ? 0 : (int32_t)id;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(call->keyring, names[i].name))
			return names[i].id;
	if (cli_parse_u64(call->keyring, 1, INT32_MAX, &number)) {
		crypt_refuse(call, call->keyring, "is not a keyring");
		return 0;
	}
	if (control(KEYCTL_DESCRIBE, (long)number, NULL, NULL) < 0) {
		crypt_fail(call, call->keyring, "KEYCTL_DESCRIBE");
		return 0;
	}
	return (int32_t)number;
}

static int derive(struct crypt_call *call, struct crypt_salt *salt, const char *passphrase, size_t length)
{
	struct f2fs_context *ctx;
	int rc;

	if (cli_context_new(call->cli, &ctx))
		return -1;
	rc = f2fs_key_from_passphrase(ctx, passphrase, length, salt->bytes, salt->length, salt->key, salt->descriptor);
	if (rc)
		cli_error_of(call->cli, ctx, call->command);
	f2fs_context_close(ctx);
	return rc ? -1 : 0;
}

int crypt_insert(struct crypt_call *call, int32_t keyring, struct crypt_salt *salt, const char *passphrase,
		 size_t length)
{
	struct fscrypt_key payload = { .mode = FSCRYPT_MODE_AES_256_XTS, .size = F2FS_KEY_MAX };
	char shown[DESCRIPTOR_TEXT], name[sizeof(KEY_PREFIX) + DESCRIPTOR_TEXT];
	int is_there;
	long rc = 0;

	if (derive(call, salt, passphrase, length))
		return -1;
	snprintf(name, sizeof(name), KEY_PREFIX "%s", crypt_descriptor(salt->descriptor, shown));
	is_there = control(KEYCTL_SEARCH, keyring, KEY_TYPE, name) >= 0;
	if (!is_there && errno != ENOKEY)
		return crypt_fail(call, name, "KEYCTL_SEARCH");
	if (!is_there) {
		memcpy(payload.raw, salt->key, sizeof(payload.raw));
		rc = syscall(SYS_add_key, KEY_TYPE, name, &payload, sizeof(payload), keyring);
		cli_wipe(&payload, sizeof(payload));
	}
	if (rc < 0)
		return crypt_fail(call, name, "add_key");
	if (!call->is_quiet)
		printf(is_there ? "Key with descriptor [%s] already exists\n" : "Added key with descriptor [%s]\n",
		       shown);
	return 0;
}

int crypt_new_session(struct crypt_call *call)
{
	const long id = control(KEYCTL_JOIN_SESSION_KEYRING, 0, NULL, NULL);

	if (id < 0)
		return crypt_fail(call, "@s", "KEYCTL_JOIN_SESSION_KEYRING");
	if (control(KEYCTL_SESSION_TO_PARENT, 0, NULL, NULL) < 0)
		return crypt_fail(call, "@s", "KEYCTL_SESSION_TO_PARENT");
	printf("Switched invoking process to new session keyring %ld\n", id);
	return 0;
}
