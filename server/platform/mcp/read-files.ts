import { ACCEPTED_TYPES } from '../documents/accepted-types.ts'
import { isRecord } from '../http/is-record.ts'

/** A file in a tool's result. */
export interface McpFile {
  /** The server's name for the file. Untrusted. */
  name: string
  data: Buffer
}

/** A content block of a tool's result. */
export type Part = Record<string, unknown> & { type: string }

/** Returns the content blocks of a CallToolResult. */
export const partsOf = ({ content }: Record<string, unknown>): Part[] =>
  Array.isArray(content) ? content.filter((part) => isRecord(part) && typeof part['type'] === 'string') : []

/** Maximum number of files per result. @limit files in the result of a tool */
const FILES_MAX = 10

/** Returns the images, the audio and the binary resources in a result. */
export const readFiles = (parts: readonly Part[]): McpFile[] => parts.flatMap(readFile).slice(0, FILES_MAX)

function readFile({ type, name, data, mimeType, resource }: Part): McpFile[] {
  const { blob, uri, ...contents } = isRecord(resource) ? resource : {}
  const base64 = blob ?? data
  if (typeof base64 !== 'string' || base64 === '') return []
  const label = [name, lastSegment(uri), type].find((text) => typeof text === 'string' && text !== '')
  return [
    {
      name: withExtension(String(label), contents['mimeType'] ?? mimeType),
      data: Buffer.from(base64, 'base64'),
    },
  ]
}

/** Returns the last segment of a URI's path. */
function lastSegment(uri: unknown): string | undefined {
  const segment = typeof uri === 'string' ? uri.split(/[?#]/, 1)[0]?.split('/').at(-1) : undefined
  try {
    return segment && decodeURIComponent(segment)
  } catch {
    return segment // not percent-encoded
  }
}

/** Appends the usual extension of a known type to a name without extension. */
function withExtension(name: string, mimeType: unknown): string {
  const [extension] = ACCEPTED_TYPES.get(String(mimeType))?.extensions ?? []
  return extension === undefined || /\.\w{1,8}$/.test(name) ? name : `${name}.${extension}`
}
