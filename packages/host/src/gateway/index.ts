export { CloserList } from "./closer-list.ts";
export { type GatewayParts, openParts, waitWarning } from "./gateway-part.ts";
export { ProposalMirror } from "./proposal-mirror.ts";
export { hostsAt, type ServedGateway, type ServeOptions, servedUrl, serveGateway } from "./serve.ts";
export { hasAdministrator, makeSignInLink } from "./sign-in-link.ts";
export { webhookPost } from "./webhook-post.ts";
