import { MAKER, type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const modelTables: OwnedTables = {
  llm_connections: {
    resource: { kind: 'modelConnection', notFound: 'llm.connection_not_found' },
    audit: { type: 'model_connection', secrets: ['api_key'] },
    export: { name: 'model_connections', columns: `${MAKER} name provider base_url ${TIMES}` },
    erasure: 'cascade',
  },
  llm_models: {
    resource: { kind: 'model', notFound: 'llm.not_found' },
    audit: { type: 'model', secrets: ['api_key'] },
    export: {
      name: 'models',
      columns: `${MAKER} name provider version is_active config connection_id ${TIMES}`,
    },
    erasure: 'cascade',
  },
  llm_defaults: {
    audit: { type: 'default_model', secrets: [] },
    export: { name: 'default_models', columns: `id organization_id user_id model_id ${TIMES}` },
    erasure: 'cascade',
  },
}
