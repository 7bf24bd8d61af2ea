/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Device numbers. Old form, word 0: major << 8 | minor. New form, word 1: the
 * low 8 bits of the minor, 12 bits of major, the high 12 bits of the minor.
 * Word 0 decides: 0 means the new form, so 0:0 is all zeros either way.
 */
#include "base/devnum.h"

#include "base/bytes.h"

void devnum_decode(const uint8_t words[DEVNUM_WORDS_SIZE], struct devnum *dev)
{
	uint32_t old = get_le32(words);
	uint32_t wide = get_le32(words + 4);

	if (old != 0) {
		dev->major = old >> 8 & 0xFF;
		dev->minor = old & 0xFF;
	} else {
		dev->major = wide >> 8 & 0xFFF;
		dev->minor = (wide & 0xFF) | (wide >> 12 & 0xFFF00);
	}
}

int devnum_encode(const struct devnum *dev, uint8_t words[DEVNUM_WORDS_SIZE])
{
	uint32_t old = 0, wide = 0;

	if (dev->major > DEVNUM_MAJOR_MAX || dev->minor > DEVNUM_MINOR_MAX)
		return -1;
	if (dev->major <= 0xFF && dev->minor <= 0xFF)
		old = dev->major << 8 | dev->minor;
	else
		wide = (dev->minor & 0xFF) | dev->major << 8 | (dev->minor & 0xFFF00) << 12;
	put_le32(words, old);
	put_le32(words + 4, wide);
	put_le32(words + 8, 0);
	return 0;
}
