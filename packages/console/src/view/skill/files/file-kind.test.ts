import { expect, test } from "vitest";
import { languageOf, pictureType } from "./file-kind.ts";

test("detects the language of a file by its name or first line [S-59]", () => {
  expect(languageOf("scripts/a.PY")).toBe("python");
  expect(languageOf("scripts/run", "#!/usr/bin/env python3")).toBe("python");
  expect(languageOf("scripts/run", "#!/bin/sh")).toBe("shellscript");
  expect(languageOf("LICENSE", "Apache License")).toBeUndefined();
});

test("detects images by their names [S-59]", () => {
  expect(pictureType("assets/logo.PNG")).toBe("image/png");
  expect(pictureType("assets/page.html")).toBeUndefined();
});
