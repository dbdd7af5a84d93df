export { authenticateToken } from "./authenticate-token.ts";
export { issueToken, type NewToken } from "./issue-token.ts";
export type { IssuedToken } from "./put-token.ts";
export { actorOf, type StoredToken, type TokenRecord } from "./token.ts";
export type { TokenContext } from "./token-context.ts";
export type { Random } from "./token-secret.ts";
export { listTokenPage, listTokens, revokeToken } from "./tokens.ts";
export { useSignIn } from "./use-sign-in.ts";
