import { ParleyError } from '@parley/client'
import { translator } from '../messages/index.ts'

const t = translator('errors') as Translate

/** The codes that have a message differ by language, so they are not known by type. */
interface Translate {
  (code: string, values?: Record<string, string | number>): string
  has(code: string): boolean
}

/** Says what went wrong in the language in use. Errors without a message of their own: in the server's words. */
export function errorText(error: Error): string {
  if (!(error instanceof ParleyError) || !t.has(error.code)) return error.message
  try {
    return t(error.code, error.body['values'] as Record<string, string | number> | undefined)
  } catch {
    // A server of another version may send other values.
    return error.message
  }
}
