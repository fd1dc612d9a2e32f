// Playgrounds come to life when they are first used; on this site, at once.
for (const box of document.querySelectorAll("[data-bpe]")) box.oninput?.();

// On a phone a table of words is a list: each cell but the first says what its column is.
for (const table of document.querySelectorAll(".bd-article table:not(.dataframe)")) {
  const [head, ...body] = table.rows;
  const isWordy = body.some((row) => [...row.cells].some((cell) => cell.textContent.length > 40));
  if (!isWordy || head.cells.length < 2) continue;
  table.classList.add("stacked");
  head.classList.add("names");
  for (const row of body) {
    for (const [i, cell] of [...row.cells].entries()) {
      const name = head.cells[i]?.textContent.trim();
      if (i && name && cell.textContent.trim()) cell.dataset.label = name;
    }
  }
}

// What is wider than the page scrolls by itself: let the keyboard reach it.
const wide = "pre, .cell_output .output, .pst-scrollable-table-container";
for (const box of document.querySelectorAll(wide)) {
  if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
}

// The theme leaves these two without the name that is seen.
for (const summary of document.querySelectorAll(".has-children > details > summary")) {
  summary.setAttribute("aria-label", "pages below this one");
}
for (const button of document.querySelectorAll(".search-button-field")) {
  button.removeAttribute("aria-label");
}
