import { expect, test } from "vitest";
import { brief, scanTable } from "./scan.fixture.ts";

/** The name of a script, its code, and the packages it needs. */
const scripts: readonly (readonly [about: string, file: string, code: string, expected: string])[] = [
  ["a default import", "a.mjs", "import a from 'alpha'", "npm:alpha"],
  ["named imports over lines", "a.mjs", "import {\n  a, // x\n  b as c,\n} from 'alpha';", "npm:alpha"],
  ["a namespace import", "a.mjs", "import * as a from 'alpha'", "npm:alpha"],
  ["an import for its effect", "a.mjs", "import 'alpha/register'", "npm:alpha"],
  ["an import with attributes", "a.mjs", "import a from 'alpha/a.json' with { type: 'json' }", "npm:alpha"],
  [
    "an export from",
    "a.mjs",
    "export { a } from 'alpha'\nexport * from 'beta'\nexport * as c from 'gamma'",
    "npm:alpha npm:beta npm:gamma",
  ],
  ["an export of its own", "a.mjs", "export const a = 'alpha'\nexport default 'beta'", ""],
  ["a require", "a.cjs", "const a = require('alpha')", "npm:alpha"],
  ["a require, taken apart", "a.js", 'const { a } = require("alpha").b', "npm:alpha"],
  ["a require.resolve", "a.js", "require.resolve('alpha/package.json')", "npm:alpha"],
  ["a require that is computed", "a.js", "require(name); require('a' + b); require(`x/${y}`)", ""],
  ["a require of another object", "a.js", "loader.require('alpha'); requires('beta')", ""],
  ["a dynamic import", "a.mjs", "const a = await import('alpha')", "npm:alpha"],
  ["a dynamic import of a template", "a.mjs", "await import(`alpha`)", "npm:alpha"],
  ["a dynamic import that is computed", "a.mjs", "await import(name); await import(`${a}/b`)", ""],
  ["import.meta.resolve", "a.mjs", "import.meta.resolve('alpha')", "npm:alpha"],
  [
    "inside a try",
    "a.cjs",
    "let a\ntry { a = require('alpha') } catch { a = require('beta') }",
    "npm:alpha? npm:beta?",
  ],
  ["types of another module", "a.d.ts", "declare module 'x' {\n  import { A } from 'alpha'\n}", "npm:alpha?"],
  ["caught to end the program", "a.cjs", "try { require('alpha') } catch { process.exit(1) }", "npm:alpha"],
  ["caught to throw", "a.mjs", "try { await import('alpha') } catch (e) { throw new Error() }", "npm:alpha"],
  ["inside a try with only finally", "a.cjs", "try { require('alpha') } finally { x() }", "npm:alpha"],
  ["a dynamic import that is caught", "a.mjs", "await import('alpha').catch(() => undefined)", "npm:alpha?"],
  ["a comment", "a.js", "// require('nothing')\n/* import a from 'nothing' */", ""],
  ["a string", "a.js", "const a = \"require('nothing')\"; const b = `import x from 'nothing'`", ""],
  ["a regular expression", "a.js", "const a = /require('nothing')/; const b = /import x from 'nothing'/", ""],
  ["JSX text", "a.jsx", "const a = <p>import x from 'nothing'; require('nothing')</p>", ""],
  ["builtins with node:", "a.mjs", "import 'node:fs'; import 'node:test'; import 'node:sqlite'", ""],
  [
    "builtins without",
    "a.js",
    "require('fs'); require('fs/promises'); require('path/posix'); require('util/types')",
    "",
  ],
  ["a name that is a builtin only with node:", "a.js", "require('test')", "npm:test"],
  ["a scope", "a.mjs", "import a from '@scope/name'", "npm:@scope/name"],
  ["a scope with a sub-path", "a.mjs", "import a from '@scope/name/sub/path.js'", "npm:@scope/name"],
  ["a sub-path", "a.mjs", "import a from 'alpha/sub/path'", "npm:alpha"],
  ["a scope without a name", "a.mjs", "import a from '@scope'", ""],
  [
    "relative and absolute paths",
    "a.mjs",
    "import './a'; import '../b'; import '/c'; import '.'; import '..'",
    "",
  ],
  ["imports of the package itself", "a.mjs", "import a from '#internal/a'", ""],
  ["aliases of bundlers", "a.ts", "import a from '@/a'; import b from '~/b'", ""],
  ["more aliases", "a.ts", "import '~c/d'; import '~e'; import '@~/f'; import '$lib/g'; import '@@/h'", ""],
  [
    "questions to a bundler",
    "a.ts",
    "import a from 'alpha/w.mjs?url'; import b from 'beta?raw'; import c from './c?worker'",
    "npm:alpha npm:beta",
  ],
  [
    "URLs",
    "a.mjs",
    "import 'https://x.test/a.js'; import 'file:///a.js'; import 'data:text/javascript,1'",
    "",
  ],
  [
    "npm specifiers",
    "a.ts",
    "import a from 'npm:alpha@^1'; import b from 'npm:@s/beta@2/sub'; import 'npm:gamma'",
    "npm:@s/beta npm:alpha npm:gamma",
  ],
  [
    "modules of hosts",
    "a.ts",
    "import 'bun:sqlite'; import 'jsr:@std/path'; import 'virtual:x'; import 'cloudflare:workers'",
    "",
  ],
  [
    "types only",
    "a.ts",
    "import type { A } from 'alpha'\nexport type { B } from 'beta'",
    "npm:alpha? npm:beta?",
  ],
  ["types only, one by one", "a.ts", "import { type A, type B } from 'alpha'", "npm:alpha?"],
  [
    "types and a value",
    "a.ts",
    "import { type A, b } from 'alpha'\nimport c, { type D } from 'beta'",
    "npm:alpha npm:beta",
  ],
  [
    "a type that imports",
    "a.ts",
    "type A = import('alpha').A\nlet b: typeof import('beta'), c = d as import('gamma').C",
    "npm:alpha? npm:beta? npm:gamma?",
  ],
  ["import = require", "a.cts", "import a = require('alpha')", "npm:alpha"],
  [
    "TypeScript's own syntax",
    "a.mts",
    "enum A { B }\nabstract class C<T> { private x!: T }\nimport d from 'alpha'",
    "npm:alpha",
  ],
  [
    "TSX",
    "a.tsx",
    "import React from 'react'\nexport const A = <T,>(p: T) => <b>{p as any}</b>",
    "npm:react",
  ],
  ["JSX in plain JavaScript", "a.js", "import React from 'react'\nexport const A = () => <b />", "npm:react"],
  ["a hashbang", "a.mjs", "#!/usr/bin/env node\nimport a from 'alpha'", "npm:alpha"],
  [
    "minified code",
    "a.js",
    '"use strict";var a=require("alpha"),b=require("./b");!function(e){e(require("beta"))}(x);',
    "npm:alpha npm:beta",
  ],
  ["a bundler's own require", "a.js", "(function(require,module){ require('inside') })(x)", ""],
  [
    "a broken file",
    "a.js",
    "const a = require('alpha')\nfunction ( {\nconst b = require('beta')",
    "npm:alpha npm:beta",
  ],
  ["escapes in a specifier", "a.js", "require('\\x61lpha')", "npm:alpha"],
  [
    "a comment inside the call",
    "a.js",
    "require(/* webpack */ 'alpha'); require(('beta'))",
    "npm:alpha npm:beta",
  ],
  [
    "a name that no registry takes",
    "a.js",
    "require('-rf'); require('a b'); require('a\\nb'); require('')",
    "",
  ],
  ["an old name in capitals", "a.js", "require('JSONStream')", "npm:JSONStream"],
];

