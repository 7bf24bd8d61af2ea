# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times as arguments: everywhere whole nanoseconds since 1970, or a datetime with a time zone.

Present times in seconds, milliseconds or microseconds would be nanoseconds of the first 116 days of 1970. Numbers up to
there are refused. Exceptions are 0 and whole seconds up to 100, which mean "no time" (SOURCE_DATE_EPOCH=1).
"""

from __future__ import annotations

import datetime
import operator
import os
import re
import time
from typing import Callable, Union

Moment = Union[int, datetime.datetime]
Clock = Callable[[], Moment]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_SECOND = 1_000_000_000
_OTHER_UNITS = 10_000_000 * _SECOND
_NO_TIME = 100 * _SECOND
_MOST_SECONDS = ((1 << 63) - 1) // _SECOND


def _whole(value: Moment, what: str) -> int:
    """Return a time as nanoseconds since 1970. TypeError for anything but an int or a datetime with a time zone."""
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise TypeError(f"{what}: a datetime needs a time zone, such as tzinfo=datetime.timezone.utc")
        past = value - _EPOCH
        return (past.days * 86400 + past.seconds) * _SECOND + past.microseconds * 1000
    if isinstance(value, bool):
        raise TypeError(f"{what}: nanoseconds since 1970 or a datetime are wanted, not bool")
    try:
        return operator.index(value)
    except TypeError:
        message = f"{what}: nanoseconds since 1970 or a datetime are wanted, not {type(value).__name__}"
        raise TypeError(message) from None


def nanoseconds(value: Moment, what: str) -> int:
    """Return a time as nanoseconds since 1970.

    TypeError for anything but an int or a datetime with a time zone. ValueError for a time that does not fit into 64
    bits (years 1677 to 2262), such as seconds multiplied twice. ValueError also for numbers that can only be of another
    unit.
    """
    found = _whole(value, what)
    if not -(1 << 63) <= found < 1 << 63:
        raise ValueError(f"{what}: nanoseconds since 1970 have to fit into 64 bits: {found}")
    if 0 < found < _OTHER_UNITS and not isinstance(value, datetime.datetime) and (found > _NO_TIME or found % _SECOND):
        raise ValueError(f"{what}: {found} nanoseconds are a time in early 1970; multiply seconds by 1_000_000_000, or give a datetime")
    return found


def source_date_epoch() -> datetime.datetime | None:
    """Return the time that the environment's SOURCE_DATE_EPOCH stands for; None without it.

    ValueError when it is not a number of seconds, as the tools refuse it.
    """
    said = os.environ.get("SOURCE_DATE_EPOCH")
    if not said:
        return None
    if not re.fullmatch("[0-9]+", said) or int(said) > _MOST_SECONDS:
        raise ValueError(f"SOURCE_DATE_EPOCH has to be a number of seconds since 1970, not {said!r}")
    return _EPOCH + datetime.timedelta(seconds=int(said))


def default_time() -> Moment:
    """Return the default time of new files: that of SOURCE_DATE_EPOCH, or now."""
    epoch = source_date_epoch()
    return time.time_ns() if epoch is None else epoch


def split(value: Moment, what: str) -> tuple[int, int]:
    """Return a time as (seconds, nanoseconds)."""
    return divmod(nanoseconds(value, what), _SECOND)


def split_any(value: Moment, what: str) -> tuple[int, int]:
    """Return a time of a file as (seconds, nanoseconds): any number that `StatResult` may have, also of early 1970."""
    seconds, rest = divmod(_whole(value, what), _SECOND)
    if not -(1 << 63) <= seconds < 1 << 63:
        raise ValueError(f"{what} is no time: {value}")
    return seconds, rest
