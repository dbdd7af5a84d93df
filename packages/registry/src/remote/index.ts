export { gatewayAddress, showAddress } from "./gateway-address.ts";
export {
  type AnswerOf,
  type Asking,
  type GatewayAccess,
  GatewayClient,
  type Sending,
} from "./gateway-client.ts";
export { type GatewayLogin, readLoginList, writeLoginList } from "./login-list.ts";
export { GATEWAYS_RUNTIME } from "./looking.ts";
export { openRemoteLibrary, type RemotePorts, type RemoteSettings } from "./open-remote-library.ts";
export type { RemoteLibrary } from "./remote-library.ts";
