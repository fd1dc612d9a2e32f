// The puzzles. A puzzle says what it asks, what is typed, its par, and `solve`, which is given what was
// typed and returns {shows, right, score}: what is seen, whether it is solved, and what is compared with
// par. Answers stand nowhere on the page; tests/test_site.py has some.

const CHARACTERS = { units: "str", pattern: null };
const story = makeEncoder(readData(STORY));
const join = (tokens) => tokens.map((token) => token.replaceAll(" ", "␣")).join(" · ");

// Merges that are typed, one a line.

function readMerges(lines, words) { // -> what makeEncoder takes
  const parts = lines.split("\n").filter((line) => line.trim()).map((line) => line.trim().split(/[\s+]+/));
  const alphabet = [...new Set(words.join(""))];
  const data = { scheme: CHARACTERS, alphabet, pairs: [], made: [] };
  const ids = new Map(alphabet.map((sign, id) => [sign, id]));
  for (const pair of parts) {
    if (pair.length !== 2) throw new Error("write a merge as two parts with a space between, one merge a line");
    for (const part of pair) if (!ids.has(part)) throw new Error(`${part} is not there before this merge`);
    data.pairs.push(pair.map((part) => ids.get(part)));
    const made = pair.join("");
    if (!ids.has(made)) ids.set(made, alphabet.length + data.pairs.length - 1);
    data.made.push(ids.get(made));
  }
  return data;
}

function byMerges(wanted) { // wanted: word -> its tokens
  const words = Object.keys(wanted);
  return (lines) => {
    const data = readMerges(lines, words);
    const bpe = makeEncoder(data);
    const found = words.map((word) => bpe.encode(word).ids.map((id) => bpe.spell(id).join("")));
    const right = words.every((word, i) => found[i].join(" ") === wanted[word]);
    return { shows: found.map(join), right, score: data.pairs.length };
  };
}

// Texts to train on.

function learn(text) { // -> {merges: [[left, right, count], …], tokens, first: the table of pair counts}
  let data = { scheme: CHARACTERS, pairs: [], counts: [], alphabet: [...new Set(text)].sort() };
  let first = new Map();
  for (data of train(text, CHARACTERS, 100)) if (data.pairs.length === 1) first = data.rivals;
  const bpe = makeEncoder(data);
  const spell = (id) => bpe.spell(id).join("");
  const merges = data.pairs.map(([left, right], rank) => [spell(left), spell(right), data.counts[rank]]);
  const counts = [...first].map(([key, count]) => [spell(Math.floor(key / BASE)) + spell(key % BASE), count]);
  return { merges, counts, tokens: (most) => bpe.encode(text, most).ids.map(spell) };
}

const written = (merges) => `merges: ${merges.map(([left, right, count]) => `${join([left])} + ${join([right])} (${count})`).slice(0, 8).join(", ") || "none"}`;
const lengthOf = (...texts) => texts.reduce((sum, text) => sum + Array.from(text).length, 0);

function byTraining(holds) {
  return (text) => {
    const learned = learn(text);
    return { shows: [written(learned.merges), join(learned.tokens())], right: holds(learned, text), score: lengthOf(text) };
  };
}

function mostFrequentLetterIsApart({ merges }, text) {
  const counts = new Map();
  for (const sign of text) counts.set(sign, (counts.get(sign) || 0) + 1);
  const [[top, most], next] = [...counts].sort((a, b) => b[1] - a[1]);
  return merges.length > 0 && !(next && next[1] === most) && !merges[0].slice(0, 2).includes(top);
}

function rulesPart({ counts, tokens }, text) {
  const most = Math.max(...counts.map(([, count]) => count));
  const best = counts.filter(([, count]) => count === most).map(([pair]) => pair);
  if (most < 2 || best.length < 2) return false;
  const pair = best.slice().sort()[0]; // the other rule: the first in the alphabet
  const merged = [];
  for (const sign of text) {
    if (merged.at(-1) + sign === pair) merged.push(merged.pop() + sign);
    else merged.push(sign);
  }
  return join(tokens(1)) !== join(merged);
}

