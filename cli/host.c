/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host of a program; the progress bar is in progress.c.
 */
#include "cli/host.h"

#include <errno.h>
#include <f2fskit/device.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#include "cli/progress.h"
#include "cli/size.h"
#include "cli/standard.h"
#include "cli/usage.h"
#include "host/random_bytes.h"

static volatile sig_atomic_t stop_signal;

/* A second signal ends the program at once: the handler is gone after the first. */
static void note_signal(int number)
{
	stop_signal = number;
}

static void catch_signal(int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
		return; /* whoever started the program wants that: nohup, a script's background job */
	memset(&action, 0, sizeof(action));
	action.sa_handler = note_signal;
	action.sa_flags = (int)SA_RESETHAND;
	sigaction(number, &action, NULL);
}

int cli_stopped(void)
{
	return (int)stop_signal;
}

ssize_t cli_read(int fd, void *buffer, size_t room)
{
	struct pollfd on = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do {
		while (!stop_signal && poll(&on, 1, 100) <= 0)
			; /* a signal that came just before it began to wait is seen, too */
		if (stop_signal) {
			errno = EINTR;
			return -1;
		}
		n = read(fd, buffer, room);
	} while (n < 0 && errno == EINTR);
	return n;
}

int cli_write(FILE *to, const void *data, size_t length)
{
	struct pollfd on = { .fd = fileno(to), .events = POLLOUT };
	const char *from = data;

	if (fflush(to) != 0)
		return -1;
	while (length > 0) {
		/* as much as a pipe takes at once when it is ready */
		const size_t n = length < PIPE_BUF ? length : PIPE_BUF;
		ssize_t done;

		while (!stop_signal && poll(&on, 1, 100) <= 0)
			;
		if (stop_signal) {
			errno = EINTR;
			return -1;
		}
		done = write(on.fd, from, n);
		if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			from += done;
			length -= (size_t)done;
		}
	}
	return 0;
}

