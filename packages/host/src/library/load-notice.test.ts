import type { LibraryChange } from "@skillhold/core/library";
import { expect, test } from "vitest";
import { followNotices, type LoadNotice } from "./load-notice.ts";

test("logs each notice once, and after a change reads only the changed skills [S-7]", () => {
  const notices = new Map<string, LoadNotice>();
  const [logged, asked]: [string[], unknown[]] = [[], []];
  let change = (_: Partial<LibraryChange>) => {};
  const set = (id: string, message: string) => notices.set(id, { id, code: "A", message });
  const read = (ids?: readonly string[]) => {
    asked.push(ids);
    return [...notices.values()].filter(({ id }) => ids?.includes(id) ?? true);
  };
  const onChange = (listener: (change: LibraryChange) => void) => {
    change = (part) => listener({ added: [], changed: [], removed: [], broken: [], ...part });
    return () => {};
  };
  set("pdf", "pdf is long");
  set("docx", "docx is long");
  followNotices({ onChange }, read, ({ message }) => logged.push(message));
  expect(logged.splice(0)).toEqual(["pdf is long", "docx is long"]);
  set("xlsx", "xlsx is long");
  change({ added: ["xlsx"], changed: ["pdf"] });
  expect(logged.splice(0)).toEqual(["xlsx is long"]);
  notices.delete("pdf");
  change({ removed: ["pdf"] });
  set("pdf", "pdf is long");
  change({ added: ["pdf"] });
  expect(logged).toEqual(["pdf is long"]);
  expect(asked).toEqual([undefined, ["xlsx", "pdf"], ["pdf"], ["pdf"]]);
});
