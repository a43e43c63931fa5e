"use strict";

// Tables: a click on a head sorts, a word in the field above keeps the rows that have it.
function value(row, column) {
  const cell = row.cells[column];
  return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
}

function compare(a, b) {
  const numeric = typeof a === "number" && typeof b === "number";
  return numeric ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sort(table, head) {
  const column = head.cellIndex;
  const down = !head.classList.contains("down");
  for (const other of table.tHead.rows[0].cells) other.classList.remove("up", "down");
  head.classList.add(down ? "down" : "up");
  const rows = Array.from(table.tBodies[0].rows);
  rows.sort((a, b) => (down ? -1 : 1) * compare(value(a, column), value(b, column)));
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table")) {
  for (const head of table.tHead.rows[0].cells) {
    head.addEventListener("click", () => sort(table, head));
  }
}

for (const box of document.querySelectorAll(".searched")) {
  const rows = Array.from(box.querySelectorAll("tbody tr"));
  const texts = rows.map((row) => row.textContent.toLowerCase());
  box.querySelector("input").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => { row.hidden = !words.every((word) => texts[i].includes(word)); });
  });
}
