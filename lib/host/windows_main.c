/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The start of programs under Windows: arguments in UTF-8, standard streams of bytes, a console that shows UTF-8.
 */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include <windows.h>

#include "host/windows/wide.h"

#define O_BINARY 0x8000

int _setmode(int fd, int mode);
int main(int argc, char **argv);
int wmain(int argc, wchar_t **wide);

static UINT shown_before;

static void restore_console(void)
{
	SetConsoleOutputCP(shown_before);
}

static void prepare_console(void)
{
	shown_before = GetConsoleOutputCP();
	if (shown_before && shown_before != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
		atexit(restore_console);
}

/* The C library's start calls this; the arguments live as long as the program. */
int wmain(int argc, wchar_t **wide)
{
	char **const argv = calloc((size_t)argc + 1, sizeof(*argv));

	for (int i = 0; argv && i < argc; i++) {
		argv[i] = host_narrow(wide[i], wcslen(wide[i]));
		if (!argv[i])
			return EXIT_FAILURE;
	}
	for (int fd = 0; fd < 3; fd++)
		_setmode(fd, O_BINARY);
	prepare_console();
	return argv ? main(argc, argv) : EXIT_FAILURE;
}
