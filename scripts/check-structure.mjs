// Checks the shape of the code: package borders, import cycles, folder cycles, files that only one file imports,
// exported names with two meanings, and the place of tests. `npm run check` runs it; `--report` prints every figure and its members.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Each package and the packages it may import. */
const BORDERS = {
  protocol: [],
  skill: ["protocol"],
  core: ["protocol", "skill"],
  sandbox: ["protocol", "skill", "core"],
  deps: ["protocol", "skill", "core", "sandbox"],
  registry: ["protocol", "skill", "core"],
  mcp: ["protocol", "skill", "core", "sandbox"],
  store: ["protocol", "skill", "core", "registry"],
  gateway: ["protocol", "skill", "core", "deps", "registry", "mcp"],
  eval: ["protocol", "skill", "core", "registry", "sandbox"],
  adapters: ["protocol", "skill", "core"],
  testing: ["protocol", "core"],
  console: ["protocol", "skill"],
  host: ["protocol", "skill", "core", "sandbox", "deps", "registry", "mcp", "store", "gateway", "eval"],
  cli: [
    "protocol",
    "skill",
    "core",
    "sandbox",
    "deps",
    "registry",
    "mcp",
    "store",
    "gateway",
    "eval",
    "host",
  ],
  skillhold: ["protocol", "core", "adapters", "host", "cli"],
  "core-skills": ["skill", "protocol"],
};

const MOST_CORE_LINES = 20_000;
const MOST_ONE_IMPORTER = 0.2;

/** Names that mean two things on purpose, with the reason. */
const SHARED_NAMES = new Map(
  Object.entries(JSON.parse(readFileSync(join(root, "scripts/shared-names.json"), "utf8"))),
);

