/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read containers through the libraries of the libyal family (libyal.h). An image that needs a file besides its own
 * parts, such as the base of a snapshot, is refused: its missing blocks would read as zeros.
 */
#include "device/container.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "device/layer.h"
#include "device/libyal.h"

static const struct format {
	const char *magic;
	size_t length;
	enum libyal_kind kind;
	const char *what, *make;
} formats[] = {
#define FORMAT(magic, kind, what, make) { magic, sizeof(magic) - 1, LIBYAL_##kind, what, make },
#include "device/container_formats.def"
#undef FORMAT
};

enum { LONGEST_MAGIC = 24, TEXT = 512 };

struct container {
	struct layer layer; /* above the file, which only keeps its lock */
	const struct format *format;
	struct libyal api;
	void *image;
	uint32_t sector_size;
	bool is_open;
};

static const struct format *find_format(struct f2fs_device *file)
{
	uint8_t head[LONGEST_MAGIC];
	static const uint8_t volume[4] = { 0x10, 0x20, 0xF5, 0xF2 };
	uint8_t superblock[4];

	if ((file->info.caps & F2FS_DEVICE_BLOCK) || file->info.size < sizeof(head) ||
	    device_read_quiet(file, 0, head, sizeof(head)) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (memcmp(head, formats[i].magic, formats[i].length) != 0)
			continue;
		/* the first 1024 bytes of a volume are anybody's */
		if (file->info.size >= 1028 && device_read_quiet(file, 1024, superblock, sizeof(superblock)) == 0 &&
		    memcmp(superblock, volume, sizeof(volume)) == 0)
			return NULL;
		return &formats[i];
	}
	return NULL;
}

/* Fail with the library's own words, as one line. */
static int refuse(struct container *c, const char *what, void *error)
{
	const struct error_where where = { .structure = "container", .rule = DEVICE_RULE_CONTAINER };
	char text[TEXT] = "", *line;

	if (error) {
		if (c->api.print_error(error, text, sizeof(text)) < 0)
			text[0] = 0;
		c->api.free_error(&error);
	}
	for (line = text; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7F)
			*line = ' ';
	return error_at(c->layer.ctx, F2FS_ERR_IO, &where, "%s is %s, and %s %s%s%s", c->layer.inner->name,
			c->format->what, libyal_name(c->format->kind), what, text[0] ? ": " : "", text);
}

static int refuse_form(struct container *c, const char *why)
{
	return error_set(c->layer.ctx, F2FS_ERR_UNSUPPORTED, "%s is %s that %s: make a plain image of it with %s",
			 c->layer.inner->name, c->format->what, why, c->format->make);
}

/* ---- what each format needs beyond opening ---- */

static int check_qcow(struct container *c)
{
	enum { VERSION = 4, BACKING = 8, CIPHER = 32, INCOMPATIBLE = 72, HEAD = 80, DIRTY = 1 };
	uint8_t head[HEAD];
	int err = device_read(c->layer.inner, 0, head, sizeof(head));

	if (err)
		return err;
	if (get_be64(head + BACKING))
		return refuse_form(c, "continues in another file");
	if (get_be32(head + VERSION) < 2)
		return refuse_form(c, "has the old form");
	if (get_be32(head + CIPHER))
		return refuse_form(c, "is encrypted");
	if (get_be32(head + VERSION) >= 3 && (get_be64(head + INCOMPATIBLE) & ~(uint64_t)DIRTY))
		return refuse_form(c, "has a form that libqcow cannot read");
	return 0;
}

static int refuse_damage(struct container *c, const char *part)
{
	const struct error_where where = { .structure = "container", .rule = DEVICE_RULE_CONTAINER };

	return error_at(c->layer.ctx, F2FS_ERR_IO, &where, "%s is %s whose %s is damaged", c->layer.inner->name,
			c->format->what, part);
}

/* The sum of all bytes but its own, inverted. */
static bool is_summed(const uint8_t *bytes, size_t length, size_t at)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < length; i++)
		sum += i < at || i >= at + 4 ? bytes[i] : 0;
	return get_be32(bytes + at) == (uint32_t)~sum;
}

