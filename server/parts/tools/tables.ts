import { MAKER, type OwnedTables, ROWS_WITH_TEXT, TIMES } from '#platform/tables/owned-tables.ts'

export const toolTables: OwnedTables = {
  tool_categories: {
    audit: { type: 'tool_category', secrets: [] },
    export: { name: 'tool_categories', columns: `${MAKER} name description ${TIMES}` },
    erasure: 'cascade',
  },
  tools: {
    resource: { kind: 'tool', notFound: 'tool.not_found', mayBePublic: true },
    audit: { type: 'tool', secrets: [] },
    export: {
      name: 'tools',
      columns: `
        ${MAKER} category_id name description version is_active is_public logo_url configuration inputs outputs
        settings functions ${TIMES}`,
      rowsMax: ROWS_WITH_TEXT,
    },
    erasure: 'cascade',
  },
}
