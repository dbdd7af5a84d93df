interface AnswerRow {
  readonly name: string;
  readonly done: string;
  readonly body: object;
  /** A wide answer has no key, so that it is never given by accident. */
  readonly key: string | undefined;
}

/** The possible answers to a question. */
export const answers = {
  once: {
    name: "Approve once",
    done: "approved once",
    body: { answer: "approve", scope: "once" } as const,
    key: "a",
  },
  content: {
    name: "Approve for this content",
    done: "approved for this content",
    body: { answer: "approve", scope: "content" } as const,
    key: "c",
  },
  arguments: {
    name: "Approve with any arguments",
    done: "approved with any arguments",
    body: { answer: "approve" as const, scope: "content" as const, widen: ["arguments" as const] },
    key: undefined,
  },
  everyone: {
    name: "Approve for everyone",
    done: "approved for every agent and user",
    body: { answer: "approve" as const, scope: "content" as const, widen: ["everyone" as const] },
    key: undefined,
  },
  deny: { name: "Deny", done: "denied", body: { answer: "deny" } as const, key: "d" },
} satisfies Readonly<Record<string, AnswerRow>>;
export type Answered = keyof typeof answers;
