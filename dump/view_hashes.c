/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of digests of all files, in the forms that other programs read: sha256sum(1) and its like, hashdeep(1), and the
 * file table of the NSRL's reference data sets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hex.h"
#include "dump/copy_options.h"
#include "dump/session.h"
#include "dump/view_evidence.h"
#include "dump/views.h"

/* Smaller files are cheap enough to be read again for each of their names. */
#define KEPT_FROM 65536u

#define DIGEST_MAX 64u /* bytes, of SHA-512 */

struct hashes;

struct form {
	const char *name;
	unsigned digests; /* enum f2fs_digest */
	void (*head)(void);
	/* Returns non-zero when memory is short. */
	int (*line)(const struct hashes *h, const char *path, const struct f2fs_digests *digests);
};

/* Digests by inode, so that a large file is read once, whatever number of names it has. */
struct kept {
	f2fs_nid_t ino; /* 0: free */
	struct f2fs_digests digests;
};

struct hashes {
	struct dump *d;
	const struct form *form;
	struct f2fs_digest_queue *queue;
	struct kept *table;
	size_t room, count; /* room: 0, or a power of two */
	uint64_t bytes;	    /* of contents so far */
	int is_terminal;    /* standard output is */
};

/* A printf() for each byte would take more time than the digest of a small file. */
static void put_hex(const uint8_t *bytes, size_t n, int upper_case)
{
	char text[2 * DIGEST_MAX];

	cli_write_hex(text, bytes, n, upper_case);
	fwrite(text, 1, 2 * n, stdout);
}

/* The digest of one kind, and its length. */
static const uint8_t *pick(const struct f2fs_digests *digests, unsigned kind, size_t *n)
{
	switch (kind) {
	case F2FS_DIGEST_MD5:
		*n = sizeof(digests->md5);
		return digests->md5;
	case F2FS_DIGEST_SHA1:
		*n = sizeof(digests->sha1);
		return digests->sha1;
	case F2FS_DIGEST_SHA512:
		*n = sizeof(digests->sha512);
		return digests->sha512;
	default:
		*n = sizeof(digests->sha256);
		return digests->sha256;
	}
}

/* Does a name break a line, so that it is escaped? */
static int breaks_lines(const char *name)
{
	return strpbrk(name, "\n\r") != NULL;
}

/* Return the letter that stands for a byte after a backslash; 0: the byte itself. */
static char escaped(char c)
{
	return c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\\' ? '\\' : '\0';
}

/* A name as its form has it; for a terminal, control characters are also escaped. Returns -1 without memory. */
static int put_name(const struct hashes *h, const char *name, int escapes, int doubles_quotes)
{
	char *text = malloc(2 * strlen(name) + 1), *to = text;

	if (!text)
		return -1;
	for (; *name; name++) {
		const char letter = escapes ? escaped(*name) : '\0';

		if (letter)
			*to++ = '\\';
		else if (doubles_quotes && *name == '"')
			*to++ = '"';
		*to++ = letter ? letter : *name;
	}
	*to = '\0';
	if (h->is_terminal)
		cli_put_text(stdout, text);
	else
		fputs(text, stdout);
	free(text);
	return 0;
}

/* "DIGEST  PATH", as the programs of coreutils have it. A backslash in front says that the name is escaped. */
static int put_sum(const struct hashes *h, const char *path, const struct f2fs_digests *digests)
{
	size_t n;
	const uint8_t *digest = pick(digests, h->form->digests, &n);

	if (strpbrk(path, "\\\n\r"))
		putchar('\\');
	put_hex(digest, n, 0);
	fputs("  ", stdout);
	return put_name(h, path, 1, 0) || putchar('\n') < 0;
}

static void head_hashdeep(void)
{
	fputs("%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n##\n", stdout);
}

static int put_hashdeep(const struct hashes *h, const char *path, const struct f2fs_digests *digests)
{
	const int escapes = breaks_lines(path);

	printf("%llu,", (unsigned long long)digests->bytes);
	put_hex(digests->md5, sizeof(digests->md5), 0);
	putchar(',');
	put_hex(digests->sha256, sizeof(digests->sha256), 0);
	/* hashdeep(1) reads lines and knows no escapes. A name that breaks them begins as no other does. */
	fputs(escapes ? ",\\./" : ",./", stdout);
	return put_name(h, path, escapes, 0) || putchar('\n') < 0;
}

static void head_nsrl(void)
{
	fputs("\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\","
	      "\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n",
	      stdout);
}

