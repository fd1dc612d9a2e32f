// The film at the top of the first page. It needs the playground's engine, boxes.js and load.js.

const LONGEST = 200; // characters of a visitor's text
const SHORT_TEXT = 40; // characters; of a shorter one the merges may be those of names
const FEW = 4; // merges
const SHOWN = 5; // pairs in the race

// A run: the words at the beginning, the merges, the number of tokens after each.

function mergeIn(word, left, right) {
  const made = [];
  for (let i = 0; i < word.length; i++) {
    const isPair = word[i] === left && word[i + 1] === right;
    made.push(isPair ? left + right : word[i]);
    if (isPair) i++;
  }
  return made;
}

const mergeAll = (words, { left, right }) => words.map((word) => mergeIn(word, left, right));
const countTokens = (words) => words.reduce((sum, word) => sum + word.length, 0);
const wordsAfter = (run, step) => run.steps.slice(0, step).reduce(mergeAll, run.start);

function startOf(text) { // words of characters
  const { change, cut } = makeSplitter(FRONT.letters);
  return cut(change(text)).map((word) => Array.from(word));
}

function withTokens(run) {
  let words = run.start;
  run.tokens = [countTokens(words)];
  for (const step of run.steps) {
    words = mergeAll(words, step);
    run.tokens.push(countTokens(words));
  }
  return run;
}

function learn(text, most = LONGEST, minCount = 2) { // merges learned from the text itself
  const steps = [];
  let symbols;
  for (const data of train(text, FRONT.letters, most, minCount)) {
    symbols ??= [...data.alphabet];
    const named = (key) => [symbols[Math.floor(key / BASE)], symbols[key % BASE]];
    const [left, right] = data.pairs.at(-1).map((id) => symbols[id]);
    const sorted = [...data.rivals].sort((a, b) => b[1] - a[1]); // of equals, the one met first
    const rivals = sorted.slice(0, SHOWN).map(([key, count]) => [...named(key), count]);
    steps.push({ left, right, count: data.counts.at(-1), rivals });
    symbols.push(left + right);
  }
  return withTokens({ text, start: startOf(text), steps });
}

function replay(text, list) { // merges of a list, as far as they are found in the text
  const run = { text, start: startOf(text), steps: [], isReplay: true };
  let words = run.start;
  const occurs = ([left, right]) => words.some((word) => word.some((part, i) => part === left && word[i + 1] === right));
  for (const [left, right, count] of list) {
    if (!occurs([left, right])) continue;
    run.steps.push({ left, right, count, rivals: list.filter(occurs).slice(0, SHOWN) });
    words = mergeAll(words, { left, right });
  }
  return withTokens(run);
}

function runOf(text) { // a name repeats hardly anything, so it is cut by a list that was learned from names
  const own = learn(text);
  if (own.steps.length >= FEW || Array.from(text).length > SHORT_TEXT) return own;
  const named = replay(text, FRONT.names);
  return named.steps.length > own.steps.length ? named : own;
}

// What is shown: the boxes, the race of the pairs, the count, the curve, a sentence.

const film = { run: null, step: 0, turn: 0, isPlaying: false, isSeen: true };
const stage = find("stage");
const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function lookOf(run, symbol) {
  const rank = run.steps.findIndex(({ left, right }) => left + right === symbol);
  return rank < 0 ? "" : ` t${rank % TINTS}`;
}

function drawStage() { // without motion
  film.words = wordsAfter(film.run, film.step);
  stage.replaceChildren();
  film.words.forEach((word, w) => {
    if (film.breaks.has(w)) stage.append(make("span", "br"));
    const boxes = word.map((symbol) => make("span", `b${lookOf(film.run, symbol)}`, visible(symbol)));
    stage.append(make("span", "w", ...boxes));
  });
}

function breakLines() { // a word keeps its line while it gets shorter, so that none flies to another one
  const { step } = film;
  Object.assign(film, { breaks: new Set(), width: stage.clientWidth, step: 0 });
  stage.style.minHeight = "";
  drawStage();
  const tops = Array.from(stage.children, (word) => word.offsetTop);
  film.breaks = new Set(tops.flatMap((top, w) => (w && top > tops[w - 1] ? [w] : [])));
  stage.style.minHeight = `${stage.offsetHeight}px`; // what stands below stays where it is
  film.step = step;
}

