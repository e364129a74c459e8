/*
 * Runs in Deno, in the process of one JavaScript or TypeScript call. Captures the functions that report the result
 * before tenant code runs, so that tenant code cannot replace them.
 */
import type { Answer, ProxiedResponse, Task } from '../messages.ts'
import { takePipe } from './pipe.ts'
import { plainOf, ResultTooLarge } from './plain-value.ts'
import { type Parameter, readParameters } from './read-parameters.ts'
import { stripRealm } from './strip-realm.ts'

const ANSWER_BYTES_MAX = 16_000_000
const REQUESTS_AT_ONCE_MAX = 100

const pipe = takePipe()
const { parse, stringify } = JSON
const { getPrototypeOf, getOwnPropertyNames, getOwnPropertyDescriptor, prototype: objectPrototype } = Object
const { createObjectURL } = URL
const toText = Function.prototype.toString
const inspect = pipe.deno.inspect.bind(pipe.deno)
const waiting = new Map<number, (answer: ProxiedResponse | { error: string }) => void>()

reportUncaughtErrors()
const nextLine = lineReader()
stripRealm()
giveConsole()
giveFetch()
pipe.sendLine('{"kind":"ready"}')
const task = parse(await nextLine(), withBigInts) as Task
void receiveResponses()
try {
  await (task.kind === 'run' ? run() : inspectCode())
} catch (error) {
  failWith(error)
}

async function run(): Promise<void> {
  Object.defineProperty(globalThis, 'config', { value: task.config, writable: true, configurable: true })
  const found = await load()
  const result = task.isClass ? await callMethod(found) : await found(task.input)
  pipe.finish(stringify(await plainOf(result)))
}

/** Reads integers that JavaScript would round as BigInt. */
function withBigInts(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = '' } = context ?? {}
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
  return isRounded ? BigInt(source) : value
}

type Callable = (...values: unknown[]) => unknown

async function callMethod(found: Callable): Promise<unknown> {
  const { method } = task
  if (method === null || !methodsOf(found).includes(method))
    pipe.fail('failed', `The class ${task.name} has no public method ${method}. Add it to the class.`)
  const instance = Reflect.construct(found, [task.config]) as Record<string, Callable>
  return instance[method as string]?.(task.input)
}

async function inspectCode(): Promise<void> {
  const found = await load()
  const functions = task.isClass
    ? methodsOf(found).map((name) => describe(name, found.prototype[name]))
    : [describe(task.name, found)]
  pipe.finish(stringify(functions))
}

function describe(name: string, method: Callable): unknown {
  const text = toText.call(method)
  const signature: { parameters: Parameter[]; takesAny: boolean } = readParameters(text)
  return { name, description: '', isAsync: /^(static\s+)?async\b/.test(text), ...signature }
}

/** Returns the names of a class's public methods, including inherited ones. */
function methodsOf(found: Callable): string[] {
  const names = new Set<string>()
  for (
    let prototype = found.prototype;
    prototype && prototype !== objectPrototype;
    prototype = getPrototypeOf(prototype)
  )
    for (const name of getOwnPropertyNames(prototype))
      if (
        name !== 'constructor' &&
        !name.startsWith('_') &&
        typeof getOwnPropertyDescriptor(prototype, name)?.value === 'function'
      )
        names.add(name)
  return [...names]
}

/**
 * Returns the function or class that the code exports under the task's name or by default, or declares with that name
 * at top level.
 */
async function load(): Promise<Callable> {
  const { name } = task
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name))
    pipe.fail('failed', `${name} is not a valid function or class name. Use only letters, digits, $ and _.`)
  const found = (await loadDeclared(`export { ${name} as "the tool" }`)) ?? (await loadDeclared(''))
  const isClass = typeof found === 'function' && /^class\b/.test(toText.call(found))
  if (found === undefined)
    pipe.fail('failed', `The code has no ${task.isClass ? 'class' : 'function'} named ${name}. Define it.`)
  if (task.isClass && !isClass) pipe.fail('failed', `${name} is not a class. Define it as a class.`)
  if (!task.isClass && (typeof found !== 'function' || isClass))
    pipe.fail('failed', `${name} is not a function. Define it as a function.`)
  return found as Callable
}

