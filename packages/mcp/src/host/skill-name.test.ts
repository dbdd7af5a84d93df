import { expect, test } from "vitest";
import { nameSkills } from "./mcp-view.ts";
import { readSkillUri } from "./skill-uri.ts";

test.each([
  ["keeps names that are one skill's", { "skill://pdf": "pdf", "skill://a/mail": "mail" }],
  [
    "tells two of one name apart by their addresses",
    { "skill://acme/billing/refunds": "refunds", "skill://acme/support/refunds": "support-refunds" },
  ],
  ["gives the name to the shortest address", { "skill://a/pdf": "a-pdf", "skill://pdf": "pdf" }],
  [
    "goes further up where that is another's name",
    { "skill://a-pdf": "a-pdf", "skill://pdf": "pdf", "skill://x/a/pdf": "x-a-pdf" },
  ],
  ["makes an id of any address", { "skill://pdf": "pdf", "skill://My%20Team/pdf": "my-team-pdf" }],
  [
    "leaves out what nothing tells apart",
    { "skill://a-pdf": "a-pdf", "skill://pdf": "pdf", "skill://a/pdf": undefined },
  ],
])("%s [S-57]", (_name, expected) => {
  const uris = Object.keys(expected).map((folder) => readSkillUri(`${folder}/SKILL.md`));
  const named = nameSkills(uris);
  expect(Object.fromEntries(uris.map(({ folder, key }) => [folder, named.get(key)]))).toEqual(expected);
});
