// The five scenes of the first page. They need front.js, and begin when the film has.

// 1: the visitor chooses the merges.

function makeGame() {
  const { text, merges, best, rule } = FRONT.game;
  const first = startOf(text);
  let made = []; // [{left, right}, …]
  const wordsNow = () => made.reduce(mergeAll, first);

  function countPairs(words) {
    const counts = new Map();
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i++) {
        const key = `${word[i]}\0${word[i + 1]}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    return counts;
  }

  function verdict(tokens) {
    const left = merges - made.length;
    if (left) return `${several(left, "merge")} left.`;
    if (tokens === best) return "Better than the rule, and nothing beats this.";
    if (tokens === rule) return "As good as the rule. One token less is possible.";
    return tokens < rule ? "Better than the rule." : "The rule does better. Once more?";
  }

  function drawBox(look, symbol, next, counts) {
    if (next === undefined) return make("span", look, visible(symbol));
    const button = make("button", look, visible(symbol));
    button.title = `${visible(symbol)} + ${visible(next)}: ${several(counts.get(`${symbol}\0${next}`), "time")}`;
    button.setAttribute("aria-label", button.title);
    button.disabled = made.length === merges;
    button.onclick = () => {
      made.push({ left: symbol, right: next });
      draw();
      (find("board").querySelector("button:not(:disabled)") ?? find("again")).focus();
    };
    return button;
  }

  function draw() {
    const words = wordsNow();
    const counts = countPairs(words);
    const look = (symbol) => {
      const rank = made.findIndex(({ left, right }) => left + right === symbol);
      return rank < 0 ? "b" : `b t${rank % TINTS}`;
    };
    const boxes = (word) => word.map((symbol, i) => drawBox(look(symbol), symbol, word[i + 1], counts));
    find("board").replaceChildren(...words.map((word) => make("span", "w", ...boxes(word))));
    const tokens = countTokens(words);
    find("score").textContent = `${several(tokens, "token")}. ${verdict(tokens)}`;
  }

  find("again").onclick = () => {
    made = [];
    draw();
  };
  find("undo").onclick = () => {
    made.pop();
    draw();
  };
  find("rule").onclick = async () => {
    const mine = (made = []);
    draw();
    for (const step of learn(text, merges, 1).steps) {
      await rest(calm.matches ? 0 : 600);
      if (made !== mine) return; // the visitor has gone on
      made.push(step);
      draw();
    }
  };
  draw();
}

// 2: a new text, cut by the merges of a story.

const LONGEST_TYPED = 3000; // characters
const MOST_DRAWN = 600; // boxes
const story = makeEncoder(readData(FRONT.story));

function cutTyped() {
  const text = firstSigns(find("typed").value, LONGEST_TYPED);
  const part = find("merges").value / find("merges").max;
  const most = Math.round(Math.expm1(part * Math.log1p(story.pairs.length))); // the slider is logarithmic
  const { ids } = story.encode(text, most);
  find("most").textContent = write(most);
  drawTokens(find("cut"), ids.slice(0, MOST_DRAWN).map((id) => Uint8Array.from(story.spell(id))));
  find("cut").setAttribute("aria-label", several(ids.length, "token"));
  const signs = Array.from(text).length;
  const told = [several(ids.length, "token"), several(signs, "character")];
  if (ids.length) told.push(`${(signs / ids.length).toFixed(2)} characters per token`);
  if (text.length < find("typed").value.length) told.push(`the first ${write(LONGEST_TYPED)} characters only`);
  find("cutsaid").textContent = told.join(", ");
  const whole = find("whole");
  whole.href = `${whole.href.split("#")[0]}#text=${encodeURIComponent(text)}&slider=${find("merges").value}`;
}

// 3: bytes.

function drawSign(i) {
  const [sign, lengths] = Object.entries(FRONT.signs)[i];
  const bytes = utf8.encode(sign);
  const points = Array.from(sign, codePoint).join(" ");
  const first = make("div", "stage small", ...Array.from(bytes, (byte) => make("span", "b part", hex([byte]))));
  const ours = story.encode(sign).ids.map((id) => Uint8Array.from(story.spell(id)));
  find("sign").replaceChildren(
    make("div", "line", make("h3", "", `${points} is written in ${several(bytes.length, "byte")}:`), first),
    line("Ours, from one story:", ours),
    ...FRONT.models.map((name, j) => line(`${name}:`, cutAt(sign, lengths[j]))),
  );
}

// 4: prices.

function makePrices() {
  const languages = Object.entries(FRONT.languages); // [name, [sentence, lengths by model]]
  const most = Math.max(...languages.flatMap(([, [, lengths]]) => lengths.map((one) => one.length)));
  let [model, chosen] = [0, 0];
  const bars = languages.map(([name], i) => {
    const button = make("button", "bar", make("b"));
    button.onclick = () => {
      chosen = i;
      draw();
    };
    const head = make("th", "", name);
    head.scope = "row";
    head.id = `language-${i}`;
    button.firstChild.id = `tokens-${i}`;
    button.setAttribute("aria-labelledby", `${head.id} ${button.firstChild.id}`);
    find("prices").append(make("tr", "", head, make("td", "", button)));
    return button;
  });

  function draw() {
    const english = languages[0][1][1][model].length;
    languages.forEach(([, [, lengths]], i) => {
      const tokens = lengths[model].length;
      bars[i].style.setProperty("--part", tokens / most);
      const times = i ? ` ${(tokens / english).toFixed(1)}×` : "";
      bars[i].firstChild.replaceChildren(`${tokens}`, make("i", "", times));
      bars[i].setAttribute("aria-pressed", i === chosen);
    });
    const [, [sentence, lengths]] = languages[chosen];
    drawTokens(find("sentence"), cutAt(sentence, lengths[model]));
  }

  choose(find("models"), FRONT.models, (i) => {
    model = i;
    draw();
  })(0);
}

// 5: strawberries.

function makeBerries() {
  const berries = Object.entries(FRONT.berries); // [text, [lengths by model, ids by model]]
  let [which, areHidden] = [0, false];
  function draw() {
    const [text, [lengths, ids]] = berries[which];
    const lines = FRONT.models.map((name, i) => {
      const drawn = line(`${name}:`, cutAt(text, lengths[i]), ids[i].map(write));
      if (areHidden) drawn.querySelectorAll(".b").forEach((box, j) => (box.textContent = write(ids[i][j])));
      return drawn;
    });
    find("berry").replaceChildren(...lines);
  }
  find("hide").onclick = () => {
    areHidden = !areHidden;
    find("hide").setAttribute("aria-pressed", areHidden);
    draw();
  };
  choose(find("berries"), berries.map(([text]) => visible(text)), (i) => {
    which = i;
    draw();
  })(0);
}

makeGame();
find("typed").oninput = find("merges").oninput = cutTyped;
cutTyped();
choose(find("signs"), Object.keys(FRONT.signs), drawSign)(4);
makePrices();
makeBerries();
