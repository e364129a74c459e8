import type { Provider } from './types.ts'

/** Where each provider is, when nobody says otherwise; absent where there is no such place. */
export const DEFAULT_BASE_URLS: Partial<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  deepseek: 'https://api.deepseek.com/v1',
  demo: '',
}

/** What a model can do, guessed from its name; a model's config can say better. */
export function guessCapabilities(provider: Provider, model: string): string[] {
  const name = model.toLowerCase()
  if (/embed/.test(name)) return ['embedding']
  if (/whisper|transcri/.test(name)) return ['transcription']
  if (/dall-e|gpt-image|imagen|flux|stable-diffusion/.test(name)) return ['image']
  if (/sora|veo/.test(name)) return ['video']
  const capabilities = ['text', 'tools']
  if (provider === 'demo' || SEEING.test(name)) capabilities.push('vision')
  if (provider === 'demo' || REASONING.test(name)) capabilities.push('reasoning')
  return capabilities
}

const SEEING = /^(gpt-4o|gpt-4\.1|gpt-5|o[134]|claude|gemini)|vision|llava|-vl\b|pixtral|llama-?4|gemma-?3/
const REASONING =
  /^(o\d|gpt-5|claude-(3-7|opus-4|sonnet-4|haiku-4|[a-z]+-5)|gemini-(2\.5|[3-9]))|reason|think|-r1\b|qwq|gpt-oss/

/** Tokens of prompt and reply together, guessed from the name. Too small a guess only cuts history early. */
export function defaultContextWindow(provider: Provider, model: string): number {
  const name = model.toLowerCase()
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
