import { afterAll, expect, test } from 'vitest'
import { openTestSandbox } from '#tests/support/sandbox.ts'

/** Tests that values which Python programs return naturally arrive as data, with all digits. */

const { run, close } = openTestSandbox()
afterAll(close)

const BIG = '12345678901234567890'

const PYTHON: [code: string, json: string][] = [
  ['(n for n in range(2))', '[0,1]'],
  ['items()', '["item-0","item-1"]'],
  ['[items(), one()]', '[["item-0","item-1"],5]'],
  ['Color.RED', '"red"'],
  ['{Color.RED: Level.LOW, (1, 2): 3, None: 4}', '{"red":1,"(1, 2)":3,"null":4}'],
  ['Item(1, [Color.RED], {2})', '{"a":1,"b":[["red"],[2]]}'],
  ['{1}', '[1]'],
  ['frozenset([1])', '[1]'],
  ['datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)', '"2026-01-02T00:00:00+00:00"'],
  ['decimal.Decimal("1.10")', '"1.10"'],
  ['b"text"', '"text"'],
  ['b"\\xff\\x00"', '"/wA="'],
  ['memoryview(b"a")', '"a"'],
  ['io.BytesIO(b"a")', '"a"'],
  ['range(2)', '[0,1]'],
  ['map(str, [1])', '["1"]'],
  ['{"a": 1}.keys()', '["a"]'],
  ['{"a": 1}.items()', '[["a",1]]'],
  ['collections.deque([1])', '[1]'],
  ['collections.ChainMap({"a": {1}})', '{"a":[1]}'],
  ['array.array("i", [1])', '[1]'],
  ['uuid.UUID(int=1)', '"00000000-0000-0000-0000-000000000001"'],
  ['pathlib.PurePosixPath("/a")', '"/a"'],
  ['Plain()', '{"a":[1]}'],
  ['Slots()', '{"a":1}'],
  ['main', '"main"'],
  ['Item', '"Item"'],
  ['ValueError("no")', '{"name":"ValueError","message":"no"}'],
  [
    '[KeyError("id"), Odd(7)]',
    '[{"name":"KeyError","message":"id"},{"name":"Odd","message":"odd","code":7}]',
  ],
  [
    'raised()',
    '{"name":"RuntimeError","message":"a","cause":{"name":"ZeroDivisionError","message":"division by zero"}}',
  ],
  [
    'ExceptionGroup("all", [TypeError("a")])',
    '{"name":"ExceptionGroup","message":"all (1 sub-exception)","errors":[{"name":"TypeError","message":"a"}]}',
  ],
  ['[float("nan"), float("inf"), float("-inf")]', '["NaN","Infinity","-Infinity"]'],
  ['float("nan")', '"NaN"'],
  ['Word.A', '"a"'],
  ['Right.READ | Right.WRITE', '3'],
  ['Mark.NONE', '"NONE"'],
  ['Point(1, {2})', '{"x":1,"y":[2]}'],
  ['Pair(a=1, b=[Word.A])', '{"a":1,"b":["a"]}'],
  ['time.gmtime(0)[:3]', '[1970,1,1]'],
  ['datetime.date(2026, 1, 2)', '"2026-01-02"'],
  ['datetime.time(1, 2)', '"01:02:00"'],
  ['datetime.timedelta(days=1, seconds=1)', '"1 day, 0:00:01"'],
  ['datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))', '"2026-07-01T00:00:00+02:00"'],
  ['zoneinfo.ZoneInfo("America/Argentina/Buenos_Aires")', '"America/Argentina/Buenos_Aires"'],
  ['len(zoneinfo.available_timezones()) > 400', 'true'],
  ['fractions.Fraction(1, 3)', '"1/3"'],
  ['complex(1, 2)', '"(1+2j)"'],
  ['ipaddress.ip_address("10.0.0.1")', '"10.0.0.1"'],
  ['types.SimpleNamespace(a={1})', '{"a":[1]}'],
  ['types.MappingProxyType({"a": 1})', '{"a":1}'],
  ['collections.Counter("aab")', '{"a":2,"b":1}'],
  ['collections.defaultdict(set, a={1})', '{"a":[1]}'],
  ['collections.UserString("text")', '"text"'],
  ['[collections.UserList([1]), collections.UserDict(a=1)]', '[[1],{"a":1}]'],
  ['{1: "a", "1": "b"}', '[[1,"a"],["1","b"]]'],
  ['{1.5: 1, True: 2, float("nan"): 3}', '{"1.5":1,"true":2,"NaN":3}'],
  ['{frozenset([1]): 1, b"k": 2, datetime.date(2026, 1, 2): 3}', '{"frozenset({1})":1,"k":2,"2026-01-02":3}'],
  ['re.compile("a+")', '"a+"'],
  ['re.match("(a)(b)?", "a")', '["a","a",null]'],
  ['ElementTree.fromstring("<a b=\\"1\\"><c/></a>")', '"<a b=\\"1\\"><c /></a>"'],
  ['Steps()', '[1,2]'],
  ['AsyncSteps()', '[1,2]'],
  ['Indexed()', '[0,1]'],
  ['Keyed()', '{"a":[1]}'],
  ['Hiding()', '{"a":1}'],
  ['Model()', '{"a":[1]}'],
  ['Frame([0, 1])', '[{"x":1}]'],
  ['Frame(["a"])', '[{"index":"a","x":1}]'],
  ['Series(RangeIndex())', '[1]'],
  ['Series(["a"])', '{"a":1}'],
  ['Array([1, float("nan")])', '[1,"NaN"]'],
  ['[Item, len, main]', '["Item","len","main"]'],
  ['zip([1], "a")', '[[1,"a"]]'],
  ['itertools.islice(itertools.count(), 2)', '[0,1]'],
  ['...', '"Ellipsis"'],
  ['[(lambda: 1)]', '["main.<locals>.<lambda>"]'],
  [BIG, BIG],
  [`{"id": -${BIG}, "f": 0.1}`, `{"id":-${BIG},"f":0.1}`],
]

