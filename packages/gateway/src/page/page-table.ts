import { landingPage } from "../auth/landing-page.ts";
import { signInPage } from "../auth/sign-in-page.ts";
import { discoveryPages } from "./discovery-page.ts";
import type { Page } from "./page.ts";

/** Every page there is. What answers is either here, in the table of routes, or mounted. */
export const pageTable: readonly Page[] = [landingPage, signInPage, ...discoveryPages];
