import { isRecord } from '../http/is-record.ts'
import { cleanText } from './clean-text.ts'
import type { McpConnection } from './connection.ts'
import { type McpFile, partsOf, readFiles } from './read-files.ts'

/** A resource as listed by a server, with invisible characters removed and sizes limited. */
export interface McpResource {
  uri: string
  name: string
  description: string
  mimeType: string | null
  /** Size in bytes. Null if the server doesn't announce it. */
  size: number | null
}

/** Limits per server: number of list pages, and number of resources. Further resources are left out. */
const PAGES_MAX = 20
/** @limit resources of a server */
const RESOURCES_MAX = 1_000
/** Maximum length of a URI. Resources with longer URIs are left out. */
export const URI_CHARACTERS_MAX = 2_000
const WORDS_CHARACTERS_MAX = 1_000
/** Extensions of text files that can be uploaded. */
const TEXT_EXTENSION = /\.(txt|md|markdown|csv|svg)$/i

/** Lists a server's resources. Returns [] if the server has none. Throws like McpConnection.request. */
export async function listResources(connection: McpConnection, signal: AbortSignal): Promise<McpResource[]> {
  if (!connection.capabilities['resources']) return []
  const resources: McpResource[] = []
  let cursor: unknown
  for (let page = 0; page < PAGES_MAX && resources.length < RESOURCES_MAX; page++) {
    const params = typeof cursor === 'string' ? { cursor } : {}
    const answer = await connection.request('resources/list', params, signal)
    if (!isRecord(answer) || !Array.isArray(answer['resources'])) break
    resources.push(...answer['resources'].flatMap(readListed))
    const { nextCursor } = answer
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) break
    cursor = nextCursor
  }
  return resources.slice(0, RESOURCES_MAX)
}

function readListed(one: unknown): McpResource[] {
  const { uri, name, title, description, mimeType, size } = isRecord(one) ? one : {}
  if (typeof uri !== 'string' || uri === '' || uri.length > URI_CHARACTERS_MAX) return []
  return [
    {
      uri,
      name: wordsOf(title) || wordsOf(name) || uri,
      description: wordsOf(description),
      mimeType: wordsOf(mimeType) || null,
      size: Number.isSafeInteger(size) ? Number(size) : null,
    },
  ]
}

const wordsOf = (text: unknown): string =>
  typeof text === 'string' ? cleanText(text.slice(0, WORDS_CHARACTERS_MAX)).trim() : ''

/**
 * Reads a resource as a file. Of several contents, reads the first. Returns null if there is none. Throws like
 * McpConnection.request.
 */
export async function readResource(
  connection: McpConnection,
  uri: string,
  signal: AbortSignal,
): Promise<McpFile | null> {
  const answer = await connection.request('resources/read', { uri }, signal)
  const [first] = isRecord(answer) && Array.isArray(answer['contents']) ? answer['contents'] : []
  const { text, ...contents } = isRecord(first) ? first : {}
  const blob = typeof text === 'string' ? Buffer.from(text).toString('base64') : contents['blob']
  const parts = partsOf({ content: [{ type: 'resource', resource: { uri, ...contents, blob } }] })
  const [file] = readFiles(parts)
  if (!file) return null
  const isNamed = typeof text !== 'string' || TEXT_EXTENSION.test(file.name)
  return isNamed ? file : { ...file, name: `${file.name}.txt` }
}