/* libvhdi takes sizes from the footer and the header without a look at their checksums. */
static int check_vhd_sums(struct container *c)
{
	enum { FOOTER = 512, NEXT = 16, TYPE = 60, FOOTER_SUM = 64, HEADER = 1024, HEADER_SUM = 36, FIXED = 2 };
	struct f2fs_device *file = c->layer.inner;
	uint8_t footer[FOOTER], header[HEADER];
	uint64_t at;
	int err;

	if (file->info.size < FOOTER + HEADER)
		return refuse_damage(c, "end");
	err = device_read(file, file->info.size - FOOTER, footer, sizeof(footer));
	if (err)
		return err;
	if (memcmp(footer, "conectix", 8) != 0 || !is_summed(footer, sizeof(footer), FOOTER_SUM))
		return refuse_damage(c, "footer");
	at = get_be64(footer + NEXT);
	if (get_be32(footer + TYPE) == FIXED)
		return 0;
	if (at > file->info.size - HEADER)
		return refuse_damage(c, "header");
	err = device_read(file, at, header, sizeof(header));
	return err || is_summed(header, sizeof(header), HEADER_SUM) ? err : refuse_damage(c, "header");
}

static int check_vhd(struct container *c)
{
	enum { DIFFERENTIAL = 4 };
	uint32_t type = 0;
	void *error = NULL;

	if (c->api.get_disk_type(c->image, &type, &error) != 1)
		return refuse(c, "cannot tell its type", error);
	return type == DIFFERENTIAL ? refuse_form(c, "continues in another file") : 0;
}

static int check_vmdk(struct container *c)
{
	uint32_t parent = UINT32_MAX;
	void *error = NULL;

	if (c->api.get_parent(c->image, &parent, NULL) == 1 && parent != UINT32_MAX)
		return refuse_form(c, "continues in another file");
	return c->api.open_extents(c->image, &error) == 1 ? 0 : refuse(c, "cannot open its parts", error);
}

/* Checks that need no library, before it looks. */
static int check_bytes(struct container *c)
{
	switch (c->format->kind) {
	case LIBYAL_QCOW:
		return check_qcow(c);
	case LIBYAL_VHDI:
		return c->format->magic[0] == 'c' ? check_vhd_sums(c) : 0; /* it checks those of VHDX */
	default:
		return 0;
	}
}

static int check_form(struct container *c)
{
	switch (c->format->kind) {
	case LIBYAL_VHDI:
		return check_vhd(c);
	case LIBYAL_VMDK:
		return check_vmdk(c);
	default:
		return 0;
	}
}

/* ---- the device ---- */

static bool is_incomplete(const struct container *c)
{
	return c->api.is_corrupted && c->api.is_corrupted(c->image, NULL) == 1;
}

static int open_ewf(struct container *c, const char *path, void **error)
{
	char **names = NULL;
	int count = 0, rc;

	if (c->api.glob(path, strlen(path), 0, &names, &count, error) != 1)
		return -1;
	rc = c->api.open_parts(c->image, names, count, LIBYAL_READ, error);
	c->api.glob_free(names, count, NULL);
	if (rc != 1 || c->api.get_sector_size(c->image, &c->sector_size, error) != 1)
		return -1;
	log_message(c->layer.ctx, F2FS_LOG_INFO, "%s: %d parts are read", c->layer.inner->name, count);
	if (is_incomplete(c))
		log_message(c->layer.ctx, F2FS_LOG_WARNING,
			    "%s: parts of the image are missing or damaged; they cannot be read", c->layer.inner->name);
	return 1;
}

