import { UUID } from '#database/new-id.ts'
import { AppError } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { InvalidParams, ResourceNotFound } from '#platform/mcp/server-definition.ts'
import type { DocumentWithText, KnowledgeBases } from '../kb/index.ts'

/** Documents of knowledge bases as MCP resources. A URI stays valid until its document is deleted. */

const DOCUMENTS = 'parley://documents/'
const PAGE_MAX = 100

type Reader = Scope<'kb:read'>
type Documents = Pick<KnowledgeBases, 'listDocuments' | 'readText'>
type Result = Record<string, unknown>

const TEMPLATE = {
  uriTemplate: `${DOCUMENTS}{document_id}`,
  name: 'document',
  title: 'Document',
  description: 'Text of a document. Passages of search_knowledge_bases have its URI as document_uri.',
}

export const uriOfDocument = (id: string): string => DOCUMENTS + id

export const listResourceTemplates = (): Result => ({ resourceTemplates: [TEMPLATE] })

/** Returns one page of the organization's documents. Throws InvalidParams for an unknown cursor. */
export async function listResources(documents: Documents, scope: Reader, cursor: unknown): Promise<Result> {
  const found = await documents.listDocuments(scope, readCursor(cursor), PAGE_MAX + 1)
  const page = found.slice(0, PAGE_MAX)
  const last = found.length > PAGE_MAX ? page.at(-1) : undefined
  return { resources: page.map(describe), ...(last && { nextCursor: `${last.kbId}.${last.id}` }) }
}

/**
 * Returns the text of the document at a URI. Throws ResourceNotFound, kb.document_without_text,
 * kb.document_too_long.
 */
export async function readResource(documents: Documents, scope: Reader, uri: string): Promise<Result> {
  const id = uri.startsWith(DOCUMENTS) ? uri.slice(DOCUMENTS.length) : ''
  if (!UUID.test(id)) throw new ResourceNotFound(uri)
  const { text, textKind } = await documents.readText(scope, id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'kb.document_not_found') throw new ResourceNotFound(uri)
    throw error
  })
  return { contents: [{ uri, mimeType: mimeTypeOf(textKind), text }] }
}

/** Reads a cursor: the ids of a knowledge base and of its last document on the previous page. */
function readCursor(cursor: unknown): Pick<DocumentWithText, 'kbId' | 'id'> | undefined {
  if (cursor === undefined) return undefined
  const [kbId = '', id = '', ...others] = String(cursor).split('.')
  if (!UUID.test(kbId) || !UUID.test(id) || others.length > 0) throw new InvalidParams('Unknown cursor')
  return { kbId, id }
}

const describe = ({ id, kbName, name, textKind, textBytes, updatedAt }: DocumentWithText): Result => ({
  uri: uriOfDocument(id),
  name,
  title: name,
  description: `Text of a document in the knowledge base ${kbName}`,
  mimeType: mimeTypeOf(textKind),
  size: textBytes,
  annotations: { lastModified: new Date(updatedAt).toISOString() },
})

/** Returns the media type of the extracted text, which is never that of the original file. */
const mimeTypeOf = (textKind: DocumentWithText['textKind']): string =>
  textKind === 'markdown' ? 'text/markdown' : 'text/plain'
