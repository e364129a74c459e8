import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HELP } from '#platform/http/example-values.ts'
import { confirms, idOf, OrgId, PageOf, PageQuery, searchedIn, Uuid } from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import { TextEncoding, UploadView } from '#platform/storage/view-upload.ts'
import { MODEL_FAILURES } from '../llm/index.ts'
import { addSource, deleteSource } from './add-source.ts'
import { changeChunk, getChunk } from './change-chunk.ts'
import type { KbDependencies } from './dependencies.ts'
import { deleteDocument, getDocument, listDocuments, uploadFile } from './manage-documents.ts'
import {
  createKnowledgeBase,
  deleteKnowledgeBase,
  getIngestionStatus,
  getKnowledgeBase,
  listKnowledgeBases,
  updateKnowledgeBase,
} from './manage-knowledge-bases.ts'
import { reindex } from './reindex.ts'
import * as schemas from './schemas.ts'
import { NewSource } from './source-config.ts'

const InOrganization = Type.Object({ org_id: OrgId })
const OneKb = Type.Object({ kb_id: idOf('the knowledge base') })
const ofKb = { kb: 'kb_id' } as const

export const manageRoutes = (deps: KbDependencies): Route[] => {
  return [
    defineRoute({
      method: 'POST',
      url: '/api/kb/create',
      summary: 'Create a knowledge base',
      description: 'Ingestion starts after the response: see ingestion_status or the event kb.ingestion.',
      access: { permission: 'kb:write', orgOf: 'query' },
      query: InOrganization,
      body: schemas.NewKnowledgeBase,
      example: {
        name: 'Shop handbook',
        description: 'Opening hours, prices and delivery.',
        embedding_model: 'text-embedding-3-small',
        sources: [{ type: 'web', config: HELP }],
      },
      effects: 'database',
      reply: [201, schemas.KnowledgeBaseView],
      errors: [
        'org.not_found',
        'kb.name_taken',
        'kb.source_invalid',
        'kb.chunking_invalid',
        'kb.not_embedding',
        'llm.not_found',
        'llm.inactive',
        'llm.not_configured',
        'llm.no_member',
        'upload.not_found',
        'upload.quota',
      ],
      handler: ({ scope, body }) => createKnowledgeBase(deps, scope, body),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/kb/list',
      summary: 'List knowledge bases, newest first',
      access: { permission: 'kb:read', orgOf: 'query' },
      query: Type.Object({
        ...InOrganization.properties,
        ...searchedIn('the name or description'),
        ...PageQuery,
      }),
      reply: [200, PageOf(schemas.KnowledgeBaseView, 'KnowledgeBasePage')],
      errors: ['org.not_found', 'request.invalid_cursor'],
      handler: ({ scope, query }) => listKnowledgeBases(scope, query),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/kb/get',
      summary: 'Get a knowledge base',
      access: { permission: 'kb:read', orgOf: ofKb },
      query: OneKb,
      reply: [200, schemas.KnowledgeBaseView],
      errors: ['kb.not_found'],
      handler: ({ scope, query }) => getKnowledgeBase(scope, query.kb_id),
    }),
    defineRoute({
      method: 'PUT',
      url: '/api/kb/update',
      summary: 'Change the name or description of a knowledge base',
      access: { permission: 'kb:write', orgOf: ofKb },
      query: OneKb,
      body: schemas.KnowledgeBaseChange,
      example: { description: 'Opening hours, prices and delivery.' },
      effects: 'database',
      current: ({ scope, query }) => getKnowledgeBase(scope, query.kb_id),
      reply: [200, schemas.KnowledgeBaseView],
      errors: ['kb.not_found', 'kb.name_taken'],
      handler: ({ scope, query, body }) => updateKnowledgeBase(scope, query.kb_id, body),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/api/kb/delete',
      summary: 'Delete a knowledge base and its contents',
      description: 'Agents that use it continue without it.',
      access: { permission: 'kb:delete', orgOf: ofKb },
      query: OneKb,
      effects: 'database',
      reply: confirms('Knowledge base deleted'),
      errors: ['kb.not_found'],
      async handler({ scope, query }) {
        await deleteKnowledgeBase(deps, scope, query.kb_id)
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/api/kb/add_source',
      summary: 'Add a source to a knowledge base and start ingesting it',
      access: { permission: 'kb:write', orgOf: ofKb },
      query: OneKb,
      body: NewSource,
      example: { type: 'web', config: HELP },
      effects: 'database',
      reply: [201, schemas.SourceView],
      errors: [
        'kb.not_found',
        'kb.source_invalid',
        'kb.too_many_sources',
        'upload.not_found',
        'upload.quota',
      ],
      handler: ({ scope, query, body }) => addSource(deps, scope, query.kb_id, body),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/api/kb/delete_source',
      summary: 'Delete a source and its documents',
      access: { permission: 'kb:delete', orgOf: ofKb },
      query: Type.Object({ ...OneKb.properties, source_id: idOf('the source') }),
      effects: 'database',
      reply: confirms('Source deleted'),
      errors: ['kb.not_found', 'kb.source_not_found'],
      async handler({ scope, query }) {
        await deleteSource(deps, scope, query.kb_id, query.source_id)
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/api/kb/upload_file',
      summary: 'Upload a document for a source of type file',
      description:
        'Accepts PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV or MD. Pass its ID in `upload_ids` of add_source.',
      access: { permission: 'kb:write', orgOf: ofKb },
      query: Type.Object({ ...OneKb.properties, encoding: TextEncoding }),
      upload: { description: 'The document.', example: 'Price list.pdf' },
      effects: 'outside',
      reply: [201, UploadView],
      errors: [
        'kb.not_found',
        'upload.empty',
        'upload.not_found',
        'upload.type',
        'upload.old_office',
        'upload.encoding',
        'upload.no_text',
        'upload.quota',
        'server.unavailable',
      ],
      handler: ({ scope, query, file }) => uploadFile(deps, scope, query.encoding, file),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/kb/list_documents',
      summary: 'List documents, newest first',
      access: { permission: 'kb:read', orgOf: ofKb },
      query: Type.Object({
        ...OneKb.properties,
        ...schemas.NumberedPage,
        search: Type.Optional(
          Type.String({ maxLength: 200, description: 'Text to match within document names.' }),
        ),
      }),
      reply: [200, schemas.DocumentList],
      errors: ['kb.not_found'],
      handler: ({ scope, query }) => listDocuments(scope, query),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/kb/get_document',
      summary: 'Get a document with a page of its chunks',
      access: { permission: 'kb:read', orgOf: ofKb },
      query: Type.Object({
        ...OneKb.properties,
        document_id: idOf('the document'),
        ...schemas.NumberedPage,
        chunk_id: Type.Optional(
          Type.Unsafe<string>({
            ...Uuid,
            description: 'ID of a chunk. Returns the page that contains it, if there is one.',
          }),
        ),
      }),
      reply: [200, schemas.DocumentWithChunks],
      errors: ['kb.not_found', 'kb.document_not_found'],
      handler: ({ scope, query }) => getDocument(scope, query),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/api/kb/delete_document',
      summary: 'Delete a document',
      description: 'If a website or bucket still has the document, the next read adds it again.',
      access: { permission: 'kb:delete', orgOf: ofKb },
      query: Type.Object({ ...OneKb.properties, document_id: idOf('the document') }),
      effects: 'database',
      reply: confirms('Document deleted'),
      errors: ['kb.not_found', 'kb.document_not_found'],
      async handler({ scope, query }) {
        await deleteDocument(deps, scope, query.kb_id, query.document_id)
      },
    }),
    defineRoute({
      method: 'PUT',
      url: '/api/kb/update_chunk',
      summary: 'Edit, enable or disable a chunk',
      description:
        'The edit lasts until its document is indexed again: after a change at its source, or by reindex.',
      access: { permission: 'kb:write', orgOf: ofKb },
      query: Type.Object({ ...OneKb.properties, chunk_id: idOf('the chunk') }),
      body: schemas.ChunkChange,
      example: { is_enabled: true },
      effects: 'outside',
      current: ({ scope, query }) => getChunk(scope, query),
      reply: [200, schemas.ChunkView],
      errors: [
        'kb.not_found',
        'kb.chunk_not_found',
        'kb.changing',
        'kb.dimensions',
        'billing.insufficient_credits',
        ...LIMIT_ERRORS,
        'billing.key_budget_exceeded',
        'billing.member_budget_exceeded',
        'llm.not_found',
        'llm.inactive',
        'llm.not_configured',
        'llm.no_member',
        ...MODEL_FAILURES,
      ],
      handler: ({ scope, query, body }) => changeChunk(deps, scope, query, body),
    }),
    defineRoute({
      method: 'POST',
      url: '/api/kb/reindex',
      summary: 'Reindex a knowledge base, or read one source again',
      description:
        'Splits and embeds the stored texts again, with new settings if given. Failed sources are read again. With ' +
        '`source_id`, reads only that source; unchanged documents stay.',
      access: { permission: 'kb:write', orgOf: ofKb },
      query: OneKb,
      body: schemas.Reindexing,
      example: { chunking: { max_tokens: 200 } },
      effects: 'database',
      reply: [200, schemas.KnowledgeBaseView],
      errors: [
        'kb.not_found',
        'kb.chunking_invalid',
        'kb.source_not_found',
        'kb.source_invalid',
        'kb.not_embedding',
        'llm.not_found',
        'llm.inactive',
        'llm.not_configured',
        'llm.no_member',
      ],
      handler: ({ scope, query, body }) => reindex(deps, scope, query.kb_id, body),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/kb/ingestion_status',
      summary: 'Get the ingestion status',
      access: { permission: 'kb:read', orgOf: ofKb },
      query: OneKb,
      reply: [200, schemas.IngestionStatus],
      errors: ['kb.not_found'],
      handler: ({ scope, query }) => getIngestionStatus(scope, query.kb_id),
    }),
  ]
}
