export { agentUser } from "../record/agent.ts";
export { type StoredToken, type TokenRecord, tokenActor } from "../record/token.ts";
export { authenticateToken, renewSession, useSignIn } from "./authenticate-token.ts";
export type { IssuedToken, TokenContext } from "./put-token.ts";
export type { Random } from "./token-secret.ts";
export {
  getToken,
  issueToken,
  listSignIns,
  listTokenPage,
  listTokens,
  type NewToken,
  revokeToken,
} from "./tokens.ts";
