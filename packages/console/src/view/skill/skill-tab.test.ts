import { expect, test } from "vitest";
import { hrefOf, skillTabs, tabOf, tabsFor } from "./skill-tab.ts";

test("every tab has an address that leads back to it [S-59]", () => {
  for (const tab of skillTabs) expect(tabOf(hrefOf("pdf", tab).replace(/^\/skills\/pdf\/?/, ""))).toBe(tab);
  expect(tabOf("files/scripts/versions")).toBe("files");
  expect(tabOf("nothing")).toBeUndefined();
});

test("a skill in a folder has no tabs for releases and grants [S-59]", () => {
  expect(tabsFor({})).not.toContain("versions");
  expect(tabsFor({})).not.toContain("access");
  expect(tabsFor({ registry: { status: "archived" } })).toEqual(skillTabs);
  expect(tabsFor({ registry: { status: "deleted" } })).not.toContain("dependencies");
});
