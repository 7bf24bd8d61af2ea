/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signatures, and the ends of files by their own structure. Each function reads the stream through a small window and
 * only goes forward, so its work is bounded by the stream.
 */
#include <string.h>

#include "forensics/carve_ends.h"
#include "forensics/carve_stream.h"
#include "forensics/carver.h"

#define WINDOW 4096u

/* Where one of the functions below is. */
struct walk {
	struct f2fs_carver *c;
	uint64_t at;
	uint8_t bytes[WINDOW];
	uint64_t start; /* of the data in bytes */
	size_t have;
	int err; /* NOMEM, CANCELED */
};

/* Return n bytes at an offset, at most WINDOW / 2; NULL past the end. */
static const uint8_t *look(struct walk *w, uint64_t at, size_t n)
{
	if (w->err || at > UINT64_MAX / 2)
		return NULL;
	if (at < w->start || at + n > w->start + w->have) {
		w->start = at;
		w->err = stream_read(w->c, at, w->bytes, sizeof(w->bytes), &w->have);
		if (w->err)
			w->have = 0;
	}
	return at + n <= w->start + w->have ? w->bytes + (at - w->start) : NULL;
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The file ends at end, if the stream goes so far. */
static int whole(struct walk *w, uint64_t end, uint64_t *size)
{
	struct f2fs_carver *c = w->c;

	if (!w->err && end <= c->options.max_size)
		w->err = stream_follow(c, end);
	if (w->err)
		return w->err;
	*size = end <= c->stream.length ? end : c->stream.length;
	return end > 0 && end <= c->stream.length ? F2FS_CARVED_WHOLE : F2FS_CARVED_CUT;
}

/* The structure breaks off at a place: what came before is the file. */
static int cut(struct walk *w, uint64_t end, uint64_t *size)
{
	if (w->err)
		return w->err;
	*size = end < w->c->stream.length ? end : w->c->stream.length;
	return F2FS_CARVED_CUT;
}

/* Find the end of a file whose kind has no end mark: where its blocks end; of a text without the zeros there. */
static int end_unknown(struct f2fs_carver *c, uint64_t *size)
{
	int err = stream_follow(c, c->options.max_size);

	*size = c->stream.length;
	return err ? err : F2FS_CARVED_GUESSED;
}

static int end_text(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	int end = end_unknown(c, size);
	uint64_t at = *size - (*size ? 1 : 0);
	const uint64_t block = at - at % c->vol->geo.block_size;

	for (const uint8_t *p; end >= 0 && at > block && (p = look(&w, at - at % 1024, 1024)) != NULL && !p[at % 1024];)
		*size = at--;
	return w.err ? w.err : end;
}

static int end_jpeg(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c, .at = 2 };
	const uint8_t *p;

	while ((p = look(&w, w.at, 4)) != NULL && p[0] == 0xff) {
		const unsigned marker = p[1];
		bool is_scan = marker == 0xda;

		if (marker == 0xd9)
			return whole(&w, w.at + 2, size);
		if (marker == 0xff) {
			w.at++;
			continue;
		}
		w.at += marker == 1 || (marker >= 0xd0 && marker <= 0xd8) ? 2 : 2 + ((unsigned)p[2] << 8 | p[3]);
		/* packed data, to the next marker */
		while (is_scan && (p = look(&w, w.at, 2)) != NULL) {
			is_scan = p[0] != 0xff || p[1] == 0 || (p[1] >= 0xd0 && p[1] <= 0xd7);
			w.at += is_scan ? 1 : 0;
		}
	}
	p = look(&w, w.at, 2);
	return p && p[0] == 0xff && p[1] == 0xd9 ? whole(&w, w.at + 2, size) : cut(&w, w.at, size);
}

static int end_png(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c, .at = 8 };
	const uint8_t *p;

	while ((p = look(&w, w.at, 8)) != NULL && be32(p) < 0x80000000u) {
		const bool is_last = memcmp(p + 4, "IEND", 4) == 0;

		w.at += 12 + (uint64_t)be32(p);
		if (is_last)
			return whole(&w, w.at, size);
	}
	return cut(&w, w.at, size);
}

/* Blocks of up to 255 bytes, to an empty one; returns the place after it, 0 at the end of the stream. */
static uint64_t skip_sub_blocks(struct walk *w, uint64_t at)
{
	const uint8_t *p;

	while ((p = look(w, at, 1)) != NULL && p[0])
		at += 1 + (uint64_t)p[0];
	return p ? at + 1 : 0;
}

