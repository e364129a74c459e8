import type { Body } from '@parley/client'
import type { LanguageModel, ModelConnection } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { CONNECTABLE, type Provider, properNameOf } from '../providers/provider-list.ts'

const t = translator('models')

export type Capability = NonNullable<LanguageModel['config']['capabilities']>[number]

export const providerChoices = (): (readonly [Provider, string])[] => [
  ...CONNECTABLE.map((one) => [one, properNameOf(one) ?? t('providerChoice.openai-compatible')] as const),
  ['demo', t('providerChoice.demo')],
]

export function providerName(provider: string): string {
  if (provider === 'demo' || provider === 'openai-compatible') return t(`provider.${provider}`)
  const known = CONNECTABLE.find((one) => one === provider)
  return (known && properNameOf(known)) ?? provider
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
  /** The display name. Null until the user enters one: then the model ID is the name. */
  name: string | null
  provider: Provider
  /** The connection that has the key and base URL. Null for a new connection, and for a model with its own key. */
  connection_id: string | null
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

const NEW = { provider: 'openai' }

export const nameOf = ({ name, version }: ModelDraft): string => name ?? version

/** Returns the values of a model. Without a model, returns those of a new one of `connection`, if there is one. */
export function draftOf(model: LanguageModel | null, connection?: ModelConnection): ModelDraft {
  const config = model?.config
  const number = (value: number | undefined) => (value === undefined ? '' : String(value))
  return {
    name: model?.name ?? null,
    provider: (model ?? connection ?? NEW).provider as Provider,
    connection_id: (config ? config.connection_id : connection?.id) ?? null,
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

/**
 * Converts the form's values to a config. Omits blank fields. The key and the base URL are the connection's, if there
 * is one. A blank API key keeps the stored key.
 */
export function configOf(draft: ModelDraft): NonNullable<Body<'POST /api/llm/add'>['config']> {
  const number = (text: string) => (text.trim() === '' ? undefined : Number(text))
  const access =
    draft.connection_id === null
      ? { base_url: draft.base_url.trim() || undefined, api_key: draft.api_key.trim() || undefined }
      : { connection_id: draft.connection_id }
  return {
    model: draft.model.trim() || undefined,
    ...access,
    input_ratio: number(draft.input_ratio),
    output_ratio: number(draft.output_ratio),
    seconds_ratio: number(draft.seconds_ratio),
    context_window: number(draft.context_window),
    capabilities: draft.capabilities.length > 0 ? draft.capabilities : undefined,
  }
}
