export { neutralText } from "./neutral.ts";
export { didYouMean, suggest } from "./suggest.ts";
