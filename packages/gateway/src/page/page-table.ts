import { discoveryPages } from "./discovery-page.ts";
import { landingPage } from "./landing-page.ts";
import type { Page } from "./page.ts";
import { signInPage } from "./sign-in-page.ts";

/** Every page. Each response of the gateway comes from here, from the route table or from a mount. */
export const pageTable: readonly Page[] = [landingPage, signInPage, ...discoveryPages];
