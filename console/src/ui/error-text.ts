import { type FieldError, ParleyError } from '@parley/client'
import { translator } from '../messages/index.ts'
import { formatBytes, formatWait } from './format.ts'

/** The codes that have a message differ by language, so they are not known by type. */
interface Translate {
  (code: string, values?: Record<string, string | number>): string
  has(code: string): boolean
}

const areas = [translator('earlyErrors'), translator('errors')] as unknown as Translate[]
const t = translator('fields') as unknown as Translate

/** Says what went wrong in the language in use. Errors without a message of their own: in the server's words. */
export function errorText(error: Error): string {
  if (!(error instanceof ParleyError)) return error.message
  try {
    return areas.find((area) => area.has(error.code))?.(error.code, valuesOf(error)) ?? error.message
  } catch {
    // A server of another version may send other values.
    return error.message
  }
}

/** Returns the server's values, with sizes and times for people (`size`, `wait`), and `status` where the server sends none. */
function valuesOf({ values, status, retryAfterMs, fieldErrors: [refused] }: ParleyError) {
  const limit = Number(values['limit'])
  return {
    status,
    ...values,
    ...(Number.isFinite(limit) && { size: formatBytes(limit) }),
    ...(retryAfterMs !== null && { wait: formatWait(retryAfterMs) }),
    ...(refused && nameField(refused)),
  }
}

/** Returns the reason with the label of the field instead of its path, where the label is known and the only one. */
function nameField({ path, message }: FieldError): { reason?: string } {
  const names = path.split('.')
  const label = `label.${names.at(-1)}`
  const isInList = names.some((name) => /^\d+$/.test(name))
  return t.has(label) && !isInList ? { reason: t('refused', { field: t(label), problem: message }) } : {}
}