static int put_nsrl(const struct hashes *h, const char *path, const struct f2fs_digests *digests)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const int escapes = breaks_lines(name) || name[0] == '\\';

	putchar('"');
	put_hex(digests->sha1, sizeof(digests->sha1), 1);
	fputs("\",\"", stdout);
	put_hex(digests->md5, sizeof(digests->md5), 1);
	printf("\",\"%08lX\",\"%s", (unsigned long)digests->crc32, escapes ? "\\" : "");
	if (put_name(h, name, escapes, 1))
		return -1;
	printf("\",%llu,0,\"\",\"\"\r\n", (unsigned long long)digests->bytes);
	return 0;
}

static const struct form forms[] = {
	{ "sha256", F2FS_DIGEST_SHA256, NULL, put_sum },
	{ "sha512", F2FS_DIGEST_SHA512, NULL, put_sum },
	{ "sha1", F2FS_DIGEST_SHA1, NULL, put_sum },
	{ "md5", F2FS_DIGEST_MD5, NULL, put_sum },
	{ "hashdeep", F2FS_DIGEST_MD5 | F2FS_DIGEST_SHA256, head_hashdeep, put_hashdeep },
	{ "nsrl", F2FS_DIGEST_MD5 | F2FS_DIGEST_SHA1, head_nsrl, put_nsrl },
};

static void put_record(const struct hashes *h, f2fs_nid_t ino, const char *path, const struct f2fs_digests *digests)
{
	static const struct {
		const char *name;
		unsigned kind;
	} members[] = { { "md5", F2FS_DIGEST_MD5 },
			{ "sha1", F2FS_DIGEST_SHA1 },
			{ "sha256", F2FS_DIGEST_SHA256 },
			{ "sha512", F2FS_DIGEST_SHA512 } };
	struct cli_print *out = h->d->out;

	cli_print_begin(out, NULL);
	cli_print_u64(out, "ino", ino);
	cli_print_u64(out, "size", digests->bytes);
	for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		size_t n;
		const uint8_t *bytes = pick(digests, members[i].kind, &n);

		if (h->form->digests & members[i].kind)
			cli_print_digits(out, members[i].name, bytes, n);
	}
	cli_print_bytes(out, "path", path, strlen(path));
	cli_print_end(out);
}

/* ---- digests that were computed already ---- */

static struct kept *slot_of(const struct hashes *h, f2fs_nid_t ino)
{
	size_t at = (ino * 2654435761u) & (h->room - 1);

	while (h->table[at].ino && h->table[at].ino != ino)
		at = (at + 1) & (h->room - 1);
	return &h->table[at];
}

static const struct f2fs_digests *find_kept(const struct hashes *h, f2fs_nid_t ino)
{
	const struct kept *kept = h->room ? slot_of(h, ino) : NULL;

	return kept && kept->ino ? &kept->digests : NULL;
}

static int keep(struct hashes *h, f2fs_nid_t ino, const struct f2fs_digests *digests)
{
	struct kept *slot;

	if (h->count >= h->room / 2) {
		struct hashes more = { .room = h->room ? h->room * 2 : 64 };

		more.table = calloc(more.room, sizeof(*more.table));
		if (!more.table)
			return f2fs_context_fail(h->d->ctx, F2FS_ERR_NOMEM, "out of memory");
		for (size_t i = 0; i < h->room; i++)
			if (h->table[i].ino)
				*slot_of(&more, h->table[i].ino) = h->table[i];
		free(h->table);
		h->table = more.table;
		h->room = more.room;
	}
	slot = slot_of(h, ino);
	slot->ino = ino;
	slot->digests = *digests;
	h->count++;
	return 0;
}

/* Is it within --max-bytes? Holes count: an image of a few blocks may show terabytes. */
static int take_bytes(struct hashes *h, uint64_t size)
{
	const uint64_t most = h->d->copy->extract.max_bytes;

	if (most && size > most - h->bytes)
		return f2fs_context_fail(h->d->ctx, F2FS_ERR_INCOMPLETE, "more bytes than --max-bytes allows");
	h->bytes += size;
	return 0;
}

