import { prerequisiteRules } from "./prerequisite-rule-table.ts";
import { promptRules } from "./prompt-rule-table.ts";
import type { CheckRule, TokenRule } from "./rule.ts";
import { shellRules } from "./shell-rule-table.ts";

/** The version of rules and flows. Raise it with every change that can change a verdict. */
export const GUARD_ENGINE = "1";

export const tokenRules: readonly TokenRule[] = [...prerequisiteRules, ...shellRules, ...promptRules];

/** What flows, structure checks and other code report. */
export const checkRules = {
  "flow-secret-network": {
    severity: "block",
    message: "Secret data goes to a remote host.",
    fix: "Remove the transfer.",
    owasp: "LLM02",
  },
  "flow-environment-network": {
    severity: "block",
    message: "The whole environment goes to a remote host.",
    fix: "Send single variables that the service needs.",
    owasp: "LLM02",
  },
  "flow-secret-drop": {
    severity: "block",
    message: "A secret variable goes to an anonymous or numeric host.",
    fix: "Send secrets only to the service that issued them.",
    owasp: "LLM02",
  },
  "flow-secret-foreign": {
    severity: "block",
    message: "A secret of one service goes to a host of another.",
    fix: "Send secrets only to the service that issued them.",
    owasp: "LLM02",
  },
  "flow-dns": {
    severity: "block",
    message: "Secret data leaves in a name lookup.",
    fix: "Remove the lookup.",
    owasp: "LLM02",
  },
  "flow-decoded-host": {
    severity: "block",
    message: "The address of a remote host is hidden by an encoding.",
    fix: "Write the address in plain text.",
    owasp: "LLM06",
  },
  "flow-file-code": {
    severity: "warn",
    message: "A file that any program can write runs as code.",
    fix: "Run only files of the skill.",
    owasp: "LLM05",
  },
  "flow-decoded-code": {
    severity: "block",
    message: "Decoded text runs as code.",
    fix: "Write the code in plain text.",
    owasp: "LLM05",
  },
  "flow-decoded-process": {
    severity: "warn",
    message: "Decoded text runs as a command.",
    fix: "Write the command in plain text.",
    owasp: "LLM05",
  },
  "flow-download-code": {
    severity: "warn",
    message: "Downloaded text runs as code.",
    fix: "Ship the code in the skill, or check the download against a fixed hash.",
    owasp: "LLM03",
  },
  "flow-download-code-hostile": {
    severity: "block",
    message: "Code from an anonymous, shortened or numeric address runs.",
    fix: "Ship the code in the skill.",
    owasp: "LLM03",
  },
  "pipe-to-shell": {
    severity: "warn",
    message: "A downloaded script runs in a shell.",
    fix: "Use a package manager, or download, check the hash, then run.",
    owasp: "LLM03",
  },
  "pipe-to-shell-known": {
    severity: "info",
    message: "A vendor's installation script runs in a shell.",
    fix: "Use a package manager where there is one.",
    owasp: "LLM03",
  },
  "known-malware": {
    severity: "block",
    message: "The skill names a host of a reported malware campaign.",
    fix: "Remove the skill.",
    owasp: "LLM03",
  },
  "agent-impostor": {
    severity: "block",
    message: "The skill demands a program from a host that poses as an agent vendor.",
    fix: "Use the vendor's own download page.",
    owasp: "LLM03",
  },
  "encoded-command": {
    severity: "block",
    message: "An encoded text hides a command.",
    fix: "Write the command in plain text.",
    owasp: "LLM05",
  },
  "hidden-tag-text": {
    severity: "block",
    message: "Invisible tag characters spell a hidden text.",
    fix: "Remove the invisible characters.",
    owasp: "LLM01",
  },
  "hidden-text": {
    severity: "warn",
    message: "The text has runs of invisible characters.",
    fix: "Remove the invisible characters.",
    owasp: "LLM01",
  },
  "hidden-character": {
    severity: "info",
    message: "The text has invisible characters.",
    fix: "Remove the invisible characters.",
    owasp: "LLM01",
  },
  "bidi-control": {
    severity: "warn",
    message: "Direction controls make the text read differently from how it runs.",
    fix: "Remove the direction controls.",
    owasp: "LLM01",
  },
  "confusable-host": {
    severity: "block",
    message: "A host name uses letters of another script that look like Latin ones.",
    fix: "Write the host in ASCII.",
    owasp: "LLM03",
  },
  "confusable-name": {
    severity: "warn",
    message: "A name uses letters of another script that look like Latin ones.",
    fix: "Write the name in ASCII.",
    owasp: "LLM03",
  },
  padding: {
    severity: "warn",
    message: "A long blank run pushes the text behind it out of sight.",
    fix: "Remove the blank run.",
    owasp: "LLM01",
  },
  "file-link": {
    severity: "block",
    message: "The archive has a link.",
    fix: "Replace the link with a copy of the file.",
    owasp: "LLM03",
  },
  "magic-mismatch": {
    severity: "warn",
    message: "The content is not of the type that the file name says.",
    fix: "Give the file the extension of its content.",
    owasp: "LLM03",
  },
  "executable-disguised": {
    severity: "block",
    message: "A program is disguised as another type of file.",
    fix: "Remove the file.",
    owasp: "LLM03",
  },
  executable: {
    severity: "warn",
    message: "The skill ships a compiled program, which cannot be reviewed.",
    fix: "Ship the source, or name a package of a public registry.",
    owasp: "LLM03",
  },
  "bytecode-without-source": {
    severity: "block",
    message: "The skill ships bytecode without its source.",
    fix: "Ship the source.",
    owasp: "LLM03",
  },
  bytecode: {
    severity: "info",
    message: "The skill ships bytecode beside its source.",
    fix: "Remove the bytecode.",
    owasp: "LLM03",
  },
  "archive-locked": {
    severity: "warn",
    message: "A nested archive is encrypted or damaged, so its content is unknown.",
    fix: "Ship the files without the archive.",
    owasp: "LLM03",
  },
  "office-macro": {
    severity: "warn",
    message: "An Office file has macros.",
    fix: "Remove the macros.",
    owasp: "LLM03",
  },
  "ignored-code": {
    severity: "warn",
    message: "An ignore file hides files that can run.",
    fix: "Remove the line from the ignore file.",
    owasp: "LLM03",
  },
  "secret-in-file": {
    severity: "warn",
    message: "The file holds a secret.",
    fix: "Revoke the secret and remove it from the file.",
    owasp: "LLM02",
  },
  "sensitive-store": {
    severity: "warn",
    message: "The code reads a store of passwords, wallets or keys.",
    fix: "Remove the access, or explain it in SKILL.md.",
    owasp: "LLM02",
  },
  "undeclared-drop": {
    severity: "block",
    message: "Code sends data to an anonymous inbox or tunnel that SKILL.md does not mention.",
    fix: "Remove the call, or name the host and its purpose in SKILL.md.",
    owasp: "LLM02",
  },
  "undeclared-host": {
    severity: "warn",
    message: "Code contacts a numeric, paste or drop host that SKILL.md does not mention.",
    fix: "Name the host and its purpose in SKILL.md, or remove the call.",
    owasp: "LLM06",
  },
  "confusable-id": {
    severity: "warn",
    message: "The id looks like the id of another skill.",
    fix: "Choose an id that cannot be taken for another.",
    owasp: "LLM03",
  },
  "policy-program": {
    severity: "block",
    message: "The operator's policy program refused the skill.",
    fix: "Ask the operator.",
    owasp: "LLM06",
  },
  "guard-limit": {
    severity: "info",
    message: "A part of the skill was not read.",
    fix: "Make the file smaller or simpler.",
    owasp: "LLM03",
  },
} as const satisfies Record<string, Omit<CheckRule, "id">>;

export type CheckRuleId = keyof typeof checkRules;

/** Every rule by its id, for explanations and SARIF. */
export const guardRules: ReadonlyMap<string, CheckRule> = new Map<string, CheckRule>([
  ...tokenRules.map((rule): [string, CheckRule] => [
    rule.id,
    { id: rule.id, severity: rule.severity, message: rule.message, fix: rule.fix, owasp: rule.owasp },
  ]),
  ...Object.entries(checkRules).map(([id, rule]): [string, CheckRule] => [id, { id, ...rule }]),
]);
