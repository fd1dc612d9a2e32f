// Byte pair encoding in Rust, and the protocol of the conformance kit.
//
// The standard library only: a small reader of JSON comes first. What needs the classes of Unicode,
// the split of GPT-2, is skipped, and so are streams.
//
// Run it: rustc -O bpe.rs && bpe-teach conform -- ./bpe

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

// JSON: as much of it as requests need.

#[derive(Clone)]
enum Json {
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> u8 {
        while self.text[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        self.text[self.at]
    }

    fn value(&mut self) -> Json {
        match self.next() {
            b'"' => Json::Text(self.string()),
            b'[' => {
                let mut items = Vec::new();
                self.at += 1;
                while self.next() != b']' {
                    items.push(self.value());
                    self.at += (self.next() == b',') as usize;
                }
                self.at += 1;
                Json::List(items)
            }
            b'{' => {
                let mut fields = Vec::new();
                self.at += 1;
                while self.next() != b'}' {
                    let name = self.string();
                    self.next();
                    self.at += 1; // the colon
                    fields.push((name, self.value()));
                    self.at += (self.next() == b',') as usize;
                }
                self.at += 1;
                Json::Object(fields)
            }
            b'n' => {
                self.at += "null".len();
                Json::Text(String::new())
            }
            _ => {
                let start = self.at;
                while self.at < self.text.len() && b"-0123456789".contains(&self.text[self.at]) {
                    self.at += 1;
                }
                let digits = std::str::from_utf8(&self.text[start..self.at]).unwrap();
                Json::Number(digits.parse().unwrap())
            }
        }
    }

    fn string(&mut self) -> String {
        let mut bytes = Vec::new();
        self.at += 1; // the quotation mark
        while self.text[self.at] != b'"' {
            if self.text[self.at] != b'\\' {
                bytes.push(self.text[self.at]);
                self.at += 1;
                continue;
            }
            let sign = self.text[self.at + 1];
            self.at += 2;
            match sign {
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'r' => bytes.push(b'\r'),
                b'b' => bytes.push(8),
                b'f' => bytes.push(12),
                b'u' => {
                    // Control characters only: the kit sends everything else as it is.
                    let digits = std::str::from_utf8(&self.text[self.at..self.at + 4]).unwrap();
                    bytes.push(u8::from_str_radix(digits, 16).unwrap());
                    self.at += 4;
                }
                other => bytes.push(other),
            }
        }
        self.at += 1;
        String::from_utf8(bytes).unwrap()
    }
}

impl Json {
    fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, v)| v),
            _ => None,
        }
    }

    fn list(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }

    fn number(&self) -> i64 {
        if let Json::Number(number) = self { *number } else { 0 }
    }
}

