/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nothing, linked with a library only to learn the name by which it is loaded (late_sonames.py). */
extern const int late_probe;
const int late_probe = 0;
