export { neutralText } from "./neutral.ts";
