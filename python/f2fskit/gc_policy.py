# SPDX-License-Identifier: LGPL-2.1-or-later
"""GC policies, which choose the victims: the library's by name, and callables of the host."""

from __future__ import annotations

import math
from typing import Any, Callable, Literal, NamedTuple, Optional, Union

from . import enums, results
from ._core import Hooks, ffi, lib, stray


class GcSection(NamedTuple):
    """A section that GC may collect. Times are seconds on the volume's `clock`."""

    section: int
    valid: int
    """Blocks in use."""
    blocks: int
    """That it can hold."""
    mtime: int
    """When its blocks changed, on average."""
    heat: int
    """Value from the placement, or without one `mtime`."""
    now: int
    min_mtime: int
    """The least of all sections and now."""
    max_mtime: int


#: Returns the cost of a section. The least cost comes first. Infinity, NaN and None: do not clean it now.
GcCost = Callable[[GcSection], Optional[float]]
Policy = Union[
    enums.GcPolicy, Literal["greedy", "cost-benefit", "age", "age-threshold", "hotness"], GcCost
]


class _Asked:
    """The policy that the callback asks."""

    def __init__(self, hooks: Hooks, cost: GcCost) -> None:
        self.hooks = hooks
        self.cost = cost


@ffi.def_extern(onerror=stray, error=math.nan)  # type: ignore[misc]
def py_gc_options_cost(user: Any, section: Any) -> float:
    asked: _Asked = ffi.from_handle(user)
    if asked.hooks.pending is not None:
        return math.nan  # after a failure no more sections are emptied
    try:
        cost = asked.cost(results.from_c(GcSection, section))
        return math.inf if cost is None else float(cost)
    except BaseException as error:
        asked.hooks.keep(error)
        return math.nan


def set_policy(options: Any, hooks: Hooks, policy: Policy) -> Any:
    """Enter a policy into struct f2fs_gc_options. Return the object that must be kept as long as it is used."""
    if isinstance(policy, (enums.GcPolicy, str)) or not callable(policy):
        name = policy.replace("-", "_") if isinstance(policy, str) else policy
        options.policy = int(enums.choose(enums.GcPolicy, name))
        return None
    asked = _Asked(hooks, policy)
    options.user = user = ffi.new_handle(asked)
    options.cost = lib.py_gc_options_cost
    return asked, user