test.each(scripts)("JavaScript: %s [S-34]", async (_, file, code, expected) => {
  expect(brief(await scanTable({ [`scripts/${file}`]: code }), ["npm", "pip", "system"])).toBe(expected);
});

test("the bundle's own name and paths from a base folder are not packages [S-34]", async () => {
  const manifest = await scanTable({
    "package.json": '{ "name": "own-name" }',
    "src/a.ts": "import 'own-name/x'; import 'lib/tool'; import 'lib/none'",
    "src/lib/tool.ts": "",
  });
  expect(brief(manifest, ["npm"])).toBe("npm:lib");
});

test("a path from a base folder may be an index file or have the compiled extension [S-34]", async () => {
  const manifest = await scanTable({
    "src/a.tsx": "import 'components/nav'; import 'lib/tool.js'; import 'src/lib/tool'; import 'lib/none.js'",
    "src/components/nav/index.tsx": "",
    "src/lib/tool.ts": "",
  });
  expect(brief(manifest, ["npm"])).toBe("npm:lib");
});

test("a package with the name of its dependency does not hide that dependency [S-34]", async () => {
  const manifest = await scanTable({
    "package.json": '{ "name": "alpha", "dependencies": { "alpha": "^1" } }',
    "b/package.json": '{ "name": "beta", "devDependencies": { "beta": "^1" } }',
    "a.mjs": "import 'alpha'; import 'beta'",
  });
  expect(brief(manifest, ["npm"])).toBe("npm:alpha! npm:beta!");
  expect(manifest.dependencies[0]?.seen.map(({ file }) => file)).toEqual(["a.mjs", "package.json"]);
});

