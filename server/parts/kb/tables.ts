import { MAKER, type OwnedTables, ROWS_LARGE, ROWS_WITH_TEXT, TIMES } from '#platform/tables/owned-tables.ts'

const FROM_SOURCES = { not: 'Follows from sources, whose changes are audited.' }

export const kbTables: OwnedTables = {
  knowledge_bases: {
    resource: { kind: 'kb', notFound: 'kb.not_found' },
    audit: { type: 'knowledge_base', secrets: [] },
    export: {
      name: 'knowledge_bases',
      columns: `${MAKER} name description embedding_model chunking languages ${TIMES}`,
    },
    erasure: 'cascade',
  },
  kb_contents: {
    audit: { not: 'Follows from knowledge bases and sources.' },
    export: { not: 'Has no data besides the ids of knowledge bases and sources.' },
    erasure: 'cascade',
  },
  kb_sources: {
    audit: { type: 'kb_source', secrets: ['secrets'] },
    export: {
      name: 'kb_sources',
      columns: `${MAKER} kb_id type config status error ${TIMES}`,
      within: { table: 'knowledge_bases', column: 'kb_id' },
      rowsMax: ROWS_LARGE,
    },
    erasure: 'cascade',
  },
  kb_documents: {
    audit: FROM_SOURCES,
    export: {
      name: 'kb_documents',
      columns: `
        id organization_id kb_id source_id key name mime_type size metadata status error text_kind content_hash
        chunk_count ${TIMES}`,
      computed: { text: '(select text from kb_texts where document_id = t.id)' },
      within: { table: 'knowledge_bases', column: 'kb_id' },
      rowsMax: ROWS_LARGE,
    },
    erasure: 'cascade',
  },
  kb_texts: { audit: FROM_SOURCES, export: { within: 'kb_documents' }, erasure: 'cascade' },
  kb_chunks: {
    audit: FROM_SOURCES,
    export: {
      name: 'kb_chunks',
      columns: `
        id organization_id kb_id document_id number position page tokens is_enabled is_edited language headings
        content`,
      key: [['number', 'int']],
      within: { table: 'knowledge_bases', column: 'kb_id' },
      rowsMax: ROWS_WITH_TEXT,
    },
    erasure: 'cascade',
  },
  kb_segments: {
    audit: FROM_SOURCES,
    export: { not: 'The index is rebuilt from the chunks.' },
    erasure: 'cascade',
  },
  kb_evaluations: {
    audit: { not: 'Only measures a knowledge base and changes nothing.' },
    export: {
      name: 'kb_evaluations',
      columns: `${MAKER} kb_id name questions ${TIMES}`,
      within: { table: 'knowledge_bases', column: 'kb_id' },
      rowsMax: ROWS_LARGE,
    },
    erasure: 'cascade',
  },
  kb_evaluation_runs: {
    audit: { not: 'A run only reads.' },
    export: { not: 'Can be repeated from its questions.' },
    erasure: 'cascade',
  },
}
