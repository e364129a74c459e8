import { parseExactJson } from '#database/exact-json.ts'
import { asArguments } from './tool-input.ts'

/** Arguments that a model wrote for a tool call. */
export interface CallArguments {
  input: Record<string, unknown>
  /** The text of the arguments for clients that parse it themselves: unchanged, unless it needed a repair. */
  text: string
  /** Reason why the text is not one JSON object. The tool must not run, and `input` is empty. */
  fault?: string
}

/** Maximum layers around arguments, such as a fence around a string of JSON. */
const LAYERS_MAX = 4
const FAULT_CHARACTERS_MAX = 200
/** The first line of a Markdown fence, with the name of a language. */
const FENCE = /^(`+|~~~+)(?:[a-z]\w*)?/i

/**
 * Reads the arguments of a tool call. Empty text, `null` and `{}` mean no arguments. Accepts what models and servers add
 * to one object: a Markdown fence, a second encoding as a JSON string, an empty object before the arguments, and the
 * same object once more. Anything else is a fault, so that no tool runs with arguments that the model did not mean.
 */
export function readCallArguments(written: string): CallArguments {
  let text = written
  for (let layer = 0; ; layer++) {
    const bare = text.trim()
    if (bare === '' || bare === 'null') return { input: {}, text: '{}' }
    const value = parsed(bare)
    const input = 'value' in value ? asArguments(value.value) : undefined
    if (input) return { input, text: layer === 0 ? written : bare }
    const inner = 'value' in value ? value.value : withoutFence(bare)
    if (typeof inner === 'string' && layer < LAYERS_MAX) text = inner
    else
      return (
        readRepeated(bare) ?? { input: {}, text: written, fault: 'fault' in value ? value.fault : NO_OBJECT }
      )
  }
}

/**
 * Returns the value of arguments that should have been plain text: that of a JSON string or list, also one that is
 * encoded twice, in a fence, or has unescaped line breaks. Returns any other text unchanged.
 */
export function readPlainArguments(written: string): unknown {
  let text = written
  for (let layer = 0; layer < LAYERS_MAX; layer++) {
    const bare = text.trim()
    const inner = (withoutFence(bare) ?? bare).trim()
    if (!/^["[]/.test(inner)) return text
    const read = parsed(inner)
    const { value } = 'value' in read ? read : (parsed(withEscapes(inner)) as { value?: unknown })
    if (Array.isArray(value)) return value
    if (typeof value !== 'string') return text
    text = value
  }
  return text
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const withEscapes = (text: string): string =>
  text.replace(/[\n\r\t]/g, (character) => ESCAPES[character] ?? '')

const NO_OBJECT = 'the text is not a JSON object, or is nested too deeply'

/** Returns the text inside a Markdown fence, or undefined without a fence. */
function withoutFence(text: string): string | undefined {
  const [opening, fence = ''] = FENCE.exec(text) ?? []
  if (opening === undefined || !text.endsWith(fence) || text.length < opening.length + fence.length)
    return undefined
  return text.slice(opening.length, -fence.length)
}

function parsed(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    return { fault: (error as Error).message.slice(0, FAULT_CHARACTERS_MAX).toWellFormed() }
  }
}

/** Reads a text of several objects of which only one differs from `{}`. Returns undefined for any other text. */
function readRepeated(text: string): CallArguments | undefined {
  const objects = new Map<string, CallArguments>()
  for (const one of objectsIn(text) ?? []) {
    const value = parsed(one)
    const input = 'value' in value ? asArguments(value.value) : undefined
    if (!input) return undefined
    const key = JSON.stringify(input)
    if (key !== '{}' && !objects.has(key)) objects.set(key, { input, text: one })
  }
  return objects.size === 1 ? [...objects.values()][0] : undefined
}

/** Returns the texts of the objects that follow each other. Returns undefined if the text contains anything else. */
function objectsIn(text: string): string[] | undefined {
  const objects: string[] = []
  let at = 0
  while (at < text.length) {
    const rest = /^(?:\s|null)+/.exec(text.slice(at, at + 100))
    if (rest) {
      at += rest[0].length
      continue
    }
    const end = endOfObject(text, at)
    if (end < 0 || objects.length === OBJECTS_MAX) return undefined
    objects.push(text.slice(at, end))
    at = end
  }
  return objects
}

const OBJECTS_MAX = 16

/** Returns the position after the object that begins at `begin`, or -1 if none begins there or it has no end. */
function endOfObject(text: string, begin: number): number {
  if (text[begin] !== '{') return -1
  let depth = 0
  let isInString = false
  for (let at = begin; at < text.length; at++) {
    const character = text[at]
    if (character === '"') isInString = !isInString
    else if (isInString && character === '\\') at += 1
    else if (!isInString && character === '{') depth += 1
    else if (!isInString && character === '}' && --depth === 0) return at + 1
  }
  return -1
}
