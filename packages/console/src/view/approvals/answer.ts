/** The possible answers to a question. */
export const answers = {
  once: { name: "Approve once", done: "approved once", body: { answer: "approve", scope: "once" }, key: "a" },
  content: {
    name: "Approve for this content",
    done: "approved for this content",
    body: { answer: "approve", scope: "content" },
    key: "c",
  },
  deny: { name: "Deny", done: "denied", body: { answer: "deny" }, key: "d" },
} as const;
export type Answered = keyof typeof answers;
