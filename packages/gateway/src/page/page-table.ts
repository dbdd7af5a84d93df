import { discoveryPages } from "./discovery-page.ts";
import { landingPage, signInPage } from "./html-page.ts";
import type { Page } from "./page.ts";

/** Every page. Each response of the gateway comes from here, from the route table or from a mount. */
export const pageTable: readonly Page[] = [landingPage, signInPage, ...discoveryPages];
