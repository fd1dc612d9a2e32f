// The film as a GIF, made in the page. It needs front.js.

// The file: each frame holds the rectangle that has changed, in LZW.

const BITS = 5; // of a colour's number
const CLEAR = 2 ** BITS - 1; // the number that stands for what was there before
const LARGEST_CODE = 4096;

function compress(numbers) { // LZW as GIF has it: codes get longer, up to 12 bits, then all begins anew
  const [restart, end] = [2 ** BITS, 2 ** BITS + 1];
  const bytes = [];
  let [held, size] = [0, 0]; // bits that do not yet fill a byte
  let [table, width, next] = [new Map(), BITS + 1, end + 1];
  const put = (code) => {
    held |= code << size;
    for (size += width; size >= 8; size -= 8, held >>>= 8) bytes.push(held & 255);
  };
  put(restart);
  let prefix = numbers[0];
  for (let i = 1; i < numbers.length; i++) {
    const key = prefix * 256 + numbers[i];
    if (table.has(key)) {
      prefix = table.get(key);
      continue;
    }
    put(prefix);
    if (next === LARGEST_CODE) {
      put(restart);
      [table, width, next] = [new Map(), BITS + 1, end + 1];
    } else {
      if (next === 2 ** width) width++;
      table.set(key, next++);
    }
    prefix = numbers[i];
  }
  put(prefix);
  put(end);
  if (size) bytes.push(held & 255);
  return bytes;
}

function changedPart(now, before, width) { // -> {x, y, width, height, numbers}
  let [left, right, top, bottom] = [0, 0, 0, 0];
  let isChanged = false;
  now.forEach((number, i) => {
    if (before && number === before[i]) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    if (!isChanged) [left, right, top, isChanged] = [x, x, y, true];
    [left, right, bottom] = [Math.min(left, x), Math.max(right, x), y];
  });
  const part = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  part.numbers = new Uint8Array(part.width * part.height);
  for (let i = 0; i < part.numbers.length; i++) {
    const at = (top + Math.floor(i / part.width)) * width + left + (i % part.width);
    part.numbers[i] = before && now[at] === before[at] ? CLEAR : now[at];
  }
  return part;
}

async function makeGif(context, frames, palette, tell) { // frames: [what draws, milliseconds] -> a Blob
  const { width, height } = context.canvas;
  const bytes = [];
  const number = (value) => bytes.push(value & 255, value >> 8);
  const letters = (text) => bytes.push(...utf8.encode(text));
  letters("GIF89a");
  number(width);
  number(height);
  bytes.push(0xf0 | (BITS - 1), 0, 0);
  for (let i = 0; i <= CLEAR; i++) bytes.push(...(palette[i] ?? [0, 0, 0]));
  bytes.push(0x21, 0xff, 11);
  letters("NETSCAPE2.0");
  bytes.push(3, 1, 0, 0, 0); // for ever

  const nearest = new Map(); // colour of a pixel -> its number in the palette
  const numberOf = (pixel) => {
    if (!nearest.has(pixel)) {
      const parts = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
      const distances = palette.map((colour) => colour.reduce((sum, part, i) => sum + (part - parts[i]) ** 2, 0));
      nearest.set(pixel, distances.indexOf(Math.min(...distances)));
    }
    return nearest.get(pixel);
  };
  let before = null;
  for (const [i, [draw, milliseconds]] of frames.entries()) {
    draw();
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    const now = Uint8Array.from(pixels, numberOf);
    const part = changedPart(now, before, width);
    bytes.push(0x21, 0xf9, 4, before ? 5 : 4);
    number(Math.round(milliseconds / 10));
    bytes.push(CLEAR, 0, 0x2c);
    [part.x, part.y, part.width, part.height].forEach(number);
    bytes.push(0, BITS);
    const packed = compress(part.numbers);
    for (let start = 0; start < packed.length; start += 255) {
      const block = packed.slice(start, start + 255);
      bytes.push(block.length, ...block);
    }
    bytes.push(0);
    before = now;
    tell((i + 1) / frames.length);
    await rest(0); // so that the page stays alive
  }
  bytes.push(0x3b);
  return new Blob([Uint8Array.from(bytes)], { type: "image/gif" });
}

// The pictures: the words on their lines, the count, the pair that is merged.

const PICTURE = { width: 720, edge: 24, gap: 5, high: 44, line: 54, foot: 84, least: 34 };
const SANS = "system-ui, sans-serif";
const GROUND = "#ffffff";
const INK = "#1f2328";
const HOT = "#bf5200";
const LOOKS = [["#ffffff", "#9aa3ad"], ["#dcf0fb", "#3d9fdc"], ["#fbeccb", "#d08f00"], ["#d3efe5", "#009e73"], ["#f7e3ed", "#c06a98"], ["#f6f1bd", "#a89c00"]];

function paletteOf() { // the colours, and what lies between letters and their grounds
  const parts = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const mix = (a, b, part) => parts(a).map((one, i) => Math.round(one + (parts(b)[i] - one) * part));
  const palette = [GROUND, INK, HOT].map(parts);
  for (const [ground, edge] of LOOKS) palette.push(parts(ground), parts(edge), mix(ground, INK, 0.5));
  for (const part of [0.2, 0.4, 0.6, 0.8]) palette.push(mix(GROUND, INK, part));
  for (const part of [0.25, 0.5, 0.75]) palette.push(mix(HOT, GROUND, part));
  return palette.slice(0, CLEAR);
}

