"""Replaces langchain_core when it is not installed, with the parts that a tool declaration needs."""

import asyncio
import functools
import inspect
import sys
import types

import skillhold_schema


def install():
    """Gives `from langchain_core.tools import tool` something to import; the real package comes first."""
    try:
        import langchain_core.tools  # noqa: F401

        return
    except ImportError:
        pass
    for name in ("langchain_core", "langchain_core.tools", "langchain", "langchain.tools"):
        module = types.ModuleType(name)
        module.__path__ = []
        sys.modules[name] = module
    for parent in ("langchain_core", "langchain"):
        tools = sys.modules[parent + ".tools"]
        sys.modules[parent].tools = tools
        tools.tool, tools.BaseTool, tools.StructuredTool = tool, BaseTool, StructuredTool


class BaseTool:
    """The base class of a skill's own tool classes: `name`, `description`, and `_run` or `_arun`."""

    name = ""
    description = ""
    args_schema = None

    def __init__(self, **fields):
        for key, value in fields.items():
            setattr(self, key, value)

    @property
    def function(self):
        is_async = type(self)._arun is not BaseTool._arun
        return self._arun if is_async else self._run

    def _run(self, *args, **kwargs):
        raise NotImplementedError("The tool defines no function to run.")

    async def _arun(self, *args, **kwargs):
        return await in_thread(self._run, *args, **kwargs)

    def input_schema_of(self):
        return self.args_schema or skillhold_schema.of_function(self.function)

    async def ainvoke(self, arguments, config=None):
        values = skillhold_schema.bind(self.function, arguments, self.args_schema)
        if inspect.iscoroutinefunction(self.function):
            return await self.function(**values)
        return await in_thread(self.function, **values)

    def invoke(self, arguments, config=None):
        return asyncio.run(self.ainvoke(arguments, config))


class StructuredTool(BaseTool):
    """A tool made from a function; it can still be called as one."""

    def __init__(self, function, name=None, description=None, args_schema=None, content_and_artifact=False):
        super().__init__(name=name or function.__name__, args_schema=args_schema)
        self.func = function
        self.description = description or skillhold_schema.summary(function)
        self.content_and_artifact = content_and_artifact
        functools.update_wrapper(self, function, updated=())

    @property
    def function(self):
        return self.func

    @classmethod
    def from_function(cls, func=None, coroutine=None, name=None, description=None, args_schema=None, **others):
        return cls(coroutine or func, name, description, args_schema)

    def __call__(self, *args, **kwargs):
        return self.func(*args, **kwargs)

    async def ainvoke(self, arguments, config=None):
        result = await super().ainvoke(arguments, config)
        return result[0] if self.content_and_artifact and isinstance(result, tuple) else result


def tool(*args, description=None, args_schema=None, response_format="content", name_or_callable=None, **others):
    """`@tool`, `@tool("name")`, `@tool("name", "description")`, `@tool(args_schema=…)`, `tool("name", function)`."""
    first = args[0] if args else name_or_callable
    second = args[1] if len(args) > 1 else None
    name = first if isinstance(first, str) else None
    text = second if isinstance(second, str) else description

    def decorate(function):
        return StructuredTool(function, name, text, args_schema, response_format == "content_and_artifact")

    for candidate in (first, second):
        if callable(candidate):
            return decorate(candidate)
    return decorate


async def in_thread(function, *args, **kwargs):
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, functools.partial(function, *args, **kwargs))
