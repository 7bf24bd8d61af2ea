/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting and signals under Windows. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#define STEP 10 /* milliseconds between looks at a pipe */

/* ---- descriptors */

static bool is_ready(HANDLE handle, short events)
{
	DWORD waiting = 0;

	if (!(events & POLLIN))
		return true;
	if (GetFileType(handle) == FILE_TYPE_CHAR)
		return WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;
	if (GetFileType(handle) != FILE_TYPE_PIPE)
		return true;
	return !PeekNamedPipe(handle, NULL, 0, NULL, &waiting, NULL) || waiting > 0; /* or its end */
}

int poll(struct pollfd *on, unsigned long count, int milliseconds)
{
	const HANDLE handle = count == 1 ? host_handle(on->fd) : NULL;

	if (!handle)
		return -1;
	on->revents = 0;
	for (int waited = 0; !is_ready(handle, on->events); waited += STEP) {
		if (milliseconds >= 0 && waited >= milliseconds)
			return 0;
		Sleep(STEP);
	}
	on->revents = on->events;
	return 1;
}

/* ---- signals */

enum { SIGNALS = 32, CLOSE_WAIT = 10000 };

static _Atomic(void (*)(int)) handlers[SIGNALS];
static atomic_bool is_reset[SIGNALS];

static int signal_of(DWORD event)
{
	if (event == CTRL_C_EVENT)
		return SIGINT;
	return event == CTRL_BREAK_EVENT ? SIGTERM : SIGHUP;
}

/* Runs on a thread of its own. Windows ends the program when the console is closed and this returns. */
static BOOL WINAPI note_event(DWORD event)
{
	const int number = signal_of(event);
	void (*const handler)(int) = is_reset[number] ? atomic_exchange(&handlers[number], SIG_DFL) : handlers[number];

	if (handler == SIG_IGN)
		return TRUE;
	if (handler == SIG_DFL)
		return FALSE;
	handler(number);
	if (number == SIGHUP)
		Sleep(CLOSE_WAIT);
	return TRUE;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	static atomic_bool is_called;

	if (number <= 0 || number >= SIGNALS) {
		errno = EINVAL;
		return -1;
	}
	if (before)
		*before = (struct sigaction){ .sa_handler = handlers[number],
					      .sa_flags = is_reset[number] ? SA_RESETHAND : 0 };
	if (!action)
		return 0;
	is_reset[number] = (action->sa_flags & SA_RESETHAND) != 0;
	handlers[number] = action->sa_handler;
	if (!atomic_exchange(&is_called, true) && !SetConsoleCtrlHandler(note_event, TRUE))
		return host_fail_last();
	return 0;
}

int sigfillset(sigset_t *set)
{
	*set = ~0ull;
	return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	(void)how;
	(void)set;
	if (before)
		*before = 0;
	return 0;
}
