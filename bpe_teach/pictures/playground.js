// The widget. Everything is found from its box, so that several can stand on one page.

function wake(box) {
  const all = JSON.parse(box.dataset.bpe);
  const find = (role) => box.querySelector(`[data-role=${role}]`);
  const [input, behind, slider, out, curve, detail] = ["text", "behind", "merges", "out", "curve", "detail"].map(find);
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const page = box.closest("[data-page]"); // a page of its own; in a notebook there is none
  if (!page) box.nextElementSibling?.remove(); // the advice to run the cell
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const utf8 = new TextEncoder();
  const write = (number) => number.toLocaleString("en");
  const several = (number, what) => `${write(number)} ${what}${number === 1 ? "" : "s"}`;
  const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");
  const visible = { " ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽" };
  const original = all.tokenizers.map(([name, data]) => [name, makeEncoder(readData(data))]);
  let toks = original; // [[name, encoder], …]
  let chosen = null; // {which, place} of a token that is drawn, or {which, id} of any
  let coded = []; // what the encoders gave, by tokenizer

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
        return ["⟨" + parts.map(hex).join(" ") + "⟩", true];
      }
    }
    const escape = (sign) => {
      const code = sign.codePointAt(0).toString(16);
      return code.length > 4 ? "\\U" + code.padStart(8, "0") : code.length > 2 ? "\\u" + code.padStart(4, "0") : "\\x" + code.padStart(2, "0");
    };
    const shown = Array.from(text, (sign) => visible[sign] || (/[\p{C}\p{Z}]/u.test(sign) ? escape(sign) : sign)).join("");
    return [/^\p{M}/u.test(shown) ? "◌" + shown : shown, false];
  }

  const numberOf = (bpe, id) => (id < 0 ? bpe.unknown ?? -1 : id); // -1: it has none
  const templates = new Map(); // look and line -> a box to be copied, which is quick
  function boxed(tag, look, line, text, note) {
    const key = tag + look[0] + line;
    if (!templates.has(key)) {
      const colours = `background:${look[0]};color:${look[1]};border:1.5px ${line} ${look[2]}`;
      const made = make(tag, `${all.box};font:inherit;${tag === "button" ? "cursor:pointer;" : "margin:1px;"}${colours}`, " ");
      if (tag === "button") Object.assign(made, { type: "button", tabIndex: -1 });
      made.append(make("span", "display:block;font-size:10px", " "));
      templates.set(key, made);
    }
    const copy = templates.get(key).cloneNode(true);
    copy.firstChild.data = text;
    if (note === "") copy.lastChild.remove();
    else copy.lastChild.firstChild.data = note;
    return copy;
  }

  function button(place, id, bpe) {
    const [shown, fragment] = face(bpe, id);
    const look = bpe.isSpecial(id) ? all.dark : all.tints[place % all.tints.length];
    const number = numberOf(bpe, id);
    const token = boxed("button", look, fragment || id < 0 ? "dashed" : "solid", id < 0 ? "?" : shown, number < 0 ? "no id" : number);
    token.dataset.id = number;
    token.dataset.place = place;
    if (!place) token.tabIndex = 0;
    if (id < 0) token.title = `${shown}: not in the training text`;
    return token;
  }

  // The tokens of a text stand in lines of parts. A part is a token, or a column of what several
  // tokenizers spell alike. Parts at the beginning of a line that stay as they are are not drawn again.
  let rows = []; // of each tokenizer: {bpe, line, tokens}
  const breaks = (before, shown) => /⏎$/.test(before) || /⏎[^⏎]/.test(shown); // so that code keeps its shape

  function newLine(element) {
    return { element, keys: [], ends: [] }; // ends: how many nodes there are up to each part
  }

  function drawLine(line, keys, build) { // build(i): [the element of part i, whether it begins a line]
    let same = 0;
    while (same < line.keys.length && line.keys[same] === keys[same]) same++;
    while (line.element.childNodes.length > (same && line.ends[same - 1])) line.element.lastChild.remove();
    line.keys = keys;
    line.ends.length = same;
    for (let i = same; i < keys.length; i++) {
      const [part, begins] = build(i);
      if (i && begins) line.element.append(make("div", "flex-basis:100%"));
      line.element.append(part, " ");
      line.ends.push(line.element.childNodes.length);
    }
  }

  function newRow([name, bpe], which) {
    const holder = out.appendChild(make("div", "margin:4px 0"));
    holder.dataset.which = which;
    if (toks.length > 1) holder.append(make("div", "font-weight:600", name));
    return { bpe, line: newLine(holder.appendChild(make("div"))), tokens: [] };
  }

  function newColumns() {
    const holder = out.appendChild(make("div", "display:flex;flex-wrap:wrap;gap:6px 10px;margin:4px 0"));
    const legend = holder.appendChild(make("div", "flex:none;font-weight:600"));
    toks.forEach(([name]) => legend.append(make("div", "height:44px;line-height:44px", name)));
    const line = newLine(holder.appendChild(make("div", "display:contents")));
    return toks.map(([, bpe]) => ({ bpe, line, tokens: [], aligned: true }));
  }

  function drawRow(row, ids) {
    drawLine(row.line, ids.slice(0, all.most), (i) => {
      row.tokens[i] = button(i, ids[i], row.bpe);
      const [before, shown] = [i - 1, i].map((place) => row.tokens[place]?.firstChild.data);
      return [row.tokens[i], breaks(before, shown)];
    });
    row.tokens.length = row.line.keys.length;
  }

  function size(bpe, id) { // bytes of text that a token covers
    const parts = bpe.spell(id);
    if (bpe.isBytes && id >= 0) return parts.length;
    const text = parts.join("");
    if (bpe.fallback.has(id)) return 1;
    return utf8.encode(bpe.space ? text.replaceAll(bpe.space, " ") : text).length;
  }

  // Where the tokens of a text end, if they cover its bytes and at most a space put before it.
  function endsOf({ ids }, [, bpe], bytes) {
    if (!bpe.isBytes && !bpe.space) return null;
    const sizes = ids.map((id) => size(bpe, id));
    let end = bytes - sizes.reduce((sum, one) => sum + one, 0);
    if (end !== 0 && !(end === -1 && bpe.scheme.prefix)) return null;
    return sizes.map((one) => (end += one));
  }

  function drawColumns(allEnds) {
    const ends = allEnds.map((some) => some.slice(0, Math.floor(all.most / toks.length)));
    const known = ends.map((some) => new Set(some));
    const common = ends[0].filter((end) => known.every((some) => some.has(end)));
    const next = toks.map(() => 0);
    const columns = common.map((end) =>
      ends.map((some, which) => {
        const from = next[which];
        while (some[next[which]] <= end) next[which]++;
        return [from, next[which]];
      }),
    );
    const idsOf = (column) => column.map(([from, to], which) => coded[which].ids.slice(from, to));
    const shown = (i) => idsOf(columns[i])[0].map((id) => face(toks[0][1], id)[0]).join("");
    const keys = columns.map((column) => idsOf(column).join(";"));
    drawLine(rows[0].line, keys, (i) => {
      const part = make("div", "flex:none;max-width:100%;border-left:1px solid #888;padding-left:4px");
      columns[i].forEach(([from, to], which) => {
        const line = part.appendChild(make("div", "min-height:44px"));
        line.dataset.which = which;
        for (let place = from; place < to; place++) {
          const token = button(place, coded[which].ids[place], toks[which][1]);
          rows[which].tokens[place] = token;
          line.append(token, " ");
        }
      });
      return [part, i > 0 && breaks(shown(i - 1), shown(i))];
    });
    next.forEach((count, which) => (rows[which].tokens.length = count));
  }

  function drawTokens(text) {
    const bytes = utf8.encode(text).length;
    const ends = toks.length > 1 && text ? coded.map((found, which) => endsOf(found, toks[which], bytes)) : [null];
    const aligned = !ends.includes(null);
    const stay = rows.length === toks.length && rows.every((row, which) => row.bpe === toks[which][1] && Boolean(row.aligned) === aligned);
    if (!stay) {
      out.replaceChildren();
      rows = aligned ? newColumns() : toks.map(newRow);
    }
    if (aligned) drawColumns(ends);
    else rows.forEach((row, which) => drawRow(row, coded[which].ids));
  }

  // Which part of the text a token stands for, and which of its characters it holds only a part of.
  function placeInText(which, place) {
    const text = input.value;
    const ends = endsOf(coded[which], toks[which], utf8.encode(text).length);
    if (!ends) return null;
    const [start, end] = [place ? ends[place - 1] : 0, ends[place]];
    const found = { from: text.length, to: 0, parts: [] };
    let [byte, index] = [0, 0];
    for (const sign of text) {
      const next = byte + utf8.encode(sign).length;
      if (byte < end && next > start) {
        found.from = Math.min(found.from, index);
        found.to = index + sign.length;
        if (byte < start || next > end) found.parts.push(sign);
      }
      if (next >= end) break;
      [byte, index] = [next, index + sign.length];
    }
    return found;
  }

  function markInText(found) { // behind the letters, which have no ground of their own
    const text = input.value;
    behind.replaceChildren();
    if (!found || found.to <= found.from || text.length > 20000) return;
    const mark = make("span", "background:#e69f00;color:transparent;border-radius:3px", text.slice(found.from, found.to));
    behind.style.width = `${input.clientWidth + 2}px`; // without a bar to scroll
    behind.append(text.slice(0, found.from), mark, text.slice(found.to) + "\n");
    behind.scrollTop = input.scrollTop;
  }

  const markHovered = ({ target }) => {
    const found = whichAndPlace(target);
    markInText(found && placeInText(found.which, found.place));
  };
  out.onmouseover = markHovered;
  out.addEventListener("focusin", markHovered);
  out.onmouseleave = () => markInText(null);
  input.onscroll = () => (behind.scrollTop = input.scrollTop);

  let marked = [];
  function markChosen() { // the chosen token, and all others with its id
    marked.forEach((token) => Object.assign(token.style, { outline: "" }));
    marked = [];
    if (!chosen || chosen.place === undefined) return;
    const { tokens } = rows[chosen.which];
    const token = tokens[chosen.place];
    marked = token ? tokens.filter((other) => other.dataset.id === token.dataset.id) : [];
    marked.forEach((other) => (other.style.outline = other === token ? "3px solid #d55e00" : "2px dotted #d55e00"));
    if (token) reachByTab(token);
  }

  function reachByTab(token) { // one token of a tokenizer at a time
    rows[whichAndPlace(token).which].tokens.forEach((other) => (other.tabIndex = -1));
    token.tabIndex = 0;
  }

  function whichAndPlace(element) {
    const token = element.closest("[data-place]");
    return token && { which: Number(token.closest("[data-which]").dataset.which), place: Number(token.dataset.place) };
  }

  out.onclick = (event) => {
    const found = whichAndPlace(event.target);
    if (!found) return;
    chosen = found;
    markChosen();
    drawDetail();
  };

  out.onkeydown = (event) => { // the arrow keys go from token to token
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const found = step && whichAndPlace(event.target);
    const next = found && rows[found.which].tokens[found.place + step];
    if (!next) return;
    reachByTab(next);
    next.focus();
    event.preventDefault();
  };

  const LONGEST_LINK = 4000; // characters of text
  const COLOURS = ["#0072b2", "#d55e00", "#007a5a"]; // of the curves
  const mergesShown = (bpe) => Math.min(mergesAsked(), bpe.pairs.length);
  const mostMerges = () => Math.max(...toks.map(([, bpe]) => bpe.pairs.length));
  function mergesAsked() { // the slider is logarithmic
    return Math.round(Math.expm1((slider.value / slider.max) * Math.log1p(mostMerges())));
  }

  function drawCaption(text, characters) {
    const bytes = utf8.encode(text).length;
    const lines = coded.map(({ ids }, which) => {
      const line = make("div");
      if (toks.length > 1) line.append(make("span", `color:${COLOURS[which]}`, "● "), `${toks[which][0]}: `);
      line.append(make("b", "", several(ids.length, "token")), `, ${several(characters, "character")}, ${several(bytes, "byte")}`);
      if (ids.length) line.append(`, ${(characters / ids.length).toFixed(2)} characters per token`);
      const drawn = rows[which].tokens.length;
      if (ids.length > drawn) line.append(` (the first ${write(drawn)} are drawn)`);
      return line;
    });
    find("caption").replaceChildren(...lines);
  }

  function drawIds() { // to copy
    const lines = coded.map(({ ids }, which) => {
      const [name, bpe] = toks[which];
      const numbers = ids.map((id) => numberOf(bpe, id)).filter((id) => id >= 0);
      const more = numbers.length > all.most ? ", …" : "";
      const shown = make("span", "flex:1;max-height:4em;overflow:auto;font-family:monospace;overflow-wrap:anywhere", `[${numbers.slice(0, all.most).join(", ")}${more}]`);
      shown.tabIndex = 0;
      shown.setAttribute("role", "textbox");
      shown.setAttribute("aria-readonly", "true");
      shown.setAttribute("aria-label", `ids ${name}`.trim());
      const copy = make("button", all.button, "copy ids");
      copy.type = "button";
      copy.onclick = () => {
        getSelection().selectAllChildren(shown);
        navigator.clipboard?.writeText(`[${numbers.join(", ")}]`).then(() => (copy.textContent = "copied"), () => {});
      };
      const line = make("div", "display:flex;gap:8px;align-items:flex-start;margin:4px 0");
      if (toks.length > 1) line.append(make("b", "max-width:6em", name));
      line.append(shown, copy);
      return line;
    });
    find("ids").replaceChildren(...lines);
  }

  let table = []; // of the curve: [name, [[merges, characters per token, tokens], …]] of each tokenizer
  function drawCurve(text, characters) {
    const width = Math.max(220, Math.min(840, curve.clientWidth || 520)); // letters keep their size
    const [height, left, bottom, above] = [180, 36, 34, 24];
    const most = mostMerges();
    const across = (k) => left + (most ? Math.log1p(k) / Math.log1p(most) : 0) * (width - left - 14);
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
      return points.map(([k, n]) => [k, n ? characters / n : 0, n]);
    });
    table = lines.map((points, which) => [toks[which][0], points]);
    const top = Math.max(1, ...lines.flat().map(([, y]) => y));
    const foot = height - bottom;
    const up = (y) => foot - (y / top) * (foot - above);
    const label = (x, y, anchor, words) => `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="currentColor">${words}</text>`;
    const parts = [`<line x1="${left}" x2="${width - 14}" y1="${foot}" y2="${foot}" stroke="#808080"/>`];
    parts.push(label(2, 12, "start", "characters per token"), label(width - 14, height - 3, "end", "merges"));
    const step = [0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 10000].find((one) => top / one <= 4.5) ?? top;
    for (let y = 0; y <= top; y += step) parts.push(label(left - 6, up(y) + 4, "end", y));
    const taken = []; // from where to where there are labels
    for (const k of [most, 0, 10, 100, 1000, 10000, 100000]) {
      const half = 3.6 * write(k).length + 5; // of the width of its label, and some air
      const x = Math.min(across(k), width - half);
      if (k > most || taken.some(([from, to]) => x - half < to && x + half > from)) continue;
      parts.push(label(x, foot + 16, "middle", write(k)));
      taken.push([x - half, x + half]);
    }
    lines.forEach((points, which) => {
      const path = points.map(([k, y]) => `${across(k).toFixed(1)},${up(y).toFixed(1)}`).join(" ");
      const tokens = coded[which].ids.length;
      const y = tokens ? characters / tokens : 0;
      parts.push(`<polyline points="${path}" fill="none" stroke="${COLOURS[which]}" stroke-width="2.5" stroke-dasharray="${["", "6 3", "2 3"][which]}"/>`);
      parts.push(`<circle data-role="point" cx="${across(mergesShown(toks[which][1])).toFixed(1)}" cy="${up(y).toFixed(1)}" r="5" fill="${COLOURS[which]}"/>`);
    });
    curve.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="compression curve of this text: characters per token against merges" style="display:block;width:100%;max-width:${width}px;font:12px system-ui,sans-serif">${parts.join("")}</svg>`;
  }

  // What is told of a token that was clicked on.

  function tree(bpe, id, isChosen) { // a token above, what it was merged from below
    const rank = bpe.rankOf(id);
    const node = make("div", "display:flex;flex-direction:column;flex:1 0 auto");
    const look = bpe.isSpecial(id) ? all.dark : rank < 0 ? all.plain : all.tints[bpe.spell(id).length % all.tints.length];
    const bar = node.appendChild(boxed("span", look, face(bpe, id)[1] ? "dashed" : "solid", face(bpe, id)[0], rank < 0 ? "" : `rank ${write(rank)}`));
    if (isChosen) bar.style.borderColor = "#d55e00";
    if (rank < 0) return node;
    const parts = node.appendChild(make("div", "display:flex"));
    bpe.pairs[rank].forEach((part) => parts.append(tree(bpe, part)));
    return node;
  }

  function drawDetail() {
    detail.replaceChildren();
    const bpe = chosen && toks[chosen.which]?.[1];
    if (!bpe) return;
    const { ids, words } = coded[chosen.which];
    const id = chosen.id ?? ids[chosen.place];
    if (id === undefined) return;
    const tell = (text, style = "") => detail.append(make("div", style, text));
    const same = ids.flatMap((other, i) => (other === id ? [i + 1] : []));
    const bytes = bpe.isBytes && id >= 0 ? bpe.spell(id) : Array.from(utf8.encode(bpe.spell(id).join("")));
    const rank = id < 0 ? -1 : bpe.rankOf(id);
    let origin = "one of the first symbols";
    if (id < 0) origin = "not in the training text";
    else if (bpe.isSpecial(id)) origin = "a special token";
    else if (rank >= 0) origin = `made by the merge of rank ${write(rank)}`;
    tell(face(bpe, id)[0], "font-weight:600;font-size:15px");
    tell(`${id < 0 ? "" : `id ${write(id)}, `}${origin}`);
    tell(`${several(bytes.length, "byte")}: ${bytes.slice(0, 40).map(hex).join(" ")}${bytes.length > 40 ? " …" : ""}`);
    const parts = chosen.id === undefined && face(bpe, id)[1] ? placeInText(chosen.which, chosen.place)?.parts : null;
    if (parts?.length) tell(`part of ${parts.join(" and of ")}: a character of several bytes that no merge has joined here`);
    tell(`in this text ${several(same.length, "time")}${same.length ? ": token " : ""}${same.slice(0, 12).join(", ")}${same.length > 12 ? " …" : ""} of ${write(ids.length)}`);
    const word = chosen.id === undefined ? words[chosen.place] : null;
    const found = word !== null && bpe.firstIds(word).length <= 60 && bpe.encodeWord(word, mergesShown(bpe));
    if (found || (rank >= 0 && bytes.length <= 60)) {
      const trees = detail.appendChild(make("div", "display:flex;gap:8px;overflow-x:auto;align-items:flex-start;margin:6px 0;padding-bottom:4px"));
      (found ? found.ids : [id]).forEach((one) => trees.append(tree(bpe, one, found && one === id)));
      for (const node of trees.children) node.style.flex = "none";
      trees.tabIndex = 0;
      trees.setAttribute("role", "group");
      trees.setAttribute("aria-label", "what it was merged from");
    }
    if (found.whole) return tell("Its word is a token: it is taken whole, before anything is merged.");
    if (!found.used?.length) return;
    tell("Why its word is split as it is: always the pair of lowest rank, the leftmost first", "font-weight:600");
    const steps = detail.appendChild(make("ol", "margin:0;padding-left:26px"));
    const symbols = bpe.firstIds(word);
    const step = (text) => steps.append(make("li", "", `${symbols.map((one) => face(bpe, one)[0]).join(" ")} ${text}`));
    for (const used of found.used) {
      const [left, right] = bpe.pairs[used];
      step(`→ merge ${face(bpe, left)[0]} + ${face(bpe, right)[0]} (rank ${write(used)})`);
      const i = symbols.findIndex((other, n) => other === left && symbols[n + 1] === right);
      symbols.splice(i, 2, bpe.idOf(used));
    }
    step("→ done");
  }

  // The vocabulary: all tokens, to be searched.

  function drawVocabulary() {
    const [panel, whose] = [find("vocabulary"), find("whose")];
    whose.style.display = toks.length > 1 ? "" : "none";
    if (whose.options.length !== toks.length) whose.replaceChildren(...toks.map(([name]) => make("option", "", name)));
    if (!panel.open) return;
    const which = Math.max(0, whose.selectedIndex);
    const bpe = toks[which][1];
    bpe.listed ??= bpe.allIds().map((id) => ({ id, shown: face(bpe, id)[0], length: bpe.spell(id).join("").length }));
    const wanted = find("search").value.replaceAll(" ", "·");
    const found = bpe.listed.filter(({ shown }) => shown.includes(wanted) && (!find("inside").checked || /[^·]·+[^·]/.test(shown)));
    if (find("sort").value === "longest") found.sort((a, b) => (bpe.isBytes ? size(bpe, b.id) - size(bpe, a.id) : b.length - a.length));
    find("found").textContent = `${several(found.length, "token")} of ${write(bpe.listed.length)}${found.length > 200 ? ", the first 200:" : ""}`;
    const list = find("tokens");
    list.replaceChildren();
    found.slice(0, 200).forEach(({ id }, i) => {
      const token = button(i, id, bpe);
      token.tabIndex = 0;
      token.onclick = () => {
        chosen = { which, id };
        markChosen();
        drawDetail();
        detail.scrollIntoView({ block: "nearest" });
      };
      list.append(token, " ");
    });
  }

  // Whose merges these are, once they are not those that the box came with.
  const areLearnedHere = () => run !== null && toks[0][1] === run.bpe;
  function drawOrigin() {
    const holder = find("learned-here");
    holder.style.display = areLearnedHere() ? "flex" : "none";
    if (!areLearnedHere()) return;
    holder.firstElementChild.textContent = `These merges were learned here, from ${several(Array.from(run.text).length, "character")}.`;
    const before = Math.max(...original.map(([, bpe]) => bpe.pairs.length));
    find("back").textContent = `back to the ${several(before, "merge")} from before`;
  }

  function draw() {
    const began = performance.now();
    const text = input.value.toWellFormed ? input.value.toWellFormed() : input.value;
    const characters = Array.from(text).length;
    coded = toks.map(([, bpe]) => bpe.encode(text, mergesShown(bpe)));
    drawTokens(text);
    markChosen();
    find("k").textContent = write(mergesAsked());
    find("of").textContent = write(mostMerges());
    slider.setAttribute("aria-valuetext", several(mergesAsked(), "merge"));
    drawOrigin();
    drawCaption(text, characters);
    drawIds();
    drawDetail();
    drawCurve(text, characters);
    const hasLink = page && text.length <= LONGEST_LINK; // a longer one is cut off on its way
    find("link").style.display = hasLink ? "" : "none";
    const place = isTrained() ? `scheme=${run.name}&step=${mergesAsked()}` : `slider=${slider.value}`;
    if (hasLink) find("link").href = `#text=${encodeURIComponent(text)}&${place}`;
    markInText(null);
    drawNext();
    box.took = performance.now() - began;
  }

  function show(others) { // other tokenizers
    toks = others;
    chosen = null;
    slider.value = slider.max;
    draw();
    drawVocabulary();
  }

  // Training, at once or step by step.

  let run = null; // {steps, next, learned, data, rivals, text, name, wanted, timer}
  const isTrained = () => areLearnedHere() && run.text === input.value;
  function begin() {
    const [text, name] = [input.value, find("scheme").value];
    const wanted = Math.max(0, Math.min(20000, Math.floor(Number(find("wanted").value) || 0)));
    find("learned").replaceChildren();
    pause();
    run = null;
    if (text.length > 100000) {
      find("training").open = true;
      find("progress").textContent = `${write(text.length)} characters are too many to train here: use up to 100,000, or bpe-teach train in a shell.`;
      return;
    }
    const scheme = all.schemes[name];
    run = { steps: train(text, scheme, wanted), learned: 0, text, name, wanted };
    run.next = run.steps.next(); // one merge ahead, so that it can be shown what comes
    run.data = run.next.value;
    run.done = run.next.done;
  }

  function step() { // one merge; return whether there was one
    if (run.done) return false;
    run.rivals = run.data.rivals;
    run.next = run.steps.next();
    run.done = run.next.done;
    run.learned++;
    if (run.learned <= 200) find("learned").append(make("li", "", nameMerge(makeEncoder(run.data), run.learned - 1)));
    return true;
  }

  function nameMerge(bpe, rank) {
    const [left, right] = run.data.pairs[rank].map((id) => face(bpe, id)[0]);
    return `${left} + ${right} (${several(run.data.counts[rank], "time")})`;
  }

  // Beside the boxes: the pair that is merged next glows, and what was just merged grows together.
  let glowing = [];
  function drawNext() {
    glowing.forEach((token) => (token.style.boxShadow = ""));
    glowing = [];
    const coming = find("coming");
    coming.textContent = "";
    if (!isTrained() || mergesAsked() !== run.learned) return;
    if (!run.done) coming.textContent = `next: ${nameMerge(makeEncoder(run.data), run.learned)}`;
    else if (run.learned < run.wanted) coming.textContent = "no pair is left that occurs twice";
    const { ids, numbers } = coded[0];
    const [left, right] = run.done ? [-1, -1] : run.data.pairs[run.learned];
    const made = run.learned ? run.bpe.idOf(run.learned - 1) : -1;
    rows[0].tokens.forEach((token, i) => {
      if (ids[i] === made && run.fuses && !isCalm) token.animate([{ letterSpacing: "10px", background: "#d55e00", color: "#fff" }, {}], 700);
    });
    run.fuses = false;
    for (let i = 0; i + 1 < rows[0].tokens.length; i++) {
      if (ids[i] !== left || ids[i + 1] !== right || numbers[i] !== numbers[i + 1]) continue;
      glowing.push(...rows[0].tokens.slice(i, i + 2));
      i++;
    }
    for (const token of glowing) {
      token.style.boxShadow = "0 0 0 2.5px #d55e00";
      if (!isCalm) token.animate([{ boxShadow: "0 0 0 2.5px #d55e00" }, { boxShadow: "0 0 6px 6px #d55e0088" }, { boxShadow: "0 0 0 2.5px #d55e00" }], 900);
    }
  }

  function drawRivals() { // the pairs among which the last merge was chosen
    const table = find("rivals");
    table.replaceChildren();
    const { rivals, learned } = run;
    if (!rivals) return;
    const bpe = makeEncoder(run.data);
    const [first, second] = run.data.pairs[learned - 1];
    const best = first * BASE + second;
    const sorted = [...rivals].sort((a, b) => b[1] - a[1]).slice(0, 6); // of equals, the one met first
    table.append(make("caption", "text-align:left", `The merge of rank ${write(learned - 1)}, chosen from ${several(rivals.size, "different pair")}:`));
    for (const [key, count] of sorted) {
      const row = table.insertRow();
      const name = [Math.floor(key / BASE), key % BASE].map((id) => face(bpe, id)[0]).join(" + ");
      row.append(make("td", "padding:0 12px 0 0", name), make("td", "padding:0 12px 0 0", several(count, "time")));
      row.append(make("td", "", key === best ? "← merged" : count === rivals.get(best) ? "as often, but met later" : ""));
      if (key === best) row.style.fontWeight = 600;
    }
  }

  function showRun() {
    const { data, learned, name, wanted, done } = run;
    const early = done && learned < wanted ? ": no pair is left that occurs twice" : "";
    find("progress").textContent = done
      ? `${several(learned, "merge")} learned${early}. The tokens above are now those of this training; move the slider, or change the text.`
      : `${write(learned)} of ${write(wanted)} merges`;
    drawRivals();
    run.bpe = makeEncoder({ ...data, pairs: data.pairs.slice(0, learned) });
    show([[`trained here (${name})`, run.bpe]]);
  }

  function pause() {
    clearTimeout(run?.timer);
    find("play").textContent = "play";
  }

  function go() { // as much as is seen in time
    const end = performance.now() + 20;
    while (step() && run.learned > 30 && performance.now() < end);
    if (run.done) return showRun();
    find("progress").textContent = `${write(run.learned)} of ${write(run.wanted)} merges`;
    run.timer = setTimeout(go, 0);
  }

  function stepAndShow() {
    const isOn = run && run.bpe && run.text === input.value && run.name === find("scheme").value;
    if (isOn && mergesAsked() < run.learned) jump(mergesAsked()); // the slider was moved back
    const isNew = !isOn || run.done;
    if (isNew) begin(); // the first step shows what there is before any merge
    if (!run) return false;
    run.fuses = !isNew && step();
    showRun();
    return !run.done;
  }

  function jump(number) { // to what there is after so many merges
    begin();
    while (run && run.learned < number && step());
  }

  function play() { // one merge after the other
    if (!stepAndShow()) return pause();
    find("play").textContent = "pause";
    run.timer = setTimeout(play, 900);
  }

  find("train").onclick = () => {
    find("training").open = true;
    begin();
    if (run) go();
  };
  find("step").onclick = () => {
    pause();
    stepAndShow();
  };
  find("restart").onclick = () => {
    jump(0);
    if (run) showRun();
  };
  find("play").onclick = () => (find("play").textContent === "play" ? play() : pause());
  find("back").onclick = () => {
    pause();
    run = null;
    ["progress", "learned", "rivals"].forEach((role) => find(role).replaceChildren());
    show(original);
    slider.focus(); // the button that was pressed is gone
  };

  // A picture to keep, and a link that carries the text and the slider.

  function save(name, kind, content) {
    const link = make("a");
    link.href = `data:${kind};charset=utf-8,${encodeURIComponent(content)}`;
    link.download = name;
    link.click();
  }

  find("save-curve").onclick = () => {
    const svg = curve.firstElementChild.cloneNode(true);
    const [, , width, height] = svg.getAttribute("viewBox").split(" ");
    const styled = { xmlns: "http://www.w3.org/2000/svg", width, height, style: "font:12px system-ui,sans-serif;color:#222;background:#fff" };
    for (const [name, value] of Object.entries(styled)) svg.setAttribute(name, value);
    save("curve.svg", "image/svg+xml", svg.outerHTML);
  };

  find("save-table").onclick = () => {
    const quote = (name) => `"${name.replace(/^(?=[=+@\t\r-])/, "'").replaceAll('"', '""')}"`; // nothing that a spreadsheet computes
    const rows = table.flatMap(([name, points]) => points.map(([k, y, n]) => [quote(name), k, n, y.toFixed(4)].join(",")));
    save("curve.csv", "text/csv", `${["tokenizer,merges,tokens,characters_per_token", ...new Set(rows)].join("\r\n")}\r\n`);
  };

  find("picture").onclick = () => {
    const frame = out.getBoundingClientRect();
    const safe = (text) => make("i", "", text).innerHTML;
    const parts = Array.from(out.querySelectorAll("button"), (token) => {
      const { left, top, width, height } = token.getBoundingClientRect();
      const [x, y] = [left - frame.left + 8, top - frame.top + out.scrollTop + 8];
      const { backgroundColor, borderColor, color } = token.style;
      const middle = `text-anchor="middle" fill="${color}" x="${x + width / 2}"`;
      return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="${backgroundColor}" stroke="${borderColor}"/><text ${middle} y="${y + 16}" font-size="15">${safe(token.firstChild.data)}</text><text ${middle} y="${y + height - 6}" font-size="10">${token.dataset.id}</text>`;
    });
    const lines = Array.from(find("caption").children, (line) => line.textContent);
    const longest = 7 * Math.max(...lines.map((line) => line.length)); // a letter has about 7 pixels
    const [width, below] = [Math.max(out.clientWidth, longest) + 16, out.scrollHeight + 28];
    const height = below + 18 * lines.length;
    lines.forEach((line, i) => parts.push(`<text x="8" y="${below + 18 * i}" font-size="13" fill="#222">${safe(line)}</text>`));
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
    save("tokens.svg", "image/svg+xml", svg);
  };

  function readLink() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("text")) return;
    const text = asked.get("text");
    const isLong = text.length > LONGEST_LINK;
    input.value = isLong ? text.slice(0, LONGEST_LINK) : text;
    find("shortened").textContent = isLong ? `The text of the link has ${write(text.length)} characters; these are the first ${write(LONGEST_LINK)}.` : "";
    const number = (name) => (/^\d{1,5}$/.test(asked.get(name)) ? Number(asked.get(name)) : null);
    slider.value = number("slider") ?? slider.max;
    const [name, steps] = [asked.get("scheme"), number("step")];
    if (!Object.hasOwn(all.schemes, name ?? "") || steps === null) return;
    find("scheme").value = name; // training is the same everywhere, so its result need not travel
    find("wanted").value = Math.max(steps, Number(find("wanted").value));
    jump(steps);
    if (run) showRun();
  }

  if (page) {
    readLink();
    window.addEventListener("hashchange", () => {
      readLink();
      draw();
    });
  }
  find("example").onclick = () => {
    if (areLearnedHere()) find("back").onclick(); // what one line has taught would say little of five scripts
    input.value = all.example;
    draw();
  };
  slider.oninput = draw;
  input.oninput = () => {
    find("shortened").textContent = "";
    draw();
  };
  ["search", "sort", "inside", "whose"].forEach((role) => (find(role).oninput = drawVocabulary));
  find("vocabulary").ontoggle = drawVocabulary;
  const learn = (text, name, numMerges) => { // for tests: [[left, right, count], …]
    let data = { pairs: [] };
    for (data of train(text, all.schemes[name], numMerges));
    return data.pairs.map((pair, rank) => [...pair, data.counts[rank]]);
  };
  const encode = (text, most) => toks.at(-1)[1].encode(text, most).ids;
  const add = (name, data) => show([...toks, [name, makeEncoder(data)]].slice(-3));
  const redraw = () => {
    rows = [];
    draw();
  };
  box.bpe = { encode, learn, add, redraw, readData, schemes: all.schemes, scheme: () => find("scheme").value, makeSplitter };
  draw();
  drawVocabulary();
}
