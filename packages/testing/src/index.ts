export type { ModelApi, ModelRequest, RequestMessage, RequestTool } from "./model-request.ts";
export { type ModelServer, startModelServer } from "./model-server.ts";
export { byConversation, inOrder, type ModelReply, type ModelScript, type ScriptedCall } from "./reply.ts";
export {
  openTestSession,
  type PlayedCall,
  type TestSession,
  type TestSessionOptions,
} from "./scripted-session.ts";
