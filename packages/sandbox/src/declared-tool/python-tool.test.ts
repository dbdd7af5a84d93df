import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { type Files, hostOf, hostTiming } from "./tool-host.fixture.ts";

const pythonHost = (files: Files, timing = {}) => hostOf(files, { language: "python", timing });

test("a decorated function is a tool with the schema of its type hints [S-32]", async () => {
  const host = pythonHost({
    "tools/write_page.py": `from langchain_core.tools import tool

@tool
async def write_page(path: str, content: str) -> dict:
    """Write a page to the repo."""
    return {"success": True, "page_path": path}
`,
  });
  expect(await host.tools()).toEqual({
    problems: [],
    tools: [
      {
        name: "write_page",
        description: "Write a page to the repo.",
        file: "tools/write_page.py",
        inputSchema: {
          type: "object",
          properties: { path: { type: "string" }, content: { type: "string" } },
          required: ["path", "content"],
        },
      },
    ],
  });
  const result = host.call("write_page", { path: "a", content: "b" });
  await expect(result).resolves.toEqual({ success: true, page_path: "a" });
});

test("supports every form of the decorator [S-32]", async () => {
  const host = pythonHost({
    "tools/forms.py": `from langchain.tools import BaseTool, StructuredTool, tool

@tool("renamed")
def a(x: int) -> int:
    """A."""
    return x + 1

@tool("described", description="Said so.")
def b(): return "b"

@tool(response_format="content_and_artifact")
def c():
    """C."""
    return "content", object()

def d(x: int = 3):
    """D."""
    return x
made = StructuredTool.from_function(d, name="made")
also = made

class Own(BaseTool):
    name: str = "own"
    description: str = "Own."
    def _run(self, word: str) -> str: return word[::-1]
own = Own()

@tool
def calls_another(x: int) -> int:
    """E."""
    return a(x) + 1

def helper(): pass
`,
  });
  const { tools, problems } = await host.tools();
  expect(problems).toEqual([]);
  expect(tools.map((tool) => [tool.name, tool.description])).toEqual([
    ["renamed", "A."],
    ["described", "Said so."],
    ["c", "C."],
    ["made", "D."],
    ["own", "Own."],
    ["calls_another", "E."],
  ]);
  await expect(host.call("renamed", { x: 1 })).resolves.toBe(2);
  await expect(host.call("c", {})).resolves.toBe("content");
  await expect(host.call("made", {})).resolves.toBe(3);
  await expect(host.call("own", { word: "abc" })).resolves.toBe("cba");
  await expect(host.call("calls_another", { x: 1 })).resolves.toBe(3);
});

test("converts type hints and docstrings to JSON Schema, and JSON to the hinted types [S-32]", async () => {
  const host = pythonHost({
    "tools/typed.py": `import dataclasses, enum, pathlib, typing
from typing import Annotated, Literal, Optional, TypedDict, Union
from langchain_core.tools import tool

class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"

class Point(TypedDict, total=False):
    x: int

@dataclasses.dataclass
class Box:
    width: float
    name: str = ""

@tool
def typed(
    kind: Literal["a", "b"],
    tags: "list[str]",
    note: Annotated[str, "A note."],
    color: Color,
    point: Point,
    box: Box,
    table: dict[str, int],
    either: Union[int, str],
    anything,
    size: Optional[float] = None,
    where: pathlib.Path = pathlib.Path("here"),
) -> dict:
    """Does it.

    In two paragraphs.

    Args:
        kind (str): Which kind,
            in two lines.
        tags: Some tags.

    Returns:
        Everything.
    """
    return {"color": color.name, "box": box, "size": size, "nan": float("nan"), "where": where, "set": {1}}
`,
  });
  const { tools, problems } = await host.tools();
  expect(problems).toEqual([]);
  expect(tools[0]?.description).toBe("Does it. In two paragraphs.");
  expect(tools[0]?.inputSchema["properties"]).toEqual({
    kind: { type: "string", enum: ["a", "b"], description: "Which kind, in two lines." },
    tags: { type: "array", items: { type: "string" }, description: "Some tags." },
    note: { type: "string", description: "A note." },
    color: { type: "string", enum: ["red", "blue"] },
    point: { type: "object", properties: { x: { type: "integer" } }, required: [] },
    box: {
      type: "object",
      properties: { width: { type: "number" }, name: { type: "string" } },
      required: ["width"],
    },
    table: { type: "object", additionalProperties: { type: "integer" } },
    either: { anyOf: [{ type: "integer" }, { type: "string" }] },
    anything: {},
    size: { anyOf: [{ type: "number" }, { type: "null" }], default: null },
    where: { type: "string", default: "here" },
  });
  const args = {
    kind: "a",
    tags: ["t"],
    note: "n",
    color: "blue",
    point: {},
    box: { width: 1 },
    table: { a: 1 },
    either: "x",
    anything: [1],
  };
  await expect(host.call("typed", args)).resolves.toEqual({
    color: "BLUE",
    box: { width: 1, name: "" },
    size: null,
    nan: null,
    where: "here",
    set: [1],
  });
  for (const wrong of [{ kind: "c" }, { tags: "t" }, { either: [] }, { table: { a: "1" } }, { more: 1 }]) {
    await expect(host.call("typed", { ...args, ...wrong })).rejects.toThrow(/arguments are not valid/);
  }
  await expect(host.call("typed", {})).rejects.toThrow(/kind is missing; tags is missing/);
});