function rowsOfRace() { // [name, number, whether it is coloured] of each bar
  const { run, step } = film;
  if (step < run.steps.length) {
    const { left, right, rivals } = run.steps[step];
    return rivals.map(([a, b, count]) => [`${visible(a)} + ${visible(b)}`, count, a === left && b === right]);
  }
  const rows = [["characters", run.tokens[0], false], ["this list", run.tokens.at(-1), true]];
  const known = FRONT.sentences[run.text];
  if (known) FRONT.models.forEach((name, i) => rows.push([name, known[i].length, false]));
  return rows;
}

const raceRows = new Map(); // name -> its row
function drawRace() {
  const { run, step } = film;
  const isOver = step === run.steps.length;
  const counted = run.isReplay ? "Its pairs, as counted in 1,535 names" : "Pairs of neighbours, counted";
  find("what").textContent = isOver ? "Tokens of this text" : counted;
  const most = isOver ? run.tokens[0] : Math.max(...run.steps.map(({ count }) => count));
  const rows = rowsOfRace();
  rows.forEach(([name, number, isFirst], place) => {
    if (!raceRows.has(name)) {
      const row = make("div", "r", make("span", "", name), make("i", "", make("b")));
      find("race").append(row);
      raceRows.set(name, row);
    }
    const row = raceRows.get(name);
    row.className = isFirst ? "r first" : "r";
    row.style.cssText = `--place:${place};--part:${number / most}`;
    row.querySelector("b").textContent = number;
  });
  const names = new Set(rows.map(([name]) => name));
  for (const [name, row] of raceRows) {
    if (names.has(name)) continue;
    row.remove();
    raceRows.delete(name);
  }
}

function drawCounts() {
  const { run, step } = film;
  find("tokens").textContent = run.tokens[step];
  const [most, least, last] = [run.tokens[0], run.tokens.at(-1), Math.max(1, run.steps.length)];
  const across = (i) => 4 + (190 * i) / last;
  const down = (i) => 6 + (48 * (most - run.tokens[i])) / Math.max(1, most - least);
  const points = (end) => run.tokens.slice(0, end + 1).map((_, i) => `${across(i).toFixed(1)},${down(i).toFixed(1)}`).join(" ");
  find("curve").innerHTML =
    `<polyline points="${points(last)}" class="all"/><polyline points="${points(step)}" class="so-far"/>`
    + `<circle cx="${across(step).toFixed(1)}" cy="${down(step).toFixed(1)}" r="5"/>`;
  const slider = find("step");
  slider.value = step;
  slider.setAttribute("aria-valuetext", `${step} of ${several(run.steps.length, "merge")}: ${several(run.tokens[step], "token")}`);
}

function sentence() { // what a screen reader is told, and others read
  const { run, step } = film;
  if (!run.steps.length) return "No pair of characters occurs twice here, so there is nothing to merge. Try a longer text.";
  if (step < run.steps.length) {
    const { left, right, count } = run.steps[step];
    return `Merge ${step + 1}: ${visible(left)} + ${visible(right)} → ${visible(left + right)}, ${several(count, "time")}`;
  }
  const why = run.isReplay ? "No merge of the list is left." : "No pair is left that occurs twice.";
  return `${why} ${several(run.tokens[0], "character")} have become ${several(run.tokens[step], "token")}.`;
}

function say(isAsked) { // what plays by itself is not read aloud
  find("said").setAttribute("aria-live", isAsked ? "polite" : "off");
  find("said").textContent = sentence();
}

function show(step, isAsked = false) { // at once
  film.turn++;
  film.step = Math.max(0, Math.min(film.run.steps.length, step));
  drawStage();
  drawCounts();
  drawRace();
  say(isAsked);
}

// What moves: the pairs glow, slide together, and the others close ranks.

function findPairs({ left, right }) { // the boxes of each pair that is merged next
  const pairs = [];
  stage.querySelectorAll(".w").forEach((holder, w) => {
    const [word, boxes] = [film.words[w], holder.children];
    for (let i = 0; i + 1 < word.length; i++) {
      if (word[i] !== left || word[i + 1] !== right) continue;
      pairs.push([boxes[i], boxes[i + 1]]);
      i++;
    }
  });
  return pairs;
}