function layOut(context, words, lines) { // -> a box for each symbol: {text, x, y, width}
  const { width, edge, gap, line, least } = PICTURE;
  context.font = `26px ${SANS}`;
  const boxes = [];
  let [x, y] = [edge, 0];
  words.forEach((word, w) => {
    const widths = word.map((symbol) => Math.max(least, Math.ceil(context.measureText(visible(symbol)).width) + 14));
    const whole = widths.reduce((sum, one) => sum + one + gap, 0);
    const isNew = lines[w] === undefined ? x > edge && x + whole > width - edge : lines[w] > y;
    if (isNew) [x, y] = [edge, y + 1];
    lines[w] ??= y;
    word.forEach((text, i) => {
      boxes.push({ text, x, y: edge + y * line, width: widths[i] });
      x += widths[i] + gap;
    });
    x += gap;
  });
  return boxes;
}

function between(from, to, sources, part) { // the boxes on their way
  const mix = (start, end) => start + (end - start) * part;
  return to.map((box, i) => {
    const [a, b] = sources[i].map((source) => from[source]);
    const width = a.y === b.y ? b.x + b.width - a.x : a.width;
    return { text: box.text, x: mix(a.x, box.x), y: mix(a.y, box.y), width: mix(width, box.width) };
  });
}

function paint(context, run, boxes, hot, step, note) { // hot: numbers of boxes
  const { canvas } = context;
  const { edge, high, foot, width } = PICTURE;
  context.fillStyle = GROUND;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.font = `26px ${SANS}`;
  context.lineWidth = 2;
  boxes.forEach((box, i) => {
    const rank = run.steps.findIndex(({ left, right }) => left + right === box.text);
    const [ground, line] = hot.has(i) ? [HOT, HOT] : LOOKS[rank < 0 ? 0 : 1 + (rank % TINTS)];
    Object.assign(context, { fillStyle: ground, strokeStyle: line });
    context.beginPath();
    context.roundRect(Math.round(box.x) + 1, box.y + 1, Math.round(box.width) - 2, high - 2, 7);
    context.fill();
    context.stroke();
    context.fillStyle = hot.has(i) ? GROUND : INK;
    context.fillText(visible(box.text), box.x + box.width / 2, box.y + high / 2 + 1);
  });
  const middle = canvas.height - foot / 2;
  context.fillStyle = INK;
  context.textAlign = "left";
  context.font = `bold 34px ${SANS}`;
  context.fillText(several(run.tokens[step], "token"), edge, middle);
  context.textAlign = "right";
  context.font = `20px ${SANS}`;
  context.fillText(note, width - edge, middle);
}

function sourcesOf(words, next) { // of each box of the next step: the numbers of the first and last box that it comes from
  const sources = [];
  let i = 0;
  words.forEach((word, w) => {
    let place = 0;
    for (const symbol of next[w]) {
      const isMade = symbol !== word[place];
      sources.push([i, i + (isMade ? 1 : 0)]);
      place += isMade ? 2 : 1;
      i += isMade ? 2 : 1;
    }
  });
  return sources;
}

function picturesOf(run) { // -> {context, frames}
  const context = make("canvas").getContext("2d", { willReadFrequently: true });
  const lines = []; // of each word
  const first = layOut(context, run.start, lines);
  const { width, line, edge, foot } = PICTURE;
  Object.assign(context.canvas, { width, height: edge + ((lines.at(-1) ?? 0) + 1) * line + foot });
  const frames = [];
  let [words, boxes] = [run.start, first];
  run.steps.forEach((step, k) => {
    const note = `${visible(step.left)} + ${visible(step.right)}, ${several(step.count, "time")}`;
    const next = mergeAll(words, step);
    const to = layOut(context, next, lines);
    const sources = sourcesOf(words, next);
    const made = new Set([...sources.keys()].filter((i) => sources[i][0] !== sources[i][1]));
    const hot = new Set([...made].flatMap((i) => sources[i]));
    const from = boxes;
    frames.push([() => paint(context, run, from, new Set(), k, note), 160]);
    frames.push([() => paint(context, run, from, hot, k, note), 560 * Math.max(0.45, 1 - 0.08 * k)]);
    for (const part of [0.4, 0.8]) frames.push([() => paint(context, run, between(from, to, sources, part), made, k + 1, note), 70]);
    [words, boxes] = [next, to];
  });
  const end = `${several(run.tokens[0], "character")}, ${several(run.steps.length, "merge")}`;
  frames.push([() => paint(context, run, boxes, new Set(), run.steps.length, end), 3500]);
  return { context, frames };
}

find("gif").onclick = async () => {
  const [button, told, { run }] = [find("gif"), find("made"), film];
  button.disabled = true;
  const { context, frames } = picturesOf(run);
  const blob = await makeGif(context, frames, paletteOf(), (part) => (told.textContent = `${Math.round(100 * part)} %`));
  const link = make("a", "", `Save it (${write(Math.ceil(blob.size / 1000))} kB)`);
  const picture = make("img", "made");
  picture.src = link.href = URL.createObjectURL(blob);
  picture.alt = `Animation: ${run.text} becomes ${several(run.tokens.at(-1), "token")}`;
  link.download = "tokens.gif";
  told.replaceChildren(link, picture);
  button.disabled = false;
};
