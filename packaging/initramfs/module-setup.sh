#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Module of dracut: put fsck.f2fs and the module of the kernel into the image if one of the host's file systems is F2FS.

# Called by dracut: does the image need this module? 255 means only if another asks for it.
check()
{
	local fs
	require_binaries fsck.f2fs || return 1
	if [[ $hostonly ]]; then
		for fs in "${host_fs_types[@]}"; do
			[[ $fs == f2fs ]] && return 0
		done
		return 255
	fi
	return 0
}

# Called by dracut: fs-lib has the functions that call the checker.
depends()
{
	echo fs-lib
}

# Called by dracut.
installkernel()
{
	# f2fs of older kernels loads crc32 by its name
	hostonly='' instmods f2fs crc32
}

# Called by dracut. inst_multiple also copies the libraries.
install()
{
	inst_multiple fsck.f2fs
}