function join([left, right]) { // -> the box in the place of both
  const both = make("span", "b hot", make("span", "", left.textContent), make("span", "", right.textContent));
  left.replaceWith(both);
  right.remove();
  return both;
}

function slide(box, from, to, width, time) { // from where it was to where it is; a new one also gets narrower
  const [x, y] = [from.left - to.left, from.top - to.top];
  if (Math.abs(x) + Math.abs(y) > 0.5) box.animate([{ transform: `translate(${x}px,${y}px)` }, { transform: "none" }], time);
  if (width) {
    const wide = { minWidth: `${width}px`, marginRight: `${to.width - width}px` };
    box.animate([wide, { minWidth: `${to.width}px`, marginRight: 0 }], time);
  }
}

async function mergeNext(turn, milliseconds) { // return whether nothing came between
  const step = film.run.steps[film.step];
  const pairs = findPairs(step);
  pairs.flat().forEach((box) => box.classList.add("hot"));
  await rest(milliseconds / 2);
  if (turn !== film.turn) return false;

  const places = new Map(Array.from(stage.querySelectorAll(".b"), (box) => [box, box.getBoundingClientRect()]));
  const widths = new Map(); // of the boxes that are new
  for (const pair of pairs) {
    const [a, b] = pair.map((box) => places.get(box));
    const both = join(pair);
    places.set(both, a);
    widths.set(both, Math.abs(a.top - b.top) < 2 ? Math.abs(b.right - a.left) : 0);
  }
  film.step++;
  film.words = mergeAll(film.words, step);
  drawCounts();
  const time = { duration: milliseconds / 2, easing: "cubic-bezier(.3,.9,.4,1)" };
  const boxes = Array.from(stage.querySelectorAll(".b"), (box) => [box, box.getBoundingClientRect()]);
  for (const [box, to] of boxes) slide(box, places.get(box), to, widths.get(box), time);
  await rest(milliseconds / 2);
  if (turn !== film.turn) return false;

  for (const both of widths.keys()) {
    both.textContent = visible(step.left + step.right); // in one piece, so that letters join that are joined in writing
    both.className = `b t${(film.step - 1) % TINTS}`;
  }
  drawRace();
  say(false);
  return true;
}

function setPlaying(isPlaying) {
  film.isPlaying = isPlaying;
  const isOver = film.step >= film.run.steps.length;
  find("play").textContent = isPlaying ? "Pause" : isOver ? "Again" : "Play";
}

function stop() {
  film.turn++;
  if (film.isPlaying) drawStage();
  setPlaying(false);
}

async function play() {
  if (film.step >= film.run.steps.length) show(0);
  const turn = ++film.turn;
  setPlaying(true);
  while (turn === film.turn && film.step < film.run.steps.length) {
    if (document.hidden || !film.isSeen) {
      await rest(300);
      continue;
    }
    const milliseconds = Math.max(560, 1150 - 130 * film.step);
    if (!(await mergeNext(turn, milliseconds))) return;
    await rest(milliseconds / 3);
  }
  if (turn === film.turn) setPlaying(false);
}

async function playCalmly() { // without motion: a step now and then
  if (film.step >= film.run.steps.length) show(0);
  setPlaying(true);
  let turn = film.turn;
  while (film.step < film.run.steps.length) {
    await rest(1600);
    if (turn !== film.turn) return;
    show(film.step + 1);
    turn = film.turn;
  }
  setPlaying(false);
}

const start = () => (calm.matches ? playCalmly() : play());

// A text: one of the examples, or the visitor's.

function loadText(text, step = 0) {
  if (film.run) stop();
  film.run = runOf(text);
  film.step = 0;
  find("step").max = film.run.steps.length;
  stage.classList.toggle("large", Array.from(text).length < 24);
  raceRows.forEach((row) => row.remove());
  raceRows.clear();
  breakLines();
  show(step);
  setPlaying(false);
  find("words").replaceChildren(...film.run.steps.map(({ left, right, count }) => make("li", "", `${visible(left)} + ${visible(right)} (${several(count, "time")})`)));
  find("made").replaceChildren();
  drawBeside(text);
  const cost = find("cost");
  cost.href = `${cost.href.split("#")[0]}#text=${encodeURIComponent(text)}`;
}

