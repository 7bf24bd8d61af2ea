/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Open the models, and apply the host's operations to them; see ftl.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ftl_options.h"

#define MAX_PAGES (UINT64_C(0xffffffff) - 1)

/* The numbers of superblocks and pages, and whether the flash is enough for the model. */
static int measure(struct f2fs_context *ctx, struct ftl *ftl, uint64_t bytes, uint64_t *flash_blocks)
{
	const struct ftl_options *options = &ftl->options;
	const uint64_t pages = bytes / options->superpage + (bytes % options->superpage != 0);
	const uint64_t per_block = options->superblock / options->superpage;
	const uint64_t blocks = pages / per_block + (pages % per_block != 0);
	const uint64_t more = (uint64_t)((double)blocks * (double)options->op / 1e6);
	char message[200];
	uint32_t spare;

	if (bytes == 0 || (blocks + more) * per_block > MAX_PAGES)
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID,
					 "flash needs some bytes, and has at most 2^32 - 2 superpages");
	spare = ftl->model->spare(options, (uint32_t)pages);
	if (more < spare) {
		snprintf(message, sizeof(message),
			 "flash model %s: op: %g%% of %llu superblocks is %llu, and the model needs %u beyond the data",
			 ftl->model->name, (double)options->op / 1e4, (unsigned long long)blocks,
			 (unsigned long long)more, spare);
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID, message);
	}
	ftl->pages = (uint32_t)pages;
	ftl->blocks = (uint32_t)blocks;
	ftl->own = ftl->model->own_pages ? ftl->model->own_pages(options, ftl->pages) : 0;
	*flash_blocks = blocks + more;
	return 0;
}

static int allocate(struct ftl *ftl, uint64_t flash_blocks, int stamps)
{
	const uint32_t per_block = (uint32_t)(ftl->options.superblock / ftl->options.superpage);
	const size_t mapped = (size_t)ftl->pages + ftl->own;

	if (flash_init(&ftl->flash, (uint32_t)flash_blocks, per_block, stamps) != 0)
		return -1;
	ftl->where = malloc(mapped * sizeof(*ftl->where));
	ftl->data = malloc(ftl->blocks * sizeof(*ftl->data));
	if (!ftl->where || !ftl->data)
		return -1;
	memset(ftl->where, 0xff, mapped * sizeof(*ftl->where));
	memset(ftl->data, 0xff, ftl->blocks * sizeof(*ftl->data));
	return ftl->model->open(ftl);
}

int ftl_open(struct f2fs_context *ctx, const char *text, uint64_t bytes, int stamps, struct ftl **out)
{
	struct ftl *ftl = calloc(1, sizeof(*ftl));
	uint64_t flash_blocks = 0;
	int rc;

	if (!ftl)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for a flash model");
	rc = ftl_parse(ctx, text, &ftl->model, &ftl->options);
	if (rc == 0)
		rc = measure(ctx, ftl, bytes, &flash_blocks);
	if (rc == 0 && allocate(ftl, flash_blocks, stamps) != 0)
		rc = f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for the tables of a flash model");
	if (rc != 0) {
		ftl_close(ftl);
		return rc;
	}
	for (uint32_t page = 0; ftl->options.fill && page < ftl->pages; page++)
		ftl_write(ftl, page);
	ftl_reset_counts(ftl);
	*out = ftl;
	return 0;
}

void ftl_close(struct ftl *ftl)
{
	if (!ftl)
		return;
	if (ftl->model && ftl->where && ftl->data)
		ftl->model->close(ftl);
	flash_fini(&ftl->flash);
	free(ftl->where);
	free(ftl->data);
	free(ftl);
}

uint32_t ftl_pages(const struct ftl *ftl)
{
	return ftl->pages;
}

uint32_t ftl_page_bytes(const struct ftl *ftl)
{
	return (uint32_t)ftl->options.superpage;
}

uint32_t ftl_block_bytes(const struct ftl *ftl)
{
	return (uint32_t)ftl->options.superblock;
}

const char *ftl_name(const struct ftl *ftl)
{
	return ftl->model->name;
}

void ftl_set_stream(struct ftl *ftl, unsigned stream)
{
	ftl->stream = stream;
}

void ftl_set_hint(struct ftl *ftl, unsigned (*hint)(void *user, uint64_t offset), void *user)
{
	ftl->hint = hint;
	ftl->hint_user = user;
	ftl->stream = 0;
}

void ftl_write(struct ftl *ftl, uint32_t logical)
{
	ftl->counts.host_writes++;
	ftl->counts.host_bytes += ftl->options.superpage;
	ftl->model->write(ftl, logical);
}

