/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process and its system under Windows, and texts of errors. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <windows.h>
#include <psapi.h>
#include <winternl.h>

#define NOBODY 1000u /* not root: no owner can be given */

char *host_strerror(int number) __asm__("strerror");

int getpid(void)
{
	return (int)GetCurrentProcessId();
}

/* Windows has no such numbers. New volumes belong to root. */
uid_t getuid(void)
{
	return 0;
}

gid_t getgid(void)
{
	return 0;
}

uid_t geteuid(void)
{
	return NOBODY;
}

long sysconf(int name)
{
	SYSTEM_INFO info;

	if (name != _SC_NPROCESSORS_ONLN) {
		errno = EINVAL;
		return -1;
	}
	GetSystemInfo(&info);
	return (long)info.dwNumberOfProcessors;
}

int getrusage(int who, struct rusage *out)
{
	PROCESS_MEMORY_COUNTERS counters;

	if (who != RUSAGE_SELF || !K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters))) {
		errno = EINVAL;
		return -1;
	}
	out->ru_maxrss = (long long)(counters.PeakWorkingSetSize / 1024);
	return 0;
}

/* RtlGetVersion() gives the truth to programs of any age. */
int uname(struct utsname *out)
{
	NTSTATUS(NTAPI * get_version)(RTL_OSVERSIONINFOW *);
	RTL_OSVERSIONINFOW version = { .dwOSVersionInfoSize = sizeof(version) };
	const FARPROC found = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	memcpy(&get_version, &found, sizeof(get_version));
	get_version(&version);
	memset(out, 0, sizeof(*out));
	strcpy(out->sysname, "Windows");
	snprintf(out->release, sizeof(out->release), "%lu.%lu.%lu", version.dwMajorVersion, version.dwMinorVersion,
		 version.dwBuildNumber);
	return 0;
}

char *strerror(int number)
{
	static const struct {
		int number;
		char text[32];
	} rows[] = {
		{ ENOTSUP, "Operation not supported" },
		{ EOPNOTSUPP, "Operation not supported" },
		{ ELOOP, "Too many symbolic links" },
		{ EOVERFLOW, "Value too large" },
		{ ECANCELED, "Operation canceled" },
		{ EDQUOT, "Disk quota exceeded" },
		{ ENODATA, "No data available" },
		{ ETXTBSY, "Text file busy" },
		{ EWOULDBLOCK, "Resource temporarily unavailable" },
		{ EILSEQ, "Not a name on this system" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].number == number)
			return (char *)(uintptr_t)rows[i].text;
	return host_strerror(number);
}
