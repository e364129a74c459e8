import { type FieldError, ParleyError } from '@parley/client'
import { translator } from '../messages/index.ts'
import { formatBytes, formatWait } from './format.ts'

/** Languages have messages for different codes, so the codes have no types. */
interface Translate {
  (code: string, values?: Record<string, string | number>): string
  has(code: string): boolean
}

const areas = [translator('earlyErrors'), translator('errors')] as unknown as Translate[]
const t = translator('fields') as unknown as Translate

/** Returns the error in the language in use. Errors without a message show the server's sentence. */
export function errorText(error: Error): string {
  if (!(error instanceof ParleyError)) return error.message
  try {
    return areas.find((area) => area.has(error.code))?.(error.code, valuesOf(error)) ?? error.message
  } catch {
    // A server of a different version can send different values.
    return error.message
  }
}

/** Returns the server's values with formatted `size` and `wait`, and with `status` if the server sends none. */
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

/** Replaces the path of the field with its label, if the label is known and the field is not in a list. */
function nameField({ path, message }: FieldError): { reason?: string } {
  const names = path.split('.')
  const label = `label.${names.at(-1)}`
  const isInList = names.some((name) => /^\d+$/.test(name))
  return t.has(label) && !isInList ? { reason: t('refused', { field: t(label), problem: message }) } : {}
}
