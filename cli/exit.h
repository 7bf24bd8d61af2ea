/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exit codes. Each program has a table of the codes it uses and their meaning. The manual page takes its text from that
 * table. fsck.f2fs uses the bits of fsck(8), so a number always means the same.
 */
#ifndef F2FSKIT_CLI_EXIT_H
#define F2FSKIT_CLI_EXIT_H

enum cli_exit_code {
	CLI_EXIT_OK = 0,
	CLI_EXIT_FAILURE = 1,	  /* programs other than fsck: it did not work */
	CLI_EXIT_CORRECTED = 1,	  /* fsck: errors corrected */
	CLI_EXIT_MISSING = 2,	  /* programs that read: something that was asked for does not exist */
	CLI_EXIT_REBOOT = 2,	  /* fsck: corrected, reboot */
	CLI_EXIT_UNCORRECTED = 4, /* fsck: errors left */
	CLI_EXIT_INCOMPLETE = 4,  /* programs that read: something could not be read */
	CLI_EXIT_OPERATIONAL = 8, /* could not run */
	CLI_EXIT_USAGE = 16,	  /* wrong arguments, where 1 is not needed for compatibility */
	CLI_EXIT_CANCELED = 32,	  /* fsck: canceled */
	CLI_EXIT_LIBRARY = 128,	  /* fsck: library error */
	CLI_EXIT_SIGNAL = 128,	  /* programs other than fsck: stopped by the signal whose number is added */
	CLI_EXIT_STOPPED = 130	  /* the same by SIGINT, for the tables */
};

/*
 * Convert an error of the library to CLI_EXIT_MISSING or CLI_EXIT_INCOMPLETE; 0 for all other errors. reads: the
 * program only reads. Errors such as IO count only for those, because other programs meet them while they write, too.
 */
int cli_exit_of(int rc, int reads);

#define CLI_STOPPED_TEXT "stopped by SIGINT (143: SIGTERM, 129: SIGHUP); "

/* One row of a program's table. */
struct cli_exit {
	int code;
	const char *text;
};

#endif
