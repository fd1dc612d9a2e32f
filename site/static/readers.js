// Tokenizers from files: what a visitor opens is read here and stays here. It wakes playgrounds up, too.
// KNOWN, from readers.py: patterns (as files spell them -> as JavaScript does), which patterns are the same
// in both, the steps of a normalization that are known, and patterns by the number of ranks of published
// .tiktoken files, which do not say how a text is split.

function refuse(reason) {
  throw new Error(reason);
}

function readTokenizer(content, { schemes, scheme, makeSplitter }) { // -> what makeEncoder takes
  const text = new TextDecoder().decode(content);
  if (/^[A-Za-z0-9+/=]+ \d+\r?\n/.test(text)) return readRanks(text, schemes, scheme());
  if (!/^\s*\{/.test(text)) refuse("it is neither JSON nor a .tiktoken file");
  const data = JSON.parse(text);
  if (data.format === "bpe_teach tokenizer") return readOurs(data, schemes);
  if (data.model) return readHuggingFace(data, schemes, makeSplitter);
  if (Object.values(data).every(Number.isInteger)) refuse("it has tokens and their ids but no merges, as vocab.json and encoder.json; open the tokenizer.json beside it");
  return refuse("it isn't a tokenizer of a kind known here");
}

const BYTE_NAMES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
const codes = (text) => Array.from(text, (sign) => sign.charCodeAt(0)); // of bytes that were read as characters

// Our own files. Version 1 is what training gives; version 2 has a scheme and ids of its own.

function readOurs(data, schemes) {
  const scheme = typeof data.scheme === "string" ? schemes[data.scheme] : readScheme(data.scheme ?? refuse("it has no scheme"));
  if (!scheme) refuse(`its scheme is ${data.scheme}`);
  const isBytes = scheme.units === "bytes";
  const inBytes = (numbers) => String.fromCharCode(...numbers);
  const spell = (token) => { // one sign for each byte or character, and "\0" where a word ends
    if (isBytes) return inBytes(Array.isArray(token) ? token : new TextEncoder().encode(token));
    return Array.isArray(token) ? token[0] + "\0" : token;
  };
  const first = data.alphabet.map((symbol) => (isBytes ? inBytes([symbol]) : scheme.isEnd && symbol === scheme.marker ? symbol + "\0" : symbol));
  const symbols = new Map(data.tokens ? data.tokens.map(([id, token]) => [id, spell(token)]) : first.entries());
  const idOf = new Map(); // of two ids of one symbol the lower
  for (const [id, symbol] of symbols) if (!idOf.has(symbol)) idOf.set(symbol, id);
  const made = data.merges.map(([left, right]) => {
    const symbol = symbols.get(left) + symbols.get(right);
    if (!idOf.has(symbol)) idOf.set(symbol, symbols.size);
    if (!data.tokens) symbols.set(symbols.size, symbol);
    return idOf.get(symbol);
  });
  const added = data.added_tokens ?? {};
  let special = data.special_tokens;
  if (Array.isArray(special)) { // they are numbered after all others
    let next = [...symbols.keys(), ...Object.values(added)].reduce((most, id) => Math.max(most, id), -1);
    special = Object.fromEntries(special.map((name) => [name, ++next]));
  }
  const names = { ...special, ...added };
  const unknown = names[data.unk_token] ?? idOf.get(data.unk_token);
  const isOld = data.scheme.always_prefixed && data.scheme.first_prefixed; // then added tokens were looked for with ▁ for spaces
  const sign = scheme.steps?.find(([step, old]) => step === "Replace" && old === " ")?.[2] ?? " ";
  const normalized = isOld ? Object.fromEntries(Object.keys(added).map((name) => [name.replaceAll(" ", sign), name])) : data.normalized;
  const ids = first.map((symbol) => idOf.get(symbol));
  const known = new Set([...ids, ...made]);
  return {
    scheme, ids, made, unknown,
    alphabet: data.alphabet,
    endId: scheme.isEnd ? idOf.get(scheme.marker + "\0") ?? -1 : undefined,
    pairs: data.merges.map((row) => row.slice(0, 2)),
    special: names, normalized,
    lstrip: data.lstrip, rstrip: data.rstrip,
    whole: data.whole_words,
    fuse: data.fuse_unk,
    bytes: data.byte_fallback ? BYTE_NAMES.map((name) => idOf.get(name) ?? -1) : undefined,
    unmerged: [...symbols].filter(([id]) => !known.has(id)).map(([id, symbol]) => [id, isBytes ? codes(symbol) : Array.from(symbol)]),
  };
}

function readScheme(data) {
  if (data.marks_last) refuse("the last character of each of its words carries a mark");
  if (data.cuts) refuse("it splits a text in several steps");
  const steps = Array.isArray(data.normalization) ? data.normalization : data.normalization.split(" ").filter(Boolean);
  const isEnd = Array.isArray(data.marker);
  if (data.always_prefixed) steps.push(["Prepend", data.prefix]);
  return {
    units: data.units,
    pattern: data.pattern === null ? null : readPattern(data.pattern),
    steps: checkSteps(steps),
    prefix: data.always_prefixed ? "" : data.prefix,
    first: data.first_prefixed && !data.always_prefixed,
    marker: isEnd ? data.marker[0] : data.marker,
    isEnd,
  };
}

function readPattern(pattern) {
  const isSame = new RegExp(`^${KNOWN.same}$`, "u").test(pattern); // in every engine
  return KNOWN.patterns[pattern] ?? (isSame ? pattern : refuse("it splits a text by a pattern that is not known here"));
}

function checkSteps(steps) {
  const names = steps.map((step) => [].concat(step)[0]).filter((name) => !KNOWN.steps.includes(name));
  return names.length ? refuse(`it changes a text first: ${names.join(", ")}`) : steps;
}

// tiktoken: tokens in base64 with their ranks. Why these are enough: see exchange/openai.py.

function readRanks(text, schemes, chosenScheme) {
  const ranks = new Map(); // bytes, as characters up to 255 -> rank
  for (const line of text.split(/\r?\n/)) {
    const [token, rank] = line.split(" ");
    if (token && token !== "=") ranks.set(atob(token), Number(rank));
  }
  const byteIds = Array.from({ length: 256 }, (_, byte) => ranks.get(String.fromCharCode(byte)));
  if (byteIds.includes(undefined)) refuse("it lacks some of the 256 bytes");
  const tokens = [...ranks.keys()].filter((token) => token.length > 1).sort((a, b) => ranks.get(a) - ranks.get(b));
  if (tokens.reduce((sum, token) => sum + token.length ** 2, 0) > 150e6) refuse("its tokens are too long");
  const data = { pairs: [], made: [], unmerged: [], ids: byteIds };
  for (const token of tokens) {
    const parts = findMerge(token, ranks);
    if (parts) {
      data.pairs.push(parts.map((part) => ranks.get(part)));
      data.made.push(ranks.get(token));
    } else data.unmerged.push([ranks.get(token), Array.from(token, (sign) => sign.charCodeAt(0))]);
  }
  const known = KNOWN.ranks[ranks.size];
  const scheme = known === undefined ? schemes[chosenScheme] : { units: "bytes", pattern: known };
  if (scheme.units !== "bytes") refuse(`the scheme ${chosenScheme} has no bytes; choose one that has`);
  const note = known === undefined ? `Such a file does not say how a text is split: as in ${chosenScheme}, the scheme chosen below.` : "";
  return { ...data, scheme, note, whole: data.unmerged.length > 0 };
}

function findMerge(token, ranks) { // the two parts in which all other merges leave a token
  const parts = Array.from(token);
  const rankAt = (i) => ranks.get(parts[i] + parts[i + 1]) ?? Infinity;
  const found = parts.slice(1).map((_, i) => rankAt(i)); // of each pair
  while (parts.length > 2) {
    let place = 0;
    for (let i = 1; i < found.length; i++) if (found[i] < found[place]) place = i;
    if (found[place] === Infinity) return null;
    parts.splice(place, 2, parts[place] + parts[place + 1]);
    found.splice(place, 1);
    if (place > 0) found[place - 1] = rankAt(place - 1);
    if (place < found.length) found[place] = rankAt(place);
  }
  return parts;
}

// Hugging Face's tokenizer.json

function readHuggingFace({ model, normalizer, pre_tokenizer, added_tokens }, schemes, makeSplitter) {
  if ((model.type ?? "BPE") !== "BPE") refuse(`its model is ${model.type}`);
  for (const habit of ["dropout", "continuing_subword_prefix", "end_of_word_suffix"]) if (model[habit]) refuse(`it has ${habit}`);
  const scheme = { units: "str", pattern: null, steps: [], prefix: "" };
  for (const part of partsOf(normalizer, "normalizers")) readStep(part, scheme);
  checkSteps(scheme.steps);
  const { change } = makeSplitter({ steps: [...scheme.steps] });
  const before = scheme.steps.length;
  readSplit(partsOf(pre_tokenizer, "pretokenizers"), scheme, schemes);
  const { vocab } = model;
  if (!Object.keys(vocab).length) refuse("its vocabulary is empty");
  const isBytes = scheme.units === "bytes";
  const special = {};
  const [later, lstrip, rstrip] = [[], [], []]; // names: to be looked for in the normalized text, …
  for (const { content, id, ...flags } of added_tokens ?? []) {
    if (flags.single_word) refuse(`its token ${content} is found only as a word`);
    special[content] = id;
    if (flags.normalized) later.push([content, flags.special !== false]);
    if (flags.lstrip) lstrip.push(content);
    if (flags.rstrip) rstrip.push(content);
  }
  if (!before && later.length === (added_tokens ?? []).length) later.length = 0; // all are looked for in the text as it is
  const afterSpaces = ([name]) => lstrip.includes(name) || rstrip.includes(name) || /\p{White_Space}|▁/u.test(name);
  if (scheme.steps.length > before && later.some(afterSpaces)) refuse("some of its tokens are looked for before spaces are changed");
  const normalized = {}; // how a name is spelled there -> the name; of two that are alike the first, special ones before others
  for (const [name] of later.sort(([, a], [, b]) => b - a)) normalized[change(name)] ??= name;
  const idOf = (token) => vocab[token] ?? refuse(`the token ${token} has no id`);
  const merges = model.merges.map((merge) => (typeof merge === "string" ? merge.split(" ") : merge));
  const made = merges.map(([left, right]) => idOf(left + right));
  const data = { scheme, special, normalized, lstrip, rstrip, made, pairs: merges.map((parts) => parts.map(idOf)), whole: model.ignore_merges };
  const merged = new Set(made);
  const rest = Object.entries(vocab).filter(([token, id]) => Array.from(token).length > 1 && !merged.has(id) && !(token in special));
  if (!isBytes) {
    data.alphabet = Object.keys(vocab).filter((token) => Array.from(token).length === 1);
    data.ids = data.alphabet.map(idOf);
    data.unknown = vocab[model.unk_token] ?? special[model.unk_token];
    data.fuse = model.fuse_unk;
    if (model.byte_fallback) data.bytes = BYTE_NAMES.map((name) => vocab[name] ?? -1);
    return { ...data, unmerged: rest.map(([token, id]) => [id, Array.from(token)]) };
  }
  if (model.byte_fallback) refuse("it has byte_fallback beside an alphabet of bytes");
  const printed = []; // byte -> the character for it, as GPT-2 prints bytes
  for (let byte = 0, next = 256; byte < 256; byte++) {
    const isSeen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    printed.push(String.fromCodePoint(isSeen ? byte : next++));
  }
  const bytesOf = (token) => Array.from(token, (sign) => printed.indexOf(sign));
  data.ids = printed.map((token, byte) => (byte === 192 || byte === 193 || byte > 244 ? vocab[token] ?? -1 : idOf(token))); // -1: in no text
  return { ...data, unmerged: rest.map(([token, id]) => [id, bytesOf(token)]).filter(([, bytes]) => !bytes.includes(-1)) };
}

const partsOf = (part, name) => (part?.type === "Sequence" ? part[name] : part ? [part] : []);

function readStep({ type, ...part }, scheme) { // of a normalizer
  if (type === "Prepend") return scheme.steps.push([type, part.prepend]);
  if (type !== "Replace") return scheme.steps.push(type);
  const old = part.pattern.String ?? refuse("it replaces more than a text");
  const [last, sign] = scheme.steps.at(-1) ?? [];
  const isSame = old === " " && last === "Prepend" && sign === part.content; // then the order makes no difference
  scheme.steps.splice(isSame ? -1 : scheme.steps.length, 0, [type, old, part.content]);
}

function readSplit(parts, scheme, schemes) {
  const [split, last] = [parts[0], parts.at(-1)];
  const kinds = parts.map((part) => part.type).join(", ");
  const cutAt = (sign) => (scheme.pattern = `${sign}[^${sign}]*|[^${sign}]+`);
  if (kinds === "" || (split.type === "Split" && split.pattern.String === " " && scheme.steps.some(([, old]) => old === " "))) {
    if (parts.length > 1) refuse(`it splits a text by ${kinds}`);
    return; // no space is left at which it could split
  }
  if (kinds === "Whitespace") return (scheme.pattern = KNOWN.whitespace);
  if (kinds === "Metaspace") {
    const { replacement: sign, prepend_scheme: prepend = split.add_prefix_space === false ? "never" : "always" } = split;
    if (scheme.steps.some(([step]) => step === "Prepend") || /[\\^$.*+?(){}[\]|-]/.test(sign)) refuse("it puts two texts before");
    scheme.steps.push(["Replace", " ", sign]);
    Object.assign(scheme, { prefix: prepend === "never" ? "" : sign, first: prepend === "first" });
    return split.split === false || cutAt(sign);
  }
  if (parts.length > 2 || last.type !== "ByteLevel" || scheme.prefix) refuse(`it splits a text by ${kinds}`);
  const own = last.use_regex === false ? null : schemes.gpt2.pattern;
  scheme.units = "bytes";
  if (parts.length === 1) return Object.assign(scheme, { pattern: own, prefix: last.add_prefix_space ? " " : "" });
  scheme.pattern = KNOWN.patterns[split.pattern?.Regex];
  const matches = split.type === "Split" && split.behavior === (split.invert ? "Removed" : "Isolated");
  if (!scheme.pattern || !matches || own || last.add_prefix_space) refuse("it splits a text by a pattern that is not known here");
}

function offerFiles(box) {
  const line = document.createElement("div");
  line.style.cssText = "font-size:13px;margin:6px 0";
  line.innerHTML = `<label>Open a tokenizer file, or drop it here: <input type="file" style="max-width:100%;min-height:24px"></label> <span role="status" style="display:block">Ours, .tiktoken, or tokenizer.json. It does not leave this machine.</span>`;
  box.append(line);
  const [input, status] = line.querySelectorAll("input, span");
  async function open(file) {
    status.textContent = `Reading ${file.name} …`;
    await new Promise((done) => setTimeout(done, 50)); // so that this is seen
    try {
      const data = readTokenizer(await file.arrayBuffer(), box.bpe);
      box.bpe.add(file.name, data);
      status.textContent = `${file.name} is shown above. It has not left this machine. ${data.note ?? ""}`;
    } catch (error) {
      status.textContent = `${file.name} can’t be read here (${error.message}); bpe-teach playground ${file.name}, in a shell, reads more.`;
    }
  }
  input.onchange = () => input.files[0] && open(input.files[0]);
  box.ondragover = (event) => event.preventDefault();
  box.ondrop = (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  };
}

// The menu: vocabularies that came with the page, SHIPPED, name -> what our own files hold; and large ones,
// SCRIPTS, name -> the script that load.js loads when it is asked for.
function offerMenu(box) {
  const line = document.createElement("div");
  line.style.cssText = "font-size:13px;margin:6px 0";
  line.innerHTML = `<label>Show another vocabulary beside these: <select style="max-width:100%;min-height:28px;font:inherit"><option value="">choose …</option></select></label> <span>The last three are shown.</span>`;
  box.append(line);
  const menu = line.querySelector("select");
  const told = line.querySelector("span");
  for (const [name, { kilobytes }] of Object.entries(SCRIPTS)) menu.add(new Option(`${name} (loads ${(kilobytes / 1000).toFixed(1)} MB)`, name));
  for (const name of Object.keys(SHIPPED)) menu.add(new Option(name, name));
  async function add(name) {
    if (name in SHIPPED) return box.bpe.add(name, readOurs(SHIPPED[name], box.bpe.schemes));
    told.textContent = `${name} is on its way …`;
    try {
      box.bpe.add(name, box.bpe.readData(await loadVocabulary(name, SCRIPTS[name].file)));
      told.textContent = "The last three are shown.";
    } catch (error) {
      told.textContent = `${error.message}: try again.`;
    }
  }
  menu.onchange = (event) => {
    event.stopPropagation();
    const name = menu.value;
    menu.value = "";
    if (name) add(name);
  };
}

for (const box of document.querySelectorAll("[data-page] [data-bpe]")) {
  box.oninput();
  if (typeof SHIPPED === "object") offerMenu(box);
  offerFiles(box);
}
