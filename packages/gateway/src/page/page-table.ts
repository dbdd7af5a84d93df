import { docsPages } from "./console-page.ts";
import { discoveryPages } from "./discovery-page.ts";
import { landingPage, signInPage } from "./html-page.ts";
import type { GatewayPage } from "./page.ts";

/** Every page. Each response of the gateway comes from here, from the route table or from a mount. */
export const pageTable: readonly GatewayPage[] = [landingPage, signInPage, ...docsPages, ...discoveryPages];
