// Tokenizers from files: what a visitor opens is read here and stays here. It wakes playgrounds up, too.
// KNOWN, from readers.py: patterns (as files spell them -> as JavaScript does), and patterns by the
// number of ranks of published .tiktoken files, which do not say how a text is split.

function refuse(reason) {
  throw new Error(reason);
}

function readTokenizer(content, schemes, chosenScheme) { // -> what makeEncoder takes
  const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  if (/^[A-Za-z0-9+/=]+ \d+\r?\n/.test(text)) return readRanks(text, schemes, chosenScheme);
  const data = JSON.parse(text);
  if (data.format === "bpe_teach tokenizer") return readOurs(data, schemes);
  return data.model ? readHuggingFace(data, schemes) : refuse("it is no tokenizer of a kind known here");
}

function readOurs(data, schemes) {
  const scheme = schemes[data.scheme];
  if (data.version !== 1 || !scheme) refuse("it has ids or a scheme of its own");
  const endId = scheme.isEnd ? data.alphabet.indexOf(scheme.marker) : -1;
  const spelled = data.alphabet.map((symbol, id) => (id === endId ? symbol + "\0" : typeof symbol === "number" ? String.fromCharCode(symbol) : symbol));
  const idOf = new Map(spelled.map((symbol, id) => [symbol, id]));
  const made = data.merges.map(([left, right]) => {
    const symbol = spelled[left] + spelled[right];
    if (!idOf.has(symbol)) idOf.set(symbol, spelled.length);
    spelled.push(symbol);
    return idOf.get(symbol);
  });
  const special = Object.fromEntries(data.special_tokens.map((name, i) => [name, spelled.length + i]));
  const unknown = special[data.unk_token];
  delete special[data.unk_token];
  return { scheme, alphabet: data.alphabet, endId, pairs: data.merges.map((row) => row.slice(0, 2)), made, special, unknown };
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

function readHuggingFace({ model, normalizer, pre_tokenizer, added_tokens }, schemes) {
  if ((model.type ?? "BPE") !== "BPE") refuse(`its model is ${model.type}`);
  const habits = ["dropout", "byte_fallback", "fuse_unk", "continuing_subword_prefix", "end_of_word_suffix"];
  const scheme = readSplit(pre_tokenizer, schemes);
  const steps = normalizer?.type === "Sequence" ? normalizer.normalizers : normalizer ? [normalizer] : [];
  if (steps.some(({ type }) => type !== "NFC")) refuse(`it changes a text first: ${steps.map(({ type }) => type).join(", ")}`);
  if (steps.length) scheme.normalize = "NFC";
  const { vocab } = model;
  const isBytes = scheme.units === "bytes";
  for (const habit of habits) if (model[habit] && !(isBytes && habit === "fuse_unk")) refuse(`it has ${habit}`);
  const special = {};
  for (const { content, id, ...flags } of added_tokens ?? []) {
    for (const flag of ["lstrip", "rstrip", "single_word"]) if (flags[flag]) refuse(`its token ${content} has ${flag}`);
    special[content] = id;
  }
  const idOf = (token) => vocab[token] ?? refuse(`the token ${token} has no id`);
  const merges = model.merges.map((merge) => (typeof merge === "string" ? merge.split(" ") : merge));
  const made = merges.map(([left, right]) => idOf(left + right));
  const data = { scheme, special, made, pairs: merges.map((parts) => parts.map(idOf)) };
  if (!isBytes) {
    data.alphabet = Object.keys(vocab).filter((token) => Array.from(token).length === 1);
    return { ...data, ids: data.alphabet.map(idOf), unknown: vocab[model.unk_token] ?? special[model.unk_token] };
  }
  const printed = []; // byte -> the character for it, as GPT-2 prints bytes
  for (let byte = 0, next = 256; byte < 256; byte++) {
    const isSeen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    printed.push(String.fromCodePoint(isSeen ? byte : next++));
  }
  const merged = new Set(made);
  const rest = Object.entries(vocab).filter(([token, id]) => model.ignore_merges && token.length > 1 && !merged.has(id) && !(token in special));
  const bytesOf = (token) => Array.from(token, (sign) => printed.indexOf(sign));
  const ids = printed.map((token, byte) => (byte === 192 || byte === 193 || byte > 244 ? vocab[token] ?? -1 : idOf(token))); // -1: in no text
  return { ...data, ids, whole: model.ignore_merges, unmerged: rest.map(([token, id]) => [id, bytesOf(token)]) };
}

function readSplit(part, schemes) {
  if (part?.type === "Whitespace") return { units: "str", pattern: KNOWN.whitespace };
  const steps = part?.type === "Sequence" ? part.pretokenizers : [part];
  const [split, last] = [steps[0], steps.at(-1)];
  if (steps.length > 2 || last?.type !== "ByteLevel") refuse(`it splits a text by ${steps.map((step) => step?.type ?? "nothing known").join(", ")}`);
  const own = last.use_regex === false ? null : schemes.gpt2.pattern;
  if (steps.length === 1) return { units: "bytes", pattern: own, prefix: last.add_prefix_space ? " " : "" };
  const pattern = KNOWN.patterns[split.pattern?.Regex];
  const matches = split.type === "Split" && split.behavior === (split.invert ? "Removed" : "Isolated");
  if (!pattern || !matches || own || last.add_prefix_space) refuse("it splits a text by a pattern that is not known here");
  return { units: "bytes", pattern };
}

function offerFiles(box) {
  const line = document.createElement("div");
  line.style.cssText = "font-size:13px;margin:6px 0";
  line.innerHTML = `<label>Open a tokenizer file, or drop it here: <input type="file" style="max-width:100%"></label> <span role="status" style="display:block">Ours, .tiktoken, or tokenizer.json. It does not leave this machine.</span>`;
  box.append(line);
  const [input, status] = line.querySelectorAll("input, span");
  async function open(file) {
    status.textContent = `Reading ${file.name} …`;
    await new Promise((done) => setTimeout(done, 50)); // so that this is seen
    try {
      const data = readTokenizer(await file.arrayBuffer(), box.bpe.schemes, box.bpe.scheme());
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

for (const box of document.querySelectorAll("[data-page] [data-bpe]")) {
  box.oninput();
  offerFiles(box);
}
