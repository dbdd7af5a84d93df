import { type ModelServer, startModelServer } from "@skillhold/testing";
import type { ScriptedModel } from "./scripted-model.ts";

/** The scripted model behind the fake model server, for frameworks that speak HTTP. */
export async function serveModel(model: ScriptedModel): Promise<ModelServer> {
  return await startModelServer(async ({ system, messages, body }) => {
    const user = messages.find(({ role }) => role === "user")?.text ?? "";
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const { text = "", calls = [] } = await model.reply({ system, user, turn, raw: body });
    return calls.length > 0 ? { calls } : { text };
  });
}
