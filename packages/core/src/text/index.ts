export { findJsonExcess, type JsonBounds, parseBoundedJson } from "./bounded-json.ts";
export { neutralText } from "./neutral.ts";