static uint64_t colours(unsigned flags)
{
	return flags & 0x80 ? 3ull << ((flags & 7) + 1) : 0;
}

static int end_gif(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 13);

	w.at = p ? 13 + colours(p[10]) : 0;
	while (w.at && (p = look(&w, w.at, 1)) != NULL) {
		const uint64_t start = w.at;

		if (p[0] == 0x3b)
			return whole(&w, w.at + 1, size);
		if (p[0] == 0x2c && (p = look(&w, w.at, 10)) != NULL)
			w.at = skip_sub_blocks(&w, start + 11 + colours(p[9]));
		else if (p && p[0] == 0x21)
			w.at = skip_sub_blocks(&w, start + 2);
		else
			return cut(&w, start, size);
	}
	return cut(&w, UINT64_MAX, size);
}

/* Return the place after the last occurrence of some bytes, 0 for none. */
static uint64_t find_last(struct walk *w, const char *text, size_t n)
{
	uint64_t found = 0;

	for (uint64_t at = 0;; at += WINDOW - n) {
		const uint8_t *p;

		w->err = w->err ? w->err : stream_read(w->c, at, w->bytes, sizeof(w->bytes), &w->have);
		w->start = at;
		if (w->err || w->have < n)
			return found;
		p = memchr(w->bytes, text[0], w->have - n + 1);
		while (p) {
			const size_t i = (size_t)(p - w->bytes);

			if (memcmp(p, text, n) == 0)
				found = at + i + n;
			p = i < w->have - n ? memchr(p + 1, text[0], w->have - n - i) : NULL;
		}
	}
}

static int end_pdf(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	uint64_t end = find_last(&w, "%%EOF", 5);
	const uint8_t *p = look(&w, end, 2);

	if (end && p && p[0] == '\r')
		end += p[1] == '\n' ? 2 : 1;
	else if (end && (p = look(&w, end, 1)) != NULL && (p[0] == '\n' || p[0] == '\r'))
		end++;
	return end ? whole(&w, end, size) : cut(&w, UINT64_MAX, size);
}

/* Find an end record with its directory right before it. */
static int end_zip(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p;

	for (; look(&w, w.at, 22); w.at++) {
		p = look(&w, w.at, 22);
		if (p[0] != 'P' || memcmp(p, "PK\x05\x06", 4) != 0)
			continue;
		if ((uint64_t)get_le32(p + 12) + get_le32(p + 16) == w.at || get_le32(p + 16) == UINT32_MAX)
			return whole(&w, w.at + 22 + get_le16(p + 20), size);
	}
	return cut(&w, UINT64_MAX, size);
}

static int end_7z(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 32);
	const uint64_t offset = p ? get_le64(p + 12) : 0, length = p ? get_le64(p + 20) : 0;

	if (!p || offset > UINT64_MAX / 4 || length > UINT64_MAX / 4)
		return cut(&w, UINT64_MAX, size);
	return whole(&w, 32 + offset + length, size);
}

static uint64_t octal(const uint8_t *p, size_t n)
{
	uint64_t value = 0;

	if (p[0] & 0x80) { /* a binary number */
		for (size_t i = 4; i < n; i++)
			value = value << 8 | p[i];
		return value >> 60 ? UINT64_MAX / 4 : value;
	}
	for (size_t i = 0; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		value = value * 8 + (uint64_t)(p[i] - '0');
	return value;
}

static int end_tar(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p;

	while ((p = look(&w, w.at, 512)) != NULL && memcmp(p + 257, "ustar", 5) == 0)
		w.at += 512 + (octal(p + 124, 12) + 511) / 512 * 512;
	if (p && p[0] == 0 && (p = look(&w, w.at + 512, 1)) != NULL && p[0] == 0)
		return whole(&w, w.at + 1024, size);
	return cut(&w, w.at, size);
}

static int end_sqlite(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 100);
	const uint32_t page = p ? (uint32_t)p[16] << 8 | p[17] : 0;

	if (!p || be32(p + 28) == 0)
		return w.err ? w.err : end_unknown(c, size);
	return whole(&w, (uint64_t)(page == 1 ? 65536 : page) * be32(p + 28), size);
}

static int end_elf(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 64);
	uint64_t sections;

	if (!p || p[5] != 1) /* most significant byte first: not followed */
		return w.err ? w.err : end_unknown(c, size);
	sections = p[4] == 2 ? get_le64(p + 40) : get_le32(p + 32);
	if (sections == 0 || sections > UINT64_MAX / 4)
		return end_unknown(c, size);
	p += p[4] == 2 ? 58 : 46;
	return whole(&w, sections + (uint64_t)get_le16(p) * get_le16(p + 2), size);
}

