import { originOf } from "../source/origin.ts";

/** The attribute that tells a model of which server a text is; nothing for what is of this machine. */
export function originMark(entry: { readonly source: string }): { readonly origin?: string } {
  const origin = originOf(entry);
  return origin === undefined ? {} : { origin };
}
