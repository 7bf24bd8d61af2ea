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
