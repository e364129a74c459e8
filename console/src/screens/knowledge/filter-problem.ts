import { translator } from '../../messages/index.ts'

const t = translator('knowledge')

const EXAMPLE = '{"mime_type": "application/pdf"}'

/** Says why a text is not a JSON object. Null if it is one, or blank. The server checks its content. */
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
