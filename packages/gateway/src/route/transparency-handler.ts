import { SkillError } from "@skillhold/protocol/error";
import { rootOf } from "@skillhold/registry/audit";
import type { Handlers } from "../http/handler.ts";

type TransparencyOperation = "getCheckpoint" | "proveEvent" | "proveConsistency";

export const transparencyHandlers: Pick<Handlers, TransparencyOperation> = {
  getCheckpoint: async (_, { registry: { store } }) => {
    const head = await store.findHead();
    if (head === undefined)
      throw new SkillError("NOT_READY", "The audit log is empty.", { hint: "Try again later." });
    const { origin, seq: size, frontier, note } = head;
    return { data: { origin, size, root: rootOf(frontier), ...(note === undefined ? {} : { note }) } };
  },
  proveEvent: async ({ query: { index, size } }, { logTree }) => {
    const tree = await logTree.upTo(size);
    return inRange(() => ({
      data: { leaf: tree.leaf(index), index, size, path: tree.inclusion(index, size) },
    }));
  },
  proveConsistency: async ({ query: { from, to } }, { logTree }) => {
    const tree = await logTree.upTo(to);
    return inRange(() => ({ data: { from, to, path: tree.consistency(from, to) } }));
  },
};

function inRange<T>(prove: () => T): T {
  try {
    return prove();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SkillError("USAGE", error.message, { hint: "Ask for sizes that `/v1/audit/checkpoint` gave." });
  }
}
