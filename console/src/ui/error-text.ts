import { type ErrorValues, type FieldError, ParleyError } from '@parley/client'
import { translator } from '../messages/index.ts'
import { formatBytes, formatWait } from './format.ts'
import { roleName } from './role-name.ts'

/** A lookup by any string as the key, because each language has messages for different error codes. */
interface Translate {
  (code: string, values?: ErrorValues): string
  has(code: string): boolean
}

const areas = [translator('earlyErrors'), translator('errors')] as unknown as Translate[]
const t = translator('fields') as unknown as Translate

/**
 * Returns an error's message in the current language. If there is no message for its code, returns the server's text.
 */
export function errorText(error: Error): string {
  if (!(error instanceof ParleyError)) return error.message
  const [refused] = error.fieldErrors
  // The console takes ids from its address, which users may have mistyped.
  if (error.code === 'request.invalid' && refused && isId(refused)) return t('wrongLink')
  return translated(error.code, valuesOf(error)) ?? withoutField(error)
}

/** Returns the server's text without the field and the ID that it names for programs: `Agent not found`. */
const withoutField = ({ message, values: { field, value } }: ParleyError): string =>
  message.replace(`: ${field} ${value}`, '')

/** Returns why a reply failed in the current language, or the server's sentence if there is no message for its code. */
export const failureText = (
  sentence: string,
  code: string | null | undefined,
  values: ErrorValues | null | undefined,
): string => (code ? translated(code, values ?? {}) : null) ?? sentence

function translated(code: string, values: ErrorValues): string | null {
  try {
    return areas.find((area) => area.has(code))?.(code, values) ?? null
  } catch {
    // The message requires a value that is missing. A server of a different version may send different values.
    return null
  }
}

/**
 * Returns the message's arguments: the server's values, `status`, the formatted `size` and `wait`, and the translated
 * `role`.
 */
function valuesOf({ values, status, retryAfterMs, fieldErrors: [refused] }: ParleyError) {
  const limit = Number(values['limit'])
  return {
    status,
    ...values,
    ...(Number.isFinite(limit) && { size: formatBytes(limit) }),
    ...(typeof values['role'] === 'string' && { role: roleName(values['role']) }),
    ...(retryAfterMs !== null && { wait: formatWait(retryAfterMs) }),
    ...(refused && nameField(refused)),
  }
}

/** Returns whether the server expected the id of a record. Other ids, such as client IDs, have any format. */
const isId = ({ message }: FieldError): boolean => /\bUUID\b/.test(message)

/**
 * Returns the reason for a rejected field, with the field's label instead of its path. A field without a label is
 * named in words. Returns nothing if the field is in a list.
 */
function nameField({ path, message }: FieldError): { reason?: string } {
  const names = path.split('.')
  if (names.some((name) => /^\d+$/.test(name))) return {}
  const name = names.at(-1) ?? ''
  const field = t.has(`label.${name}`) ? t(`label.${name}`) : inWords(name)
  return { reason: t('refused', { field, problem: message }) }
}

const inWords = (name: string): string => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
