import type { Body } from '@parley/client'

export type Provider = Body<'POST /api/llm/add'>['provider']
/** A provider that a connection can lead to. */
export type Connectable = Body<'POST /api/llm/connections/create'>['provider']

/** Names of the providers. Null for servers without a name of their own. */
const NAMES: Record<Connectable, string | null> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  deepseek: 'DeepSeek',
  ollama: 'Ollama',
  'openai-compatible': null,
}

export const CONNECTABLE = Object.keys(NAMES) as Connectable[]

/** Returns the name of a provider, or null for servers without a name of their own. */
export const properNameOf = (provider: Connectable): string | null => NAMES[provider]
