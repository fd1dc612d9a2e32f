// A sentence in twelve languages. FACTORS, made by site/factors.py, has for each place between two
// bytes the letter of the first step of the slider at which a token covers it.

const form = document.getElementById("factors");
const slider = form.elements.step;
const rows = document.querySelector("#prices tbody");
const utf8 = new TextDecoder("utf-8", { fatal: true });
const highest = Math.max(...Object.values(FACTORS.drawn).flatMap((one) => one.premiums.flat()));

function cut(sentence, covered, step) { // -> the tokens, as bytes
  const bytes = new TextEncoder().encode(sentence);
  const tokens = [];
  let start = 0;
  for (let end = 1; end <= bytes.length; end++) {
    const isCovered = end < bytes.length && covered.charCodeAt(end - 1) - 65 <= step;
    if (isCovered) continue;
    tokens.push(bytes.slice(start, end));
    start = end;
  }
  return tokens;
}

function spell(token) { // -> [what is shown, whether it is a part of a character]
  try {
    return [utf8.decode(token).replaceAll(" ", "·"), false];
  } catch {
    const hex = [...token].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"));
    return [hex.join(" "), true];
  }
}

function drawTokens(cell, tokens) {
  const boxes = tokens.map((token) => {
    const box = document.createElement("span");
    const [text, isPart] = spell(token);
    box.textContent = text;
    if (isPart) box.className = "part";
    return box;
  });
  const count = document.createElement("b");
  count.textContent = tokens.length;
  cell.replaceChildren(count, ...boxes);
}

function draw() {
  const { sentence, pattern, text } = form.elements;
  const drawn = FACTORS.drawn[`${text.value} ${pattern.value}`];
  const step = Number(slider.value);
  const merges = Math.min(FACTORS.steps[step], drawn.merges).toLocaleString("en");
  form.querySelector("output").textContent = merges;
  slider.setAttribute("aria-valuetext", `${merges} merges`);
  for (const [number, row] of [...rows.rows].entries()) {
    const [, bar, tokens] = row.cells;
    const price = drawn.premiums[number][step];
    bar.firstElementChild.textContent = price.toFixed(2);
    bar.style.setProperty("--price", `${(100 * price) / highest}%`);
    bar.style.setProperty("--floor", `${(100 * drawn.floors[number]) / highest}%`);
    const said = FACTORS.sentences[number][sentence.value];
    drawTokens(tokens, cut(said, drawn.covered[number][sentence.value], step));
  }
}

for (const [number, text] of FACTORS.sentences[0].entries()) {
  form.elements.sentence.add(new Option(text, number));
}
for (const [name, code] of FACTORS.languages) {
  const row = rows.insertRow();
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  row.append(head);
  row.insertCell().innerHTML = '<span></span><i aria-hidden="true"></i>';
  const tokens = row.insertCell();
  tokens.lang = code;
  tokens.dir = code === "ar" ? "rtl" : "ltr";
}
slider.max = FACTORS.steps.length - 1;
slider.value = FACTORS.steps.indexOf(250);
form.oninput = draw;
form.onsubmit = () => false;
draw();
