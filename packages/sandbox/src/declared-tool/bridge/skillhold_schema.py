"""Converts type hints and docstrings to JSON Schema, and tool results to JSON."""

import base64
import collections.abc
import dataclasses
import datetime
import enum
import inspect
import math
import os
import re
import textwrap
import types
import typing

UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Set)
DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
TEXTS = {datetime.datetime: "date-time", datetime.date: "date", datetime.time: "time"}
# Arguments that LangChain injects, which a model does not provide.
INJECTED = {"run_manager", "callbacks"}


def of_tool(tool):
    """The shim has its function; a real tool has a pydantic model or JSON Schema."""
    if hasattr(tool, "input_schema_of"):
        schema = tool.input_schema_of()
    else:
        schema = getattr(tool, "tool_call_schema", None) or tool.get_input_schema()
    return schema if isinstance(schema, dict) else model_schema(schema)


def model_schema(model):
    if hasattr(model, "model_json_schema"):
        return model.model_json_schema()
    return model.schema()


def of_function(function):
    signature, hints = inspect.signature(function), hints_of(function)
    texts = argument_texts(inspect.getdoc(function) or "")
    properties, required = {}, []
    for name, parameter in parameters_of(signature):
        schema = of_type(hints.get(name, typing.Any))
        if name in texts and "description" not in schema:
            schema["description"] = texts[name]
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        else:
            schema["default"] = plain(parameter.default)
        properties[name] = schema
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def parameters_of(signature):
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    for name, parameter in signature.parameters.items():
        if parameter.kind in named and name not in INJECTED:
            yield name, parameter


def hints_of(function):
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:
        # A hint with an unknown name is ignored, and the tool still runs.
        return {}


def of_type(hint, depth=0):
    """A type without a JSON form becomes `{}`, which allows every value."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if depth > 16 or hint is typing.Any:
        return {}
    if origin is getattr(typing, "Annotated", None):
        return annotated(args, depth)
    if origin in UNIONS:
        return {"anyOf": [of_type(arg, depth + 1) for arg in args]}
    if origin is typing.Literal:
        return literal(list(args))
    if hint in SIMPLE:
        return {"type": SIMPLE[hint]}
    if hint in TEXTS:
        return {"type": "string", "format": TEXTS[hint]}
    return of_container(origin or hint, args, depth) if isinstance(origin or hint, type) else {}


def annotated(args, depth):
    schema = of_type(args[0], depth + 1)
    for note in args[1:]:
        text = note if isinstance(note, str) else getattr(note, "description", None)
        if isinstance(text, str):
            schema["description"] = text
    return schema


def literal(values):
    kinds = {SIMPLE.get(type(value)) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return {**({"type": kind} if kind else {}), "enum": values}


def of_container(kind, args, depth):
    if kind in DICTS:
        values = of_type(args[1], depth + 1) if len(args) == 2 else {}
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if kind in LISTS:
        items = of_type(args[0], depth + 1) if args and args[0] is not Ellipsis else {}
        return {"type": "array", **({"items": items} if items else {})}
    if issubclass(kind, enum.Enum):
        return literal([member.value for member in kind])
    if issubclass(kind, os.PathLike):
        return {"type": "string"}
    if hasattr(kind, "model_json_schema"):
        return kind.model_json_schema()
    if dataclasses.is_dataclass(kind):
        return of_fields(kind, {field.name for field in dataclasses.fields(kind) if not has_default(field)}, depth)
    if hasattr(kind, "__required_keys__"):
        return of_fields(kind, kind.__required_keys__, depth)
    return {}


def has_default(field):
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def of_fields(kind, required, depth):
    properties = {name: of_type(hint, depth + 1) for name, hint in hints_of(kind).items()}
    return {"type": "object", "properties": properties, "required": sorted(required)}


def summary(function):
    """The docstring up to its list of arguments."""
    text = inspect.getdoc(function) or ""
    return re.split(r"\n\s*(?:Args|Arguments|Parameters|Returns|Raises|Yields|Examples?):[ \t]*\n", "\n" + text)[0].strip()


def argument_texts(doc):
    """The argument descriptions of a Google-style `Args:` section, by name."""
    section = re.search(r"(?:^|\n)(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+.*\n?|[ \t]*\n)+)", doc)
    texts, current = {}, None
    for line in textwrap.dedent(section.group(1)).splitlines() if section else []:
        head = re.match(r"\*{0,2}(\w+)[ \t]*(?:\([^)]*\))?:[ \t]*(.*)", line)
        if head:
            current = head.group(1)
            texts[current] = head.group(2).strip()
        elif current and line.strip():
            texts[current] = f"{texts[current]} {line.strip()}".strip()
    return {name: text for name, text in texts.items() if text}


def bind(function, arguments, model):
    """Validates the arguments of a function: no unknown or missing names, and matching types."""
    if not isinstance(arguments, dict):
        raise TypeError("The arguments must be an object.")
    if model is not None and hasattr(model, "model_validate"):
        checked = model.model_validate(arguments)
        return {name: getattr(checked, name) for name in type(checked).model_fields}
    signature, hints = inspect.signature(function), hints_of(function)
    known = dict(parameters_of(signature))
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature.parameters.values())
    unknown = [name for name in arguments if name not in known and not takes_any]
    missing = [name for name, each in known.items() if each.default is each.empty and name not in arguments]
    if unknown or missing:
        what = [f"{name} is unknown" for name in unknown] + [f"{name} is missing" for name in missing]
        raise TypeError(f"The arguments are not valid: {'; '.join(what)}")
    injected = {name: None for name in signature.parameters if name in INJECTED}
    converted = {name: convert(value, hints.get(name, typing.Any), name) for name, value in arguments.items()}
    return {**converted, **injected}


def convert(value, hint, path, depth=0):
    """A value of JSON as the hint wants it. What the hint does not clearly forbid is passed on as it came."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    kind = origin or hint
    if depth > 16 or hint is typing.Any:
        return value
    if origin is getattr(typing, "Annotated", None):
        return convert(value, args[0], path, depth + 1)
    if origin in UNIONS:
        return convert_union(value, args, path, depth)
    if origin is typing.Literal:
        return require(any(value == each and type(value) is type(each) for each in args), value, path, f"one of {list(args)}")
    if hint in SIMPLE:
        return convert_simple(value, hint, path)
    if not isinstance(kind, type):
        return value
    return convert_container(value, kind, args, path, depth)


