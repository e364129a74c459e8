import { fail, sentence } from '#errors'

/**
 * For each unsupported field, returns whether a value has no effect. Such values are accepted, and all others are
 * rejected.
 */
const ORDINARY: Record<string, (value: unknown) => boolean> = {
  n: (value) => value === 1,
  modalities: (value) => JSON.stringify(value) === '["text"]',
  audio: () => false,
  prediction: () => false,
  suffix: (value) => value === '',
  echo: (value) => value === false,
  best_of: (value) => value === 1,
  web_search_options: () => false,
  background: (value) => value === false || value === 'auto',
  size: (value) => value === 'auto',
  quality: (value) => value === 'auto',
  style: () => false,
  output_format: () => false,
  output_compression: () => false,
  timestamp_granularities: () => false,
  'timestamp_granularities[]': () => false,
  'include[]': () => false,
  prompt: () => false,
  stream_format: (value) => value === 'audio',
}

/** Returns whether the field is refused if its value would change the result. */
export const isRefusable = (field: string): boolean => Object.hasOwn(ORDINARY, field)

/**
 * Throws request.invalid if an unsupported field has a value that would change the result. Ignoring such a field
 * would mislead the client.
 */
export function refuseFields(body: object): void {
  for (const [field, isOrdinary] of Object.entries(ORDINARY)) {
    const value = (body as Record<string, unknown>)[field]
    if (value === undefined || value === null || isOrdinary(value)) continue
    const path = [{ path: field, message: 'is not supported' }]
    throw fail(
      'request.invalid',
      { reason: sentence('openai.field_unsupported', { field, instead: WHY[field] ?? NO }) },
      { issues: path },
    )
  }
}

const NO = 'Leave it out.'
const WHY: Record<string, string> = {
  n: 'Request one answer at a time.',
  background: 'Use stream for a response that takes long.',
}