static int open_image(struct container *c, const char *path, uint64_t *size)
{
	void *error = NULL;
	int rc = check_bytes(c);

	if (rc)
		return rc;
	if (c->api.knows_file && c->api.knows_file(path, &error) == 0)
		return refuse_form(c, "this version of libewf cannot read");
	if (c->api.initialize(&c->image, &error) != 1)
		return refuse(c, "does not start", error);
	rc = c->format->kind == LIBYAL_EWF ? open_ewf(c, path, &error) :
					     c->api.open_image(c->image, path, LIBYAL_READ, &error);
	if (rc != 1)
		return refuse(c, "cannot open it", error);
	c->is_open = true;
	if (c->format->kind == LIBYAL_EWF && c->sector_size == 0)
		return refuse(c, "cannot tell the size of its sectors", NULL);
	rc = check_form(c);
	if (rc)
		return rc;
	if (c->api.get_media_size(c->image, size, &error) != 1 || *size > INT64_MAX)
		return refuse(c, "cannot tell its size", error);
	return 0;
}

/* libewf gives zeros where a checksum is wrong or a part is missing, and notes the sectors. */
static bool is_bad(const struct container *c, uint64_t offset, size_t length)
{
	uint32_t count = 0;

	if (!c->api.count_bad)
		return false;
	if (c->api.count_bad(c->image, &count, NULL) != 1)
		return true;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t sector, n;

		if (c->api.get_bad(c->image, i, &sector, &n, NULL) != 1)
			return true;
		if (sector < (offset + length - 1) / c->sector_size + 1 && sector + n > offset / c->sector_size)
			return true;
	}
	return false;
}

static int read_buffer(struct container *c, uint64_t offset, uint8_t *buffer, size_t length)
{
	while (length > 0) {
		const ssize_t n = c->api.read_at(c->image, buffer, length, (int64_t)offset, NULL);

		if (n <= 0 || (size_t)n > length || is_bad(c, offset, (size_t)n))
			return F2FS_SYS_ERROR(EIO);
		buffer += n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}

static int read_container(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int rc = 0;

	for (unsigned i = 0; i < count && rc == 0; i++) {
		rc = read_buffer(self, offset, iov[i].base, iov[i].length);
		offset += iov[i].length;
	}
	return rc;
}

static void close_container(void *self)
{
	struct container *c = self;

	if (c->is_open)
		c->api.close(c->image, NULL);
	if (c->image)
		c->api.free_image(&c->image, NULL);
	layer_close(self);
}

static const struct f2fs_device_ops container_ops = { .read = read_container, .close = close_container };

int container_make(struct f2fs_device *file, const char *path, unsigned flags, struct f2fs_device **out)
{
	const struct format *format = find_format(file);
	struct libyal api;
	struct f2fs_device *dev;
	struct container *c;
	uint64_t size = 0;
	int rc;

	if (!format || !libyal_load(format->kind, &api))
		return CONTAINER_NONE;
	if (flags & F2FS_OPEN_WRITE)
		return error_set(file->ctx, F2FS_ERR_UNSUPPORTED, "%s is %s, which can only be read", file->name,
				 format->what);
	rc = layer_make(file, sizeof(*c), &container_ops, 0, &dev);
	if (rc != 0)
		return rc;
	c = dev->self;
	c->format = format;
	c->api = api;
	rc = open_image(c, path, &size);
	if (rc != 0) {
		f2fs_device_close(dev);
		return rc;
	}
	dev->info.size = size;
	dev->info.start_sector = 0;
	dev->info.sector_size = 512;
	dev->below = NULL;
	log_message(file->ctx, F2FS_LOG_INFO, "%s is %s", file->name, format->what);
	*out = dev;
	return 0;
}

struct f2fs_device *container_below(struct f2fs_device *dev)
{
	uint64_t offset = 0;

	while (dev && !device_self(dev, read_container))
		dev = dev->below ? dev->below(dev->self, &offset) : NULL;
	return dev;
}

void container_describe_evidence(struct f2fs_device *container, struct f2fs_evidence *out)
{
	const struct container *c = container->self;

	*out = (struct f2fs_evidence){ F2FS_SIZED(f2fs_evidence),
				       .format = c->format->what,
				       .bytes = container->info.size,
				       .is_incomplete = is_incomplete(c) };
	if (!c->api.get_md5)
		return;
	out->has_md5 = c->api.get_md5(c->image, out->md5, sizeof(out->md5), NULL) == 1;
	out->has_sha1 = c->api.get_sha1(c->image, out->sha1, sizeof(out->sha1), NULL) == 1;
}