const packages = readdirSync(join(root, "packages"));
const files = new Map(packages.flatMap((name) => sourcesOf(name)).map((file) => [file, read(file)]));
const problems = [
  ...borderProblems(),
  ...cycleProblems("file", fileGraph()),
  ...packages.flatMap((name) => cycleProblems(`folder of ${name}`, folderGraph(name))),
  ...importerProblems(),
  ...nameProblems(),
  ...sizeProblems(),
  ...testProblems(),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function sourcesOf(name) {
  const entries = readdirSync(join(root, "packages", name, "src"), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mts)$/.test(entry.name) && !isTest(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

function isTest(name) {
  return /\.(test|fixture|contract)\.tsx?$|^fake-/.test(name);
}

function read(file) {
  const text = readFileSync(join(root, file), "utf8");
  const imports = [...text.matchAll(/^(?:import|export)\s(?:[^"';]*?\sfrom\s)?"([^"]+)";/gm)].map(
    (m) => m[1],
  );
  const lazy = [...text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)].map((m) => m[1]);
  return { text, imports, lazy, names: exportedNames(text) };
}

function exportedNames(text) {
  const pattern =
    /^export\s+(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|interface|type)\s+(\w+)/gm;
  return [...new Set([...text.matchAll(pattern)].map((m) => m[1]))];
}

function packageOf(file) {
  return file.split("/")[1];
}

function borderProblems() {
  const found = [];
  for (const [file, { imports, lazy }] of files) {
    const own = packageOf(file);
    for (const name of [...imports, ...lazy]) {
      const target =
        /^@skillhold\/([a-z-]+)/.exec(name)?.[1] ?? (/^skillhold(\/|$)/.test(name) ? "skillhold" : undefined);
      if (target === undefined || target === own || (BORDERS[own] ?? []).includes(target)) continue;
      found.push(`${file}: ${own} must not import ${target}. Declare a port and let host fill it.`);
    }
  }
  return found;
}

function fileGraph() {
  const graph = new Map();
  for (const [file, { imports }] of files)
    graph.set(
      file,
      new Set(
        imports.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(file), name))),
      ),
    );
  return graph;
}

/** The folders directly below `src`; deeper folders belong to the one above them. */
function folderGraph(name) {
  const graph = new Map();
  const folderOf = (file) => file.split("/").slice(3, -1)[0];
  for (const [file, targets] of fileGraph()) {
    if (packageOf(file) !== name) continue;
    const from = folderOf(file);
    if (from === undefined) continue;
    const links = graph.get(from) ?? new Set();
    graph.set(from, links);
    for (const target of targets) {
      const to = folderOf(target);
      if (to !== undefined && to !== from) links.add(to);
    }
  }
  return graph;
}

/** Tarjan's strongly connected components of more than one member. */
function cycleProblems(kind, graph) {
  const state = new Map();
  const stack = [];
  const found = [];
  let count = 0;
  const visit = (node) => {
    const entry = { index: count, low: count, onStack: true };
    count += 1;
    state.set(node, entry);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      const seen = state.get(next);
      if (seen === undefined) entry.low = Math.min(entry.low, visit(next).low);
      else if (seen.onStack) entry.low = Math.min(entry.low, seen.index);
    }
    if (entry.low === entry.index) {
      const members = [];
      for (;;) {
        const member = stack.pop();
        state.get(member).onStack = false;
        members.push(member);
        if (member === node) break;
      }
      if (members.length > 1) found.push(`${kind} cycle: ${members.sort().join(" ↔ ")}`);
    }
    return entry;
  };
  for (const node of graph.keys()) if (!state.has(node)) visit(node);
  return found;
}

function importerProblems() {
  const importers = new Map();
  for (const [file, { imports, lazy }] of files)
    for (const name of [...imports, ...lazy].filter((each) => each.startsWith("."))) {
      const target = normalize(join(dirname(file), name));
      // A module that an index exports has its callers in other packages.
      const callers = /\/index\.ts$/.test(file) ? 2 : 1;
      importers.set(target, (importers.get(target) ?? 0) + callers);
    }
  const counted = [...files.keys()].filter((file) => !isEntry(file));
  const single = counted.filter((file) => importers.get(file) === 1);
  const share = single.length / counted.length;
  if (process.argv.includes("--report")) {
    console.log(
      `files with one importer: ${single.length} of ${counted.length} (${Math.round(share * 100)} %)`,
    );
    for (const file of single) console.log(`  ${file} ${files.get(file).text.split("\n").length}`);
  }
  if (share <= MOST_ONE_IMPORTER) return [];
  return [
    `${Math.round(share * 100)} % of files have one importer (at most ${MOST_ONE_IMPORTER * 100} %). Move slivers into their caller.`,
  ];
}

/** Commands, views, routes and entry points have one importer by design: the table that lists them. */
function isEntry(file) {
  return (
    /\/index\.ts$|\/(command|view|route|bridge)\/|-main\.ts$|\.tsx$|\.mts$/.test(file) ||
    /^packages\/(core-skills|console)\//.test(file)
  );
}

/** A name is one thing in its package, and one thing among the names that packages export to each other. */
function nameProblems() {
  const places = new Map();
  for (const [file, { names }] of files) {
    if (/^packages\/(core-skills|console)\//.test(file) || /\/bridge\//.test(file)) continue;
    for (const name of names) (places.get(name) ?? places.set(name, []).get(name)).push(file);
  }
  const publicNames = publicNamesByPackage();
  const found = [];
  for (const [name, where] of places) {
    if (where.length < 2 || SHARED_NAMES.has(name)) continue;
    if (where.every((file) => /\/command\//.test(file))) continue;
    const owners = where.map(packageOf);
    const isTwiceInOne = new Set(owners).size < owners.length;
    const isTwiceInPublic = new Set(owners.filter((owner) => publicNames.get(owner)?.has(name))).size > 1;
    if (isTwiceInOne || isTwiceInPublic)
      found.push(`${name} is exported by ${where.join(" and ")}. Give one of them another name.`);
  }
  return found;
}

/** The names that the index files of a package export. */
function publicNamesByPackage() {
  const all = new Map();
  for (const [file, { text }] of files) {
    if (!/\/index\.ts$/.test(file)) continue;
    const names = all.get(packageOf(file)) ?? new Set();
    all.set(packageOf(file), names);
    for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
      for (const item of list.split(","))
        names.add(
          item
            .trim()
            .replace(/^type /, "")
            .split(" as ")
            .at(-1),
        );
  }
  return all;
}

/**
 * Tests are beside their source, or in `tests/` when they need several packages or a program. Code outside a package imports
 * it by name.
 */
function testProblems() {
  const found = [];
  for (const file of testFiles()) {
    const { text, imports, lazy } = read(file);
    const own = /^packages\/([^/]+)\//.exec(file)?.[1];
    const used = new Set(own === undefined ? [] : [own]);
    for (const name of [...imports, ...lazy]) {
      const target = name.startsWith(".") ? normalize(join(dirname(file), name)) : "";
      const entered = /^packages\/([^/]+)\//.exec(target)?.[1];
      if (entered !== undefined && entered !== own)
        found.push(`${file} imports ${name}. Import the package @skillhold/${entered} by name.`);
      if (name.startsWith(".")) used.add(target);
      else if (/^@?skillhold(\/|$)/.test(name)) used.add(name.split("/").slice(0, 2).join("/"));
    }
    const isJourney = used.size > 1 || /node:(child_process|http|net)|import\.meta|process\.cwd/.test(text);
    if (/^tests\/.*\.test\.ts$/.test(file) && !isJourney && [...used].join().startsWith("@skillhold/"))
      found.push(`${file} tests ${[...used][0]} alone. Move it beside the source.`);
  }
  return found;
}

function testFiles() {
  const list = (folder, isWanted) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isWanted(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
      .filter((file) => !/\/node_modules\//.test(file));
  const besideSources = packages.flatMap((name) => list(join("packages", name, "src"), isTest));
  return [
    ...besideSources,
    ...["tests", "bench"].flatMap((folder) => list(folder, (name) => /\.ts$/.test(name))),
  ];
}

function sizeProblems() {
  const lines = [...files]
    .filter(([file]) => packageOf(file) === "core")
    .reduce((sum, [, { text }]) => sum + text.split("\n").filter((line) => line.trim() !== "").length, 0);
  if (process.argv.includes("--report")) console.log(`core: ${lines} lines`);
  return lines <= MOST_CORE_LINES ? [] : [`core has ${lines} lines (at most ${MOST_CORE_LINES}).`];
}