/** Results that are no data, and what the sentence names. */
const NOT_PYTHON: [code: string, named: string][] = [
  ['object()', 'the type object'],
  ['[Empty()]', 'the type Empty'],
  ['{"lock": threading.Lock()}', 'the type lock'],
  ['json', 'the type module'],
  ['functools.partial(main)', 'the type partial'],
  ['nested(70)', 'more than 64 levels'],
  ['{"a": itertools.count()}', 'more than 100000 items'],
  ['endless()', 'more than 100000 items'],
  ['itertools.repeat("x" * 9999)', 'larger than 1 MB'],
  ['range(10 ** 9)', 'larger than 1 MB'],
]

test('what is no data fails with a sentence that names it', async () => {
  const code = `
import functools, itertools, json, threading
class Empty: pass
def nested(levels):
  return [nested(levels - 1)] if levels else []
async def endless():
  while True:
    yield 1
def main():
  return `
  for (const [value, named] of NOT_PYTHON)
    expect([value, await run('python', code + value)]).toMatchObject([
      value,
      { ok: false, error: expect.stringContaining(named) },
    ])
}, 180_000)

test('tasks in a result of an asynchronous function run to their end', async () => {
  const code = `
import asyncio
async def slow(n):
  await asyncio.sleep(0.01)
  return {n}
async def main():
  return [asyncio.create_task(slow(1)), slow(2)]`
  expect(await run('python', code)).toMatchObject({ output: [[1], [2]] })
}, 180_000)

test('values of all kinds', async () => {
  const code = `
import array, collections, dataclasses, datetime, decimal, enum, fractions, io, ipaddress, itertools, pathlib, re, time
import types, typing, uuid, zoneinfo
from xml.etree import ElementTree
class Word(enum.StrEnum):
  A = "a"
class Right(enum.Flag):
  READ = 1
  WRITE = 2
class Mark(enum.Enum):
  NONE = object()
Point = collections.namedtuple("Point", "x y")
class Pair(typing.NamedTuple):
  a: int
  b: list
class Odd(Exception):
  def __init__(self, code):
    super().__init__("odd")
    self.code, self._b = code, 1
def raised():
  try:
    try:
      1 / 0
    except Exception as error:
      raise RuntimeError("a") from error
  except Exception as error:
    return error
class Steps:
  n = 0
  def __next__(self):
    self.n += 1
    if self.n > 2: raise StopIteration
    return self.n
class AsyncSteps:
  n = 0
  def __aiter__(self): return self
  async def __anext__(self):
    self.n += 1
    if self.n > 2: raise StopAsyncIteration
    return self.n
class Indexed:
  def __len__(self): return 2
  def __getitem__(self, index):
    if index > 1: raise IndexError
    return index
class Keyed:
  def keys(self): return ["a"]
  def __getitem__(self, key): return {1}
class Hiding:
  __slots__ = ("_a",)
  def __init__(self): self._a = 1
  def item(self, number): pass
  def to_dict(self, options): pass
  @property
  def a(self): return self._a
class Model:
  def model_dump(self, *, mode="python"): return {"a": {1}}
class RangeIndex: pass
class Frame:
  columns = ["x"]
  def __init__(self, index): self.index = RangeIndex() if index == [0, 1] else index
  def __iter__(self): return iter(self.columns)
  def reset_index(self):
    self.columns = ["index", "x"]
    return self
  def to_dict(self, orient): return [dict(zip(self.columns, [*self.index, 1] if len(self.columns) == 2 else [1]))]
class Series:
  def __init__(self, index): self.index = index
  def __iter__(self): return iter([1])
  def tolist(self): return [1]
  def to_dict(self): return {"a": 1}
class Array:
  dtype = "float64"
  def __init__(self, values): self.values = values
  def tolist(self): return self.values
class Color(enum.Enum):
  RED = "red"
class Level(enum.IntEnum):
  LOW = 1
class Item:
  pass
@dataclasses.dataclass
class Item:
  a: int
  b: list
  def __init__(self, a, *b):
    self.a, self.b = a, b
class Plain:
  def __init__(self):
    self.a, self._b = {1}, 2
class Slots:
  __slots__ = ("a", "b")
  def __init__(self):
    self.a = 1
async def items():
  for number in range(2):
    yield f"item-{number}"
async def one(): return 5
def main():
  return [${PYTHON.map(([value]) => value).join(', ')}]`
  const outcome = await run('python', code)
  expect(outcome).toMatchObject({ ok: true })
  const output = (outcome as unknown as { output: unknown[] }).output
  expect(output.map((value) => JSON.stringify(value))).toEqual(PYTHON.map(([, json]) => json))
}, 180_000)

test('an async generator as the whole result, integers as input, and results that cannot be written', async () => {
  expect(await run('python', 'async def main():\n  for n in range(2):\n    yield n')).toMatchObject({
    output: [0, 1],
  })
  const input = { a: (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(BIG) }
  const echoed = await run('python', 'def main(a): return [type(a).__name__, a + 1]', { input })
  expect(JSON.stringify(echoed)).toContain('["int",12345678901234567891]')
  expect(await run('python', 'def main():\n  a = []\n  a.append(a)\n  return a')).toMatchObject({
    ok: false,
    error: expect.stringContaining('contains itself'),
  })
  expect(await run('python', 'import itertools\ndef main(): return itertools.count()')).toMatchObject({
    ok: false,
    error: expect.stringContaining('more than'),
  })
}, 180_000)