static int put_entry(const struct hashes *h, f2fs_nid_t ino, const char *path, const struct f2fs_digests *digests)
{
	if (h->d->is_json)
		put_record(h, ino, path, digests);
	else if (h->form->line(h, path, digests))
		return ferror(stdout) ? 0 : f2fs_context_fail(h->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	return 0;
}

/* Report a file that is left out. Returns an error that ends the run, or 0. */
static int leave_out(struct hashes *h, int rc, const char *path)
{
	if (rc == F2FS_ERR_NOMEM || rc == F2FS_ERR_CANCELED)
		return rc;
	dump_fail(h->d, rc, path);
	return 0;
}

/* A file in the queue. */
struct entry {
	f2fs_nid_t ino;
	char path[];
};

/* Take the digests of the next file. */
static int show_next(void *user, void *tag, int error, const struct f2fs_digests *digests)
{
	struct hashes *h = user;
	struct entry *entry = tag;
	int rc = error;

	if (!rc && digests->bytes >= KEPT_FROM && !find_kept(h, entry->ino))
		rc = keep(h, entry->ino, digests);
	if (!rc)
		rc = put_entry(h, entry->ino, entry->path, digests);
	if (rc)
		rc = leave_out(h, rc, entry->path);
	free(entry);
	return rc;
}

/* Add a file to the queue. */
static int add_file(struct hashes *h, const struct f2fs_walk_entry *found)
{
	const size_t length = strlen(found->path) + 1;
	struct entry *entry = malloc(sizeof(*entry) + length);
	int rc;

	if (!entry)
		return f2fs_context_fail(h->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	entry->ino = found->dirent->ino;
	memcpy(entry->path, found->path, length);
	rc = f2fs_digest_queue_add(h->queue, found->inode, entry);
	if (rc)
		free(entry);
	return rc;
}

static int show_file(struct hashes *h, const struct f2fs_walk_entry *found, const struct f2fs_stat *st)
{
	const f2fs_nid_t ino = found->dirent->ino;
	int rc = 0;

	/* its digests may be on their way; and those before it are printed before it */
	if ((st->nlink > 1 && st->size >= KEPT_FROM) || find_kept(h, ino))
		rc = f2fs_digest_queue_flush(h->queue);
	if (!rc && find_kept(h, ino))
		return put_entry(h, ino, found->path, find_kept(h, ino));
	if (!rc)
		rc = take_bytes(h, st->size);
	return rc ? rc : add_file(h, found);
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct hashes *h = user;
	struct f2fs_stat st = { 0 };
	int rc = entry->error;

	if (cli_stopped())
		return f2fs_context_fail(h->d->ctx, F2FS_ERR_CANCELED, "stopped");
	if (!rc && entry->dirent && entry->inode)
		rc = f2fs_inode_stat(entry->inode, &st);
	if (!rc && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_REG)
		rc = show_file(h, entry, &st);
	if (rc) { /* after those of the files before it */
		const int failed = f2fs_digest_queue_flush(h->queue);

		rc = failed ? failed : leave_out(h, rc, entry->path);
	}
	return rc ? rc : F2FS_WALK_GO;
}

static const struct form *find_form(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!name || !strcmp(name, forms[i].name))
			return &forms[i];
	return NULL;
}

int view_hashes(struct dump *d, const char *argument)
{
	struct hashes h = { .d = d, .form = find_form(argument), .is_terminal = isatty(STDOUT_FILENO) };
	struct f2fs_inode *root;
	int rc;

	if (!h.form) {
		cli_usage_error(&d->cli, "--hashes", argument, "is none of sha256, sha512, sha1, md5, hashdeep, nsrl");
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	if (!f2fs_digest_available(h.form->digests)) {
		rc = f2fs_context_fail(d->ctx, F2FS_ERR_UNSUPPORTED, "these digests need a library built with OpenSSL");
		return dump_fail(d, rc, "--hashes");
	}
	rc = f2fs_inode_open(d->vol, d->geo->root_ino, &root);
	if (rc)
		return dump_fail(d, rc, "--hashes");
	dump_say_container(d);
	if (d->is_json)
		cli_print_begin_table(d->out, "hashes", NULL, 0);
	else if (h.form->head)
		h.form->head();
	rc = f2fs_digest_queue_open(d->vol, h.form->digests, d->copy->extract.threads, show_next, &h, &h.queue);
	if (!rc)
		rc = f2fs_walk(root, visit, &h);
	if (rc >= 0)
		rc = f2fs_digest_queue_flush(h.queue);
	if (d->is_json)
		cli_print_end_array(d->out);
	if (rc < 0)
		dump_fail(d, rc, "--hashes");
	f2fs_digest_queue_close(h.queue);
	f2fs_inode_close(root);
	free(h.table);
	return rc < 0 ? rc : 0;
}