fn texts(json: Option<&Json>) -> Vec<String> {
    json.map_or(Vec::new(), |j| j.list().iter().map(|item| item.text().to_string()).collect())
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if (c as u32) < 32 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn listed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

// Byte pair encoding. A symbol is a number; `names` holds the bytes of each, to settle ties.

type Pair = (usize, usize);

fn merge(word: &[usize], pair: Pair, new: usize) -> Vec<usize> {
    let mut merged = Vec::new();
    let mut i = 0;
    while i < word.len() {
        if i + 1 < word.len() && (word[i], word[i + 1]) == pair {
            merged.push(new);
            i += 2;
        } else {
            merged.push(word[i]);
            i += 1;
        }
    }
    merged
}

fn learn(
    mut words: Vec<(Vec<usize>, i64)>,
    num_merges: usize,
    ties: &str,
    names: &mut Vec<Vec<u8>>,
    mut number: impl FnMut(&mut Vec<Vec<u8>>, Vec<u8>) -> usize,
) -> Vec<Pair> {
    let mut merges = Vec::new();
    while merges.len() < num_merges {
        // A HashMap has no order, so the order of first meeting is kept beside it.
        let mut met: Vec<Pair> = Vec::new();
        let mut counts: HashMap<Pair, i64> = HashMap::new();
        for (word, times) in &words {
            for pair in word.windows(2).map(|two| (two[0], two[1])) {
                *counts.entry(pair).or_insert_with(|| {
                    met.push(pair);
                    0
                }) += times;
            }
        }
        let Some(&most) = counts.values().max() else { break };
        let mut equals = met.into_iter().filter(|pair| counts[pair] == most);
        let best = match ties {
            "greatest" => equals.max_by_key(|pair| (names[pair.0].clone(), names[pair.1].clone())),
            "lowest_id" => equals.min(),
            _ => equals.next(),
        };
        let best = best.unwrap();
        let joined = [names[best.0].clone(), names[best.1].clone()].concat();
        let new = number(names, joined);
        for (word, _) in &mut words {
            *word = merge(word, best, new);
        }
        merges.push(best);
    }
    merges
}

// Merge the pair of lowest rank, the leftmost of equals, until no pair has a rank.
fn encode(word: &[usize], ranks: &HashMap<Pair, (usize, usize)>) -> Vec<usize> {
    let mut word = word.to_vec();
    loop {
        let mut best: Option<(usize, usize, usize)> = None; // rank, place, new symbol
        for (i, two) in word.windows(2).enumerate() {
            if let Some(&(rank, new)) = ranks.get(&(two[0], two[1])) {
                if best.map_or(true, |(lowest, _, _)| rank < lowest) {
                    best = Some((rank, i, new));
                }
            }
        }
        let Some((_, i, new)) = best else { return word };
        word.splice(i..i + 2, [new]);
    }
}

// Cut a text at special tokens, the longest first; they are parts, too.
fn cut_at(text: &str, names: &[String]) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let found = names.iter().filter(|name| rest.starts_with(name.as_str()));
        match found.max_by_key(|name| name.len()) {
            Some(name) => {
                parts.extend([name.clone(), String::new()]);
                rest = &rest[name.len()..];
            }
            None => {
                parts.last_mut().unwrap().push(character);
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

// What can be asked.

fn bytes_of(text: &str) -> Vec<usize> {
    text.bytes().map(usize::from).collect()
}

fn pairs_of(request: &Json) -> Vec<Pair> {
    let pairs = request.get("merges").unwrap().list();
    pairs.iter().map(|p| (p.list()[0].number() as usize, p.list()[1].number() as usize)).collect()
}

fn all_bytes() -> Vec<Vec<u8>> {
    (0..=255).map(|byte| vec![byte]).collect()
}

fn push(names: &mut Vec<Vec<u8>>, joined: Vec<u8>) -> usize {
    names.push(joined);
    names.len() - 1
}

fn show_pairs(merges: Vec<Pair>, show: impl Fn(usize) -> String) -> String {
    let rows = merges.iter().map(|&(left, right)| format!("[{}, {}]", show(left), show(right)));
    format!("\"merges\": {}", listed(rows))
}

// Number symbols as they are met, so that words of texts become words of numbers.
#[derive(Default)]
struct Symbols {
    names: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, usize>,
}

impl Symbols {
    fn number(&mut self, name: Vec<u8>) -> usize {
        let names = &mut self.names;
        *self.numbers.entry(name.clone()).or_insert_with(|| push(names, name))
    }

    fn word(&mut self, json: &Json) -> Vec<usize> {
        json.list().iter().map(|symbol| self.number(symbol.text().into())).collect()
    }

    fn show(&self, symbol: usize) -> String {
        quoted(std::str::from_utf8(&self.names[symbol]).unwrap())
    }
}

fn answer(request: &Json) -> String {
    let field = |name: &str| request.get(name);
    let text_of = |name: &str| field(name).map_or("", Json::text);
    if text_of("split") == "gpt2" {
        return "\"skip\": \"split gpt2 needs the classes of Unicode\"".into();
    }
    match text_of("do") {
        "train_words" => {
            let mut symbols = Symbols::default();
            let mut words = Vec::new();
            for row in field("words").unwrap().list() {
                words.push((symbols.word(&row.list()[0]), row.list()[1].number()));
            }
            let num_merges = field("merges").unwrap().number() as usize;
            let mut names = symbols.names.clone();
            let merges = learn(words, num_merges, text_of("ties"), &mut names, |names, joined| {
                let new = symbols.number(joined);
                *names = symbols.names.clone();
                new
            });
            show_pairs(merges, |symbol| symbols.show(symbol))
        }
        "encode_word" => {
            let mut symbols = Symbols::default();
            let word = symbols.word(field("word").unwrap());
            let mut ranks = HashMap::new();
            for (rank, pair) in field("merges").unwrap().list().iter().enumerate() {
                let [left, right] = symbols.word(pair)[..] else { panic!() };
                let joined = [&symbols.names[left][..], &symbols.names[right][..]].concat();
                let new = symbols.number(joined);
                ranks.entry((left, right)).or_insert((rank, new));
            }
            let tokens = encode(&word, &ranks);
            format!("\"tokens\": {}", listed(tokens.into_iter().map(|token| symbols.show(token))))
        }
        "train" => {
            let special = texts(field("special"));
            let mut words: Vec<(Vec<usize>, i64)> = Vec::new();
            for part in cut_at(text_of("text"), &special) {
                if !special.contains(&part) {
                    words.push((bytes_of(&part), 1));
                }
            }
            let num_merges = field("merges").unwrap().number() as usize;
            let merges = learn(words, num_merges, text_of("ties"), &mut all_bytes(), push);
            show_pairs(merges, |id| id.to_string())
        }
        "encode" => {
            let allowed = texts(field("allow"));
            let mut ranks = HashMap::new();
            for (rank, pair) in pairs_of(request).into_iter().enumerate() {
                ranks.entry(pair).or_insert((rank, 256 + rank));
            }
            let mut ids = Vec::new();
            for part in cut_at(text_of("text"), &allowed) {
                if allowed.contains(&part) {
                    ids.push(field("special").unwrap().get(&part).unwrap().number() as usize);
                } else {
                    ids.extend(encode(&bytes_of(&part), &ranks));
                }
            }
            format!("\"ids\": {}", listed(ids.into_iter().map(|id| id.to_string())))
        }
        "decode" => {
            let mut table: HashMap<i64, Vec<u8>> = (0..256).map(|i| (i, vec![i as u8])).collect();
            for (rank, (left, right)) in pairs_of(request).into_iter().enumerate() {
                let joined = [&table[&(left as i64)][..], &table[&(right as i64)][..]].concat();
                table.insert(256 + rank as i64, joined);
            }
            if let Some(Json::Object(special)) = field("special") {
                for (name, id) in special {
                    table.insert(id.number(), name.clone().into_bytes());
                }
            }
            let mut bytes = Vec::new();
            for id in field("ids").unwrap().list() {
                match table.get(&id.number()) {
                    Some(token) => bytes.extend(token),
                    None => return format!("\"error\": \"there is no id {}\"", id.number()),
                }
            }
            format!("\"text\": {}", quoted(&String::from_utf8_lossy(&bytes)))
        }
        other => format!("\"skip\": {}", quoted(&format!("{other} is not offered"))),
    }
}

fn main() {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let request = Reader { text: line.as_bytes(), at: 0 }.value();
        let id = request.get("id").unwrap().number();
        writeln!(out, "{{\"id\": {id}, {}}}", answer(&request)).unwrap();
        out.flush().unwrap();
    }
}
