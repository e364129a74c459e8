import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })
const oneModel = ({ modelId }: Fixture): Call => ({ query: { model_id: modelId } })
const oneConnection = ({ modelConnectionId }: Fixture): Call => ({
  query: { connection_id: modelConnectionId },
})

/** The access matrix (access-matrix.ts) for language models and their connections. */
export const MODELS: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  post_llm_add: [
    'OA',
    (fixture) => ({
      ...inOrganization(fixture),
      body: { name: 'x', provider: 'demo', version: 'parley-demo' },
    }),
  ],
  get_llm_list: ['OAMGK', inOrganization],
  get_llm_get: [
    'OAMGK',
    (fixture) => ({ query: { ...inOrganization(fixture).query, ...oneModel(fixture).query } }),
  ],
  get_llm_health: ['OAMGK', inOrganization],
  put_llm_update: ['OA', (fixture) => ({ ...oneModel(fixture), body: { name: 'y' } })],
  delete_llm_delete: ['OA', oneModel],
  post_llm_test: ['OA', oneModel],
  put_llm_update_environment_model: ['S', (fixture) => ({ ...oneModel(fixture), body: {} })],
  get_llm_defaults: ['OAMGK', inOrganization],
  put_llm_update_default: [
    'OA',
    (fixture) => ({ ...inOrganization(fixture), body: { organization_model_id: fixture.modelId } }),
  ],
  put_llm_update_own_default: [
    'OAM',
    (fixture) => ({ ...inOrganization(fixture), body: { own_model_id: fixture.modelId } }),
  ],
  post_llm_connections_create: [
    'OA',
    (fixture) => ({
      ...inOrganization(fixture),
      body: { name: crypto.randomUUID(), provider: 'openai', api_key: 'k' },
    }),
  ],
  get_llm_connections_list: ['OAMGK', inOrganization],
  put_llm_connections_update: ['OA', (fixture) => ({ ...oneConnection(fixture), body: { api_key: 'l' } })],
  delete_llm_connections_delete: ['OA', oneConnection],
  get_llm_connections_list_models: ['OA', oneConnection],
}
