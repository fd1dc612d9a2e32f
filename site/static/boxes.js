// Boxes: what the film and the scenes of the first page share. FRONT, from site/front.py, holds its facts.

const find = (role) => document.querySelector(`[data-role=${role}]`);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const TINTS = 5;
const write = (number) => number.toLocaleString("en");
const several = (number, what) => `${write(number)} ${what}${number === 1 ? "" : "s"}`;
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");

function codePoint(sign) {
  return `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function visible(text) { // what is written for a symbol
  if (/^[\p{C}\p{Zl}\p{Zp}]$/u.test(text) && text !== "\n") return codePoint(text);
  const written = text.replaceAll(" ", "·").replaceAll("\n", "⏎");
  return /^\p{M}/u.test(written) ? `◌${written}` : written;
}

function make(tag, look, ...children) {
  const element = document.createElement(tag);
  if (look) element.className = look;
  if (tag === "button") element.type = "button";
  element.append(...children);
  return element;
}

function tokenBox(bytes, place, note) { // a fragment of a character shows its bytes
  let [text, look] = ["", ""];
  try {
    text = visible(strict.decode(bytes));
  } catch {
    [text, look] = [hex(bytes), " part"];
  }
  const box = make("span", `b t${place % TINTS}${look}`, text);
  if (note !== undefined) box.append(make("small", "", note));
  return box;
}

function drawTokens(stage, tokens, notes = []) { // boxes at the beginning that stay as they are are not drawn again
  const keys = tokens.map((bytes, i) => `${bytes} ${notes[i] ?? ""}`);
  const before = stage.keys ?? [];
  let same = 0;
  while (same < keys.length && keys[same] === before[same]) same++;
  while (stage.childNodes.length > same) stage.lastChild.remove();
  for (let i = same; i < tokens.length; i++) stage.append(tokenBox(tokens[i], i, notes[i]));
  stage.keys = keys;
}

function cutAt(text, lengths) { // lengths: the bytes of each token
  const bytes = utf8.encode(text);
  let start = 0;
  return lengths.map((length) => bytes.subarray(start, (start += length)));
}

function line(title, tokens, notes) { // a heading with the number of tokens, and the boxes
  const stage = make("div", "stage small");
  drawTokens(stage, tokens, notes);
  return make("div", "line", make("h3", "", make("b", "", title), ` ${several(tokens.length, "token")}`), stage);
}

function choose(holder, names, see) { // a row of buttons, of which one is pressed; return what presses it
  const buttons = names.map((name, i) => {
    const button = make("button", "", name);
    button.onclick = () => press(i);
    return button;
  });
  function press(i) {
    buttons.forEach((button, j) => button.setAttribute("aria-pressed", i === j));
    if (i >= 0) see(i);
  }
  holder.replaceChildren(...buttons);
  return press;
}

const wellFormed = (text) => text.toWellFormed?.() ?? text;
const firstSigns = (text, most) => Array.from(wellFormed(text)).slice(0, most).join("");