function drawBeside(text) { // what GPT-2 and GPT-4o make of it
  const known = FRONT.sentences[text];
  if (known) {
    const isSame = `${known[0]}` === `${known[1]}`;
    const names = isSame ? [FRONT.models.join(" and ")] : FRONT.models;
    const lines = names.map((name, i) => line(`The same sentence in ${name}:`, cutAt(text, known[i])));
    const [, , note] = FRONT.labels.find(([, other]) => other === text);
    return find("beside").replaceChildren(...lines, make("p", "note", note));
  }
  const told = film.run.isReplay
    ? "So short a text repeats little. Its merges are those of a list that was learned from 1,535 names."
    : "These merges were learned from your text alone.";
  find("beside").replaceChildren(make("p", "note", told), ...offerVocabularies(text));
}

const encoders = new Map(); // of the vocabularies that have come
function offerVocabularies(text) {
  return Object.entries(FRONT.vocabularies).map(([name, { file, kilobytes }]) => {
    const button = make("button", "", `In ${name}’s tokens (loads ${kilobytes < 1000 ? `${kilobytes} kB` : `${(kilobytes / 1000).toFixed(1)} MB`})`);
    const show = (data) => {
      if (!encoders.has(name)) encoders.set(name, makeEncoder(readData(data)));
      const encoder = encoders.get(name);
      const tokens = encoder.encode(text).ids.map((id) => Uint8Array.from(encoder.spell(id)));
      button.replaceWith(line(`In ${name}:`, tokens));
    };
    button.onclick = () => {
      button.textContent = `${name}’s tokens are on their way …`;
      loadVocabulary(name, file).then(show, () => (button.textContent = `${name}’s tokens could not be loaded: try again`));
    };
    if (encoders.has(name)) queueMicrotask(button.onclick); // it has come before
    return button;
  });
}

const pressExample = choose(find("examples"), FRONT.labels.map(([label]) => label), (i) => {
  loadText(FRONT.labels[i][1]);
  start();
});

function cutShort(text) { // to what the film can show, and say so
  const short = firstSigns(text, LONGEST);
  if (short.length < text.length) find("made").textContent = `Only the first ${LONGEST} characters are shown here; the playground takes more.`;
  return short;
}

find("own").onsubmit = (event) => {
  event.preventDefault();
  const { value, placeholder } = document.getElementById("own");
  const text = value.trim() || placeholder;
  pressExample(-1);
  loadText(firstSigns(text, LONGEST));
  cutShort(text);
  start();
};

function goTo(step) {
  stop();
  show(step, true);
  setPlaying(false);
}

find("play").onclick = () => (film.isPlaying ? stop() : start());
find("step").oninput = () => goTo(Number(find("step").value));
find("back").onclick = () => goTo(film.step - 1);
find("next").onclick = async () => {
  stop();
  if (film.step === film.run.steps.length || calm.matches) show(film.step + 1, true);
  else if (await mergeNext(film.turn, 700)) say(true);
  setPlaying(false);
};
find("share").onclick = () => {
  const link = `${location.href.split("#")[0]}#text=${encodeURIComponent(film.run.text)}&step=${film.step}`;
  history.replaceState(null, "", link);
  const tell = (words) => (find("made").textContent = words);
  const isThere = () => tell("The link is in the address bar.");
  if (navigator.clipboard) navigator.clipboard.writeText(link).then(() => tell("Copied."), isThere);
  else isThere();
};

function readLink() { // return whether a text was asked for
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("slider") || asked.has("scheme")) { // a link of the time when the playground was the first page
    location.replace(`playground.html${location.hash}`);
    return true;
  }
  const text = asked.get("text");
  if (!text) return false;
  pressExample(-1);
  loadText(firstSigns(text, LONGEST), Number(asked.get("step")) || 0);
  cutShort(text);
  return true;
}

if (!readLink()) {
  loadText(FRONT.labels[0][1]);
  find("examples").firstChild.setAttribute("aria-pressed", true);
  if (!calm.matches) setTimeout(() => film.turn === firstTurn && play(), 500);
}
const firstTurn = film.turn;
addEventListener("hashchange", readLink);
new IntersectionObserver(([entry]) => (film.isSeen = entry.isIntersecting)).observe(stage);
new ResizeObserver(() => {
  const isLeaving = !film.run; // for the playground, which an old link asked for
  if (isLeaving || stage.clientWidth === film.width) return;
  stop();
  breakLines();
  show(film.step);
}).observe(stage);
