# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame, the look and the script of the pages that `report()` writes."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title} - F2FS report</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#overview">Skip to the report</a>
<header><h1>{title}</h1><p>F2FS report, {made}</p><nav aria-label="Sections"><ul>{links}</ul></nav></header>
<main>{body}</main>
<p id="said" class="unseen" aria-live="polite"></p>
<script>{script}</script>
</body>
</html>
"""

STYLE = """
:root { color-scheme: light dark; --text: #1c1f23; --soft: #59616b; --page: #fff; --card: #f6f7f9; --line: #d5d9df;
  --mark: #0b57a4; --bar: #3d7fc1; --good: #14663a; --bad: #a3201c; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --soft: #a4adb8; --page: #15181c; --card: #1e2227; --line: #3a4149;
  --mark: #7db8f2; --bar: #5a9bdc; --good: #6fcf97; --bad: #ff8a80; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0 auto; max-width: 78rem;
  padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; margin: .5rem 0 0; overflow-wrap: anywhere; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; }
header p { color: var(--soft); margin: 0; } nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
a { color: var(--mark); } a:focus-visible, button:focus-visible, .wide:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
table { border-collapse: collapse; } caption { text-align: left; color: var(--soft); padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem .3rem; border-bottom: 1px solid var(--line); }
.facts th { font-weight: 600; color: var(--soft); white-space: nowrap; padding-right: 2rem; }
.facts td, .long { overflow-wrap: anywhere; } .long { min-width: 14rem; } .short { white-space: nowrap; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.wide { overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 6px; padding: 0 .75rem; background: var(--card); }
th.number { text-align: right; } thead th { position: sticky; top: 0; background: var(--card); padding-left: 0; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: .25rem .3rem; cursor: pointer;
  white-space: nowrap; }
th button::after { content: "\\2195"; color: var(--soft); margin-left: .35rem; }
th[aria-sort=ascending] button::after { content: "\\2191"; } th[aria-sort=descending] button::after { content: "\\2193"; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.map { width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
.chart { width: 100%; max-width: 60rem; height: auto; margin-bottom: 1rem; }
.chart rect { fill: var(--bar); } .chart text { fill: var(--soft); font-size: 12px; } .chart .axis { stroke: var(--line); fill: none; }
@media print { .wide { max-height: none; overflow: visible; } nav, .skip { display: none; } }
"""

SCRIPT = """
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.parentNode, row = head.parentNode, place = [...row.children].indexOf(head);
    const up = head.getAttribute("aria-sort") !== "ascending";
    const body = row.closest("table").tBodies[0];
    const value = line => {
      const cell = line.children[place];
      return cell.className === "number" ? (cell.dataset.value === undefined ? null : BigInt(cell.dataset.value)) : cell.textContent;
    };
    const lines = [...body.rows].map(line => [value(line), line]);
    lines.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)
      : (typeof a === "bigint" ? (a < b ? -1 : a > b ? 1 : 0) : a.localeCompare(b, undefined, {numeric: true})) * (up ? 1 : -1));
    for (const other of row.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...lines.map(([, line]) => line));
    document.getElementById("said").textContent = "Sorted by " + button.textContent + (up ? ", ascending" : ", descending");
  });
}
"""
