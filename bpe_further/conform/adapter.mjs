// Adapter for `bpe-teach conform -- node adapter.mjs`. Look at the lines with an arrow.
import * as theirs from "./FILE";

console.log = console.error; // what it prints is no answer
let tok; // what has been learned

const answers = {
  train({ text, split, merges, ties, special }) {
    if (ties !== "any") return { skip: `ties ${ties}` };
    if (split !== "none" || special) return { skip: `split ${split}, or special tokens` }; // <- yours: "none" or "gpt2"
    TRAIN; // <- its arguments
    return { merges: tok.merges }; // <- pairs of ids, in the order in which they were learned
  },
  encode_own({ text, special }) {
    if (special) return { skip: "special tokens" };
    return { ids: [...ENCODE] }; // <- its arguments
  },
  decode_own({ ids }) {
    return { text: DECODE }; // <- its arguments
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
      answer = { error: String(error) };
    }
    process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
  }
});