int cli_write_fd(void *user, const void *bytes, size_t length)
{
	const int *fd = user;
	const char *p = bytes;

	while (length > 0) {
		ssize_t n = write(*fd, p, length);

		if (n < 0 && (errno != EINTR || cli_stopped()))
			return F2FS_SYS_ERROR(errno);
		if (n > 0) {
			p += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

int cli_create(struct cli *cli, const struct f2fs_context *ctx, const char *path, unsigned mode, int *is_new)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);

	*is_new = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, (mode_t)mode);
	if (fd >= 0 && f2fs_device_is_open(ctx, fd)) {
		cli_error(cli, "%s is an image in use, and cannot be written to", path);
	} else if (fd < 0 || (ftruncate(fd, 0) != 0 && errno != EINVAL)) { /* pipes and the like have no size */
		cli_error(cli, "%s: %s", path, cli_stopped() ? "stopped" : strerror(errno));
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

void cli_leave_part(struct cli *cli, const char *path, int is_new)
{
	if (is_new)
		unlink(path);
	else
		cli_error(cli, "%s: is not complete", path);
}

void cli_go_on(void)
{
	const int number = (int)stop_signal;

	if (!number)
		return;
	stop_signal = 0;
	catch_signal(number);
}

void cli_put_text(FILE *to, const char *text)
{
	char shown[4 * 64 + 1];

	while (*text) {
		size_t n = strcspn(text, "\\"), kept = n;

		if (n >= 64) /* in pieces that end between characters */
			for (n = kept = 60; kept > 56 && ((unsigned char)text[kept] & 0xc0) == 0x80;)
				n = --kept;
		f2fs_text_printable(text, n, shown, sizeof(shown));
		fputs(shown, to);
		text += n;
		for (; *text == '\\'; text++)
			fputc('\\', to);
	}
}

/* Write one line; whoever made it, it may quote names of an image. */
static void put_line(struct cli *cli, const char *label, const char *text)
{
	cli_progress_clear(cli);
	if (!stop_signal) /* its reader may have stopped reading */
		fflush(stdout);
	fprintf(stderr, "%s: %s", cli->tool->name, label);
	cli_put_text(stderr, text);
	fputc('\n', stderr);
}

/* A message that names a path of 25 MB would help nobody: of a long one the beginning and the end are shown. */
static void shorten(char *text)
{
	enum { MOST = 8192, END = 2048 };
	const size_t n = strlen(text);

	if (n <= MOST)
		return;
	memcpy(text + END, " ... ", 5);
	memmove(text + END + 5, text + n - END, END + 1);
}

static void say(struct cli *cli, const char *label, const char *format, va_list args)
{
	char *text = NULL;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	text = n >= 0 ? malloc((size_t)n + 1) : NULL;
	if (text)
		vsnprintf(text, (size_t)n + 1, format, again);
	if (text)
		shorten(text);
	va_end(again);
	put_line(cli, label, text ? text : format);
	free(text);
}

void cli_error(struct cli *cli, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(cli, "", format, args);
	va_end(args);
}

/* Has this warning been shown? One is enough for a run. */
static int is_shown(struct cli *cli, const char *text)
{
	uint64_t hash = 0xCBF29CE484222325u;
	unsigned i = 0;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
	for (; i < CLI_WARNINGS && cli->warnings[i]; i++)
		if (cli->warnings[i] == hash)
			return 1;
	if (i < CLI_WARNINGS)
		cli->warnings[i] = hash;
	return 0;
}

void cli_warning(struct cli *cli, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!is_shown(cli, text))
		put_line(cli, "warning: ", text);
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

/* What --state=repaired can show of it; "": nothing. An error without a rule names another system or another place. */
static const char *repaired_hint(const struct f2fs_error_detail *detail)
{
	if (detail->code == F2FS_ERR_CORRUPT)
		return "; --state=repaired shows the volume as a repair would leave it";
	if (detail->code == F2FS_ERR_NOT_F2FS && detail->rule[0])
		return "; if it was one, --state=repaired shows what is left of it";
	return "";
}

void cli_error_detail(struct cli *cli, const struct f2fs_error_detail *detail, const char *what, const char *part)
{
	const char *message = detail->message[0] ? detail->message : f2fs_error_text(detail->code);
	char place[200];

	tell_place(detail, message, place, sizeof(place));
	if (!*part && is_named(message, what))
		what = "";
	cli_error(cli, "%s%s%s%s%s%s%s", what, *what ? ": " : "", part, *part ? ": " : "", message, place,
		  cli->offers_repaired ? repaired_hint(detail) : "");
}

void cli_error_of(struct cli *cli, const struct f2fs_context *ctx, const char *what)
{
	cli_error_detail(cli, f2fs_context_error(ctx), what ? what : "", "");
}

int cli_is_full(const struct f2fs_context *ctx, int rc)
{
	return rc == F2FS_ERR_NOSPC && f2fs_context_error(ctx)->sys_errno == 0;
}

void cli_usage_error(struct cli *cli, const char *what, const char *value, const char *why)
{
	if (value)
		cli_error(cli, "%s: '%s' %s", what, value, why);
	else
		cli_error(cli, "%s %s", what, why);
	cli_opt_hint(cli->tool);
}

static int tells_signals(const struct cli_tool *tool)
{
	for (unsigned i = 0; i < tool->exit_count; i++)
		if (tool->exits[i].code == CLI_EXIT_STOPPED)
			return 1;
	return 0;
}

int cli_finish(struct cli *cli, int status, int failure)
{
	cli_progress_clear(cli);
	if (stop_signal && (status & failure) && tells_signals(cli->tool))
		_exit(CLI_EXIT_SIGNAL + (int)stop_signal); /* do not write to a reader that may be gone */
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	cli_error(cli, "standard output: %s%s%s", strerror(errno), cli->done ? "; " : "", cli->done ? cli->done : "");
	return status ? status : failure;
}

static void log_to_stderr(void *user, enum f2fs_log_level level, const char *message)
{
	static const char *const labels[] = { "error: ", "warning: ", "", "debug: " };
	struct cli *cli = user;

	cli->has_logged_error |= level == F2FS_LOG_ERROR;
	if (level > cli->level || (level == F2FS_LOG_WARNING && is_shown(cli, message)))
		return;
	put_line(cli, labels[level], message);
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

static int fill_random(void *user, void *buffer, size_t n)
{
	(void)user;
	return host_random(buffer, n);
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

	cli_take_standard();
	memset(cli, 0, sizeof(*cli));
	cli->tool = tool;
	cli->level = F2FS_LOG_WARNING;
	cli->show_progress = isatty(STDERR_FILENO);
	cli->host.struct_size = sizeof(cli->host);
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
	catch_signal(SIGHUP);
	signal(SIGXFSZ, SIG_IGN); /* beyond a limit of the size of files a write fails as others do: EFBIG */
	return 0;
}

int cli_context_new(struct cli *cli, struct f2fs_context **out)
{
	int rc = f2fs_context_open(&cli->host, out);

	if (rc)
		cli_error(cli, "%s", f2fs_error_text(rc));
	return rc;
}
