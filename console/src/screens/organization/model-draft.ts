import type { Body } from '@parley/client'
import type { LanguageModel } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'

const t = translator('models')

export type Provider = Body<'POST /api/llm/add'>['provider']
export type Capability = NonNullable<LanguageModel['config']['capabilities']>[number]

const PROVIDERS = [
  ['openai', 'OpenAI'],
  ['anthropic', 'Anthropic'],
  ['google', 'Google'],
  ['deepseek', 'DeepSeek'],
  ['openai-compatible', null],
  ['ollama', 'Ollama'],
  ['demo', null],
] as const satisfies readonly (readonly [Provider, string | null])[]

export const providerChoices = (): (readonly [Provider, string])[] =>
  PROVIDERS.map(([provider, name]) => [provider, name ?? t(`providerChoice.${provider}`)])

export function providerName(provider: string): string {
  const known = PROVIDERS.find(([one]) => one === provider)
  if (!known) return provider
  return known[1] ?? t(`provider.${known[0]}`)
}

export const CAPABILITIES = [
  'text',
  'vision',
  'reasoning',
  'tools',
  'image',
  'video',
  'embedding',
  'transcription',
  'speech',
] as const satisfies readonly Capability[]

/** The values of the form's fields as typed. */
export interface ModelDraft {
  name: string
  provider: Provider
  version: string
  model: string
  base_url: string
  api_key: string
  input_ratio: string
  output_ratio: string
  seconds_ratio: string
  context_window: string
  /** The model's capabilities. If empty, the server infers them from the model ID. */
  capabilities: Capability[]
}

export function draftOf(model: LanguageModel | null): ModelDraft {
  const config = model?.config
  const number = (value: number | undefined) => (value === undefined ? '' : String(value))
  return {
    name: model?.name ?? '',
    provider: (model?.provider ?? 'openai') as Provider,
    version: model?.version ?? '',
    model: config?.model ?? '',
    base_url: config?.base_url ?? '',
    api_key: '',
    input_ratio: number(config?.input_ratio),
    output_ratio: number(config?.output_ratio),
    seconds_ratio: number(config?.seconds_ratio),
    context_window: number(config?.context_window),
    capabilities: config?.capabilities ?? [],
  }
}

/** Converts the form's values to a config. Omits blank fields. A blank API key keeps the stored key. */
export function configOf(draft: ModelDraft): NonNullable<Body<'POST /api/llm/add'>['config']> {
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text))
  return {
    model: draft.model.trim() || undefined,
    base_url: draft.base_url.trim() || undefined,
    api_key: draft.api_key.trim() || undefined,
    input_ratio: number(draft.input_ratio),
    output_ratio: number(draft.output_ratio),
    seconds_ratio: number(draft.seconds_ratio),
    context_window: number(draft.context_window),
    capabilities: draft.capabilities.length > 0 ? draft.capabilities : undefined,
  }
}

/** Returns whether the provider has no default URL, so that the form requires one. */
export const needsAddress = (provider: Provider): boolean =>
  provider === 'openai-compatible' || provider === 'ollama'
export const needsKey = (provider: Provider): boolean => !needsAddress(provider) && provider !== 'demo'
