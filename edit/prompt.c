/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines typed into the shell. With libedit they can be edited, earlier ones come back with the cursor keys, and the
 * tabulator completes commands, names of the volume and, for put, of the host; without it they are read as they come.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/host.h"
#include "cli/join.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "edit/prompt.h"
#include "f2fskit_config.h"

#if HAVE_LIBEDIT
#include <editline/readline.h>

/* The data of the library's callbacks, which have no argument for it. */
static struct {
	struct edit *e;
	char **names; /* what begins like the word at hand */
	size_t count, room, next;
} completing;

static void forget_names(void)
{
	for (size_t i = 0; i < completing.count; i++)
		free(completing.names[i]);
	free(completing.names);
	completing.names = NULL;
	completing.count = completing.room = completing.next = 0;
}

/* Offer a name, which is taken over; one for which there is no memory is not offered. */
static void offer(char *name)
{
	if (name && completing.count == completing.room) {
		const size_t room = completing.room ? 2 * completing.room : 32;
		char **more = realloc(completing.names, room * sizeof(*more));

		if (more) {
			completing.names = more;
			completing.room = room;
		}
	}
	if (name && completing.count < completing.room)
		completing.names[completing.count++] = name;
	else
		free(name);
}

static char *next_name(const char *text, int state)
{
	(void)text;
	(void)state;
	return completing.next < completing.count ? strdup(completing.names[completing.next++]) : NULL;
}

static void offer_commands(const char *text)
{
	const struct edit *e = completing.e;

	for (unsigned i = 0; i < e->command_count; i++)
		if (e->commands[i].name && !strncmp(e->commands[i].name, text, strlen(text)))
			offer(strdup(e->commands[i].name));
}

/* The word at the cursor: the part before its last slash, and the start of a name. */
struct begun {
	char *directory;
	const char *name;
};

/* Would a terminal act on the name, rather than show it? */
static int is_unprintable(const char *name)
{
	char shown[4 * F2FS_NAME_ROOM + 1];

	f2fs_text_printable(name, strlen(name), shown, sizeof(shown));
	return strcmp(shown, name) != 0;
}

/* Names with characters that the shell takes apart, or that are no text, are not offered. */
static int offer_entry(void *user, const struct f2fs_dirent *entry)
{
	const struct begun *begun = user;
	char *name;
	size_t n;

	if (strncmp(entry->name, begun->name, strlen(begun->name)) != 0 || strpbrk(entry->name, " \t\n;'\"\\*?[#") ||
	    (entry->name[0] == '.' && begun->name[0] != '.') || is_unprintable(entry->name))
		return 0;
	name = *begun->directory ? cli_join(begun->directory, entry->name) : strdup(entry->name);
	n = name ? strlen(name) : 0;
	if (name && entry->type == F2FS_TYPE_DIRECTORY) {
		char *longer = realloc(name, n + 2);

		if (longer)
			memcpy(longer + n, "/", 2);
		name = longer ? longer : name;
	}
	offer(name);
	return 0;
}

static void offer_files(struct edit *e, const char *text)
{
	const char *slash = strrchr(text, '/');
	const size_t n = slash ? (size_t)(slash - text) + 1 : 0;
	struct begun begun = { malloc(n + 1), text + n };
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	char *path;

	if (!begun.directory)
		return;
	memcpy(begun.directory, text, n);
	begun.directory[n] = '\0';
	path = edit_path(e, n ? begun.directory : ".");
	if (path && e->vol && f2fs_lookup(e->vol, path, F2FS_LOOKUP_FOLLOW, &inode) == 0) {
		if (f2fs_inode_stat(inode, &st) == 0 && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR)
			edit_each(e, inode, path, offer_entry, &begun);
		f2fs_inode_close(inode);
	}
	free(path);
	free(begun.directory);
}

static char **complete(const char *text, int start, int end)
{
	const char *line = rl_line_buffer, *command = line;
	size_t n;

	(void)end;
	for (int i = 0; i < start; i++)
		if (line[i] == ';')
			command = line + i + 1;
	command += strspn(command, " \t");
	n = strcspn(command, " \t;");
	rl_attempted_completion_over = 1;
	rl_completion_append_character = ' ';
	forget_names();
	if (command - line >= start) {
		offer_commands(text);
	} else if (n == 3 && !strncmp(command, "put", n)) {
		rl_attempted_completion_over = 0; /* the library itself completes files of the host */
		return NULL;
	} else {
		if (!completing.e->vol)
			edit_open_volume(completing.e);
		offer_files(completing.e, text);
	}
	if (completing.count == 1 && completing.names[0][strlen(completing.names[0]) - 1] == '/')
		rl_completion_append_character = '\0';
	return completing.count ? rl_completion_matches(text, next_name) : NULL;
}

/*
 * The next character typed, -1 at the end and when a signal asks to stop. The library's own way to wait misses a signal
 * that comes just before it.
 */
static int next_character(FILE *from)
{
	mbstate_t state = { 0 };
	wchar_t character;
	size_t rc;
	char byte;

	do {
		if (cli_read(fileno(from), &byte, 1) != 1)
			return -1;
		rc = mbrtowc(&character, &byte, 1, &state);
	} while (rc == (size_t)-2); /* there is more of it */
	return rc == (size_t)-1 ? (unsigned char)byte : (int)character;
}

char *edit_read_line(struct edit *e, const char *prompt)
{
	static char breaks[] = " \t\n;'\"";
	char *line;

	if (!completing.e) {
		setlocale(LC_CTYPE, "");
		if (MB_CUR_MAX == 1) /* names are UTF-8 whatever the locale */
			setlocale(LC_CTYPE, "C.UTF-8");
		rl_outstream = stderr; /* the standard output is for what commands show */
		rl_readline_name = "f2fs";
		rl_getc_function = next_character;
		rl_attempted_completion_function = complete;
		rl_completer_word_break_characters = breaks;
		using_history();
	}
	completing.e = e;
	line = readline(prompt);
	if (line && line[strspn(line, " \t")])
		add_history(line);
	forget_names();
	return line;
}
#else
char *edit_read_line(struct edit *e, const char *prompt)
{
	char *line = NULL;
	size_t room = 0;

	(void)e;
	fputs(prompt, stderr);
	fflush(stderr);
	if (getline(&line, &room, stdin) >= 0)
		return line;
	free(line);
	return NULL;
}
#endif
