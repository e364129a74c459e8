"""Runs in Pyodide: one call of a tenant's Python code. The snapshot is taken after this file has loaded. `_prepare`
runs once in each process before the call, `_begin` runs the call."""

import asyncio
import asyncio.base_events
import base64
import collections
import dataclasses
import datetime
import email.message
import enum
import functools
import gc
import importlib.abc
import inspect
import io
import itertools
import json
import linecache
import math
import os
import random
import re
import sys
import time
import traceback
import types
import typing
import urllib.error
import urllib.parse
import urllib.request
import urllib.response

FILE = "tool.py"
ERROR_CHARACTERS_MAX = 4_000
RESULT_BYTES_MAX = 1_000_000
REQUESTS_AT_ONCE_MAX = 100
ITEMS_MAX = 100_000
ITEMS_AT_ONCE = 1_000
# The server accepts no more (NESTING_MAX in models/write-json.ts).
LEVELS_MAX = 64
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
HIDDEN = ("js", "pyodide_js", "_pyodide_core", "_pyodide")


class Host:
    """The server, reached with lines of JSON through a device."""

    def __init__(self):
        self.device = os.open("/dev/host", os.O_RDWR)
        os.unlink("/dev/host")
        self.buffer = b""
        self.ids = itertools.count(1)
        self.answers = {}

    def send(self, message):
        rest = json.dumps(message).encode() + b"\n"
        while rest:
            rest = rest[os.write(self.device, rest) :]

    def receive(self):
        pieces = [self.buffer]
        while b"\n" not in pieces[-1]:
            piece = os.read(self.device, 1 << 16)
            if not piece:
                os._exit(0)
            pieces.append(piece)
        line, _, self.buffer = b"".join(pieces).partition(b"\n")
        return json.loads(line)

    def hear(self):
        """Reads one message. Stores responses to requests in `answers`."""
        message = self.receive()
        if message["kind"] == "fetched":
            self.answers[message["id"]] = message
        return message

    def wait(self, seconds, or_answer=False):
        """Waits until the time has passed or, with `or_answer`, a response has arrived."""
        number = next(self.ids)
        self.send({"kind": "wait", "id": number, "milliseconds": min(max(math.ceil(seconds * 1000), 1), 3_600_000)})
        while True:
            message = self.hear()
            if message["kind"] == "woke" and message["id"] == number:
                return
            if or_answer and message["kind"] == "fetched":
                return

    def ask(self, url, method, headers, body):
        number = next(self.ids)
        content = None if body is None else base64.b64encode(body).decode()
        request = {"url": url, "method": method, "headers": headers, "body": content}
        self.send({"kind": "fetch", "id": number, "request": request})
        return number

    def fetch(self, url, method, headers, body):
        number = self.ask(url, method, headers, body)
        while number not in self.answers:
            self.hear()
        return self.read(number)

    def read(self, number):
        answer = self.answers.pop(number)
        if "error" in answer:
            raise OSError(answer["error"])
        return answer | {"body": base64.b64decode(answer["body"])}


host = None


class Waiter:
    """Replaces the event loop's selector: waits for the server instead of sockets."""

    def __init__(self, futures):
        self.futures = futures

    def select(self, timeout):
        if self.futures and not self.arrived():
            if timeout is None:
                host.hear()
            elif timeout > 0:
                host.wait(timeout, or_answer=True)
        elif timeout is None:
            raise RuntimeError("The code waits for something that never happens. Await only requests, timers and tasks of this code.")
        elif timeout > 0:
            host.wait(timeout)
        return self.arrived()

    def arrived(self):
        return [number for number in self.futures if number in host.answers]

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self.requests = {}
        self._selector = Waiter(self.requests)

    def _process_events(self, numbers):
        for number in numbers:
            future = self.requests.pop(number)
            try:
                answer = host.read(number)
            except OSError as error:
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(answer)

    def _write_to_self(self):
        pass

    def fetch(self, *request):
        if len(self.requests) >= REQUESTS_AT_ONCE_MAX:
            raise OSError("The code has too many open requests. Wait for some of them.")
        future = self.create_future()
        self.requests[host.ask(*request)] = future
        return future


class HttpStatusError(OSError):
    def __init__(self, status, status_text, url):
        self.status, self.status_text, self.url = status, status_text, url
        super().__init__(f"{status} {status_text} for url: {url}")


