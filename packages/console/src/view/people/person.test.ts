import { expect, test } from "vitest";
import { peopleOf } from "./person.ts";

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const token = {
  ...{ id: "t", name: "n", user: "ann", createdBy: "ann", createdAt: at(1), expiresAt: at(30) },
  kind: "api" as const,
  role: "viewer" as const,
};
const users = ["agent:writer", "ann", "bob"].map((name) => ({ name, createdAt: at(1) }));

test("a person has the highest role of the valid tokens, and the latest use of any [S-70]", () => {
  const people = peopleOf(
    users,
    [
      { ...token, lastUsedAt: at(3) },
      { ...token, id: "s", kind: "session", role: "publisher", lastUsedAt: at(2) },
      { ...token, id: "r", role: "admin", revokedAt: at(2), lastUsedAt: at(4) },
      { ...token, id: "e", role: "admin", expiresAt: at(2) },
      { ...token, id: "a", agent: "writer", role: "publisher" },
    ],
    Date.parse(at(10)),
  );
  expect(people).toMatchObject([
    { name: "ann", role: "publisher", lastSeenAt: at(4), sessions: [{ id: "s" }], programs: [{ id: "t" }] },
    { name: "bob", role: undefined, lastSeenAt: undefined, sessions: [], programs: [] },
  ]);
});
