/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host of a program; the progress bar is in progress.c.
 */
#include "cli/host.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
#if defined(__linux__)
#include <sys/random.h>
#endif

#include "cli/progress.h"
#include "cli/size.h"

static volatile sig_atomic_t stop_signal;

/* A second signal ends the program at once: the handler is gone after the first. */
static void note_signal(int number)
{
	stop_signal = number;
}

static void catch_signal(int number)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = note_signal;
	action.sa_flags = (int)SA_RESETHAND;
	sigaction(number, &action, NULL);
}

int cli_stopped(void)
{
	return stop_signal;
}

static void say(struct cli *cli, const char *label, const char *format, va_list args)
{
	cli_progress_clear(cli);
	fflush(stdout);
	fprintf(stderr, "%s: %s", cli->tool->name, label);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void cli_error(struct cli *cli, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(cli, "", format, args);
	va_end(args);
}

void cli_warning(struct cli *cli, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(cli, "warning: ", format, args);
	va_end(args);
}

/* Add a phrase to the place, unless the message has the word already. */
static void add_place(const char *message, char *place, size_t size, const char *word, const char *phrase)
{
	size_t n = strlen(place);

	if (*word && !strstr(message, word))
		snprintf(place + n, size - n, "%s%s", n ? ", " : " [", phrase);
}

/* Where an error is, as far as its message does not say it: " [inode, node 5, block 4107, rule INODE_CHECKSUM]". */
static void tell_place(const struct f2fs_error_detail *detail, const char *message, char *place, size_t size)
{
	char phrase[64];
	size_t n;

	place[0] = '\0';
	add_place(message, place, size, detail->structure, detail->structure);
	if (detail->nid != F2FS_NO_NID) {
		snprintf(phrase, sizeof(phrase), "node %u", detail->nid);
		add_place(message, place, size, phrase + 5, phrase);
	}
	if (detail->block != F2FS_NO_BLOCK) {
		snprintf(phrase, sizeof(phrase), "block %llu", (unsigned long long)detail->block);
		add_place(message, place, size, phrase + 6, phrase);
	}
	snprintf(phrase, sizeof(phrase), "rule %s", detail->rule);
	add_place(message, place, size, detail->rule, phrase);
	n = strlen(place);
	if (n)
		snprintf(place + n, size - n, "]");
}

/* Does the message name it as a word, so that it need not stand in front of it? */
static int is_named(const char *message, const char *what)
{
	const char *at = *what ? strstr(message, what) : NULL;

	return at && (at == message || at[-1] == ' ') && strchr(": ", at[strlen(what)]);
}

void cli_error_detail(struct cli *cli, const struct f2fs_error_detail *detail, const char *what, const char *part)
{
	const char *message = detail->message[0] ? detail->message : f2fs_error_text(detail->code);
	char place[200];

	tell_place(detail, message, place, sizeof(place));
	if (!*part && is_named(message, what))
		what = "";
	cli_error(cli, "%s%s%s%s%s%s", what, *what ? ": " : "", part, *part ? ": " : "", message, place);
}

void cli_error_of(struct cli *cli, const struct f2fs_context *ctx, const char *what)
{
	cli_error_detail(cli, f2fs_context_error(ctx), what ? what : "", "");
}

void cli_usage_error(struct cli *cli, const char *what, const char *value, const char *why)
{
	cli_error(cli, "%s: '%s' %s", what, value, why);
	cli_opt_hint(cli->tool);
}

int cli_finish(struct cli *cli, int status, int failure)
{
	cli_progress_clear(cli);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	cli_error(cli, "standard output: %s", strerror(errno));
	return status ? status : failure;
}

static void log_to_stderr(void *user, enum f2fs_log_level level, const char *message)
{
	static const char *const labels[] = { "error: ", "warning: ", "", "debug: " };
	struct cli *cli = user;

	if (level > cli->level)
		return;
	cli_progress_clear(cli);
	fflush(stdout);
	fprintf(stderr, "%s: %s%s\n", cli->tool->name, labels[level], message);
}

static int64_t tell_time(void *user)
{
	const struct cli *cli = user;
	struct timespec now;

	if (cli->has_epoch)
		return cli->epoch * 1000000000;
	if (clock_gettime(CLOCK_REALTIME, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int read_urandom(uint8_t *buffer, size_t n)
{
	int fd = open("/dev/urandom", O_RDONLY);
	size_t done = 0;

	if (fd < 0)
		return -1;
	while (done < n) {
		ssize_t got = read(fd, buffer + done, n - done);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			break;
		if (got > 0)
			done += (size_t)got;
	}
	close(fd);
	return done == n ? 0 : -1;
}

static int fill_random(void *user, void *buffer, size_t n)
{
	uint8_t *p = buffer;

	(void)user;
#if defined(__linux__)
	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && errno != EINTR)
			break;
		if (got > 0) {
			p += got;
			n -= (size_t)got;
		}
	}
#endif
	return n > 0 ? read_urandom(p, n) : 0;
}

static int show_progress(void *user, const struct f2fs_progress *progress)
{
	struct cli *cli = user;

	if (cli->meter.fd > 0)
		cli_meter_put(&cli->meter, progress);
	else if (cli->show_progress)
		cli_progress_draw(cli, progress);
	return stop_signal != 0;
}

int cli_init(struct cli *cli, const struct cli_tool *tool)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");

	memset(cli, 0, sizeof(*cli));
	cli->tool = tool;
	cli->level = F2FS_LOG_WARNING;
	cli->show_progress = isatty(STDERR_FILENO);
	cli->host.user = cli;
	cli->host.log = log_to_stderr;
	cli->host.progress = show_progress;
	cli->host.now_ns = tell_time;
	cli->host.random = fill_random;
	if (epoch && *epoch) {
		const char *why = cli_parse_s64(epoch, &cli->epoch);

		if (!why && (cli->epoch < 0 || cli->epoch > INT64_MAX / 1000000000))
			why = "is out of range";
		if (why) {
			cli_error(cli, "SOURCE_DATE_EPOCH: '%s' %s", epoch, why);
			return -1;
		}
		cli->has_epoch = 1;
	}
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	return 0;
}

int cli_context_new(struct cli *cli, struct f2fs_context **out)
{
	int rc = f2fs_context_new(&cli->host, out);

	if (rc)
		cli_error(cli, "%s", f2fs_error_text(rc));
	return rc;
}
