import type { Provider } from './types.ts'

/** Default base URL of each provider that has one. */
export const DEFAULT_BASE_URLS: Partial<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  deepseek: 'https://api.deepseek.com/v1',
  demo: '',
}

/** Guesses a model's capabilities from its name. The model's configuration can override the guess. */
export function guessCapabilities(provider: Provider, model: string): string[] {
  const name = bareName(model)
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1]
  if (kind) return [kind]
  const capabilities = ['text', 'tools']
  const isSeeing = provider === 'demo' || SEEING.some((pattern) => pattern.test(name))
  if (isSeeing) capabilities.push('vision')
  const isReasoning =
    provider === 'demo' || provider === 'deepseek' || REASONING.some((pattern) => pattern.test(name))
  if (isReasoning) capabilities.push('reasoning')
  return capabilities
}

/** Returns the lowercase name without the vendor prefix that gateways add: `openai/gpt-4o` becomes `gpt-4o`. */
const bareName = (model: string): string => model.toLowerCase().replace(/^.*\//, '')

/** Returns a pattern that matches names starting with one of `patterns`. */
const startsWith = (...patterns: string[]): RegExp => new RegExp(`^(${patterns.join('|')})`)

/** Patterns of models that generate no text, with the capability of each. The first match wins. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/embed|^(bge|gte|e5|voyage)-|-e5-|minilm/, 'embedding'],
  [/whisper|transcri|parakeet|\b(asr|stt)\b/, 'transcription'],
  [/\btts\b|text-to-speech/, 'speech'],
  [/^(sora|veo)\b|\b[ti]2v\b|cogvideo|hunyuan-?video|-video$/, 'video'],
  [/\bimage\b|dall-e|imagen|flux|stable-?diffusion|^sd(xl|-?3)|seedream|nano-banana|hidream/, 'image'],
]

const SEEING = [
  startsWith(
    'gpt-4o',
    'gpt-4\\.1',
    'gpt-[5-9]',
    'o[134]',
    'claude',
    'gemini',
    'pixtral',
    'llama-?4',
    'gemma-?[3-9]',
  ),
  /vision|llava|-vl\b/,
]

const REASONING = [
  startsWith(
    'o\\d',
    'gpt-[5-9](?!-chat)',
    'gpt-oss',
    'gemini-(2\\.5|[3-9])',
    'deepseek-v[4-9]',
    'magistral',
    'qwq',
  ),
  startsWith('claude-3[-.]7', 'claude-(opus|sonnet|haiku)-4', 'claude-[a-z]+-[5-9]'),
  startsWith('grok-3-mini', 'grok-[4-9]', 'glm-4\\.[5-9]', 'glm-[5-9]', 'qwen3(?!.*(coder|instruct))'),
  /reason|think|-r1\b/,
]

/**
 * Guesses the context window from the model's name, in tokens of prompt and reply together. If the guess is too
 * small, history is truncated earlier than necessary.
 */
export function defaultContextWindow(provider: Provider, model: string): number {
  const name = bareName(model)
  const [, tokens] = WINDOWS.find(([pattern]) => pattern.test(name)) ?? [null, WINDOW_BY_PROVIDER[provider]]
  return tokens
}

const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-5/, 272_000],
  [/^gpt-4o|^gpt-4-turbo/, 128_000],
  [/^o\d/, 200_000],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/^gemini/, 1_000_000],
]

const WINDOW_BY_PROVIDER: Record<Provider, number> = {
  openai: 128_000,
  anthropic: 200_000,
  google: 1_000_000,
  deepseek: 64_000,
  'openai-compatible': 32_000,
  ollama: 8_192,
  demo: 32_000,
}
