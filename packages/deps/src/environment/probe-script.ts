/**
 * The programs that check for modules; each needs only its interpreter. They read a `ProbeInput` and print
 * JSON lines: first the interpreter's version and search folders, then per group a string of 0 and 1. Each
 * group is printed at once, so a later failure does not lose it.
 *
 * The programs import no module and run no code of a skill: they look for names in given folders, and do not
 * change the interpreter's search path.
 */
export const probeScripts: Readonly<Record<"python" | "node", string>> = {
  python: `
import importlib.machinery, importlib.metadata, importlib.util, json, os, sys

def in_folders(name, folders):
    return importlib.machinery.PathFinder.find_spec(name, folders)

def has_distribution(name, folders):
    if not name:
        return False
    for found in importlib.metadata.Distribution.discover(name=name, path=folders):
        return True
    return False

def is_whole(spec):
    # A folder without __init__ is a namespace package; its existence does not show which parts are
    # installed.
    return spec is not None and not (spec.origin is None and spec.submodule_search_locations is not None)

def holds_code(spec):
    looked = 0
    for place in spec.submodule_search_locations if spec is not None else []:
        for _, _, files in os.walk(place):
            looked += 1
            if looked > 100 or any(file.endswith((".py", ".so", ".pyd")) for file in files):
                return looked <= 100
    return False

def has_part(spec, module, name):
    parts = name.lower().replace("_", "-").replace(".", "-").split("-")[1:]
    if spec is None:
        return False
    if name.lower() == module.lower():
        # The wanted part is unknown, so any part is enough.
        return holds_code(spec)
    if not parts:
        return False
    return any(os.path.exists(os.path.join(place, *parts)) or os.path.exists(os.path.join(place, *parts) + ".py")
               for place in spec.submodule_search_locations or [])

def attempt(question, *args):
    try:
        return question(*args)
    except Exception:
        return None

own = {}

def in_own(module, name):
    if (module, name) not in own:
        spec = attempt(importlib.util.find_spec, module)
        own[module, name] = bool(module in sys.modules or is_whole(spec) or attempt(has_part, spec, module, name)
                                 or attempt(has_distribution, name, sys.path))
    return own[module, name]

def is_there(module, name, local, site):
    if not module:
        return False
    beside = attempt(in_folders, module, local)
    if is_whole(beside) or attempt(holds_code, beside):
        return True
    if site:
        spec = attempt(in_folders, module, site)
        if is_whole(spec) or attempt(has_part, spec, module, name) or attempt(has_distribution, name, site):
            return True
    return in_own(module, name)

def say(value):
    sys.stdout.write(json.dumps(value) + "\\n")
    sys.stdout.flush()

given = json.load(sys.stdin)
say({"version": "%d.%d.%d" % sys.version_info[:3], "sites": [p for p in sys.path if os.path.isdir(p)]})
for index, group in enumerate(given["groups"]):
    answers = [attempt(is_there, need["import"].split(".")[0], need["name"], group["local"], group["site"])
               for need in group["needs"]]
    say({"group": index, "found": "".join("1" if answer else "0" for answer in answers)})
`,
  node: `
const { createRequire, isBuiltin } = require("node:module");
const { readFileSync, statSync } = require("node:fs");
const { dirname, join } = require("node:path");

const attempt = (question) => { try { return question(); } catch { return undefined; } };
const isFile = (path) => attempt(() => statSync(path).isFile()) === true;
const searched = (folder) => attempt(() => createRequire(join(folder, "x.js")).resolve.paths("x")) ?? [];
const ENTRIES = ["package.json", "index.js", "index.mjs", "index.cjs", "index.json", "index.node"];
const known = new Map();

function isIn(folder, name) {
  const path = join(folder, name);
  if (!known.has(path)) known.set(path, ENTRIES.some((entry) => isFile(join(path, entry))) || isFile(path + ".js"));
  return known.get(path);
}

function isItself(folder, name) {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const path = join(at, "package.json");
    if (isFile(path)) return statSync(path).size < 1e6 && JSON.parse(readFileSync(path, "utf8")).name === name;
  }
  return false;
}

function isThere(name, local, site, places) {
  if (name.split("/").some((part) => part === "" || part === "." || part === "..")) return false;
  return isBuiltin(name) || [...places, ...site].some((folder) => isIn(folder, name))
    || local.some((folder) => attempt(() => isItself(folder, name)));
}

const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
const given = JSON.parse(readFileSync(0, "utf8"));
say({ version: process.versions.node, sites: searched("/").filter((path) => attempt(() => statSync(path))) });
given.groups.forEach(({ local, site, needs }, group) => {
  const places = [...new Set(local.flatMap(searched))];
  const answers = needs.map((need) =>
    [need.import, need.name].some((name) => attempt(() => isThere(name, local, site, places)) === true));
  say({ group, found: answers.map((answer) => (answer ? "1" : "0")).join("") });
});
`,
};

export interface ProbeInput {
  readonly groups: readonly ProbeGroup[];
}

export interface ProbeGroup {
  /** Folders of the skill to search, as paths inside the sandbox. */
  readonly local: readonly string[];
  /** Folders of its environment. */
  readonly site: readonly string[];
  readonly needs: readonly { readonly name: string; readonly import: string }[];
}
