import { neutralText } from "@skillhold/core/text";

/** What the record says an archive was called: its name without folders, as one line of plain text. */
export function originOf(filename: string | undefined): string | undefined {
  const name = neutralText(filename?.split(/[/\\]/).at(-1) ?? "", 200);
  return name === "" ? undefined : name;
}