async function loadDeclared(ending: string): Promise<unknown> {
  const type = task.language === 'typescript' ? 'application/typescript' : 'text/javascript'
  const address = createObjectURL(
    new Blob([ending === '' ? task.code : `${task.code}\n;${ending}`], { type }),
  )
  try {
    const module = await import(address)
    return module['the tool'] ?? module[task.name]
  } catch (error) {
    // No tenant code has run yet. The caller retries without the added export, so that an error in the code itself is
    // reported.
    if (ending !== '' && /^(SyntaxError: Export '|TypeError: SyntaxError: )/.test(String(error)))
      return undefined
    throw error
  }
}

/** Reports errors that tenant code did not catch. */
function reportUncaughtErrors(): void {
  type ErrorEvent = { preventDefault(): void; reason?: unknown; error?: unknown }
  const realm = globalThis as unknown as {
    addEventListener(name: string, hear: (event: ErrorEvent) => void): void
  }
  const hear = (event: ErrorEvent): void => {
    event.preventDefault()
    failWith(event.reason ?? event.error)
  }
  realm.addEventListener('unhandledrejection', hear)
  realm.addEventListener('error', hear)
}

function failWith(error: unknown): never {
  if (error instanceof ResultTooLarge) return pipe.failTooLarge()
  const message = sentenceOf(error)
  const isMemory =
    /^RangeError: (Array buffer allocation failed|WebAssembly\.Memory.*could not allocate)/.test(message)
  return pipe.fail(isMemory ? 'memory' : 'failed', message)
}

/** Describes an error. Limits its stack to positions in tenant code, such as `tool:3:7`. */
function sentenceOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `The code threw ${inspect(error, { depth: 1 })}`
    const message = String(error).replace(/^TypeError: SyntaxError/, 'SyntaxError')
    const lines = String(error.stack)
      .split('\n')
      .filter((line) => line.trim().startsWith('at ') && line.includes('blob:null/'))
      .map((line) => line.replace(/blob:null\/[\w-]+/g, 'tool'))
    return [message.replace(/blob:null\/[\w-]+/g, 'tool'), ...lines].join('\n')
  } catch {
    return 'The code threw a value that cannot be displayed. Throw an Error.'
  }
}

function giveConsole(): void {
  const print = (...values: unknown[]): void => {
    const texts = values.map((value) => (typeof value === 'string' ? value : inspect(value, { depth: 4 })))
    pipe.print(`${texts.join(' ')}\n`)
  }
  const nothing = (): void => {}
  globalThis.console = {
    ...Object.fromEntries(
      ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'table'].map((name) => [name, print]),
    ),
    ...Object.fromEntries(
      ['assert', 'count', 'group', 'groupEnd', 'time', 'timeEnd', 'timeLog'].map((name) => [name, nothing]),
    ),
  } as unknown as Console
}

function giveFetch(): void {
  let lastId = 0
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    if (waiting.size >= REQUESTS_AT_ONCE_MAX)
      throw new TypeError(
        `The code has more than ${REQUESTS_AT_ONCE_MAX} open requests. Wait for some of them.`,
      )
    const body = request.body === null ? null : toBase64(new Uint8Array(await request.arrayBuffer()))
    const { url, method } = request
    const id = ++lastId
    const answered = new Promise<ProxiedResponse | { error: string }>((resolve, reject) => {
      waiting.set(id, resolve)
      request.signal.addEventListener('abort', () => reject(request.signal.reason))
    })
    const headers = [...request.headers]
    pipe.sendLine(stringify({ kind: 'fetch', id, request: { url, method, headers, body } }))
    const answer = await answered
    if ('error' in answer) throw new TypeError(answer.error)
    const isBare = [101, 204, 205, 304].includes(answer.status)
    const response = new Response(isBare ? null : fromBase64(answer.body), {
      status: answer.status,
      headers: new Headers(answer.headers),
    })
    Object.defineProperty(response, 'url', { value: answer.url })
    return response
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

async function receiveResponses(): Promise<void> {
  for (;;) {
    const answer = parse(await nextLine()) as Answer
    if (answer.kind !== 'fetched') continue
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  }
}

/**
 * Returns a function that reads the next line from the server. At the end of input, exits the process, because the
 * server no longer expects a result.
 */
function lineReader(): () => Promise<string> {
  const read = pipe.deno.stdin.read.bind(pipe.deno.stdin)
  const exit = pipe.deno.exit.bind(pipe.deno)
  const decoder = new TextDecoder()
  const buffer = new Uint8Array(65_536)
  let text = ''
  return async () => {
    for (;;) {
      const end = text.indexOf('\n')
      if (end >= 0) {
        const line = text.slice(0, end)
        text = text.slice(end + 1)
        return line
      }
      const count = await read(buffer)
      if (count === null || text.length > ANSWER_BYTES_MAX) return exit(0)
      text += decoder.decode(buffer.subarray(0, count), { stream: true })
    }
  }
}