function sameTable(one, other) {
  const [first, second] = [learn(one), learn(other)];
  const table = ({ counts }) => counts.map(String).sort().join(";");
  const right = first.merges.length > 0 && table(first) === table(second) && written(first.merges.slice(0, 1)) !== written(second.merges.slice(0, 1));
  return { shows: [first, second].map(({ merges }) => written(merges.slice(0, 1))), right, score: lengthOf(one, other) };
}

function sameWords(...texts) { // of a scheme that splits at white space
  const words = texts.map((text) => text.match(/\S+/g) || []);
  const shows = words.map((some) => join(some.flatMap((word) => [...word, "</w>"])));
  return { shows, right: texts[0] !== texts[1] && shows[0] === shows[1], score: lengthOf(...texts) };
}

// Texts for the tokenizer of the first page.

const tokensOf = (text) => story.encode(text).ids.map((id) => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(story.spell(id)));
  } catch {
    return "⟨…⟩";
  }
});

function byStory(holds, others = (text) => [text]) { // others: the texts that are compared
  return (...texts) => {
    const found = others(...texts).map(tokensOf);
    return { shows: found.map((tokens) => `${tokens.length}: ${join(tokens)}`), right: holds(found, ...texts), score: lengthOf(...texts) };
  };
}

const PUZZLES = [
  ["Merges", "Write merges, one a line, such as “t o”. The first line has rank 0, and the pair of lowest rank is merged first. Fewer merges are better. For example, stone becomes st·one by three: “s t”, “n e”, “o ne”."],
  { ask: "tower becomes t·owe·r", par: 2, solve: byMerges({ tower: "t owe r" }) },
  { ask: "banana becomes ban·ana", par: 3, solve: byMerges({ banana: "ban ana" }) },
  { ask: "lower becomes low·er, and with the same list slow becomes slo·w", par: 4, solve: byMerges({ lower: "low er", slow: "slo w" }) },
  { ask: "hello becomes hel·lo, and with the same list yell becomes y·ell", par: 4, solve: byMerges({ hello: "hel lo", yell: "y ell" }) },
  { ask: "mississippi becomes miss·iss·ippi", par: 6, solve: byMerges({ mississippi: "miss iss ippi" }) },
  ["Training", "Write a text to train on, without any split into words. Shorter texts are better. For example, the first merge of “abcab” is a + b, because that pair alone occurs twice."],
  { ask: "The first merge is z + z.", par: 3, solve: byTraining(({ merges }) => merges[0]?.slice(0, 2).join(" ") === "z z") },
  { ask: "There are exactly two merges: t + h, then th + e.", par: 6, solve: byTraining(({ merges }) => merges.map((one) => one.slice(0, 2).join("+")).join() === "t+h,th+e") },
  { ask: "The first pair is counted three times, but merging it makes only two tokens.", par: 4, solve: byTraining(({ merges, tokens }) => merges[0]?.[2] === 3 && tokens(1).filter((token) => token === merges[0][0] + merges[0][1]).length === 2) },
  { ask: "What the first merge makes is not among the tokens of the text in the end.", par: 6, solve: byTraining(({ merges, tokens }) => merges.length > 0 && !tokens().includes(merges[0][0] + merges[0][1])) },
  { ask: "A token is learned that has a space inside, with a letter on either side.", par: 6, solve: byTraining(({ merges }) => merges.some(([left, right]) => /\p{L} +\p{L}/u.test(left + right))) },
  { ask: "The most frequent character has no part in the first merge.", par: 7, solve: byTraining(mostFrequentLetterIsApart) },
  { ask: "Two rules for ties part: merging the best pair that is met first, or the one that is first in the alphabet, gives different tokens.", par: 5, solve: byTraining(rulesPart) },
  { ask: "Five merges are learned.", par: 12, solve: byTraining(({ merges }) => merges.length >= 5) },
  { ask: "Two texts: the same pairs occur equally often, and yet the first merges differ.", par: 10, fields: 2, solve: sameTable },
  ["Encoding", "Write a text for the tokenizer of the first page: 2,000 merges, learned from a story. Shorter texts are better, but for the first one."],
  { ask: "One token, and the longer the better.", par: 13, more: true, solve: byStory(([tokens]) => tokens.length === 1) },
  { ask: "Without its last letter it has more tokens.", par: 3, solve: byStory(([whole, part]) => part.length > whole.length, (text) => [text, Array.from(text).slice(0, -1).join("")]) },
  { ask: "With a space before it, it has fewer tokens.", par: 2, solve: byStory(([without, space]) => space.length < without.length, (text) => [text, ` ${text}`]) },
  { ask: "In small letters it has three tokens fewer.", par: 2, solve: byStory(([given, small]) => small.length <= given.length - 3, (text) => [text, text.toLowerCase()]) },
  { ask: "Two different texts that cannot be told apart on paper (Unicode’s NFC makes them one), with different tokens.", par: 2, fields: 2, solve: byStory(([one, other], a, b) => a !== b && a.normalize() === b.normalize() && join(one) !== join(other), (a, b) => [a, b]) },
  { ask: "Two different texts, one list of tokens: here texts are split at white space, each word ends in </w>, and nothing is merged.", par: 1, fields: 2, solve: sameWords },
];

