import type { Answer } from "../../../api/client.ts";

export type Need = Answer<"GET /v1/skills/{id}/dependencies">["needs"][number];

const order = { missing: 0, unknown: 1, ok: 2 } as const satisfies Record<Need["status"], number>;

/** Orders dependencies by status, missing ones first, then required before optional. */
export function orderNeeds(needs: readonly Need[]): readonly Need[] {
  return needs.toSorted(
    (a, b) =>
      order[a.status] - order[b.status] ||
      Number(a.optional) - Number(b.optional) ||
      a.name.localeCompare(b.name, "en"),
  );
}
