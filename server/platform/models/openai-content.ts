import type { TokenLogprob } from './types.ts'

/*
 * Reads the text of a chunk. Servers differ in the field, and send a string, a part or a list of parts.
 */

export interface ChunkChoice {
  delta?: Delta | null
  /** The whole reply, or a delta of servers that use the name of a reply that is not streamed. */
  message?: Delta | null
  /** The text of the legacy completions API. */
  text?: unknown
  finish_reason?: string | null
  error?: unknown
  usage?: unknown
  logprobs?: { content?: TokenLogprob[] | null } | null
}

export interface Delta {
  /** A string, or a list of parts from Mistral's reasoning models. */
  content?: unknown
  refusal?: unknown
  /** Reasoning from DeepSeek and compatible servers. */
  reasoning_content?: unknown
  /** Reasoning from OpenRouter, vLLM and Ollama. */
  reasoning?: unknown
  /** Reasoning from OpenRouter, with summaries and encrypted parts. */
  reasoning_details?: unknown
  reasoning_text?: unknown
  thinking?: unknown
  thinking_content?: unknown
  thought?: unknown
  tool_calls?: ToolCallDelta[] | null
  usage?: unknown
  /** The format before `tool_calls`. */
  function_call?: FunctionDelta | null
}

interface ToolCallDelta {
  index?: unknown
  id?: unknown
  function?: FunctionDelta | null
}

interface FunctionDelta {
  name?: unknown
  arguments?: unknown
}

/** The index of the only call in the format before `tool_calls`. */
const LEGACY_CALL = 'function_call'

/** Returns the fragments of tool calls in a delta. */
export function callsIn({ tool_calls: calls, function_call: legacy }: Delta): ToolCallDelta[] {
  if (Array.isArray(calls)) return calls.filter((call) => call !== null)
  return legacy ? [{ index: LEGACY_CALL, function: legacy }] : []
}

interface Part {
  type?: unknown
  text?: unknown
  thinking?: unknown
  reasoning?: unknown
  refusal?: unknown
  summary?: unknown
  content?: unknown
  value?: unknown
}

/** Maximum nesting depth of parts. */
const NESTING_MAX = 4

/** Returns the reasoning of a delta: the first field that is not blank, or else the first that is not empty. */
export function reasoningOf(delta: Delta): string {
  const { reasoning_content, reasoning, reasoning_details, reasoning_text } = delta
  const { thinking, thinking_content, thought } = delta
  const fields = [reasoning_content, reasoning, reasoning_text, thinking, thinking_content, thought]
  let blank = ''
  for (const field of [...fields, reasoning_details]) {
    if (field === undefined || field === null || field === '') continue
    const text = typeof field === 'string' ? field : anyText(field)
    if (text.trim() !== '') return text
    blank ||= text
  }
  return blank
}

export interface Content {
  text: string
  reasoning: string
  refusal: string
}

/** Returns the content of a delta that is not a string. */
export function contentOfParts(value: unknown, nesting = 0): Content {
  const content: Content = { text: '', reasoning: '', refusal: '' }
  if (typeof value === 'string') content.text = value
  if (value === null || typeof value !== 'object' || nesting === NESTING_MAX) return content
  if (Array.isArray(value)) {
    for (const part of value) {
      const { text, reasoning, refusal } = contentOfParts(part, nesting + 1)
      content.text += text
      content.reasoning += reasoning
      content.refusal += refusal
    }
    return content
  }
  const part = value as Part
  const type = typeof part.type === 'string' ? part.type : ''
  if (/thinking|reasoning|thought/.test(type) || part.thinking !== undefined)
    content.reasoning = anyText(part)
  else if (type === 'refusal') content.refusal = anyText(part.refusal ?? part.text)
  else if (type === '' || /text$/.test(type)) content.text = anyText(part)
  return content
}

/** Returns the text of a string, a part, or a list of these. */
function anyText(value: unknown, nesting = 0): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object' || nesting === NESTING_MAX) return ''
  if (Array.isArray(value)) return value.map((part) => anyText(part, nesting + 1)).join('')
  const { text, thinking, reasoning, summary, content, value: inner } = value as Part
  for (const field of [text, thinking, reasoning, summary, content, inner]) {
    const found = anyText(field, nesting + 1)
    if (found !== '') return found
  }
  return ''
}
