import { type SearchDocument, SearchIndex, Sight, snippet } from "@skillhold/core/search";
import { growthLine, median, type Point } from "./measure.ts";

const QUERIES = 500;
const LOT = 100;
/** The hits of a search, by default. */
const SNIPPETS = 5;
/** As measured on public skills: 1,000 have about 56,000 different terms, 10,000 about 220,000. */
const VOCABULARY = { exponent: 1.7, shift: 770, largest: 1e9 };
const BODY_WORDS = 1330;
const FILLERS = "the and to of a in for is with this if you it on use that as be are or".split(" ");

/** Build, snapshot, load and query times of the search index in CPU time, with made-up skills of the usual 9 KB. */
export function benchSearchSpeed(sizes: readonly number[] = [1_000, 10_000, 100_000]): void {
  const points = { build: [] as Point[], snapshot: [] as Point[], load: [] as Point[], query: [] as Point[] };
  for (const size of sizes) {
    const random = seededRandom(size);
    const index = SearchIndex.empty();
    const queries: string[] = [];
    let buildMs = 0;
    let characters = 0;
    // In lots, because asking for the time costs as much as a tenth of a document.
    for (let first = 0; first < size; first += LOT) {
      const lot = Array.from({ length: Math.min(LOT, size - first) }, (_, at) =>
        makeDocument(first + at, random),
      );
      characters += lot.reduce((sum, { body }) => sum + body.length, 0);
      queries.push(...lot.slice(0, Math.ceil((QUERIES * LOT) / size)).map((one) => makeQuery(one, random)));
      buildMs += cpuMs(() => lot.forEach((document) => void index.upsert(document)));
    }
    buildMs += cpuMs(() => index.search("first"));
    let bytes: Uint8Array = new Uint8Array();
    const snapshotMs = cpuMs(() => {
      bytes = index.snapshot();
    });
    const [upsert50, upsert99] = percentiles(
      queries.slice(0, 200).map((query, at) => {
        const document = { ...makeDocument(at, random), key: `changed-${at}` };
        return cpuMs(() => {
          index.upsert(document);
          index.search(query);
        });
      }),
    );
    const loadMs = median([1, 2, 3, 4, 5].map(() => cpuMs(() => SearchIndex.load(bytes))));
    const loaded = SearchIndex.load(bytes);
    for (const query of queries) loaded?.search(query);
    const [query50, query99] = percentiles(queries.map((query) => cpuMs(() => loaded?.search(query))));
    // A viewer who may see every second skill: statistics are counted over these alone.
    const sight = new Sight((id) => Number(id.slice("skill-".length)) % 2 === 0);
    const sightMs = cpuMs(() => loaded?.search("first", { sight }));
    const [half50, half99] = percentiles(
      queries.map((query) => cpuMs(() => loaded?.search(query, { sight }))),
    );
    points.build.push({ size, ms: buildMs });
    points.snapshot.push({ size, ms: snapshotMs });
    points.load.push({ size, ms: loadMs });
    points.query.push({ size, ms: Number(query50) });
    const bodies = Array.from({ length: SNIPPETS }, (_, at) => makeDocument(at, random).body);
    const [snippet50, snippet99] = percentiles(
      queries.map((query) => cpuMs(() => bodies.forEach((body) => void snippet(body, query)))),
    );
    console.log(
      `search: ${size} skills, half of them visible: query p50 ${half50} p99 ${half99} ms after a first one of ${sightMs.toFixed(1)} ms; ` +
        `${SNIPPETS} snippets p50 ${snippet50} p99 ${snippet99} ms`,
    );
    console.log(
      `search: ${size} skills of ${(characters / size / 1000).toFixed(1)} KB: build ${(buildMs / 1000).toFixed(2)} s CPU, ` +
        `snapshot ${(bytes.length / 1e6).toFixed(1)} MB in ${snapshotMs.toFixed(0)} ms, load ${loadMs.toFixed(1)} ms, ` +
        `query p50 ${query50} p99 ${query99} ms, change and query p50 ${upsert50} p99 ${upsert99} ms, ` +
        `RSS ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB`,
    );
  }
  const line = growthLine(points);
  if (line !== undefined) console.log(`search: ${line}`);
}

type Random = () => number;

/** Words as in real texts: few are common, most are rare, and a document repeats its own. */
function makeDocument(number: number, random: Random): SearchDocument {
  const own: string[] = [];
  const words: string[] = [];
  const length = BODY_WORDS * (0.3 + 1.4 * random());
  while (words.length < length) {
    if (random() < 0.3) {
      words.push(FILLERS[Math.floor(random() * FILLERS.length)] ?? "");
      continue;
    }
    const repeated = random() < 0.6 ? own[Math.floor(random() * own.length)] : undefined;
    const word = repeated ?? pickWord(random);
    if (repeated === undefined) own.push(word);
    words.push(word);
  }
  const pick = (count: number) =>
    Array.from({ length: count }, () => own[Math.floor(random() * own.length)] ?? "");
  return {
    id: `skill-${number}`,
    key: `key-${number}`,
    name: pick(3).join("-"),
    description: `${pick(35).join(" ")}.`,
    tags: pick(4),
    body: words.join(" "),
  };
}

/** A short question, or a task of up to 80 words, half of them from a skill that is there. */
function makeQuery({ description, body }: SearchDocument, random: Random): string {
  const source = `${description} ${body}`.split(" ");
  const length = random() < 0.3 ? 3 : 10 + Math.floor(random() * 70);
  return Array.from({ length }, () =>
    random() < 0.5 ? (source[Math.floor(random() * source.length)] ?? "") : pickWord(random),
  ).join(" ");
}

/** The law of Zipf and Mandelbrot: the frequency of a word falls with its rank. */
function pickWord(random: Random): string {
  const { exponent, shift, largest } = VOCABULARY;
  const rank = shift * ((1 - random()) ** (-1 / (exponent - 1)) - 1);
  return spell(Math.floor(Math.min(largest, rank)));
}

const SYLLABLES =
  "ba cer di fon gu hal je kin lo mur na per ri son tu van we xil yo zun bra cle drin flo grun sta prel tri".split(
    " ",
  );

/** A word for each rank; common ones are short. */
function spell(rank: number): string {
  let rest = rank + 50;
  let word = "";
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length] ?? "";
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}

function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function cpuMs(task: () => void): number {
  const before = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function percentiles(times: readonly number[]): readonly [string, string] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  return [at(0.5), at(0.99)];
}
