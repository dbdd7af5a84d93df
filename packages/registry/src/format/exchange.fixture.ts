/** A small skill whose hashes were computed with the reference command lines. */
export const helloFiles = [
  file("SKILL.md", "---\nname: hello\ndescription: Says hello. Use when greeting.\n---\n# Hello\n"),
  file("scripts/run.sh", "#!/bin/sh\necho hi\n"),
  file("references/B.md", "x\n"),
  file("references/a.md", "y\n"),
  file(".hidden", "z"),
];

export function file(path: string, text: string | Uint8Array) {
  return { path, content: typeof text === "string" ? new TextEncoder().encode(text) : text };
}
