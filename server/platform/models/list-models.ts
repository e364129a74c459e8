import { anthropicHeaders } from './anthropic.ts'
import { googleHeaders } from './google.ts'
import { authorization } from './openai.ts'
import { getJson, type Transport } from './transport.ts'
import type { ModelTarget } from './types.ts'

export interface FoundModel {
  /** The provider's name of the model. */
  model: string
  /** Tokens, where the provider tells. */
  contextWindow?: number
}

const MODELS_MAX = 500

/** Asks a provider which models it offers, the first page of them. Throws a ModelError. */
export async function listModels(transport: Transport, target: ModelTarget): Promise<FoundModel[]> {
  switch (target.provider) {
    case 'anthropic':
      return list(await getJson(transport, target, '/models?limit=1000', anthropicHeaders(target)))
    case 'google':
      return listGoogle(await getJson(transport, target, '/models?pageSize=1000', googleHeaders(target)))
    default:
      return list(await getJson(transport, target, '/models', authorization(target)))
  }
}

function list(answer: unknown): FoundModel[] {
  const { data } = (answer ?? {}) as { data?: { id?: unknown }[] }
  return (data ?? [])
    .flatMap(({ id }) => (typeof id === 'string' && id !== '' ? { model: id } : []))
    .slice(0, MODELS_MAX)
}

interface GoogleModel {
  name?: string
  inputTokenLimit?: number
  supportedGenerationMethods?: string[]
}

function listGoogle(answer: unknown): FoundModel[] {
  const { models } = (answer ?? {}) as { models?: GoogleModel[] }
  return (models ?? [])
    .filter(({ supportedGenerationMethods: methods }) => methods?.includes('generateContent'))
    .map(({ name = '', inputTokenLimit }) => ({
      model: name.replace(/^models\//, ''),
      ...(inputTokenLimit !== undefined && { contextWindow: inputTokenLimit }),
    }))
    .slice(0, MODELS_MAX)
}
