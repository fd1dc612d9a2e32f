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

let shift = 0; // of the ids, if other tokens come before those of the bytes

// Each call of theirs is awaited, since any of their functions may be async.
async function learn(text, merges, size = 256 + shift + merges) {
  TRAIN // <- its arguments
}

// A size counts characters, too: only the program knows how many.
async function train(text, merges) {
  await learn(text, merges);
  if (shift && pairs().length > merges) await learn(text, merges, 256 + merges); // a size counts no others
  if (!characters || pairs().length <= merges) return;
  let [low, high, before] = [merges - 1, 256 + shift + merges]; // sizes that give too few merges, and too many
  let size = Math.min(new Set(text).size + merges, high - 1);
  for (let tries = 0; tries < 20 && size > low; tries++) {
    await learn(text, merges, size);
    const missing = merges - pairs().length;
    if (missing === 0) return;
    [low, high] = missing > 0 ? [size, high] : [low, size];
    size += missing;
    if (missing === before || size <= low || size >= high) size = Math.floor((low + high) / 2);
    before = missing;
  }
}

const kept = () => KEPT; // <- where its merges are
const encodeFramed = async (text) => listIn(await ENCODE); // <- its arguments
const decode = async (ids) => DECODE; // <- its arguments

// An encoder may give a list for each word, or an object with a field that holds the list.
function listIn(given) {
  if (given?.[Symbol.iterator]) return [...given].flat();
  const fields = Object.keys(given ?? {}).filter((name) => given[name]?.[Symbol.iterator] && typeof given[name] !== "string");
  const field = ["ids", "input_ids", "tokens"].find((name) => fields.includes(name)) ?? fields[0];
  if (field === undefined) throw TypeError(`encoding gives no list, but ${JSON.stringify(given)}`);
  return [...given[field]].flat();
}

// If each call raises an error, the line that calls the encoder may be wrong.
async function mustEncode() {
  await learn("ababab ababab ababab é", 1);
  try {
    await encodeFramed("ab");
  } catch (error) {
    const said = error?.skip ?? String(error);
    const line = `const encodeFramed = ${encodeFramed}; // <- its arguments`;
    throw { skip: `encoding has never answered (${said}); is this line of the adapter right? ${line}` };
  }
}

async function each(list, call) {
  const called = [];
  for (const one of list) called.push(await call(one)); // one after the other
  return called;
}

// Merges are kept as pairs, "a b" or "97,98", in lists, objects or maps; values may be ids or ranks.
function pairs() {
  let rows = kept();
  if (!rows) throw { skip: "kept() gives nothing: where are its merges?" };
  if (rows instanceof Map) rows = [...rows];
  else if (!Array.isArray(rows)) rows = entriesOf(rows);
  const found = rows.map((row) => pairOf(row));
  const other = found.find((pair) => pair.length !== 2 || pair.some((part) => part == null));
  if (other) throw { skip: `its merges hold ${JSON.stringify(other)}, which is no pair: is it given what it takes?` };
  return found.map((pair) => pair.map((part) => (/^\d+$/.test(part) && !byText() ? Number(part) : part)));
}

// An object may hold merges, each as a key or a value, or a field for all of them.
let field;
function entriesOf(rows) {
  if (field in rows) return rows[field];
  const isList = (value) => Array.isArray(value) && (value.length !== 2 || typeof value[0] === "object");
  const lists = Object.values(rows).filter(isList);
  if (!lists.length) return Object.entries(rows);
  const withPairs = Object.keys(rows).filter((key) => lists.includes(rows[key]) && rows[key].some((row) => row?.pair));
  if (withPairs.length === 1) {
    [field] = withPairs;
    return rows[field];
  }
  throw { skip: `kept() gives an object with ${Object.keys(rows).join(", ")}: which of them holds the merges?` };
}

