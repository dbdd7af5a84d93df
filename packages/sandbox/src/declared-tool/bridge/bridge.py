"""Holds a skill's Python tools.

It runs inside the sandbox, beside a stranger's code and with no more rights: it imports the standard library alone,
and the host believes none of what it says. Requests come in on descriptor 3 and replies go out on 4, a line of JSON
each; what a tool prints is a log.
"""

import asyncio
import concurrent.futures
import contextvars
import importlib.util
import json
import os
import re
import sys
import threading

import skillhold_schema
import skillhold_shim

SKILL = sys.argv[1]
TOOLS = {}
RUNNING = {}
WRITING = threading.Lock()
LIMITS = {"lineBytes": float("inf")}
LISTED = {"bytes": 0, "values": 0}
# Far more than the host shows, and far less than the line limit: an error that does not fit would give no
# reply.
ERROR_LENGTH = 16_384
# The threads that work for the current call.
THREADS = contextvars.ContextVar("threads", default=[])


class Threads(concurrent.futures.ThreadPoolExecutor):
    """Tracks the call that a thread works for. Threads cannot be canceled, so the call lasts until they end."""

    def submit(self, *args, **kwargs):
        future = super().submit(*args, **kwargs)
        THREADS.get().append(future)
        return future


def main():
    # Tools cannot import files of this folder. They can import files of their own folder, but last, so that
    # a tool with the name of a library does not replace it.
    places = [os.path.join(SKILL, place) for place in ("tools", "scripts", "_shared", "scripts/_shared")]
    sys.path[:] = [*sys.path[1:], *places, SKILL]
    sys.argv[:] = [""]
    skillhold_shim.install()
    asyncio.run(serve())


async def serve():
    """Returns when the host closes the channel."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(Threads())
    requests = asyncio.Queue()

    def read():
        with os.fdopen(3, "r", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                loop.call_soon_threadsafe(requests.put_nowait, json.loads(line))
        # A tool's thread may never end, and would block a normal exit.
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        request = await requests.get()
        if request["method"] == "load":
            load(request)
        elif request["method"] == "call":
            RUNNING[request["id"]] = loop.create_task(call(request))
        elif request["method"] == "cancel" and request["id"] in RUNNING:
            RUNNING[request["id"]].cancel()


def load(request):
    LIMITS.update((name, request[name]) for name in ("lineBytes", "toolBytes", "toolValues"))
    tools, problems = [], []
    for file in request["files"]:
        # If the process dies now, the host knows the module.
        send({"type": "loading", "file": file})
        try:
            found = find_tools(read_module(file))
            if not found:
                problems.append({"file": file, "error": "The module declares no tool."})
            for tool in found:
                tools.extend(add_tool(tool, file, problems))
        # SystemExit is not an Exception, and a module that exits would take the other tools with it.
        except BaseException as error:
            problems.append({"file": file, "error": describe(error)["message"]})
    send({"type": "ready", "tools": tools, "problems": problems})


def read_module(file):
    path = os.path.join(SKILL, file)
    stem = os.path.splitext(os.path.basename(file))[0]
    if getattr(sys.modules.get(stem), "__file__", None) == path:
        # Another tool has imported it.
        return sys.modules[stem]
    name = stem if is_own_name(stem, path) else f"skillhold_tool_{stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def is_own_name(stem, path):
    """Whether `import <stem>` would give this file."""
    try:
        spec = None if stem in sys.modules else importlib.util.find_spec(stem)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin == path


def find_tools(module):
    """The tools in source order. A tool that is bound to two names is listed once."""
    found = []
    for value in list(vars(module).values()):
        if is_tool(value) and not any(value is other for other in found):
            found.append(value)
    return found


def is_tool(value):
    if isinstance(value, type):
        return False
    try:
        return all(hasattr(value, name) for name in ("name", "description", "ainvoke")) and (
            hasattr(value, "args_schema") or hasattr(value, "input_schema_of")
        )
    except Exception:
        return False


def add_tool(tool, file, problems):
    try:
        name = str(tool.name)
        # A module that imports another module's tool does not declare it again.
        if TOOLS.get(name) is tool:
            return []
        if name in TOOLS:
            raise ValueError("Another tool has this name.")
        entry = {
            "name": name,
            "description": str(tool.description or ""),
            "file": file,
            "inputSchema": skillhold_schema.of_tool(tool),
        }
        count(json.dumps(entry, allow_nan=False))
    except BaseException as error:
        problems.append({"file": file, "error": f"{getattr(tool, 'name', '?')}: {describe(error)['message']}"})
        return []
    TOOLS[name] = tool
    return [entry]


def count(text):
    """Adds a tool to the listing, with the size that the host counts."""
    size = LISTED["bytes"] + len(text)
    values = LISTED["values"] + len(re.findall(r"[,\[{]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)))
    if size > LIMITS["toolBytes"] or values > LIMITS["toolValues"]:
        raise ValueError("the tool descriptions of the skill are too large.")
    LISTED.update(bytes=size, values=values)


async def call(request):
    identity, threads = request["id"], []
    THREADS.set(threads)
    try:
        tool = TOOLS.get(request["name"])
        if tool is None:
            raise KeyError(f"There is no tool named {request['name']}.")
        result = await tool.ainvoke(request["args"])
        send({"id": identity, "ok": True, "result": skillhold_schema.plain(result)})
    except asyncio.CancelledError:
        await asyncio.gather(*map(asyncio.wrap_future, threads), return_exceptions=True)
        send({"id": identity, "ok": False, "error": {"code": "Cancelled", "message": "The call was canceled."}})
    except BaseException as error:
        send({"id": identity, "ok": False, "error": describe(error)})
    finally:
        RUNNING.pop(identity, None)


def describe(error):
    # The text of a KeyError is its quoted argument.
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return {"code": type(error).__name__, "message": message[:ERROR_LENGTH] or type(error).__name__}


def send(message):
    line = json.dumps(message, allow_nan=False).encode() + b"\n"
    if len(line) > LIMITS["lineBytes"]:
        raise ValueError(f"The result is larger than {LIMITS['lineBytes']} bytes.")
    with WRITING:
        while line:
            line = line[os.write(4, line) :]


if __name__ == "__main__":
    main()
