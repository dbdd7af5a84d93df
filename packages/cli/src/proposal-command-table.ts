import type { CommandRow } from "./command.ts";

/** The commands about proposed changes of skills and promoted workflows. */
export const proposalCommands: readonly CommandRow[] = [
  row(
    "proposal list",
    "list proposed changes of skills",
    () => import("./command/proposal/proposal-list.ts"),
  ),
  row(
    "proposal show",
    "show a proposal with its evidence and reviews",
    () => import("./command/proposal/proposal-show.ts"),
  ),
  row("proposal diff", "show the changes of a proposal", () => import("./command/proposal/proposal-diff.ts")),
  row(
    "proposal approve",
    "approve a proposal of another author",
    () => import("./command/proposal/proposal-approve.ts"),
  ),
  row(
    "proposal reject",
    "reject a proposal, or ask for changes",
    () => import("./command/proposal/proposal-reject.ts"),
  ),
  row(
    "proposal apply",
    "publish the candidate of an approved proposal",
    () => import("./command/proposal/proposal-apply.ts"),
  ),
  row(
    "proposal rebase",
    "merge a proposal into the current content",
    () => import("./command/proposal/proposal-rebase.ts"),
  ),
  row("proposal withdraw", "withdraw a proposal", () => import("./command/proposal/proposal-withdraw.ts")),
  row(
    "proposal import",
    "import proposals from Markdown files",
    () => import("./command/proposal/proposal-import.ts"),
  ),
  row(
    "promotion list",
    "list workflows that agents promote to skills",
    () => import("./command/promotion/promotion-list.ts"),
  ),
  row(
    "promotion show",
    "show a promoted workflow and its skill",
    () => import("./command/promotion/promotion-show.ts"),
  ),
  row(
    "promotion submit",
    "promote a workflow from a packet",
    () => import("./command/promotion/promotion-submit.ts"),
  ),
  row(
    "promotion draft",
    "print the draft of a packet without storing it",
    () => import("./command/promotion/promotion-draft.ts"),
  ),
  row(
    "promotion decide",
    "approve and publish a promotion, or reject it",
    () => import("./command/promotion/promotion-decide.ts"),
  ),
];

function row(name: string, summary: string, load: CommandRow["load"]): CommandRow {
  return { name, section: "Publish", summary, load };
}
