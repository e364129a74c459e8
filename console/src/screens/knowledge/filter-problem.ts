import { translator } from '../../messages/index.ts'

const t = translator('knowledge')

const EXAMPLE = '{"mime_type": "application/pdf"}'

/**
 * Returns why a metadata filter is not a JSON object, or null if it is an object or blank. The server validates the
 * object's content.
 */
export function filterProblem(text: string): string | null {
  if (text.trim() === '') return null
  try {
    const filter: unknown = JSON.parse(text)
    const isObject = typeof filter === 'object' && filter !== null && !Array.isArray(filter)
    return isObject ? null : t('filter.notObject', { example: EXAMPLE })
  } catch {
    return t('filter.notJson')
  }
}
