// What the Declaration of Human Rights takes, in a language, with a tokenizer. LANGUAGES is made by
// site/languages.py; its first language is English.

const yours = document.getElementById("yours");
const english = LANGUAGES.languages[0];
const price = (language, i) => language.counts[i][0] / english.counts[i][0];
const floorOf = (language, i) => language.counts[i][1] / english.counts[i][1]; // NaN without words
const dearest = Math.max(
  ...LANGUAGES.languages.flatMap((one) => one.counts.map((_, i) => price(one, i))),
);
const SPLIT_ACCENTS = "Vietnamese"; // data/README.md says why

function addRow(body, name, tokens, times, floor, isChosen) {
  const row = body.insertRow();
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  row.append(head);
  row.insertCell().textContent = tokens.toLocaleString("en");
  const bar = row.insertCell();
  bar.innerHTML = '<span></span><i aria-hidden="true"></i>';
  bar.firstElementChild.textContent = times.toFixed(2);
  bar.style.setProperty("--price", `${(100 * times) / dearest}%`);
  bar.style.setProperty("--floor", floor ? `${(100 * floor) / dearest}%` : "-1rem");
  if (isChosen) row.setAttribute("aria-current", "true");
}

function describe(language, i) {
  const [tokens, words] = language.counts[i];
  const [tokenizer, month] = LANGUAGES.tokenizers[i];
  const length = (one) => (one.bytes / one.counts[i][0]).toFixed(1);
  const said = [
    `With the tokenizer of ${tokenizer} (${month}), the Declaration takes `
      + `${tokens.toLocaleString("en")} tokens in ${language.name}`,
  ];
  if (language === english) return `${said[0]}. A token holds ${length(english)} bytes on average.`;
  said[0] += `, ${price(language, i).toFixed(2)} times as many as in English.`;
  said.push(
    `It has ${(language.bytes / english.bytes).toFixed(2)} times as many bytes as the English text, `
      + `and a token holds ${length(language)} of them on average, while an English one holds `
      + `${length(english)}.`,
  );
  if (words) {
    said.push(
      "If every word of the split pattern were one token, it would take "
        + `${floorOf(language, i).toFixed(2)} times as many as English.`,
    );
  }
  return said.join(" ");
}

function showYours() {
  const language = LANGUAGES.languages[yours.elements.language.value];
  const chosen = Number(yours.elements.tokenizer.value);
  document.getElementById("told").textContent = describe(language, chosen);
  document.getElementById("accents").hidden = language.name !== SPLIT_ACCENTS;
  const article = document.getElementById("article");
  Object.assign(article, { lang: language.code, dir: language.dir });
  article.textContent = language.article;

  const [first, second] = document.querySelectorAll(".paid");
  first.querySelector("caption b").textContent = language.name;
  second.querySelector("caption b").textContent = LANGUAGES.tokenizers[chosen][0];
  const [models, others] = [first.tBodies[0], second.tBodies[0]];
  models.replaceChildren();
  others.replaceChildren();
  for (const [i, [name, month]] of LANGUAGES.tokenizers.entries()) {
    const shown = `${name}, ${month}`;
    addRow(models, shown, language.counts[i][0], price(language, i), floorOf(language, i), i === chosen);
  }
  const sorted = [...LANGUAGES.languages].sort((a, b) => price(a, chosen) - price(b, chosen));
  for (const one of sorted) {
    const floor = floorOf(one, chosen);
    addRow(others, one.name, one.counts[chosen][0], price(one, chosen), floor, one === language);
  }
}

// To send: a picture of the first table, and a link that chooses the same.

function drawPicture(language, chosen) { // -> a canvas
  const models = LANGUAGES.tokenizers;
  const [width, edge, line, top] = [1000, 40, 40, 120];
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height: top + line * models.length + 70 });
  const context = canvas.getContext("2d");
  const write = (text, x, y, font, colour = "#1f2328") => {
    Object.assign(context, { font: `${font} system-ui, sans-serif`, fillStyle: colour });
    context.fillText(text, x, y);
  };
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  write(`What does ${language.name} pay?`, edge, 55, "bold 34px");
  write("Tokens of the Declaration of Human Rights, with English as 1", edge, 90, "20px", "#57606a");
  const left = 290;
  const most = Math.max(1, ...models.map((_, i) => price(language, i)));
  const across = (times) => left + (times / most) * (width - left - 110);
  for (const [i, [name]] of models.entries()) {
    const y = top + line * i;
    const times = price(language, i);
    const floor = floorOf(language, i);
    write(name, edge, y + 25, i === chosen ? "bold 20px" : "20px");
    context.fillStyle = i === chosen ? "#bf5200" : "#0072b2";
    context.fillRect(left, y + 6, across(times) - left, 24);
    context.fillStyle = "#1f2328";
    if (floor) context.fillRect(across(floor) - 2, y + 2, 4, 32);
    write(times.toFixed(2), Math.max(across(times), floor ? across(floor) : 0) + 10, y + 25, i === chosen ? "bold 20px" : "20px");
  }
  const foot = "Black mark: the price if every word of the tokenizer’s split pattern were one token.";
  write(foot, edge, canvas.height - 28, "18px", "#57606a");
  return canvas;
}

const choice = () => [LANGUAGES.languages[yours.elements.language.value], Number(yours.elements.tokenizer.value)];

document.getElementById("send").onclick = () => {
  const link = document.createElement("a");
  link.href = drawPicture(...choice()).toDataURL("image/png");
  link.download = `${choice()[0].name}.png`;
  link.click();
};
document.getElementById("copy").onclick = () => {
  const [language, i] = choice();
  const asked = new URLSearchParams({ language: language.name, tokenizer: LANGUAGES.tokenizers[i][0] });
  const link = `${location.href.split("#")[0]}#${asked}`;
  history.replaceState(null, "", link);
  const tell = (words) => (document.getElementById("sent").textContent = words);
  const isThere = () => tell("The link is in the address bar.");
  if (navigator.clipboard) navigator.clipboard.writeText(link).then(() => tell("Copied."), isThere);
  else isThere();
};

function readChoice() { // of a link
  const asked = new URLSearchParams(location.hash.slice(1));
  const language = LANGUAGES.languages.findIndex(({ name }) => name === asked.get("language"));
  const tokenizer = LANGUAGES.tokenizers.findIndex(([name]) => name === asked.get("tokenizer"));
  if (language >= 0) yours.elements.language.value = language;
  if (tokenizer >= 0) yours.elements.tokenizer.value = tokenizer;
  showYours();
}

for (const [number, { name }] of LANGUAGES.languages.entries()) {
  yours.elements.language.add(new Option(name, number, false, name === "Hindi"));
}
for (const [number, [name, month]] of LANGUAGES.tokenizers.entries()) {
  yours.elements.tokenizer.add(new Option(`${name} (${month})`, number, false, name === "GPT-4o"));
}
yours.oninput = showYours;
yours.onsubmit = () => false;
addEventListener("hashchange", readChoice);
readChoice();
