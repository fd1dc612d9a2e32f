// A tokenizer in the browser. playground.py puts this text into the handlers of a piece of HTML and
// says there what `data` holds. An id below 0 stands for a character that was not in training.

const BASE = 2 ** 21; // ids are lower, so that left * BASE + right is one exact number
const SHORT = 60; // symbols; up to here reading all ranks is quicker than a queue
const REMEMBERED = 100; // characters; a longer word is not remembered

function readPairs(text, width) { // base64 -> [[id of left, id of right], …] by rank
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const number = (at) => {
    let value = 0;
    for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i];
    return value;
  };
  const pairs = [];
  for (let at = 0; at < bytes.length; at += 2 * width) pairs.push([number(at), number(at + width)]);
  return pairs;
}

function makeSplitter(scheme) { // text -> words
  const pattern = scheme.pattern && new RegExp(scheme.pattern, "gu");
  return (text) => {
    if (scheme.prepare) text = text.toLowerCase().replace(/\n/g, " ").replace(/([.,!?;:'"-])/g, " $1 ");
    if (!pattern) return text ? [text] : [];
    return text.match(pattern) || [];
  };
}

function makeEncoder(data) {
  const { scheme, pairs } = data;
  const isBytes = scheme.units === "bytes";
  const first = isBytes ? 256 : data.alphabet.length; // the id of the first merge
  const special = data.special || {}; // name -> id
  const idOf = (rank) => (data.made && data.made[rank]) ?? first + rank;
  const ranks = new Map();
  pairs.forEach(([left, right], rank) => ranks.set(left * BASE + right, rank));
  const split = makeSplitter(scheme);
  const utf8 = new TextEncoder();

  const byteOf = []; // id -> byte
  const idOfByte = data.bytes || Array.from({ length: 256 }, (_, byte) => byte);
  idOfByte.forEach((id, byte) => (byteOf[id] = byte));
  const idOfSign = new Map(); // character -> id
  if (!isBytes) {
    data.alphabet.forEach((sign, id) => {
      if (id !== data.endId && !idOfSign.has(sign)) idOfSign.set(sign, id);
    });
  }

  function firstIds(word) {
    if (isBytes) return Array.from(utf8.encode(word), (byte) => idOfByte[byte]);
    const ids = Array.from(word, (sign) => idOfSign.get(sign) ?? -1 - sign.codePointAt(0));
    if (data.endId >= 0) ids.push(data.endId);
    else if (scheme.marker) ids.push(idOfSign.get(scheme.marker) ?? -1);
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
      const ids = firstIds(word);
      const symbols = ids.length;
      const used = symbols > SHORT ? mergeByQueue(ids, most) : mergeByReading(ids, most);
      found = { ids, used, symbols };
      if (word.length <= REMEMBERED) {
        if (remembered.size > 50000) remembered.clear();
        remembered.set(word, found);
      }
    }
    return found;
  }

  const names = Object.keys(special).sort((a, b) => b.length - a.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")); // not "-": u forbids it
  const specials = names.length && new RegExp(`(${escaped.join("|")})`, "u");

  function eachWord(text, see, seeSpecial) {
    const parts = specials ? text.split(specials) : [text];
    parts.forEach((part, i) => (i % 2 ? seeSpecial(part) : split(part).forEach(see)));
  }

  function encode(text, most = pairs.length) {
    const ids = [];
    const words = []; // of each token
    const take = (word) => {
      for (const id of encodeWord(word, most).ids) {
        ids.push(id);
        words.push(word);
      }
    };
    const takeSpecial = (name) => {
      ids.push(special[name]);
      words.push(null);
    };
    eachWord(text, take, takeSpecial);
    return { ids, words };
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

  const spelled = new Map();
  function spell(id) { // the bytes of a token, or its characters
    if (id < 0) return [id === -1 ? scheme.marker : String.fromCodePoint(-1 - id)];
    if (!spelled.has(id)) {
      const name = names.find((other) => special[other] === id);
      let parts;
      if (name !== undefined) parts = isBytes ? Array.from(utf8.encode(name)) : [name];
      else if (id < first) parts = isBytes ? [byteOf[id]] : [data.alphabet[id]];
      else parts = pairs[id - first].flatMap(spell);
      spelled.set(id, parts);
    }
    return spelled.get(id);
  }

  const specialIds = new Set(Object.values(special));
  const isSpecial = (id) => specialIds.has(id);
  const rankOf = (id) => (id < first || isSpecial(id) ? -1 : id - first);
  return { scheme, pairs, isBytes, encode, encodeWord, firstIds, countMerges, spell, rankOf, isSpecial, idOf };
}

// Training, as it is explained: count, take the first of the most frequent, merge, begin again.

function* train(text, scheme, numMerges, minCount = 2) {
  const isBytes = scheme.units === "bytes";
  const counts = new Map(); // word -> how often, in the order of the text
  for (const word of makeSplitter(scheme)(text)) counts.set(word, (counts.get(word) || 0) + 1);
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
    yield data;
  }
  return data;
}

// The widget. Everything is found from its box, so that several can stand on one page.

function wake(box) {
  const all = JSON.parse(box.dataset.bpe);
  const find = (role) => box.querySelector(`[data-role=${role}]`);
  const [input, slider, out, curve, detail] = ["text", "merges", "out", "curve", "detail"].map(find);
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const utf8 = new TextEncoder();
  const write = (number) => number.toLocaleString("en");
  const several = (number, what) => `${write(number)} ${what}${number === 1 ? "" : "s"}`;
  const visible = { " ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽" };
  let toks = all.tokenizers.map(([name, data]) => [name, makeEncoder({ ...data, pairs: readPairs(data.merges, data.width) })]);
  let chosen = null; // [which tokenizer, which token]

  function make(tag, style, text) {
    const element = document.createElement(tag);
    if (style) element.style.cssText = style;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function face(bpe, id) { // what is written for a token, and whether it is a fragment
    bpe.faces ??= new Map();
    if (!bpe.faces.has(id)) bpe.faces.set(id, drawFace(bpe, id));
    return bpe.faces.get(id);
  }

  function drawFace(bpe, id) {
    const parts = bpe.spell(id);
    let text = parts.join("");
    if (bpe.isBytes && id >= 0) {
      try {
        text = strict.decode(Uint8Array.from(parts));
      } catch {
        return ["⟨" + parts.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ") + "⟩", true];
      }
    }
    const escape = (sign) => {
      const code = sign.codePointAt(0).toString(16);
      return code.length > 4 ? "\\U" + code.padStart(8, "0") : code.length > 2 ? "\\u" + code.padStart(4, "0") : "\\x" + code.padStart(2, "0");
    };
    const shown = Array.from(text, (sign) => visible[sign] || (/[\p{C}\p{Z}]/u.test(sign) ? escape(sign) : sign)).join("");
    return [/^\p{M}/u.test(shown) ? "◌" + shown : shown, false];
  }

  const templates = new Map(); // look and line -> a box to be copied, which is quick
  function template(look, line) {
    const key = look[0] + line;
    if (!templates.has(key)) {
      const colours = `background:${look[0]};color:${look[1]};border:1.5px ${line} ${look[2]}`;
      const made = make("button", `${all.box};font:inherit;cursor:pointer;${colours}`);
      made.type = "button";
      made.tabIndex = -1;
      templates.set(key, made);
    }
    return templates.get(key).cloneNode();
  }

  function button(which, place, id, bpe, ids) {
    const [shown, fragment] = face(bpe, id);
    const look = bpe.isSpecial(id) ? all.dark : all.tints[place % all.tints.length];
    const token = template(look, fragment || id < 0 ? "dashed" : "solid");
    token.textContent = id < 0 ? "?" : shown;
    token.dataset.id = id < 0 ? all.tokenizers[which][1].unknown ?? -1 : id;
    token.dataset.place = place;
    if (!place) token.tabIndex = 0;
    token.title = id < 0 ? `${shown}: not in the training text` : `id ${id}`;
    const same = chosen && chosen[0] === which && ids[chosen[1]] === id;
    if (same) token.style.outline = chosen[1] === place ? "3px solid #d55e00" : "2px dotted #d55e00";
    return token;
  }

  const tokenAt = (which, place) => out.querySelector(`[data-which="${which}"] [data-place="${place}"]`);
  function whichAndPlace(event) {
    const token = event.target.closest("[data-place]");
    return token && [Number(token.closest("[data-which]").dataset.which), Number(token.dataset.place)];
  }

  out.onclick = (event) => {
    const found = whichAndPlace(event);
    if (!found) return;
    chosen = found;
    draw();
    tokenAt(...found).focus();
  };

  out.onkeydown = (event) => { // the arrow keys go from token to token
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const found = step && whichAndPlace(event);
    const next = found && tokenAt(found[0], found[1] + step);
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    event.preventDefault();
  };

  const COLOURS = ["#0072b2", "#d55e00", "#007a5a"]; // of the curves
  const spacer = make("span", "position:absolute;width:1px;overflow:hidden;opacity:0;white-space:pre", "| ");
  function place(row, element) {
    if (row.childNodes.length) row.append(" ", spacer.cloneNode(true));
    row.append(element);
  }

  function drawRows(which, name, bpe, { ids }) {
    const holder = make("div", "margin:4px 0");
    holder.dataset.which = which;
    if (toks.length > 1) holder.append(make("div", "font-weight:600", name));
    let row = holder.appendChild(make("div", "position:relative"));
    ids.slice(0, all.most).forEach((id, i) => {
      const token = button(which, i, id, bpe, ids);
      place(row, token);
      if (/⏎$/.test(token.textContent)) row = holder.appendChild(make("div", "position:relative"));
    });
    return holder;
  }

  function size(bpe, id) { // bytes of text that a token covers
    return bpe.isBytes && id >= 0 ? bpe.spell(id).length : utf8.encode(bpe.spell(id).join("")).length;
  }

  function drawAligned(coded) { // what all spell alike stands in one column
    const most = Math.floor(all.most / toks.length);
    const ends = coded.map(({ ids }, which) => {
      let end = 0;
      return ids.slice(0, most).map((id) => (end += size(toks[which][1], id)));
    });
    const common = ends.reduce((some, others) => some.filter((end) => others.includes(end)), ends[0].slice());
    const holder = make("div", "display:flex;flex-wrap:wrap;gap:6px 10px;position:relative;margin:4px 0");
    const legend = holder.appendChild(make("div", "flex:none;font-weight:600"));
    toks.forEach(([name]) => legend.append(make("div", "height:32px;line-height:32px", name)));
    const next = toks.map(() => 0);
    for (const end of common) {
      const column = holder.appendChild(make("div", "flex:none;max-width:100%;border-left:1px solid #bbb;padding-left:4px"));
      toks.forEach(([, bpe], which) => {
        const row = column.appendChild(make("div", "min-height:32px;position:relative"));
        row.dataset.which = which;
        while (next[which] < ends[which].length && ends[which][next[which]] <= end) {
          const i = next[which]++;
          place(row, button(which, i, coded[which].ids[i], bpe, coded[which].ids));
        }
      });
    }
    return holder;
  }

  const mergesShown = (bpe) => Math.min(mergesAsked(), bpe.pairs.length);
  const mostMerges = () => Math.max(...toks.map(([, bpe]) => bpe.pairs.length));
  function mergesAsked() { // the slider is logarithmic
    return Math.round(Math.expm1((slider.value / slider.max) * Math.log1p(mostMerges())));
  }

  function drawCurve(text, characters, coded) {
    const width = Math.max(220, Math.min(520, curve.clientWidth || 520)); // letters keep their size
    const [height, left, bottom] = [150, 40, 36];
    const most = mostMerges();
    const across = (k) => left + (most ? Math.log1p(k) / Math.log1p(most) : 0) * (width - left - 12);
    const lines = toks.map(([, bpe]) => {
      const { symbols, counts } = bpe.countMerges(text);
      const used = [...counts.keys()].sort((a, b) => a - b);
      const points = [[0, symbols]];
      let tokens = symbols;
      let i = 0;
      for (let x = 0; x <= 120; x++) {
        const k = Math.min(Math.round(Math.expm1((x / 120) * Math.log1p(most))), bpe.pairs.length);
        while (i < used.length && used[i] < k) tokens -= counts.get(used[i++]);
        points.push([k, tokens]);
      }
      return points.map(([k, n]) => [k, n ? characters / n : 0]);
    });
    const top = Math.max(1, ...lines.flat().map(([, y]) => y));
    const up = (y) => height - bottom - (y / top) * (height - bottom - 12);
    const parts = [`<line x1="${left}" x2="${width - 12}" y1="${height - bottom}" y2="${height - bottom}" stroke="#767676"/>`];
    parts.push(`<text x="${left - 6}" y="${up(top) + 4}" text-anchor="end">${top.toFixed(1)}</text><text x="${left - 6}" y="${height - bottom + 4}" text-anchor="end">0</text>`);
    const ticks = [0, 10, 100, 1000, 10000, 100000].filter((k) => k <= most);
    if (most > 4 * ticks.at(-1)) ticks.push(most);
    for (const k of ticks) {
      const anchor = across(k) > width - 30 ? "end" : "middle"; // nothing is cut off on the right
      parts.push(`<text x="${Math.min(across(k), width - 4)}" y="${height - bottom + 15}" text-anchor="${anchor}">${write(k)}</text>`);
    }
    parts.push(`<text x="${width / 2}" y="${height - 4}" text-anchor="middle">merges → characters per token</text>`);
    lines.forEach((points, which) => {
      const colour = COLOURS[which];
      const path = points.map(([k, y]) => `${across(k).toFixed(1)},${up(y).toFixed(1)}`).join(" ");
      const now = mergesShown(toks[which][1]);
      const tokens = coded[which].ids.length;
      const y = tokens ? characters / tokens : 0;
      parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${["", "6 3", "2 3"][which % 3]}"/><circle data-role="point" cx="${across(now).toFixed(1)}" cy="${up(y).toFixed(1)}" r="5" fill="${colour}"/>`);
    });
    curve.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="compression curve of this text: characters per token against merges" style="display:block;width:100%;max-width:${width}px;background:#fff;color:#222;font:12px system-ui,sans-serif">${parts.join("")}</svg>`;
  }

  function tree(bpe, id) { // nested lists: what a token was merged from
    const item = make("li", "margin:1px 0");
    const rank = bpe.rankOf(id);
    item.append(make("code", "background:#fff;color:#222", face(bpe, id)[0]));
    item.append(rank < 0 ? "" : ` (rank ${write(rank)})`);
    if (rank >= 0) {
      const list = item.appendChild(make("ul", "margin:0;padding-left:18px"));
      bpe.pairs[rank].forEach((part) => list.append(tree(bpe, part)));
    }
    return item;
  }

  function drawDetail(coded) {
    detail.replaceChildren();
    if (!chosen) return;
    const [which, at] = chosen;
    const bpe = toks[which] && toks[which][1];
    const id = bpe && coded[which].ids[at];
    if (id === undefined) return;
    const [shown] = face(bpe, id);
    const same = coded[which].ids.flatMap((other, i) => (other === id ? [i + 1] : []));
    const bytes = bpe.isBytes && id >= 0 ? bpe.spell(id) : Array.from(utf8.encode(bpe.spell(id).join("")));
    const hex = bytes.slice(0, 40).map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
    const rank = id < 0 ? -1 : bpe.rankOf(id);
    let origin = "one of the first symbols";
    if (id < 0) origin = "not in the training text";
    else if (bpe.isSpecial(id)) origin = "a special token";
    else if (rank >= 0) origin = `made by the merge of rank ${write(rank)}`;
    const facts = [`${id < 0 ? "" : `id ${write(id)}, `}${origin}`, `${several(bytes.length, "byte")}: ${hex}${bytes.length > 40 ? " …" : ""}`];
    facts.push(`in this text ${several(same.length, "time")}: token ${same.slice(0, 12).join(", ")}${same.length > 12 ? " …" : ""} of ${write(coded[which].ids.length)}`);
    detail.append(make("div", "font-weight:600", shown));
    facts.forEach((fact) => detail.append(make("div", "", fact)));
    if (rank >= 0 && bytes.length <= 60) {
      detail.append(make("div", "font-weight:600;margin-top:4px", "What it was merged from"));
      detail.appendChild(make("ul", "margin:0;padding-left:18px")).append(tree(bpe, id));
    }
    const word = coded[which].words[at];
    if (word !== null && bpe.firstIds(word).length <= 60) {
      detail.append(make("div", "font-weight:600;margin-top:4px", "Why its word was split so: always the pair of lowest rank, the leftmost first"));
      const steps = detail.appendChild(make("ol", "margin:0;padding-left:26px"));
      steps.start = 0;
      const ids = bpe.firstIds(word);
      const row = (text) => steps.append(make("li", "", `${ids.map((i) => face(bpe, i)[0]).join(" ")} ${text}`));
      for (const used of bpe.encodeWord(word, mergesShown(bpe)).used) {
        const [left, right] = bpe.pairs[used];
        row(`→ merge ${face(bpe, left)[0]} + ${face(bpe, right)[0]} (rank ${write(used)})`);
        const i = ids.findIndex((other, n) => other === left && ids[n + 1] === right);
        ids.splice(i, 2, bpe.idOf(used));
      }
      row("→ done");
    }
  }

  function draw() {
    const began = performance.now();
    const text = input.value.toWellFormed ? input.value.toWellFormed() : input.value;
    const characters = Array.from(text).length;
    const bytes = utf8.encode(text).length;
    const coded = toks.map(([, bpe]) => bpe.encode(text, mergesShown(bpe)));
    const aligned = toks.length > 1 && text && toks.every(([, bpe]) => bpe.isBytes);
    if (aligned) out.replaceChildren(drawAligned(coded));
    else out.replaceChildren(...toks.map(([name, bpe], which) => drawRows(which, name, bpe, coded[which])));
    find("k").textContent = write(mergesAsked());
    find("of").textContent = write(mostMerges());
    slider.setAttribute("aria-valuetext", several(mergesAsked(), "merge"));
    const lines = coded.map(({ ids }, which) => {
      let line = toks.length > 1 ? `${toks[which][0]}: ` : "";
      line += `${several(ids.length, "token")}, ${several(characters, "character")}, ${several(bytes, "byte")}`;
      if (ids.length) line += `, ${(characters / ids.length).toFixed(2)} characters per token`;
      if (ids.length > all.most) line += ` (the first ${write(all.most)} are drawn)`;
      return line;
    });
    const rows = lines.map((line, which) => {
      const row = make("div", "", line);
      if (toks.length > 1) row.prepend(make("span", `color:${COLOURS[which]}`, "● "));
      return row;
    });
    find("caption").replaceChildren(...rows);
    drawCurve(text, characters, coded);
    drawDetail(coded);
    box.took = performance.now() - began;
  }

  function prepareTraining() {
    const choice = find("scheme");
    const progress = find("progress");
    const original = toks;
    find("train").onclick = () => {
      const text = input.value;
      if (text.length > 100000) {
        progress.textContent = `${write(text.length)} characters are too many to train here: use up to 100,000, or bpe-teach train in a shell.`;
        return;
      }
      const wanted = Math.max(0, Math.min(20000, Math.floor(Number(find("wanted").value) || 0)));
      const scheme = all.schemes[choice.value];
      const steps = train(text, scheme, wanted);
      const list = find("learned");
      list.replaceChildren();
      let data = null;
      const finish = () => {
        if (!data) data = { scheme, pairs: [], alphabet: scheme.units === "bytes" ? undefined : [] };
        toks = [[`trained here (${choice.value})`, makeEncoder(data)]];
        chosen = null;
        slider.value = slider.max;
        progress.textContent = `${several(data.pairs.length, "merge")} learned${data.pairs.length < wanted ? ": no pair is left that occurs twice" : ""}. The tokens above are now those of this training; move the slider, or change the text.`;
        draw();
      };
      const go = () => {
        const end = performance.now() + 20;
        do {
          const { value, done } = steps.next();
          if (value) data = value;
          if (done) return finish();
          const rank = data.pairs.length - 1;
          if (rank < 200) {
            const bpe = makeEncoderForFaces(data);
            const [left, right] = data.pairs[rank];
            list.append(make("li", "", `${face(bpe, left)[0]} + ${face(bpe, right)[0]} (${several(data.counts[rank], "time")})`));
          }
          progress.textContent = `${write(data.pairs.length)} of ${write(wanted)} merges`;
          if (data.pairs.length <= 30) break; // the first ones one by one, to be watched
        } while (performance.now() < end);
        setTimeout(go, 0);
      };
      go();
    };
    find("original").onclick = () => {
      toks = original;
      chosen = null;
      slider.value = slider.max;
      progress.textContent = "";
      find("learned").replaceChildren();
      draw();
    };
  }

  function makeEncoderForFaces(data) { // enough of an encoder to write tokens
    const isBytes = data.scheme.units === "bytes";
    const first = isBytes ? 256 : data.alphabet.length;
    const spell = (id) => (id < first ? [isBytes ? id : data.alphabet[id]] : data.pairs[id - first].flatMap(spell));
    return { isBytes, spell };
  }

  input.oninput = slider.oninput = draw;
  prepareTraining();
  const learn = (text, name, numMerges) => { // for tests: [[left, right, count], …]
    let data = { pairs: [] };
    for (data of train(text, all.schemes[name], numMerges));
    return data.pairs.map((pair, rank) => [...pair, data.counts[rank]]);
  };
  box.bpe = { encode: (text, most) => toks[0][1].encode(text, most).ids, learn };
  draw();
}
