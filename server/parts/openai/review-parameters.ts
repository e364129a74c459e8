import { fail } from '#errors'
import {
  ignoredFields,
  ignoredHints,
  type Parameter,
  refusedParameters,
} from '#platform/models/parameters.ts'
import type { Hints, ModelRequest, ModelTarget } from '#platform/models/types.ts'
import { isRefusable } from './refused-fields.ts'

/** The names of parameters and hints in an API, where they differ from the names in OpenAI's Chat Completions. */
export type FieldNames = Partial<Record<Parameter | keyof Hints, string>>

const NAMES: Record<Parameter | keyof Hints, string> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  minP: 'min_p',
  seed: 'seed',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  logitBias: 'logit_bias',
  stop: 'stop',
  effort: 'reasoning_effort',
  verbosity: 'verbosity',
  logprobs: 'logprobs',
  user: 'user',
  safetyIdentifier: 'safety_identifier',
  promptCacheKey: 'prompt_cache_key',
  serviceTier: 'service_tier',
  metadata: 'metadata',
  cacheTtl: 'cache_control',
}

/** Returns the fields of a body that its schema does not name. Fields that are refused by their value are none of them. */
export function readExtra(
  { properties }: { properties: object },
  body: object,
  others: readonly string[] = [],
): Partial<ModelRequest> {
  const unknown = Object.entries(body).filter(
    ([name, value]) =>
      value !== undefined &&
      value !== null &&
      !Object.hasOwn(properties, name) &&
      !others.includes(name) &&
      !isRefusable(name),
  )
  return unknown.length > 0 ? { extra: Object.fromEntries(unknown) } : {}
}

/**
 * Returns the names of hints and unknown fields that the model's provider does not receive, for X-Ignored-Parameters. Throws
 * openai.parameter_refused if the request has a parameter that would change the reply and that the model, or a member
 * of the route, doesn't accept.
 */
export function reviewParameters(
  { members }: { members: readonly { target: ModelTarget }[] },
  name: string,
  request: ModelRequest,
  fields: FieldNames = {},
): string[] {
  const nameOf = (field: Parameter | keyof Hints): string => fields[field] ?? NAMES[field]
  const targets = members.map(({ target }) => target)
  const [refused] = targets.flatMap((target) => refusedParameters(target, request))
  if (refused)
    throw fail(
      'openai.parameter_refused',
      { field: nameOf(refused), model: name },
      { issues: [{ path: nameOf(refused), message: 'is not accepted by this model' }] },
    )
  const hints = new Set(targets.flatMap((target) => ignoredHints(target, request)))
  const unknown = new Set(targets.flatMap((target) => ignoredFields(target, request)))
  return [...[...hints].map(nameOf), ...[...unknown].filter((field) => FIELD_NAME.test(field))].slice(
    0,
    LISTED_MAX,
  )
}

/** Names that a header can list. */
const FIELD_NAME = /^[\w$.-]{1,64}$/
const LISTED_MAX = 50

const HEADER = 'X-Ignored-Parameters'
const FIELD = 'ignored_parameters'

/** Returns the header of a stream that lists the ignored parameters. */
export const ignoredHeader = (ignored: readonly string[]): { headers?: Record<string, string> } =>
  ignored.length > 0 ? { headers: { [HEADER]: ignored.join(', ') } } : {}

/** Adds the ignored parameters to a response, from which `presentIgnored` moves them to a header. */
export const withIgnored = <Answer extends object>(answer: Answer, ignored: readonly string[]): Answer =>
  ignored.length > 0 ? { ...answer, [FIELD]: ignored } : answer

export function presentIgnored<Answer>(answer: Answer): { answer: Answer; headers: Record<string, string> } {
  const { [FIELD]: ignored, ...rest } = answer as { [FIELD]?: readonly string[] }
  return ignored
    ? { answer: rest as Answer, headers: ignoredHeader(ignored).headers ?? {} }
    : { answer, headers: {} }
}
