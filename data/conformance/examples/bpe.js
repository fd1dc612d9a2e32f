// Byte pair encoding in JavaScript, and the protocol of the conformance kit.
//
// Run it: bpe-teach conform -- node bpe.js

// How often does each pair of neighbours stand in words [[symbols, how often], ...]? A Map keeps
// the order in which its keys came; the key of a pair is a text, since arrays are compared by
// identity, and JSON keeps [1, 11] and [11, 1] apart.
function countPairs(words) {
  const counts = new Map();
  for (const [symbols, times] of words) {
    for (let i = 0; i + 1 < symbols.length; i++) {
      const key = JSON.stringify([symbols[i], symbols[i + 1]]);
      counts.set(key, (counts.get(key) ?? 0) + times);
    }
  }
  return counts;
}

// Replace a pair by a new symbol, from left to right.
function merge(symbols, [left, right], made) {
  const merged = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) {
      merged.push(made);
      i++;
    } else {
      merged.push(symbols[i]);
    }
  }
  return merged;
}

// Merge the best pair again and again. isBetter settles ties; make(pair, rank) is the new symbol.
function learn(words, numMerges, isBetter, make) {
  const pairs = [];
  while (pairs.length < numMerges) {
    let best = null;
    let most = 0;
    for (const [key, count] of countPairs(words)) {
      if (count > most || (count === most && isBetter(JSON.parse(key), best))) {
        best = JSON.parse(key);
        most = count;
      }
    }
    if (best === null) break;
    const made = make(best, pairs.length);
    words = words.map(([symbols, times]) => [merge(symbols, best, made), times]);
    pairs.push(best);
  }
  return pairs;
}

// Merge the pair of lowest rank, the leftmost of equals, until no pair has a rank.
function apply(symbols, merges, make) {
  const ranks = new Map();
  merges.forEach((pair, rank) => {
    const key = JSON.stringify(pair);
    if (!ranks.has(key)) ranks.set(key, rank);
  });
  symbols = [...symbols];
  for (;;) {
    let best = Infinity;
    let place = -1;
    for (let i = 0; i + 1 < symbols.length; i++) {
      const rank = ranks.get(JSON.stringify([symbols[i], symbols[i + 1]])) ?? Infinity;
      if (rank < best) {
        best = rank;
        place = i;
      }
    }
    if (place < 0) return symbols;
    symbols.splice(place, 2, make([symbols[place], symbols[place + 1]], best));
  }
}

// GPT-2's pattern. \s would be another set of characters in JavaScript: with U+FEFF, without U+0085.
const LETTERS_NUMBERS_SIGNS = String.raw` ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+`;
const WHITE_SPACE = String.raw`\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+`;
const GPT2 = new RegExp(`'(?:[sdmt]|ll|ve|re)|${LETTERS_NUMBERS_SIGNS}|${WHITE_SPACE}`, "gu");

function cut(text, split) {
  if (split === "gpt2") return text.match(GPT2) ?? [];
  return text === "" ? [] : [text];
}

// Cut a text at special tokens, the longest first; they are parts, too.
function cutAt(text, names) {
  if (names.length === 0) return [text];
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`)).filter((part) => part !== "");
}

// What can be asked.

function tokenTable(merges, special = {}) {
  const table = new Map();
  for (let i = 0; i < 256; i++) table.set(i, Buffer.from([i]));
  merges.forEach(([left, right], rank) => {
    table.set(256 + rank, Buffer.concat([table.get(left), table.get(right)]));
  });
  for (const [name, id] of Object.entries(special)) table.set(id, Buffer.from(name));
  return table;
}

function bytesOf(ids, table) {
  for (const id of ids) if (!table.has(id)) throw new Error(`there is no id ${id}`);
  return ids.map((id) => table.get(id));
}

// Compare lists of Buffers or numbers: below 0, 0, above 0.
function compare(one, other, compareParts) {
  return compareParts(one[0], other[0]) || compareParts(one[1], other[1]);
}

let own = []; // the merges that were learned last

const PROGRAM = {
  train({ text, split, merges, ties = "first", special = [] }) {
    const bag = new Map();
    for (const part of cutAt(text, special)) {
      if (special.includes(part)) continue;
      for (const word of cut(part, split)) bag.set(word, (bag.get(word) ?? 0) + 1);
    }
    const words = [...bag].map(([word, times]) => [[...Buffer.from(word)], times]);
    const table = tokenTable([]);
    const bytes = (pair) => pair.map((id) => table.get(id));
    const rules = {
      any: () => false,
      first: () => false,
      lowest_id: (pair, best) => compare(pair, best, (a, b) => a - b) < 0,
      greatest: (pair, best) => compare(bytes(pair), bytes(best), Buffer.compare) > 0,
    };
    const make = ([left, right], rank) => {
      table.set(256 + rank, Buffer.concat([table.get(left), table.get(right)]));
      return 256 + rank;
    };
    own = learn(words, merges, rules[ties], make);
    return { merges: own };
  },

  encode_own(given) {
    return PROGRAM.encode({ ...given, merges: own });
  },

  decode_own({ ids }) {
    return PROGRAM.decode({ ids, merges: own });
  },

  encode({ text, split, merges, special = {}, allow = [] }) {
    const ids = [];
    for (const part of cutAt(text, allow)) {
      if (allow.includes(part)) {
        ids.push(special[part]);
        continue;
      }
      for (const word of cut(part, split)) {
        ids.push(...apply(Buffer.from(word), merges, (pair, rank) => 256 + rank));
      }
    }
    return { ids };
  },

  decode({ ids, merges, special }) {
    return { text: Buffer.concat(bytesOf(ids, tokenTable(merges, special))).toString("utf8") };
  },

  train_words({ words, merges, ties = "first" }) {
    // Texts are compared by UTF-16 in JavaScript; their bytes in UTF-8 have another order.
    const bytes = (pair) => pair.map((symbol) => Buffer.from(symbol));
    const rules = {
      any: () => false,
      first: () => false,
      greatest: (pair, best) => compare(bytes(pair), bytes(best), Buffer.compare) > 0,
    };
    return { merges: learn(words, merges, rules[ties], ([left, right]) => left + right) };
  },

  encode_word({ word, merges }) {
    return { tokens: apply(word, merges, ([left, right]) => left + right) };
  },

  encode_stream({ pieces, ...others }) {
    return PROGRAM.encode({ text: pieces.join(""), ...others }); // nothing is known before the end
  },

  decode_stream({ ids, merges, special }) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const parts = bytesOf(ids, tokenTable(merges, special));
    const pieces = parts.map((bytes) => decoder.decode(bytes, { stream: true }));
    return { pieces: [...pieces, decoder.decode()] };
  },
};

function answerLine(line) {
  const { id, do: what, ...request } = JSON.parse(line);
  let answer;
  if (!(what in PROGRAM)) {
    answer = { skip: `${what} is not offered` };
  } else {
    try {
      answer = PROGRAM[what](request);
    } catch (error) {
      answer = { error: String(error) };
    }
  }
  console.log(JSON.stringify({ id, ...answer }));
}

// Only "\n" ends a line. Newer versions of node:readline also end one at U+2028, inside a text.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop(); // a line of which more will come
  lines.forEach(answerLine);
});