static int end_bmp(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 18);

	*size = 0; /* two letters are little: some more has to fit */
	if (p && (get_le32(p + 6) != 0 || get_le32(p + 14) < 12 || get_le32(p + 14) > 124))
		return F2FS_CARVED_CUT;
	return p ? whole(&w, get_le32(p + 2), size) : cut(&w, UINT64_MAX, size);
}

static int end_riff(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 8);

	return p ? whole(&w, 8 + (uint64_t)get_le32(p + 4), size) : cut(&w, UINT64_MAX, size);
}

static int end_dex(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	const uint8_t *p = look(&w, 0, 36);

	return p ? whole(&w, get_le32(p + 32), size) : cut(&w, UINT64_MAX, size);
}

/* Letters and digits, as names of boxes have. */
static bool is_box(const uint8_t *p)
{
	for (unsigned i = 4; i < 8; i++)
		if (p[i] < ' ' || p[i] > '~')
			return false;
	return true;
}

static int end_boxes(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	bool has_index = false;
	const uint8_t *p;

	while ((p = look(&w, w.at, 16)) != NULL && is_box(p)) {
		const uint64_t length = be32(p) == 1 ? (uint64_t)be32(p + 8) << 32 | be32(p + 12) : be32(p);

		if (length < 8 || length > UINT64_MAX / 4)
			break;
		has_index |= memcmp(p + 4, "moov", 4) == 0 || memcmp(p + 4, "meta", 4) == 0;
		w.at += length;
	}
	if (!w.err)
		w.err = stream_follow(c, w.at);
	return has_index && w.at <= c->stream.length ? whole(&w, w.at, size) : cut(&w, w.at, size);
}

static int end_ogg(struct f2fs_carver *c, uint64_t *size)
{
	struct walk w = { .c = c };
	uint64_t end = 0;
	const uint8_t *p;

	while ((p = look(&w, w.at, 27)) != NULL && memcmp(p, "OggS", 4) == 0) {
		const unsigned segments = p[26];
		const bool is_last = p[5] & 4;
		uint64_t length = 27 + (uint64_t)segments;

		p = look(&w, w.at + 27, segments);
		for (unsigned i = 0; p && i < segments; i++)
			length += p[i];
		w.at += length;
		if (is_last)
			end = w.at;
	}
	return end ? whole(&w, end, size) : cut(&w, w.at, size);
}

static const struct signature signatures[] = {
#define SIGNATURE(kind, suffix, offset, bytes, length, find_end) { kind, suffix, offset, bytes, length, find_end },
#include "forensics/signatures.def"
#undef SIGNATURE
};

const struct signature *signature_of(unsigned i)
{
	return i < sizeof(signatures) / sizeof(signatures[0]) ? &signatures[i] : NULL;
}

const char *f2fs_carve_kind_at(unsigned i, const char **suffix)
{
	const struct signature *row = signature_of(i);

	if (row && suffix)
		*suffix = row->suffix;
	return row ? row->kind : NULL;
}

/* Is a kind in the list, which is in commas? */
static bool is_listed(const char *kinds, const char *kind)
{
	const size_t n = strlen(kind);

	for (const char *at = kinds; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, kind, n) == 0 && (at[n] == ',' || at[n] == '\0'))
			return true;
	}
	return !kinds;
}

/* The signature that fits the start of a block, or NULL. */
static const struct signature *signature_find(const struct f2fs_carver *c, const uint8_t *start, size_t n)
{
	for (unsigned i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		const struct signature *row = &signatures[i];

		if (row->offset + row->length <= n && start[row->offset] == (uint8_t)row->bytes[0] &&
		    memcmp(start + row->offset, row->bytes, row->length) == 0)
			return is_listed(c->kinds, row->kind) ? row : NULL;
	}
	return NULL;
}

void carve_recognise(struct f2fs_carver *c, const uint8_t *start, size_t n, bool may_ask, const char **kind,
		     const char **suffix, carve_end_fn *find_end)
{
	const struct signature *row = signature_find(c, start, n);

	if (row) {
		*kind = row->kind;
		*suffix = row->suffix;
		*find_end = row->find_end;
	} else if (may_ask && c->options.identify) {
		*kind = c->options.identify(c->options.user, start, n);
		*suffix = "bin";
		if (*kind && strncmp(*kind, "text/", 5) == 0)
			*find_end = end_text;
	}
	if (!*find_end)
		*find_end = end_unknown;
}
