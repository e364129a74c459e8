/** The code and the field that a provider names in a refusal, for clients that decide by them. */
export interface ProviderCode {
  /** The code in OpenAI's terms, such as `context_length_exceeded`. */
  code: string
  /** The field of the request that is at fault, if the provider names one. */
  param?: string
}

/** OpenAI's code for a prompt that is longer than the model's context. Clients shorten the conversation at this code. */
export const CONTEXT_LENGTH = 'context_length_exceeded'

/**
 * Sentences and codes of the servers that have no such code: Anthropic, Gemini, vLLM, SGLang, llama.cpp, Mistral, Groq,
 * OpenRouter, Bedrock, DashScope and others.
 */
const TOO_LONG = [
  /context_length|context length|context[ _]window|context size|exceed_context_size/i,
  /(?:prompt|input|request|messages?)(?: \w+)? (?:is|are) (?:too long|longer than)/i,
  /input token count.{0,40}exceeds|exceeds? .{0,60}(?:maximum|max).{0,30}(?:tokens|input length)/i,
  /range of input length|too many (?:input |prompt )?tokens|reduce the length of (?:the|your)/i,
]

/** A limit of the reply that is too high for the model's context, although the prompt is not too long. */
const REPLY_LIMIT = /^\W*max_(?:\w+_)?tokens/i

const WORDS_MAX = 4_000
const NAME = /^[\w.[\]-]{1,100}$/
const NESTING_MAX = 4

interface Named {
  words: string
  code?: string
  param?: string
}

/** Returns the code in the body of a refusal, or undefined if it names none. */
export function providerCodeIn(body: string): ProviderCode | undefined {
  try {
    return providerCodeOf(JSON.parse(body))
  } catch {
    return undefined
  }
}

/** Returns the code in an error that a provider sent. Numbers are statuses, and are no codes. */
export function providerCodeOf(error: unknown): ProviderCode | undefined {
  const { words, code, param } = namedIn(error)
  const named = param === undefined ? {} : { param }
  const isTooLong = TOO_LONG.some((pattern) => pattern.test(`${code ?? ''} ${words}`))
  if (code === CONTEXT_LENGTH || (isTooLong && !REPLY_LIMIT.test(words)))
    return { code: CONTEXT_LENGTH, ...named }
  return code === undefined ? undefined : { code, ...named }
}

/** Collects the words, code and field of an error, which providers wrap in objects and lists. */
function namedIn(value: unknown, nesting = 0): Named {
  if (typeof value === 'string') return { words: value.slice(0, WORDS_MAX) }
  if (value === null || typeof value !== 'object' || nesting === NESTING_MAX) return { words: '' }
  if (Array.isArray(value)) return namedIn(value[0], nesting + 1)
  const { message, error, detail, type, code, param } = value as Record<string, unknown>
  const inner = namedIn(message ?? error ?? detail, nesting + 1)
  const words = typeof type === 'string' ? `${inner.words} ${type}` : inner.words
  return {
    ...inner,
    words,
    ...(isName(code) && { code }),
    ...(isName(param) && { param }),
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && NAME.test(value) && !/^\d+$/.test(value)
