/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The progress bar: "mkfs.f2fs: writing [#####     ]  52% 1.5 GiB of 3 GiB".
 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/size.h"

enum { BAR_WIDTH = 24 };

static const int64_t first_after_ns = 500000000;
static const int64_t interval_ns = 100000000;

static int64_t tick(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void put_amount(uint64_t amount, const char *unit)
{
	char buffer[24];

	if (unit && !strcmp(unit, "bytes"))
		fputs(cli_format_size(amount, buffer), stderr);
	else
		fprintf(stderr, "%llu", (unsigned long long)amount);
}

static void put_bar(uint64_t done, uint64_t total)
{
	double part = done < total ? (double)done / (double)total : 1.0;
	int filled = (int)(part * (double)BAR_WIDTH);
	char bar[BAR_WIDTH + 1];

	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '#', (size_t)filled);
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "[%s] %3d%% ", bar, (int)(part * 100));
}

void cli_progress_draw(struct cli *cli, const struct f2fs_progress *p)
{
	int64_t now = tick();

	if (cli->drawn_task != p->task) {
		cli->drawn_task = p->task;
		cli->started_ns = now;
		cli->drawn_ns = now;
	}
	if (now - cli->started_ns < first_after_ns || now - cli->drawn_ns < interval_ns)
		return;
	cli->drawn_ns = now;
	cli->is_drawn = 1;
	fprintf(stderr, "\r\033[K%s: %s ", cli->tool->name, p->phase ? p->phase : p->task);
	if (p->total)
		put_bar(p->done, p->total);
	put_amount(p->done, p->unit);
	if (p->total) {
		fputs(" of ", stderr);
		put_amount(p->total, p->unit);
	}
	if (p->unit && strcmp(p->unit, "bytes") != 0)
		fprintf(stderr, " %s", p->unit);
	fflush(stderr);
}

void cli_progress_clear(struct cli *cli)
{
	if (!cli->is_drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	cli->is_drawn = 0;
}

void cli_meter_put(struct cli_meter *meter, const struct f2fs_progress *progress)
{
	if (progress->phase != meter->phase) {
		meter->phase = progress->phase;
		meter->pass++;
	}
	if (progress->total)
		dprintf(meter->fd, "%d %llu %llu %s\n", meter->pass, (unsigned long long)progress->done,
			(unsigned long long)progress->total, meter->device);
}