// The page.

const KEPT = "bpe-teach puzzles";
const kept = JSON.parse(localStorage.getItem(KEPT) || "{}"); // question -> what was typed
const state = []; // of each puzzle: "", "solved" or "par"

function make(tag, text, parent, attributes = {}) {
  const element = parent.appendChild(document.createElement(tag));
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function showScore() {
  const solved = state.filter(Boolean).length;
  const atPar = state.filter((one) => one === "par").length;
  document.getElementById("score").textContent = `${solved} of ${state.length} solved, ${atPar} at par.`;
}

function addPuzzle({ ask, par, more, fields = 1, solve }, section) {
  const number = state.push("");
  const block = make("section", "", document.getElementById("puzzles"), { id: `puzzle-${number}`, class: "puzzle" });
  make("h3", `${number}. ${ask}`, block);
  const inputs = Array.from({ length: fields }, (_, i) => {
    const label = `${ask} – ${section === "Merges" ? "merges" : fields > 1 ? `text ${i + 1}` : "text"}`;
    const field = make("textarea", "", block, { rows: section === "Merges" ? 4 : 1, spellcheck: "false", autocapitalize: "off", "aria-label": label });
    field.value = kept[ask]?.[i] ?? "";
    return field;
  });
  const shown = make("div", "", block, { class: "shown" });
  const verdict = make("p", "", block, { class: "verdict", role: "status" });
  const look = () => {
    const typed = inputs.map((input) => input.value);
    const unit = section === "Merges" ? "merges" : "characters";
    state[number - 1] = "";
    shown.replaceChildren();
    verdict.textContent = `par: ${par} ${unit}`;
    block.classList.remove("solved");
    if (typed.some(Boolean)) {
      try {
        const { shows, right, score } = solve(...typed);
        shows.forEach((line) => make("div", line, shown));
        if (right) {
          const difference = more ? par - score : score - par;
          state[number - 1] = difference <= 0 ? "par" : "solved";
          const how = difference < 0 ? "better than par!" : difference === 0 ? "par." : `par is ${par}.`;
          verdict.textContent = `✓ Solved with ${score} ${unit}: ${how}`;
          block.classList.add("solved");
        }
      } catch (error) {
        verdict.textContent = `${error.message} (par: ${par} ${unit})`;
      }
    }
    showScore();
  };
  for (const input of inputs) {
    input.oninput = () => {
      kept[ask] = inputs.map((one) => one.value);
      localStorage.setItem(KEPT, JSON.stringify(kept));
      look();
    };
  }
  look();
}

let section = "";
for (const puzzle of PUZZLES) {
  if (Array.isArray(puzzle)) {
    const [name, how] = puzzle;
    section = name;
    make("h2", name, document.getElementById("puzzles"));
    make("p", how, document.getElementById("puzzles"));
  } else addPuzzle(puzzle, section);
}
