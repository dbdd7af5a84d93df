import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ScriptedModel } from "./scripted-model.ts";

/** The scripted model as a LangChain chat model. */
export class LangChainModel extends BaseChatModel {
  readonly #model: ScriptedModel;

  constructor(model: ScriptedModel) {
    super({});
    this.#model = model;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]) {
    const system = messages.flatMap((each) => (each.type === "system" ? [each.text] : [])).join("\n");
    const user = messages.find(({ type }) => type === "human")?.text ?? "";
    const turn = messages.filter(({ type }) => type === "ai").length;
    const { text = "", calls = [] } = await this.#model.reply({ system, user, turn, raw: messages });
    const tool_calls = calls.map(({ name, input = {} }, index) => {
      return { name, args: input, id: `call-${turn}-${index}`, type: "tool_call" as const };
    });
    // LangGraph merges messages with equal ids, so each has its own.
    const message = new AIMessage({ content: text, tool_calls, id: crypto.randomUUID() });
    return { generations: [{ text, message }] };
  }
}