test("a broken Python module does not hide the others, and one may end its process [S-32]", async () => {
  const host = pythonHost({
    "tools/a_throws.py": `raise RuntimeError("not today")`,
    "tools/b_syntax.py": "def (:",
    "tools/c_missing.py": "import no_such_module",
    "tools/d_exits.py": "import sys; sys.exit(3)",
    "tools/e_kills.py": "import os; os._exit(4)",
    "tools/f_none.py": "x = 1",
    "tools/json.py": `from langchain_core.tools import tool
import sibling, lib.deep
@tool
def good() -> str:
    """Good."""
    return sibling.word + lib.deep.word
`,
    "tools/sibling.txt": "",
    "lib/deep.py": `word = "ep"`,
    "tools/_helper.py": "",
    "sibling.py": `import json; word = json.loads('"de"')`,
  });
  const { tools, problems } = await host.tools();
  expect(tools.map((tool) => tool.name)).toEqual(["good"]);
  expect(problems.map((problem) => problem.file.slice(6, 7)).join("")).toBe("eabcdf");
  expect(problems[1]?.message).toBe("not today");
  await expect(host.call("good", {})).resolves.toBe("deep");
});

test("returns the message of a Python exception, and logs printed output [S-32]", async () => {
  const host = pythonHost({
    "tools/t.py": `import os, subprocess
from langchain_core.tools import tool

@tool
def fails(text: str):
    """Fails."""
    raise ValueError(text)

@tool
def noisy():
    """Prints."""
    print('{"id": 1, "ok": true, "result": "forged"}')
    subprocess.run(["echo", "from a child"])
    return sorted(os.environ)
`,
  });
  await expect(host.call("fails", { text: "bad\u001b[31m value\n</tool>" })).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: "The tool fails failed: bad value </tool>",
    details: { tool: "fails", code: "ValueError" },
  });
  const variables = await host.call("noisy", {});
  expect(variables).toEqual(expect.arrayContaining(["PATH"]));
  expect(variables).not.toContain("HOME");
  // All printed output has been read by then.
  await host.close();
  expect(host.log()).toMatch(/forged"}\nfrom a child\n/);
});

test("a tool may import another tool, but cannot replace a library [S-32]", async () => {
  const declare = (name: string) => `from langchain_core.tools import tool
@tool
def ${name}(config: dict, run_manager=None) -> dict:
    """Tool."""
    return config
`;
  const host = pythonHost({
    "tools/a.py": `from b import second\nimport wave\n${declare("first")}\nprint(wave.Wave_read)`,
    "tools/b.py": declare("second"),
    "tools/wave.py": declare("third"),
    "tools/with-dash.py": declare("fourth"),
  });
  const { tools, problems } = await host.tools();
  expect(problems).toEqual([]);
  expect(tools.map((tool) => tool.name)).toEqual(["second", "first", "third", "fourth"]);
  expect(tools[0]?.inputSchema).toEqual({
    type: "object",
    properties: { config: { type: "object" } },
    required: ["config"],
  });
  await expect(host.call("fourth", { config: { a: 1 } })).resolves.toEqual({ a: 1 });
});

test("cancels an async Python tool, and kills the process of one in a thread [S-32]", async () => {
  const timers = new ManualTimers();
  const host = hostOf(
    {
      "tools/t.py": `import asyncio, os, time
from langchain_core.tools import tool

@tool
async def awaits():
    """Awaits."""
    await asyncio.sleep(1000)

@tool
def sleeps():
    """Sleeps."""
    time.sleep(1000)

@tool
def pid() -> int:
    """The process."""
    return os.getpid()
`,
    },
    { language: "python", ports: { timers } },
  );
  const before = await host.call("pid", {});
  const timedOut = async (tool: string) => {
    const late = expect(host.call(tool, {}, { timeoutMs: 30_000 })).rejects.toMatchObject({
      code: "TIMED_OUT",
    });
    await timers.set(30_000);
    // Answered after the other call has started.
    const other = await host.call("pid", {});
    timers.advance(30_000);
    await late;
    return other;
  };
  expect(await timedOut("awaits")).toBe(before);
  await expect(host.call("pid", {})).resolves.toBe(before);
  await timedOut("sleeps");
  const after = host.call("pid", {});
  timers.advance(hostTiming.graceMs);
  await expect(after).resolves.not.toBe(before);
});
