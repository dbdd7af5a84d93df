import type { Layout } from "./layout.ts";

/** One JSON text, also with preamble and note, one skill a line. A skill is called by its `id`. */
export const jsonLayout: Layout = {
  separator: ",\n",
  item({ id, name, description, isThirdParty, origin, readiness, tags, location }) {
    return escapeTokens(
      JSON.stringify({
        id,
        ...(name === id ? {} : { name }),
        ...(isThirdParty ? { trust: "third_party" } : {}),
        ...(origin === undefined ? {} : { origin }),
        ...(readiness === "ready" ? {} : { readiness }),
        ...(description === "" ? {} : { description }),
        ...(tags.length === 0 ? {} : { tags }),
        ...(location === undefined ? {} : { location }),
      }),
    );
  },
  page({ preamble, items, note }) {
    if (items.length === 0) return JSON.stringify({ note });
    const start = preamble === "" ? "" : `"instructions":${JSON.stringify(preamble)},`;
    const end = note === "" ? "" : `,"note":${JSON.stringify(note)}`;
    return `{${start}"available_skills":[\n${items.join(",\n")}\n]${end}}`;
  },
};

/** The same JSON without `<|im_start|>` or `[INST]`: an item has neither character outside its strings. */
function escapeTokens(json: string): string {
  return json.replace(/<|\[(?=\/?[A-Z])/g, (character) => (character === "<" ? "\\u003c" : "\\u005b"));
}
