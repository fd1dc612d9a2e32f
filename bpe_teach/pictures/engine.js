// A tokenizer in the browser: encoding and training. playground.py says what `data` holds. An id below
// 0 stands for a character that was not in training.

const BASE = 2 ** 21; // ids are lower, so that left * BASE + right is one exact number
const SHORT = 60; // symbols; up to here reading all ranks is quicker than a queue
const REMEMBERED = 100; // characters; a longer word is not remembered

const DIGITS = []; // code of a character -> its value: those that are written alike in HTML and JSON
for (let code = 33, value = 0; code < 127; code++) if (![34, 38, 39, 60, 62, 92].includes(code)) DIGITS[code] = value++;

function readNumbers(text) { // small ones have two digits to the base 88, others three
  const numbers = [];
  const digit = (i) => DIGITS[text.charCodeAt(i)];
  let i = 0;
  while (i < text.length) {
    const two = digit(i) * 88 + digit(i + 1);
    const isSmall = digit(i) < 48;
    numbers.push(isSmall ? two : (two - 48 * 88) * 88 + digit(i + 2) + 48 * 88);
    i += isSmall ? 2 : 3;
  }
  return numbers;
}

function readData(data) { // as playground.py writes it -> as makeEncoder takes it
  const numbers = readNumbers(data.merges);
  const pairs = [];
  for (let i = 0; i < numbers.length; i += 2) pairs.push([numbers[i], numbers[i + 1]]);
  return { ...data, pairs, made: data.made && readNumbers(data.made), ids: data.ids && readNumbers(data.ids) };
}

// SentencePiece's table of replacements: a trie in numbers, then texts; exchange/normalize.py says more.
const tables = new Map(); // in base64 -> [numbers, bytes of the texts]
function readTable(table) {
  if (!tables.has(table)) {
    const bytes = Uint8Array.from(atob(table), (sign) => sign.charCodeAt(0));
    const end = 4 + new DataView(bytes.buffer).getUint32(0, true);
    tables.set(table, [new Uint32Array(bytes.buffer.slice(4, end)), bytes.subarray(end)]);
  }
  return tables.get(table);
}

function replaceLongest(text, table) { // at each place
  const [numbers, texts] = readTable(table);
  const content = new TextEncoder().encode(text);
  const children = (number) => (number >>> 10) << (number & 512 ? 8 : 0);
  const made = [];
  for (let start = 0, end; start < content.length; start = end) {
    let found = -1; // where the text is that comes in
    for (let i = start, place = 0; i < content.length; i++) {
      place ^= children(numbers[place]) ^ content[i];
      const isText = numbers[place] >>> 31; // not a node
      if (isText || (numbers[place] & 255) !== content[i]) break;
      if (numbers[place] & 256) [found, end] = [numbers[place ^ children(numbers[place])] % 2 ** 31, i + 1];
    }
    if (found < 0) for (end = start + 1; (content[end] & 0xc0) === 0x80; ) end++; // a character that stays
    made.push(...(found < 0 ? content.subarray(start, end) : texts.subarray(found, texts.indexOf(0, found))));
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(made));
}

const STEPS = { // of a normalization, beside the forms of Unicode
  Prepend: (text, sign) => text && sign + text,
  Replace: (text, part, other) => text.split(part).join(other),
  OneSpace: (text) => text.replace(/ +/g, " ").replace(/^ |[ ▁]+$/g, ""),
  Table: replaceLongest,
};

