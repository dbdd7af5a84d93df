import type { Asker } from "@skillhold/core/approval";
import type { Actor } from "@skillhold/protocol";
import type { QuestionView } from "@skillhold/protocol/http";
import type { QuestionAnswer } from "@skillhold/registry/question";

/** Where questions wait for a person, whichever gateway of the registry they were asked at. */
export interface ApprovalDesk extends Asker {
  /** The oldest first. */
  list(): Promise<readonly QuestionView[]>;
  answer(question: string, answer: QuestionAnswer, by: Actor): Promise<void>;
}
