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
      cell.classList.toggle("hash", /^[0-9a-f]{64}$/.test(cell.textContent.trim()));
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

// The search knows stems ("strawberri"), and shows what stands around them: the part of the page, a paragraph
// or a row, in which most of the words that were asked for are found.
function showAround(html, stems, anchor) {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll("script, style, .headerlink").forEach((part) => part.remove());
  const article = page.querySelector("article") ?? page.body;
  let place = (anchor && article.querySelector(anchor)) || article;
  if (!place.textContent.trim()) place = place.closest("dd, section") ?? article; // a mark for the index
  if (place.matches("p")) place = place.closest("dd") ?? place;
  const starts = [...stems].map((stem) => stem.toLowerCase().replace(/[iey]$/, ""));
  const found = (text) => starts.filter((start) => text.toLowerCase().includes(start));
  let [best, most] = ["", 0];
  for (const part of place.querySelectorAll("p, li, td, dd, pre")) {
    const text = part.textContent.replace(/\s+/g, " ").trim();
    const isSentence = text.split(" ").length > 3;
    if (isSentence && found(text).length > most) [best, most] = [text, found(text).length];
  }
  if (!best) best = place.textContent.replace(/\s+/g, " ").trim();
  const first = Math.max(0, Math.min(best.length, ...found(best).map((start) => best.toLowerCase().indexOf(start))));
  const from = first < 140 ? 0 : best.indexOf(" ", first - 100) + 1;
  const shown = document.createElement("p");
  shown.className = "context";
  shown.textContent = `${from ? "… " : ""}${best.slice(from, from + 240)}${best.length > from + 240 ? " …" : ""}`;
  return shown;
}
if (typeof Search === "object") Search.makeSearchSummary = showAround;
