export { draftSkill } from "./draft.ts";
export { type PromotionPacket, readPacket } from "./packet.ts";
export {
  type FoundSkill,
  type Promoted,
  type PromotionOptions,
  promoteWorkflow,
  writeDraft,
} from "./promote.ts";
export { redactSecrets } from "./redact.ts";
export { checkRepetition } from "./repetition.ts";
