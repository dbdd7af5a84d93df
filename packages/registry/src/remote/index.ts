export { gatewayAddress, showAddress } from "./gateway-address.ts";
export {
  type AnswerOf,
  type GatewayAccess,
  GatewayClient,
  type RequestInput,
  type UploadInput,
} from "./gateway-client.ts";
export { type GatewayLogin, readLoginList, writeLoginList } from "./login-list.ts";
export { openRemoteLibrary, type RemotePorts, type RemoteSettings } from "./open-remote-library.ts";
export type { RemoteLibrary } from "./remote-library.ts";
export type { ViewerQuery } from "./viewer-query.ts";
