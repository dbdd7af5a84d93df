import type { Answer } from "../../api/client.ts";

export type Question = Answer<"GET /v1/approvals">["questions"][number];
export type QuestionContent = Answer<"GET /v1/approvals/{question}/content">;
export type Approval = Answer<"GET /v1/approvals">["approvals"][number];

/** Something that should make someone look twice, or not say yes at all. */
export interface Danger {
  readonly text: string;
  readonly isGrave: boolean;
}

export function dangersOf({ sandbox, network, mounts, secrets, trust }: Question): readonly Danger[] {
  const grave = (text: string) => ({ text, isGrave: true });
  const mild = (text: string) => ({ text, isGrave: false });
  return [
    ...(sandbox === "none"
      ? [grave("No sandbox: it could do anything the gateway can do on this machine.")]
      : []),
    ...(network === "open" ? [grave("Open network: it could reach any host.")] : []),
    ...(network !== "open" && network !== "none" ? [mild(`It could reach ${exactText(network)}.`)] : []),
    ...mounts
      .filter(({ isWritable }) => isWritable)
      .map(({ source }) => mild(`It could write to ${exactText(source)}.`)),
    ...(secrets.length > 0 ? [mild(`It would be given ${secrets.map(exactText).join(", ")}.`)] : []),
    ...(trust === "third_party" ? [mild("Third-party skill.")] : []),
  ];
}

const acts: Readonly<Record<string, string>> = {
  run_script: "run",
  call_tool: "call the tool",
  shell_in_prompt: "run in a shell",
  install: "install",
};

/** The requested action, as a verb phrase for use in a sentence. */
export function actOf({ act }: Pick<Question, "act">): string {
  return acts[act] ?? act;
}

/** Characters that are invisible, look like a space, or combine with another character. */
const unclear = /[[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]--[ ]]/gv;

/** A text so that no two look the same: plain words as they are, all else quoted, with what cannot be seen spelled out. */
export function exactText(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  return JSON.stringify(text).replace(unclear, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Which question is looked at after some have come or gone: the same one, else the one that took its place. */
export function currentOf(
  ids: readonly string[],
  chosen: string | undefined,
  before: readonly string[],
): string | undefined {
  if (chosen === undefined || ids.includes(chosen)) return chosen ?? ids[0];
  const place = before.indexOf(chosen);
  const following = before.slice(place + 1).find((id) => ids.includes(id));
  return following ?? ids.at(-1);
}