/** The name of a script, its text, and the runtimes it needs. */
const runtimes: readonly (readonly [about: string, file: string, text: string, expected: string])[] = [
  ["Python by its name", "a.py", "", "runtime:python3"],
  ["JavaScript by its name", "a.mjs", "", "runtime:node"],
  ["TypeScript by its name", "a.ts", "", "runtime:node"],
  ["shell by its name", "a.sh", "", "runtime:bash"],
  ["through env", "a", "#!/usr/bin/env python3\n", "runtime:python3"],
  ["through env -S", "a", "#!/usr/bin/env -S deno run --allow-read\n", "runtime:deno"],
  ["through env -S, written together", "a", "#!/usr/bin/env -Suv run --script\n", "runtime:uv"],
  ["through env with settings", "a", "#!/usr/bin/env -S -u X A=1 bun\n", "runtime:bun"],
  ["a path with a version", "a", "#!/usr/local/bin/python3.11 -u\n", "runtime:python3"],
  ["python without a version", "a", "#!/usr/bin/python\n", "runtime:python3"],
  ["nodejs", "a", "#!/usr/bin/nodejs\n", "runtime:node"],
  ["a plain shell", "a", "#!/bin/sh -e\n", "runtime:sh"],
  ["another language", "a", "#! /usr/bin/perl -w\n", "runtime:perl"],
  ["an unusual one", "a", "#!/opt/bin/guile\n", "runtime:guile"],
  ["the line over the name", "a.ts", "#!/usr/bin/env bun\n", "runtime:bun"],
  ["uv for a Python script", "a.py", "#!/usr/bin/env -S uv run\n", "runtime:uv"],
  ["modules of Bun", "a.ts", "import { Database } from 'bun:sqlite'", "runtime:bun"],
  ["modules of JSR", "a.ts", "import { join } from 'jsr:@std/path'", "runtime:deno"],
  ["CRLF after it", "a", "#!/usr/bin/env node\r\n", "runtime:node"],
  ["prose after #!", "a", "#!not a program\n", ""],
  ["nothing after #!", "a", "#!\n", ""],
  ["nothing after env", "a", "#!/usr/bin/env\n", ""],
  ["a hash alone", "a", "# python3\n", ""],
];

test.each(runtimes)("runtime: %s [S-34]", async (_, file, text, expected) => {
  expect(brief(await scanTable({ [file]: text }), ["runtime"])).toBe(expected);
});

test("reads an extensionless script as its first line says [S-34]", async () => {
  const manifest = await scanTable({
    "bin/a": "#!/usr/bin/env python3\nimport requests\n",
    "bin/b": "#!/usr/bin/env node\nrequire('marked')\n",
    "bin/c": "#!/bin/bash\njq .\n",
    "bin/d": "import nothing\n",
    "bin/e": "#!/usr/bin/env tsx\nimport { type A, b } from 'alpha'\n",
    "bin/f": "#!/usr/bin/env -S npx ts-node\nimport b from 'beta'\n",
    "bin/g": "#!/usr/bin/env zx\nimport c from 'gamma'\n",
  });
  expect(brief(manifest, ["pip", "npm", "system"])).toBe(
    "npm:alpha npm:beta npm:gamma npm:marked pip:requests system:jq",
  );
});

test("reads a text that it knows as the language and the bundle of its file say [S-34]", async () => {
  const text = "import type { A } from 'alpha'\nimport { b } from 'beta'\n";
  const { dependencies } = await scanTable({ "a.ts": text, "lib/b.ts": text });
  expect(dependencies.filter(({ kind }) => kind === "npm")).toMatchObject(
    ["alpha", "beta"].map((name) => ({ name, seen: [{ file: "a.ts" }, { file: "lib/b.ts" }] })),
  );
  const own = JSON.stringify({ name: "beta" });
  expect(brief(await scanTable({ "c.ts": text, "package.json": own }), ["npm"])).toBe("npm:alpha?");
});