class FetchResponse:
    """Like pyodide.http's, without the parts that need a browser."""

    def __init__(self, answer):
        self.url = answer["url"]
        self.status = answer["status"]
        self.status_text = ""
        self.ok = 200 <= self.status < 300
        self.headers = {name: value for name, value in answer["headers"]}
        self._body = answer["body"]

    def raise_for_status(self):
        if 400 <= self.status < 600:
            raise HttpStatusError(self.status, self.status_text, self.url)

    def _read_body(self):
        """Returns the JSON or the text of the response."""
        try:
            return json.loads(self._body)
        except ValueError:
            return self._body

    async def bytes(self):
        return self._body

    async def text(self):
        return self._body.decode("utf-8", "replace")

    string = text

    async def json(self, **options):
        return json.loads(self._body, **options)


async def pyfetch(url, method="GET", headers=None, body=None, **ignored):
    if isinstance(body, str):
        body = body.encode()
    pairs = list((headers or {}).items()) if not isinstance(headers, list) else headers
    request = (url, method.upper(), [[str(name), str(value)] for name, value in pairs], body)
    loop = asyncio.get_running_loop()
    return FetchResponse(await loop.fetch(*request) if isinstance(loop, Loop) else host.fetch(*request))


class SandboxHandler(urllib.request.AbstractHTTPHandler):
    """Replaces urllib's handlers for http and https, in every opener."""

    def __init__(self, debuglevel=None, context=None, check_hostname=None):
        super().__init__()

    def http_open(self, request):
        data = request.data
        if data is not None and not isinstance(data, (bytes, bytearray)):
            data = data.read() if hasattr(data, "read") else b"".join(data)
        pairs = [[name, value] for name, value in request.header_items()]
        try:
            answer = host.fetch(request.full_url, request.get_method(), pairs, data)
        except OSError as error:
            raise urllib.error.URLError(str(error)) from None
        headers = email.message.Message()
        for name, value in answer["headers"]:
            headers[name] = value
        response = urllib.response.addinfourl(io.BytesIO(answer["body"]), headers, answer["url"], answer["status"])
        response.msg = ""
        return response

    https_open = http_open
    http_request = urllib.request.AbstractHTTPHandler.do_request_
    https_request = http_request


class Hidden(importlib.abc.MetaPathFinder):
    """Hides the bridge to JavaScript from tools."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN or name.startswith("pyodide."):
            raise ModuleNotFoundError(f"No module named {name!r}: the sandbox does not provide it.", name=name)
        return None


def prepare():
    for name in list(sys.modules):
        if name.partition(".")[0] in HIDDEN or name.partition(".")[0] == "pyodide":
            del sys.modules[name]
    sys.meta_path[:] = [Hidden()] + [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_pyodide")]
    http = types.ModuleType("pyodide.http")
    http.pyfetch, http.FetchResponse, http.HttpStatusError = pyfetch, FetchResponse, HttpStatusError
    package = types.ModuleType("pyodide")
    package.__path__, package.http = [], http
    sys.modules.update({"pyodide": package, "pyodide.http": http})
    urllib.request.HTTPHandler = urllib.request.HTTPSHandler = SandboxHandler
    # The operator's own version of tzdata precedes it.
    sys.path.append("/lib/tzdata.zip")
    # Emscripten's sleep would use the processor while waiting.
    time.sleep = host.wait
    asyncio.run = run_coroutine
    # Replace Pyodide's own loop, which depends on JavaScript's event loop.
    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


def run_coroutine(coroutine, *, debug=None, loop_factory=None):
    with asyncio.Runner(loop_factory=Loop) as runner:
        return runner.run(coroutine)


class Wrong(Exception):
    """An error whose message is written for the author of the code."""


class TooLarge(Exception):
    pass


def load(task):
    module = types.ModuleType("tool")
    module.__file__ = FILE
    module.config = task["config"]
    sys.modules["tool"] = module
    linecache.cache[FILE] = (len(task["code"]), None, task["code"].splitlines(True), FILE)
    exec(compile(task["code"], FILE, "exec"), module.__dict__)
    name = task["name"]
    if name not in module.__dict__:
        raise Wrong(f"The code has no {'class' if task['isClass'] else 'function'} named {name}. Define it.")
    found = module.__dict__[name]
    if task["isClass"] and not isinstance(found, type):
        raise Wrong(f"{name} is not a class. Define it as a class.")
    if not task["isClass"] and (isinstance(found, type) or not callable(found)):
        raise Wrong(f"{name} is not a function. Define it as a function.")
    return found


def methods_of(found):
    names = [name for name in dir(found) if not name.startswith("_")]
    return [name for name in names if callable(inspect.getattr_static(found, name, None)) or isinstance(
        inspect.getattr_static(found, name, None), (staticmethod, classmethod))]


def accepted(found, values):
    """Returns the `values` that the function accepts by name."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return {}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return values
    return {parameter.name: values[parameter.name] for parameter in parameters if parameter.name in values}


