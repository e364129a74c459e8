import type { ChunkChoice } from './openai-content.ts'
import type { ModelUsage } from './types.ts'
import { countOf, laterUsage, usageOf } from './usage.ts'

/** The fields of a chunk in which servers of OpenAI's format report the usage. */
export interface ReportedUsage {
  usage?: unknown
  /** Groq's. */
  x_groq?: { usage?: unknown } | null
}

/** Returns the usage in a chunk, or null if it has none. Moonshot reports it in the choice. */
export function usageIn({ usage, x_groq }: ReportedUsage, choice?: ChunkChoice | null): ModelUsage | null {
  const reports = [choice?.delta?.usage, choice?.message?.usage, choice?.usage, x_groq?.usage, usage]
  return reports.reduce<ModelUsage | null>((known, report) => laterUsage(known, readUsage(report)), null)
}

/** The names of the counts: those of OpenAI's format, of its Responses API, of Gemini, of Ollama and of gateways. */
const INPUT = [
  ...[
    'prompt_tokens',
    'input_tokens',
    'promptTokens',
    'inputTokens',
    'promptTokenCount',
    'prompt_eval_count',
  ],
]
const OUTPUT = [
  ...['completion_tokens', 'output_tokens', 'completionTokens', 'outputTokens', 'candidatesTokenCount'],
  'eval_count',
]
/** DeepSeek's and Moonshot's names of cached tokens. */
const CACHED = ['cached_tokens', 'prompt_cache_hit_tokens']

type Fields = Record<string, unknown>

function readUsage(report: unknown): ModelUsage | null {
  if (report === null || typeof report !== 'object') return null
  const usage = report as Fields
  const { prompt_tokens_details, input_tokens_details } = usage as Record<string, Fields | null | undefined>
  const { completion_tokens_details, output_tokens_details } = usage as Record<
    string,
    Fields | null | undefined
  >
  return usageOf(firstCount(usage, INPUT), firstCount(usage, OUTPUT), {
    cached: firstCount({ ...usage, ...(prompt_tokens_details ?? input_tokens_details) }, CACHED),
    reasoning: (completion_tokens_details ?? output_tokens_details)?.['reasoning_tokens'],
  })
}

const firstCount = (usage: Fields, names: string[]): number | undefined => {
  for (const name of names) {
    const tokens = countOf(usage[name])
    if (tokens !== undefined) return tokens
  }
  return undefined
}
