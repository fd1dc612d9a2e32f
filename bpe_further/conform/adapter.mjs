// Adapter for `bpe-teach conform -- node adapter.mjs`. Look at the lines with an arrow.
console.log = console.error; // what it prints is no answer
const loaded = await import("./FILE"); // <- SAVED
const theirs = { ...loaded.default, ...loaded };
const Made = MADE;
let tok; // what has been learned
const makeOf = GIVEN; // <- what makes one of the merges in a request: pairs of ids

const offers = { encodes: ENCODES, decodes: DECODES };

const missing = (what) => {
  throw { skip: `${what} was not found` };
};

function learn(text, merges, size = 256 + merges) {
  TRAIN // <- its arguments
}

// A size counts characters, too: only the program knows how many.
function train(text, merges) {
  learn(text, merges);
  if (!characters || pairs().length <= merges) return;
  let size = new Set(text).size + merges;
  for (let tries = 0; tries < 9; tries++) {
    learn(text, merges, size);
    const missing = merges - pairs().length;
    if (missing === 0) return;
    size += missing;
  }
}

const kept = () => KEPT; // <- where its merges are
const encodeFramed = (text) => [...ENCODE].flat(); // <- its arguments
const decode = (ids) => DECODE; // <- its arguments

// Merges are kept as pairs, "a b" or "97,98", in lists, objects or maps; values may be ids or ranks.
function pairs() {
  let rows = kept();
  if (rows instanceof Map) rows = [...rows];
  else if (!Array.isArray(rows)) rows = Object.entries(rows);
  const found = rows.map((row) => pairOf(row));
  return found.map((pair) => pair.map((part) => (/^\d+$/.test(part) && !byText() ? Number(part) : part)));
}

function pairOf(row) {
  if (typeof row === "string") return /^\d+,\d+$|^[^ ]+,[^ ]+$/.test(row) ? row.split(",") : row.split(" ");
  if (!Array.isArray(row)) return pairOf(row.pair ?? [row.left ?? row.first ?? row.a, row.right ?? row.second ?? row.b]);
  if (Array.isArray(row[0]) || /^\d+,\d+$|. ./u.test(row[0])) return pairOf(row[0]); // and its id
  if (Array.isArray(row[1])) return pairOf(row[1]); // an id and its pair
  if (typeof row[0] !== typeof row[1]) missing(`a pair in ${JSON.stringify(row)}`);
  return row.slice(0, 2);
}

// Symbols are characters if tokens are texts, or if one id stands for a character of two bytes.
let characters;
const byText = () => characters === "texts" || shown;

// But each byte may be shown as a character: as GPT-2 shows it, or as Latin-1 does.
let shown; // how they are called, and the 256 characters
const isPlain = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
const bytes = [...Array(256).keys()];
const others = bytes.filter((byte) => !isPlain(byte));
const asGpt2 = bytes.map((byte) => (isPlain(byte) ? byte : 256 + others.indexOf(byte)));
const WAYS = [["GPT-2's characters", asGpt2], ["Latin-1", bytes]];

function findSymbols() {
  characters = shown = undefined;
  train("ababab ababab ababab é", 1);
  const [left] = pairs()[0];
  if (typeof left === "string") characters = "texts";
  else if (offers.encodes && encode("éa").length < 3) characters = "ids";
  if (characters === "texts") findShown();
}

function findShown() {
  let spelled;
  try {
    spelled = encode("à").map(spell).join("");
  } catch {} // a character that it hasn't learned
  for (const [name, codes] of WAYS) {
    const way = { name, characters: codes.map((code) => String.fromCharCode(code)) };
    if (spelled === way.characters[0xc3] + way.characters[0xa0]) {
      shown = way;
      characters = undefined;
    }
  }
}

// The tokens that bytes and merges are shown as, each at its id.
const shownTokens = () => [...shown.characters, ...pairs().map((pair) => pair.join(""))];

function idsOf(shownAs) {
  const places = shownTokens();
  return shownAs.map((token) => places.indexOf(token));
}

// What is put around each text, such as <s> and </s>, is left out: the empty text shows it alone.
function encode(text) {
  const ids = encodeFramed(text);
  const [before, after] = frame();
  return ids.slice(before.length, ids.length - after.length);
}

function frame() {
  const same = (one, other) => one.length === other.length && one.every((id, i) => id === other[i]);
  try {
    const around = encodeFramed("");
    const one = encodeFramed("a");
    for (let cut = 0; cut <= around.length && around.length < one.length; cut++) {
      const end = one.length - around.length + cut;
      if (same(around, [...one.slice(0, cut), ...one.slice(end)])) return [around.slice(0, cut), around.slice(cut)];
    }
  } catch {} // the cases will show it
  return [[], []];
}

// What the program has for ids of the cases: its own ids, or the tokens themselves.
function ownIds(ids) {
  const spelled = ids.map((id) => shownTokens()[id] ?? missing(`a token with the id ${id}`));
  if (typeof encode("a")[0] === "string") return spelled;
  const own = tokens() instanceof Map ? [...tokens()] : Object.entries(tokens());
  return spelled.map((token) => Number(own.find(([, one]) => one === token)?.[0]));
}

const tokens = () => TOKENS; // <- where the token of an id is, if anywhere

function spell(id) {
  if (typeof id === "string") return id;
  return (tokens() instanceof Map ? tokens().get(id) : tokens()[id]) ?? decode([id]);
}

const answers = {
  probe() {
    findSymbols();
    const framed = frame().map((ids) => ids.map(spell).join(""));
    const told = { ...offers, frame: framed.join("") && framed.join("…") };
    if (shown) return { alphabet: "bytes", shown_as: shown.name, ...told };
    if (characters) return { alphabet: "characters", ...told };
    if (makeOf) return { skip: "probe is not offered: it is asked with merges that are given" };
    return { alphabet: "bytes", ...told };
  },
  train({ text, split, merges, ties, special }) {
    if (ties !== "any") return { skip: `ties ${ties}` };
    if ((makeOf && split !== "none") || special) return { skip: `split ${split}, or special tokens` };
    train(text, merges);
    if (shown) return { merges: pairs().map(idsOf) };
    return { merges: characters ? pairs().map((pair) => pair.map(spell)) : pairs() };
  },
  encode_own({ text, special }) {
    if (special) return { skip: "special tokens" };
    if (shown) return { ids: idsOf(encode(text).map(spell)) };
    return characters ? { tokens: encode(text).map(spell) } : { ids: encode(text) };
  },
  encode({ text, split, merges, special }) {
    if (!makeOf || split !== "none" || special) return { skip: "merges that are given, a split, or special tokens" };
    tok = makeOf(merges);
    return { ids: encodeFramed(text) };
  },
  decode({ ids, merges, special }) {
    if (!makeOf || special) return { skip: "merges that are given, or special tokens" };
    tok = makeOf(merges);
    return { text: decode(ids) };
  },
  decode_own({ ids }) {
    return { text: decode(shown ? ownIds(ids) : ids) };
  },
  round_trip({ text }) {
    return { text: decode(encode(text)) };
  },
};

let rest = ""; // of a line of which more will come
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, do: what, ...request } = JSON.parse(line);
    let answer = { skip: `${what} is not offered` };
    try {
      if (what in answers) answer = answers[what](request);
    } catch (error) {
      answer = error?.skip ? { skip: error.skip } : { error: String(error) };
    }
    process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
  }
});
