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
        + `${floorOf(language, i).toFixed(2)} times as many as English: that is its floor.`,
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

for (const [number, { name }] of LANGUAGES.languages.entries()) {
  yours.elements.language.add(new Option(name, number, false, name === "Hindi"));
}
for (const [number, [name, month]] of LANGUAGES.tokenizers.entries()) {
  yours.elements.tokenizer.add(new Option(`${name} (${month})`, number, false, name === "GPT-4o"));
}
yours.oninput = showYours;
yours.onsubmit = () => false;
showYours();
