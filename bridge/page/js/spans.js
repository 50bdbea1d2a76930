// Places of cells in a table some of whose cells reach over several columns or rows. A place that
// another cell has taken stays empty: what is told of it is told once, where it begins.

const MOST_COLUMNS = 50; // that one cell reaches over: more is a mistake, or meant as "all of them"
const grids = new WeakMap(); // boxes of a reading -> table -> { columns, places }

// Of the table that a row or a cell stands in; null where a table only arranges.
function gridOf(part) {
  const table = part.closest("table");
  if (!table) return null;
  let known = grids.get(boxes);
  if (!known) grids.set(boxes, (known = new Map()));
  let grid = known.get(table);
  if (grid === undefined) known.set(table, (grid = isForLayout(table) ? null : measureGrid(table)));
  return grid;
}

function measureGrid(table) {
  const rows = [...table.rows];
  const places = new Map();
  if (table.querySelector("[rowspan], [colspan]")) {
    const sections = new Set(rows.map((row) => row.parentNode));
    for (const section of sections) placeCells(rows.filter((row) => row.parentNode === section), places);
  }
  return { columns: rows.some((row) => row.cells.length > 1), places };
}

// For each cell the empty places before it: [those that rows above have taken, all].
function placeCells(rows, places) {
  const taken = []; // by column: how many more rows
  for (const row of rows.filter(isLaidOut)) {
    let column = 0;
    let reached = 0; // by the cell before
    for (const cell of [...row.cells].filter(isLaidOut)) {
      let above = 0;
      for (; taken[column] > 0; column++) above++;
      places.set(cell, [above, above + reached]);
      const width = Math.min(cell.colSpan, MOST_COLUMNS);
      for (let each = 0; each < width; each++) taken[column++] = -(cell.rowSpan || Infinity);
      reached = width - 1;
    }
    for (let each = 0; each < taken.length; each++) taken[each] = taken[each] < 0 ? -taken[each] - 1 : Math.max((taken[each] ?? 0) - 1, 0);
  }
}

function isLaidOut(part) {
  return getComputedStyle(part).display !== "none";
}

// How many places before it another cell has taken: of a row above, and of its own row as well.
function placesBefore(cell, ownRow = true, grid = gridOf(cell)) {
  return grid?.places.get(cell)?.[ownRow ? 1 : 0] ?? 0;
}
