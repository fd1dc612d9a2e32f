// Playgrounds come to life when they are first used; on this site, at once.
for (const box of document.querySelectorAll("[data-bpe]")) box.oninput?.();

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