void ftl_trim(struct ftl *ftl, uint32_t logical)
{
	ftl->counts.host_trims++;
	if (ftl->where[logical] != FLASH_NONE)
		ftl->model->trim(ftl, logical);
}

void ftl_write_bytes(struct ftl *ftl, uint64_t offset, uint64_t length)
{
	const uint64_t page_bytes = ftl->options.superpage, end = offset + length;

	for (uint64_t at = offset; at < end;) {
		const uint64_t page = at / page_bytes;
		const uint64_t next = (page + 1) * page_bytes < end ? (page + 1) * page_bytes : end;

		ftl->counts.part_writes += next - at < page_bytes;
		ftl->counts.host_writes++;
		if (ftl->hint)
			ftl->stream = ftl->hint(ftl->hint_user, at);
		ftl->model->write(ftl, (uint32_t)page);
		at = next;
	}
	ftl->counts.host_bytes += length;
}

void ftl_read_bytes(struct ftl *ftl, uint64_t offset, uint64_t length)
{
	const uint64_t page_bytes = ftl->options.superpage;
	const uint64_t first = offset / page_bytes, end = length ? (offset + length - 1) / page_bytes + 1 : first;

	ftl->counts.host_reads += end - first;
	for (uint64_t page = first; ftl->model->read && page < end; page++)
		ftl->model->read(ftl, (uint32_t)page);
}

void ftl_read(struct ftl *ftl, uint32_t logical)
{
	ftl->counts.host_reads++;
	if (ftl->model->read)
		ftl->model->read(ftl, logical);
}

void ftl_trim_bytes(struct ftl *ftl, uint64_t offset, uint64_t length)
{
	const uint64_t page_bytes = ftl->options.superpage;
	const uint64_t end = (offset + length) / page_bytes;

	for (uint64_t page = (offset + page_bytes - 1) / page_bytes; page < end; page++)
		ftl_trim(ftl, (uint32_t)page);
}

uint32_t ftl_stamp(const struct ftl *ftl, uint32_t logical)
{
	const uint32_t page = ftl->where[logical];

	assert(ftl->flash.stamps);
	return page == FLASH_NONE ? 0 : ftl->flash.stamps[page];
}

void ftl_count(const struct ftl *ftl, struct ftl_counts *out)
{
	const struct flash *flash = &ftl->flash;

	*out = ftl->counts;
	out->programs = flash->programs - ftl->counts.programs;
	out->erases = flash->erases - ftl->counts.erases;
	out->wear_least = UINT32_MAX;
	for (uint32_t i = 0; i < flash->blocks; i++) {
		if (flash->info[i].erases < out->wear_least)
			out->wear_least = flash->info[i].erases;
		if (flash->info[i].erases > out->wear_most)
			out->wear_most = flash->info[i].erases;
	}
}

/* What flash itself has counted so far is left out of later answers. */
void ftl_reset_counts(struct ftl *ftl)
{
	ftl->counts = (struct ftl_counts){ .programs = ftl->flash.programs, .erases = ftl->flash.erases };
}

double ftl_hit_ratio(const struct ftl *ftl)
{
	const struct ftl_counts *counts = &ftl->counts;

	return counts->map_lookups ? (double)counts->map_hits / (double)counts->map_lookups : 0;
}

double ftl_wear_index(const struct ftl *ftl)
{
	const uint64_t erases = ftl->flash.erases - ftl->counts.erases;

	return ftl->counts.host_bytes ? (double)erases * (double)ftl->options.superblock /
						(double)ftl->counts.host_bytes :
					0;
}

double ftl_write_amplification(const struct ftl *ftl)
{
	const uint64_t programs = ftl->flash.programs - ftl->counts.programs;

	return ftl->counts.host_writes ? (double)programs / (double)ftl->counts.host_writes : 0;
}

const char *ftl_check(const struct ftl *ftl)
{
	const char *broken = flash_check(&ftl->flash);
	uint64_t mapped = 0, live = 0;

	if (broken)
		return broken;
	for (uint32_t page = 0; page < ftl->pages + ftl->own; page++) {
		if (ftl->where[page] == FLASH_NONE)
			continue;
		mapped++;
		if (ftl->flash.owner[ftl->where[page]] != page)
			return "a logical page is mapped to a page of flash that is not its own";
	}
	for (uint32_t i = 0; i < ftl->flash.blocks; i++)
		live += ftl->flash.info[i].live;
	if (live != mapped)
		return "a page of flash is live without being mapped";
	return ftl->model->check ? ftl->model->check(ftl) : NULL;
}
