import { MAKER, type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const modelTables: OwnedTables = {
  llm_models: {
    resource: { kind: 'model', notFound: 'llm.not_found' },
    audit: { type: 'model', secrets: ['api_key'] },
    export: { name: 'models', columns: `${MAKER} name provider version is_active config ${TIMES}` },
    erasure: 'cascade',
  },
}