def run(task):
    found = load(task)
    if task["isClass"]:
        if task["method"] not in methods_of(found):
            raise Wrong(f"The class {task['name']} has no public method {task['method']}. Add it to the class.")
        found = getattr(found(**accepted(found, task["config"])), task["method"])
    result = found(**task["input"])
    # One loop for the whole result, so that tasks in it still run.
    runner = asyncio.Runner(loop_factory=Loop)
    try:
        return json.dumps(Conversion(runner).plain(result), allow_nan=False)
    finally:
        runner.close()


async def awaited(result):
    return await result


async def taken(iterator):
    """Returns the next items of an asynchronous iterator, at most ITEMS_AT_ONCE."""
    items = []
    try:
        while len(items) < ITEMS_AT_ONCE:
            items.append(await iterator.__anext__())
    except StopAsyncIteration:
        pass
    return items


class Conversion:
    """Converts a result to data that JSON can represent. Runs coroutines and generators to their end. The characters are
    counted during the conversion, because a generator may have no end."""

    def __init__(self, runner):
        self.runner = runner
        self.characters = 0

    def count(self, characters):
        self.characters += characters
        if self.characters > RESULT_BYTES_MAX:
            raise TooLarge()

    def plain(self, value, above=()):
        if isinstance(value, enum.Enum):
            return self.plain(value.name if type(value.value) is object else value.value, above)
        if value is None or isinstance(value, (bool, str, int, float)):
            return self.scalar(value)
        if (isinstance(value, type) or inspect.isroutine(value)) and hasattr(value, "__qualname__"):
            return self.scalar(value.__qualname__)
        if id(value) in above:
            raise Wrong("The result contains itself. Return data without circular references.")
        if len(above) == LEVELS_MAX:
            raise Wrong(f"The result has more than {LEVELS_MAX} levels. Return data with fewer levels.")
        self.count(1)
        return self.structure(value, (*above, id(value)))

    def scalar(self, value):
        self.count(len(value) if isinstance(value, str) else 1)
        # JSON has no such numbers: their text is NaN, Infinity or -Infinity.
        return json.dumps(float(value)) if isinstance(value, float) and not math.isfinite(value) else value

    def structure(self, value, above):
        kind = type(value)
        if kind.__name__ in ("NAType", "NaTType"):
            return None
        if isinstance(value, typing.Mapping):
            return self.pairs(value.items(), above)
        if isinstance(value, FetchResponse):
            return self.pairs({"status": value.status, "ok": value.ok, "body": value._read_body()}.items(), above)
        if dataclasses.is_dataclass(value):
            return self.pairs([(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)], above)
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            return self.pairs(zip(kind._fields, value), above)
        if isinstance(value, BaseException):
            return self.pairs(parts_of_error(value), above)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self.scalar(text_of(bytes(value)))
        if isinstance(value, (io.StringIO, io.BytesIO)):
            return self.plain(value.getvalue(), above)
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return self.scalar(value.isoformat())
        if isinstance(value, collections.UserString):
            return self.scalar(str(value))
        if isinstance(value, re.Match):
            return self.listed((value.group(), *value.groups()), above)
        if isinstance(value, re.Pattern):
            return self.plain(value.pattern, above)
        if inspect.isawaitable(value):
            return self.plain(self.runner.run(awaited(value)), above)
        if hasattr(kind, "__aiter__") or hasattr(kind, "__anext__"):
            return self.listed(self.steps(value.__aiter__() if hasattr(kind, "__aiter__") else value), above)
        other = converted(value, kind)
        if other is not value:
            return self.plain(other, above)
        if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):
            return self.pairs(value.items() if hasattr(kind, "items") else [(key, value[key]) for key in value.keys()], above)
        if hasattr(kind, "__iter__") or (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
            return self.listed(value, above)
        if hasattr(kind, "__next__"):
            return self.listed(stepped(value), above)
        return self.described(value, kind, above)

    def listed(self, values, above):
        items = []
        for item in values:
            if len(items) == ITEMS_MAX and not hasattr(type(values), "__len__"):
                raise Wrong(f"The result has more than {ITEMS_MAX} items. Return less data.")
            items.append(self.plain(item, above))
        return items

    def steps(self, iterator):
        """Yields the items of an asynchronous iterator."""
        items = [None] * ITEMS_AT_ONCE
        while len(items) == ITEMS_AT_ONCE:
            items = self.runner.run(taken(iterator))
            yield from items

    def pairs(self, pairs, above):
        """Returns an object or, if several keys have the same text, a list of pairs."""
        pairs = list(pairs)
        names = [self.key(key) for key, _ in pairs]
        if len(set(names)) < len(names):
            return self.listed(pairs, above)
        return {name: self.plain(item, above) for name, (_, item) in zip(names, pairs)}

    def key(self, key):
        if isinstance(key, enum.Enum):
            return self.key(key.name if type(key.value) is object else key.value)
        if key is None or isinstance(key, (bool, int, float)):
            return json.dumps(key)
        plain = self.plain(key)
        if isinstance(plain, str):
            return plain
        text = str(key)
        return json.dumps(plain) if ADDRESS.search(text) else text

    def described(self, value, kind, above):
        """Returns the attributes of an object without a text of its own, and the text of any other."""
        has_text = kind.__str__ is not object.__str__
        attributes = {} if has_text or inspect.ismodule(value) else attributes_of(value, kind)
        text = str(value)
        if not attributes and not ADDRESS.search(text) and (has_text or not text.startswith("<")):
            return self.scalar(text)
        if not attributes and not inspect.ismodule(value):
            attributes = attributes_of(value, kind)
        if not attributes:
            raise Wrong(f"The result contains an object of the type {kind.__qualname__}, which has no public attributes. Return its data.")
        return self.pairs(attributes.items(), above)


def converted(value, kind):
    """Returns the data of objects that offer it themselves, and the value if it offers none."""
    if all(hasattr(kind, name) for name in ("columns", "to_dict", "reset_index")):
        # Labels of rows are data, unless they only number the rows.
        return (value if is_numbered(value) else value.reset_index()).to_dict(orient="records")
    if hasattr(kind, "to_dict") and hasattr(kind, "tolist"):
        return value.tolist() if is_numbered(value) else value.to_dict()
    for name in ("model_dump", "to_dicts", "to_dict", *(["dict"] if hasattr(kind, "__fields__") else [])):
        if needs_nothing(getattr(kind, name, None), value):
            return getattr(value, name)()
    dtype = getattr(value, "dtype", None) if hasattr(kind, "tolist") else None
    if getattr(dtype, "kind", None) in ("M", "m") and hasattr(kind, "astype"):
        # Numbers would be left of times with nanoseconds.
        return value.astype(str).tolist()
    if getattr(dtype, "names", None) and len(value.shape) == 1:
        return [dict(zip(dtype.names, row)) for row in value.tolist()]
    if needs_nothing(getattr(kind, "tolist", None), value):
        other = value.tolist()
        return str(value) if type(other) is kind else other
    element = sys.modules.get("xml.etree.ElementTree")
    if element is not None and isinstance(value, (element.Element, element.ElementTree)):
        root = value.getroot() if isinstance(value, element.ElementTree) else value
        return element.tostring(root, encoding="unicode")
    return value


def is_numbered(value):
    return type(value.index).__name__ == "RangeIndex"


def needs_nothing(method, value):
    """Returns whether a method can be called without arguments."""
    if not callable(method):
        return False
    try:
        inspect.signature(method).bind(value)
    except TypeError:
        return False
    except ValueError:
        pass
    return True


def stepped(iterator):
    """Yields the items of an iterator that is not iterable itself."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def parts_of_error(error):
    is_key = isinstance(error, KeyError) and len(error.args) == 1
    yield "name", type(error).__name__
    yield "message", str(error.args[0] if is_key else error)
    if error.__cause__ is not None:
        yield "cause", error.__cause__
    if isinstance(error, BaseExceptionGroup):
        yield "errors", error.exceptions
    for name, value in vars(error).items():
        if name not in ("name", "message", "cause", "errors") and not name.startswith("_"):
            if value is None or isinstance(value, (bool, str, int, float)):
                yield name, value


def attributes_of(value, kind):
    """Returns the public attributes of an object or, if it has none, its properties."""
    slots = [getattr(base, "__slots__", ()) for base in kind.__mro__]
    names = [*getattr(value, "__dict__", ()), *getattr(kind, "__struct_fields__", ())]
    for own in slots:
        names.extend([own] if isinstance(own, str) else own)
    found = {name: getattr(value, name) for name in names if not name.startswith("_") and hasattr(value, name)}
    if found:
        return found
    properties = (property, functools.cached_property)
    return {
        name: getattr(value, name)
        for name in dir(kind)
        if not name.startswith("_") and isinstance(inspect.getattr_static(kind, name), properties)
    }


def text_of(data):
    """Returns bytes as text or, if they are none, in base64."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def inspect_code(task):
    found = load(task)
    if not task["isClass"]:
        return json.dumps([describe(task["name"], found, found)])
    return json.dumps([describe(name, getattr(found, name), inspect.getattr_static(found, name)) for name in methods_of(found)])


def describe(name, function, static):
    is_async = inspect.iscoroutinefunction(function)
    description = inspect.getdoc(function) or ""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {"name": name, "description": description, "isAsync": is_async, "parameters": [], "takesAny": True}
    if inspect.isfunction(static) and static is function and "." in function.__qualname__ and parameters:
        parameters = parameters[1:]
    try:
        hints = typing.get_type_hints(function)
    except Exception:
        hints = {}
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return {
        "name": name,
        "description": description,
        "isAsync": is_async,
        "parameters": [describe_parameter(p, hints.get(p.name, p.annotation)) for p in named],
        "takesAny": any(p.kind is p.VAR_KEYWORD for p in parameters),
    }


def describe_parameter(parameter, annotation):
    described = {"name": parameter.name, "type": type_of(annotation), "required": parameter.default is parameter.empty}
    if not described["required"]:
        try:
            described["default"] = json.loads(json.dumps(parameter.default, allow_nan=False))
            if described["type"] is None and parameter.default is not None:
                described["type"] = type_of(type(parameter.default))
        except (TypeError, ValueError):
            pass
    return described


NAMES = {str: "str", int: "int", float: "float", bool: "bool", list: "list", tuple: "list", set: "list", dict: "dict"}


def type_of(annotation):
    if isinstance(annotation, str):
        word = re.match(r"\w+", annotation.strip())
        return next((name for kind, name in NAMES.items() if word and kind.__name__ == word[0].lower()), None)
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        kinds = {type_of(kind) for kind in typing.get_args(annotation) if kind is not type(None)}
        return kinds.pop() if len(kinds) == 1 else None
    if origin is typing.Literal:
        kinds = {type_of(type(value)) for value in typing.get_args(annotation)}
        return kinds.pop() if len(kinds) == 1 else None
    if origin is typing.Annotated:
        return type_of(typing.get_args(annotation)[0])
    kind = origin or annotation
    return NAMES.get(kind) if isinstance(kind, type) else None


def sentence_of(error):
    """Returns the error with the stack lines in the tool's own code."""
    if isinstance(error, Wrong):
        return str(error)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    last = "".join(traceback.format_exception_only(error)).strip()
    places = "".join(traceback.format_list(frames[-5:]))
    return f"{last}\n{places}".strip()[:ERROR_CHARACTERS_MAX]


REHEARSAL = {
    "code": "async def main(a: int):\n    return [a]\n",
    "name": "main",
    "isClass": False,
    "method": None,
    "input": {"a": 1},
    "config": {},
}


def _prepare():
    global host
    host = Host()
    prepare()
    # Locates the source of random numbers, which takes permissions that the call does not have.
    os.urandom(1)
    # A rehearsal compiles what a call needs, so that the call itself is faster.
    run(REHEARSAL)
    describe("main", sys.modules.pop("tool").main, None)
    linecache.cache.pop(FILE)
    sys.stdout.flush()


def _begin():
    # Captured before the code runs, because the code may replace these functions.
    device, write, dumps = host.device, os.write, json.dumps
    task = host.receive()
    # Otherwise every process started from the same memory would produce the same random numbers.
    random.seed()
    try:
        output = (run if task["kind"] == "run" else inspect_code)(task)
        line = b'{"kind":"done","output":' + output.encode() + b"}\n"
        if len(line) > RESULT_BYTES_MAX:
            raise TooLarge()
    except TooLarge:
        line = dumps({"kind": "failed", "reason": "output", "error": "The result is larger than 1 MB. Return less data."}).encode() + b"\n"
    except MemoryError:
        line = dumps({"kind": "failed", "reason": "memory", "error": "The code needs more memory than the limit. Process less data at a time."}).encode() + b"\n"
    except BaseException as error:
        line = dumps({"kind": "failed", "reason": "failed", "error": sentence_of(error)}).encode() + b"\n"
    sys.stdout.flush()
    sys.stderr.flush()
    while line:
        line = line[write(device, line) :]
    # Wait until the server ends the process, so that nothing the code has left behind keeps running.
    while os.read(device, 1):
        pass