function pairOf(row) {
  if (typeof row === "string") return /^\d+,\d+$|^[^ ]+,[^ ]+$/.test(row) ? row.split(",") : row.split(" ");
  if (!Array.isArray(row)) return pairOf(row.pair ?? [row.left ?? row.first ?? row.a, row.right ?? row.second ?? row.b]);
  const areTexts = typeof row[0] === "string" && typeof row[1] === "string";
  // A symbol may hold a space; but "a b" beside "ab" is a pair and its token.
  if (areTexts && row[0].replace(/[ ,]/, "") !== row[1]) return row.slice(0, 2);
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

async function findShift() {
  shift = 0;
  await learn("ababab ababab ababab é", 1);
  try {
    const shifts = await each(" ab", async (letter) => (await encode(letter))[0] - letter.charCodeAt(0));
    if (shifts[0] > 0 && shifts.every((one) => one === shifts[0])) shift = shifts[0];
  } catch {} // a character that it hasn't learned
}

async function findSymbols() {
  characters = shown = undefined;
  await findShift();
  await train("ababab ababab ababab é", 1);
  const [left] = pairs()[0];
  if (typeof left === "string") characters = "texts";
  else if (offers.encodes && (await encode("éa")).length < 3) characters = "ids";
  if (characters === "texts") await findShown();
  if (characters) await findLearnedFrame();
}

async function findShown() {
  let spelled;
  try {
    if (offers.encodes) spelled = (await spellAll(await encode("à"))).join("");
    else {
      await learn("à".repeat(9), 1); // of two bytes, which are merged
      spelled = pairs()[0].join("");
    }
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
async function encode(text) {
  const ids = await encodeFramed(text);
  const [before, after] = await frame();
  return ids.slice(before.length, ids.length - after.length);
}

// What stands at each word, or is learned from, is no frame, but a mark of words.
async function frame() {
  const same = (one, other) => one.length === other.length && one.every((id, i) => id === other[i]);
  try {
    const around = await encodeFramed("");
    const one = await encodeFramed("a");
    for (let cut = 0; cut <= around.length && around.length < one.length; cut++) {
      const end = one.length - around.length + cut;
      const isFrame = same(around, [...one.slice(0, cut), ...one.slice(end)]);
      if (isFrame && !isLearned && (await standsOnce(around))) return [around.slice(0, cut), around.slice(cut)];
    }
  } catch {} // the cases will show it
  return [[], []];
}

let isLearned = false; // whether training puts around a text what encoding puts there

async function findLearnedFrame() {
  isLearned = false;
  const around = await spellAll((await frame()).flat());
  if (!around.length) return;
  await train("ab", 2);
  const learned = await spellAll(pairs().flat());
  isLearned = around.some((token) => learned.includes(token));
}

async function standsOnce(around) {
  try {
    const ids = await encodeFramed("a b");
    return around.every((token) => ids.filter((id) => id === token).length === around.filter((id) => id === token).length);
  } catch {
    return true; // a space that it hasn't learned
  }
}

// What the program has for ids of the cases: its own ids, or the tokens themselves.
async function ownIds(ids) {
  const spelled = ids.map((id) => shownTokens()[id] ?? missing(`a token with the id ${id}`));
  if (typeof (await encode("a"))[0] === "string") return spelled;
  const own = tokens() instanceof Map ? [...tokens()] : Object.entries(tokens());
  return spelled.map((token) => Number(own.find(([, one]) => one === token)?.[0]));
}

const tokens = () => TOKENS; // <- where the token of an id is, if anywhere

async function spell(id) {
  if (typeof id === "string") return id;
  return (tokens() instanceof Map ? tokens().get(id) : tokens()[id]) ?? (await decode([id]));
}

const spellAll = (ids) => each(ids, spell);

const fromOwn = (id) => (typeof id === "number" ? id - shift : id);

// Numbers from 0 to 255, in a list or an array of bytes, are the bytes of a text.
function decoded(given) {
  const isList = Array.isArray(given) || given instanceof Uint8Array;
  const areBytes = isList && [...given].every((one) => Number.isInteger(one) && one >= 0 && one < 256);
  return areBytes ? { bytes: [...given] } : { text: given };
}

const answers = {
  async probe() {
    try {
      if (offers.encodes) await mustEncode();
      await findSymbols();
    } catch (error) {
      if (!error?.skip) throw error;
      return { skip: `not offered: ${makeOf ? "probe" : error.skip}` };
    }
    const framed = await each(await frame(), async (ids) => (await spellAll(ids)).join(""));
    const told = { ...offers, frame: framed.join("") && framed.join("…") };
    if (shown) return { alphabet: "bytes", shown_as: shown.name, ...told };
    if (characters) return { alphabet: "characters", ...told };
    if (makeOf) return { skip: "not offered: probe" };
    return { alphabet: "bytes", moved: shift > 0, ...told };
  },
  async train({ text, split, merges, ties, special }) {
    if (ties !== "any") return { skip: `ties ${ties}` };
    if ((makeOf && split !== "none") || special) return { skip: `split ${split}, or special tokens` };
    await train(text, merges);
    if (shown) return { merges: pairs().map(idsOf) };
    return { merges: await each(pairs(), (pair) => each(pair, characters ? spell : fromOwn)) };
  },
  async encode_own({ text, special }) {
    if (special) return { skip: "special tokens" };
    const ids = await encode(text);
    if (shown) return { ids: idsOf(await spellAll(ids)) };
    return characters ? { tokens: await spellAll(ids) } : { ids: ids.map(fromOwn) };
  },
  async encode({ text, split, merges, special }) {
    if (!makeOf || split !== "none" || special) return { skip: "merges that are given, a split, or special tokens" };
    tok = await makeOf(merges);
    return { ids: await encodeFramed(text) };
  },
  async decode({ ids, merges, special }) {
    if (!makeOf || special) return { skip: "merges that are given, or special tokens" };
    tok = await makeOf(merges);
    return decoded(await decode(ids));
  },
  async decode_own({ ids }) {
    return decoded(await decode(shown ? await ownIds(ids) : ids.map((id) => id + shift)));
  },
  async round_trip({ text }) {
    const back = decoded(await decode(await encode(text)));
    return { text: back.text ?? Buffer.from(back.bytes).toString() };
  },
};

let rest = ""; // of a line of which more will come
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, do: what, ...request } = JSON.parse(line);
    let answer = { skip: `${what} is not offered` };
    try {
      if (what in answers) answer = await answers[what](request);
    } catch (error) {
      answer = error?.skip ? { skip: error.skip } : { error: String(error) };
    }
    process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
  }
}