def convert_union(value, args, path, depth):
    for arg in args:
        try:
            return convert(value, arg, path, depth + 1)
        except (TypeError, ValueError):
            continue
    raise TypeError(f"The arguments are not valid: {path} matches none of its types")


def convert_simple(value, hint, path):
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    fits = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    return require(fits, value, path, SIMPLE[hint])


def convert_container(value, kind, args, path, depth):
    if kind in DICTS:
        require(isinstance(value, dict), value, path, "object")
        of_value = args[1] if len(args) == 2 else typing.Any
        return {key: convert(each, of_value, f"{path}.{key}", depth + 1) for key, each in value.items()}
    if kind in LISTS:
        require(isinstance(value, list), value, path, "array")
        of_item = args[0] if args else typing.Any
        items = [convert(each, of_item, f"{path}.{index}", depth + 1) for index, each in enumerate(value)]
        return kind(items) if kind in (tuple, set, frozenset) else items
    if issubclass(kind, enum.Enum) or (issubclass(kind, os.PathLike) and not inspect.isabstract(kind)):
        return kind(value)
    if kind in TEXTS:
        return kind.fromisoformat(value)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        hints = hints_of(kind)
        return kind(**{key: convert(each, hints.get(key, typing.Any), f"{path}.{key}", depth + 1) for key, each in value.items()})
    return value


def require(fits, value, path, what):
    if not fits:
        raise TypeError(f"The arguments are not valid: {path} is not {what}")
    return value


def plain(value, depth=0):
    """A result as JSON: what JSON has no word for becomes the nearest thing, and at last its text."""
    if depth > 100:
        raise ValueError("The result is nested too deeply.")
    if value is None or isinstance(value, (str, bool, int)):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, enum.Enum):
        return plain(value.value, depth + 1)
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value), depth + 1)
    if isinstance(value, collections.abc.Mapping):
        return {str(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each, depth + 1) for each in value]
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)