function makeSplitter(scheme) { // -> what changes a text, and what cuts it into words
  const pattern = scheme.pattern && new RegExp(scheme.pattern, "gu");
  const steps = (scheme.steps || []).map((step) => [].concat(step));
  const change = (text) => {
    if (scheme.prepare) text = text.toLowerCase().replace(/\n/g, " ").replace(/([.,!?;:'"-])/g, " $1 ");
    for (const [name, ...more] of steps) text = STEPS[name] ? STEPS[name](text, ...more) : text.normalize(name);
    return text;
  };
  const cut = (text, begins = true) => { // is this the beginning of the whole text?
    const prefix = (begins || !scheme.first) && scheme.prefix;
    if (prefix && text && !text.startsWith(prefix)) text = prefix + text;
    if (!pattern) return text ? [text] : [];
    return text.match(pattern) || [];
  };
  return { change, cut };
}

function makeEncoder(data) {
  const { scheme, pairs } = data;
  const isBytes = scheme.units === "bytes";
  const alphabet = data.alphabet ?? Array.from({ length: 256 }, (_, byte) => byte);
  const special = data.special || {}; // name -> id
  const idOf = (rank) => (data.made && data.made[rank]) ?? alphabet.length + rank;
  const ranks = new Map();
  const rankOfId = new Map(); // of two merges that make the same, the first
  pairs.forEach(([left, right], rank) => {
    ranks.set(left * BASE + right, rank);
    if (!rankOfId.has(idOf(rank))) rankOfId.set(idOf(rank), rank);
  });
  const { change, cut } = makeSplitter(scheme);
  const space = (scheme.steps || []).find(([name, part]) => name === "Replace" && part === " ")?.[2]; // stands for one
  const utf8 = new TextEncoder();

  const first = new Map(); // id -> byte or character
  const idOfFirst = new Map(); // and back; what ends a word is not found by its signs
  alphabet.forEach((symbol, place) => {
    const id = data.ids ? data.ids[place] : place;
    if (id < 0) return;
    first.set(id, symbol);
    if (id !== data.endId && !idOfFirst.has(symbol)) idOfFirst.set(symbol, id);
  });

  function firstIds(word) {
    if (isBytes) return Array.from(utf8.encode(word), (byte) => idOfFirst.get(byte));
    const ids = [];
    for (const sign of word) {
      const id = idOfFirst.get(sign);
      const bytes = id === undefined && data.bytes ? Array.from(utf8.encode(sign), (byte) => data.bytes[byte]) : [-1];
      if (id !== undefined) ids.push(id);
      else if (!bytes.includes(-1)) ids.push(...bytes);
      else if (!data.fuse || !(ids.at(-1) < 0)) ids.push(-1 - sign.codePointAt(0));
    }
    if (data.endId >= 0) ids.push(data.endId);
    else if (scheme.marker) ids.push(idOfFirst.get(scheme.marker) ?? -1);
    return ids;
  }

  // Both return the ranks of the merges made, in order; ids change in place.
  function mergeByReading(ids, most) {
    const used = [];
    for (;;) {
      let best = most;
      let place = -1;
      for (let i = 0; i + 1 < ids.length; i++) {
        const rank = ids[i] < 0 ? undefined : ranks.get(ids[i] * BASE + ids[i + 1]);
        if (rank < best) [best, place] = [rank, i];
      }
      if (place < 0) return used;
      ids.splice(place, 2, idOf(best));
      used.push(best);
    }
  }

  function mergeByQueue(ids, most) {
    const used = [];
    const end = ids.length;
    const before = ids.map((_, i) => i - 1);
    const after = ids.map((_, i) => i + 1);
    const heap = []; // rank * BASE + position of the left one, the lowest on top
    const rankAt = (i, j) => (ids[i] < 0 ? undefined : ranks.get(ids[i] * BASE + ids[j]));
    const push = (key) => {
      let i = heap.length;
      heap.push(key);
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (heap[parent] <= key) break;
        heap[i] = heap[parent];
        i = parent;
      }
      heap[i] = key;
    };
    const pop = () => {
      const top = heap[0];
      const key = heap.pop();
      const size = heap.length;
      if (!size) return top;
      let i = 0;
      for (;;) {
        let child = 2 * i + 1;
        if (child >= size) break;
        if (child + 1 < size && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= key) break;
        heap[i] = heap[child];
        i = child;
      }
      heap[i] = key;
      return top;
    };
    const offer = (i, j) => {
      if (i < 0 || j >= end) return;
      const rank = rankAt(i, j);
      if (rank < most) push(rank * BASE + i);
    };
    for (let i = 0; i + 1 < end; i++) offer(i, i + 1);
    while (heap.length) {
      const key = pop();
      const rank = Math.floor(key / BASE);
      const i = key % BASE;
      const j = after[i];
      if (ids[i] === null || j === end || rankAt(i, j) !== rank) continue; // merged meanwhile
      used.push(rank);
      ids[i] = idOf(rank);
      ids[j] = null;
      after[i] = after[j];
      if (after[i] < end) before[after[i]] = i;
      offer(before[i], i);
      offer(i, after[i]);
    }
    let length = 0;
    for (const id of ids) if (id !== null) ids[length++] = id;
    ids.length = length;
    return used;
  }

  const known = [new Map(), new Map()]; // for all merges, and for the number asked for last
  let knownMost = -1;
  function encodeWord(word, most) { // -> {ids, used, symbols: how many there were at first}
    if (most !== pairs.length && most !== knownMost) {
      known[1] = new Map();
      knownMost = most;
    }
    const remembered = known[most === pairs.length ? 0 : 1];
    let found = remembered.get(word);
    if (!found) {
      let ids = firstIds(word);
      const symbols = ids.length;
      const used = symbols > SHORT ? mergeByQueue(ids, most) : mergeByReading(ids, most);
      const whole = data.whole && most === pairs.length ? wholeWords().get(word) : undefined;
      if (whole !== undefined) ids = [whole];
      found = { ids, used, symbols, whole: whole !== undefined };
      if (word.length <= REMEMBERED) {
        if (remembered.size > 50000) remembered.clear();
        remembered.set(word, found);
      }
    }
    return found;
  }

  const nameOf = new Map(Object.entries(special).map(([name, id]) => [id, name]));
  const later = new Map(Object.entries(data.normalized || {})); // as spelled in the normalized text -> name
  const foundLater = new Set(later.values());
  const finder = (texts) => {
    const escaped = texts.sort((a, b) => b.length - a.length).map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")); // not "-": u forbids it
    return new RegExp(`(${escaped.join("|") || "(?!)"})`, "u");
  };
  const early = finder(Object.keys(special).filter((name) => !foundLater.has(name)));
  const late = finder([...later.keys()]);

  const [takesBefore, takesAfter] = ["lstrip", "rstrip"].map((field) => new Set(data[field]));
  function splitAt(names, text, nameOf) { // -> ordinary, name, ordinary, …
    const parts = text.split(names);
    for (let i = 1; i < parts.length; i += 2) {
      parts[i] = nameOf(parts[i]);
      if (takesBefore.has(parts[i])) parts[i - 1] = parts[i - 1].replace(/\p{White_Space}+$/u, "");
      if (takesAfter.has(parts[i])) parts[i + 1] = parts[i + 1].replace(/^\p{White_Space}+/u, "");
    }
    return parts;
  }
  function eachWord(text, see, seeSpecial) { // some names are looked for in the text, the others after its changes
    splitAt(early, text, (name) => name).forEach((part, i) => {
      if (i % 2) return seeSpecial(part);
      splitAt(late, change(part), (spelled) => later.get(spelled)).forEach((inner, j) => {
        if (j % 2) seeSpecial(inner);
        else cut(inner, i + j === 0).forEach(see);
      });
    });
  }

  function encode(text, most = pairs.length) {
    const ids = [];
    const words = []; // of each token
    const numbers = []; // of the word of each token: two words may be spelled alike
    let number = 0;
    const take = (word) => {
      for (const id of encodeWord(word, most).ids) {
        ids.push(id);
        words.push(word);
        numbers.push(number);
      }
      number++;
    };
    const takeSpecial = (name) => {
      ids.push(special[name]);
      words.push(null);
      numbers.push(number++);
    };
    eachWord(text, take, takeSpecial);
    return { ids, words, numbers };
  }

  function countMerges(text) { // how many symbols there are at first, and each merge's occurrences
    const counts = new Map();
    let symbols = 0;
    const see = (word) => {
      const found = encodeWord(word, pairs.length);
      symbols += found.symbols;
      for (const rank of found.used) counts.set(rank, (counts.get(rank) || 0) + 1);
    };
    eachWord(text, see, () => symbols++);
    return { symbols, counts };
  }

  const unmerged = new Map(data.unmerged); // id -> bytes or characters of a token that no merge makes
  const spelled = new Map();
  function spell(id) { // the bytes of a token, or its characters
    if (id < 0) return [id === -1 ? scheme.marker : String.fromCodePoint(-1 - id)];
    if (!spelled.has(id)) {
      const name = nameOf.get(id);
      let parts = first.has(id) ? [first.get(id)] : unmerged.get(id);
      if (name !== undefined) parts = isBytes ? Array.from(utf8.encode(name)) : [name];
      spelled.set(id, parts || pairs[rankOfId.get(id)].flatMap(spell));
    }
    return spelled.get(id);
  }

  let words; // text -> id of a token that is taken whole before anything is merged
  function wholeWords() {
    if (words) return words;
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    words = new Map();
    for (const id of [...first.keys(), ...rankOfId.keys(), ...unmerged.keys()]) {
      try {
        words.set(isBytes ? strict.decode(Uint8Array.from(spell(id))) : spell(id).join(""), id);
      } catch {} // a fragment is no word
    }
    return words;
  }

  const allIds = () => [...new Set([...first.keys(), ...rankOfId.keys(), ...unmerged.keys(), ...nameOf.keys()])].sort((a, b) => a - b);
  const fallback = new Set(data.bytes); // each covers one byte of a character
  const isSpecial = (id) => nameOf.has(id);
  const rankOf = (id) => (isSpecial(id) || first.has(id) ? -1 : rankOfId.get(id) ?? -1);
  return { scheme, space, pairs, isBytes, encode, encodeWord, firstIds, countMerges, spell, rankOf, isSpecial, idOf, allIds, fallback, unknown: data.unknown };
}

// Training, as it is explained: count, take the first of the most frequent, merge, begin again.

function* train(text, scheme, numMerges, minCount = 2) {
  const isBytes = scheme.units === "bytes";
  const counts = new Map(); // word -> how often, in the order of the text
  const { change, cut } = makeSplitter(scheme);
  for (const word of cut(change(text))) counts.set(word, (counts.get(word) || 0) + 1);
  const utf8 = new TextEncoder();
  const data = { scheme, pairs: [], made: {}, counts: [] };
  const idOf = new Map(); // how a symbol is spelled -> id; "\0" ends what ends a word
  const symbols = []; // id -> how it is spelled
  const number = (symbol) => {
    if (!idOf.has(symbol)) idOf.set(symbol, symbols.length);
    symbols.push(symbol);
  };
  const spellWord = (word) => {
    if (isBytes) return Array.from(utf8.encode(word), (byte) => String.fromCharCode(byte));
    const signs = Array.from(word);
    if (scheme.marker) signs.push(scheme.isEnd ? scheme.marker + "\0" : scheme.marker);
    return signs;
  };
  if (isBytes) for (let byte = 0; byte < 256; byte++) number(String.fromCharCode(byte));
  else {
    const points = (sign) => Array.from(sign.replace("\0", ""), (c) => c.codePointAt(0));
    const compare = (a, b) => {
      const [left, right] = [points(a), points(b)];
      for (let i = 0; i < left.length && i < right.length; i++) if (left[i] !== right[i]) return left[i] - right[i];
      return left.length - right.length;
    };
    [...new Set([...counts.keys()].flatMap(spellWord))].sort(compare).forEach(number);
    data.alphabet = symbols.map((sign) => sign.replace("\0", ""));
    if (scheme.isEnd) data.endId = symbols.indexOf(scheme.marker + "\0");
  }
  const first = symbols.length;
  const bag = [...counts].map(([word, count]) => [spellWord(word).map((sign) => idOf.get(sign)), count]);
  for (let rank = 0; rank < numMerges; rank++) {
    const pairCounts = new Map();
    for (const [ids, count] of bag) {
      for (let i = 0; i + 1 < ids.length; i++) {
        const key = ids[i] * BASE + ids[i + 1];
        pairCounts.set(key, (pairCounts.get(key) || 0) + count);
      }
    }
    let best = null;
    let most = minCount - 1;
    for (const [key, count] of pairCounts) if (count > most) [best, most] = [key, count];
    if (best === null) break;
    const [left, right] = [Math.floor(best / BASE), best % BASE];
    number(symbols[left] + symbols[right]);
    const id = idOf.get(symbols[left] + symbols[right]);
    if (id !== first + rank) data.made[rank] = id;
    for (const entry of bag) {
      const ids = entry[0];
      let length = 0;
      for (let i = 0; i < ids.length; i++) {
        const found = ids[i] === left && ids[i + 1] === right;
        ids[length++] = found ? id : ids[i];
        if (found) i++;
      }
      ids.length = length;
    }
    data.pairs.push([left, right]);
    data.counts.push(most);
    data.rivals = pairCounts; // what there was to choose from
    yield data;
  }
  return data;
}

