import { parseExactJson } from '#database/exact-json.ts'
import type { Message, ProxiedRequest } from './messages.ts'

/** Maximum length of the text in one `printed` message. */
const TEXT_CHARACTERS_MAX = 70_000
const ERROR_CHARACTERS_MAX = 4_000
const HEADERS_MAX = 200
const WAIT_MS_MAX = 3_600_000
const REASONS = ['failed', 'memory', 'output', 'crashed'] as const

/**
 * Parses a line from a sandbox. Returns null for an invalid line. Tenant code can forge any line, but a line affects
 * only the sandbox's own call.
 */
export function readMessage(line: string): Message | null {
  let value: Record<string, unknown>
  try {
    value = parseExactJson(line) as Record<string, unknown>
  } catch {
    return null
  }
  if (value === null || typeof value !== 'object') return null
  const { kind, id } = value
  switch (kind) {
    case 'ready':
      return { kind }
    case 'printed':
      return isText(value['text'], TEXT_CHARACTERS_MAX) ? { kind, text: value['text'] } : null
    case 'dropped':
      return isCount(value['characters'], Number.MAX_SAFE_INTEGER)
        ? { kind, characters: value['characters'] }
        : null
    case 'fetch': {
      const request = readRequest(value['request'])
      return isCount(id, Number.MAX_SAFE_INTEGER) && request !== null ? { kind, id, request } : null
    }
    case 'wait': {
      const { milliseconds } = value
      return isCount(id, Number.MAX_SAFE_INTEGER) && isCount(milliseconds, WAIT_MS_MAX)
        ? { kind, id, milliseconds }
        : null
    }
    case 'done':
      return 'output' in value ? { kind, output: value['output'] } : null
    case 'failed': {
      const reason = REASONS.find((known) => known === value['reason'])
      const { error } = value
      return reason !== undefined && isText(error, ERROR_CHARACTERS_MAX) ? { kind, reason, error } : null
    }
  }
  return null
}

function readRequest(value: unknown): ProxiedRequest | null {
  if (value === null || typeof value !== 'object') return null
  const { url, method, headers, body } = value as Record<string, unknown>
  if (typeof url !== 'string' || typeof method !== 'string' || !Array.isArray(headers)) return null
  if (body !== null && typeof body !== 'string') return null
  const isFine = headers.length <= HEADERS_MAX && headers.every(isHeader)
  return isFine ? { url, method, headers, body } : null
}

const isHeader = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === 'string')

const isText = (value: unknown, charactersMax: number): value is string =>
  typeof value === 'string' && value.length <= charactersMax

const isCount = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
