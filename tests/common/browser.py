# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Chromium that shows pages and pictures in tests: without a window, a profile of the user or the network."""
import os
import shutil
import subprocess

BROWSER = os.environ.get("F2FSKIT_BROWSER") or shutil.which("chromium")
MISSING = "F2FSKIT_BROWSER names no Chromium, and chromium is not installed"
# Pixels and times do not depend on the display or on services of the browser's maker. No host name resolves.
FLAGS = ("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1",
         "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--host-resolver-rules=MAP * ~NOTFOUND")


def browse(folder, *arguments):
    """Run the browser with a profile below a folder, and return what it printed. As root it has no sandbox."""
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return subprocess.run([BROWSER, *FLAGS, *sandbox, f"--user-data-dir={folder}/profile", *map(str, arguments)], check=True,
                          capture_output=True, text=True, env={**os.environ, "HOME": str(folder)}, timeout=120)
