import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'

const t = translator('samples')

const DOCUMENTS = ['hours', 'returns', 'delivery'] as const

/** Creates the sample knowledge base: the short handbook of a shop. Returns its id. */
export async function makeSampleKnowledge(org_id: string): Promise<string> {
  const { id } = await api.request('POST /api/kb/create', {
    query: { org_id },
    body: {
      name: t('knowledge.name'),
      description: t('knowledge.description'),
      embedding_model: 'local',
      sources: DOCUMENTS.map((name) => ({
        type: 'text' as const,
        config: { name: t(`knowledge.${name}.name`), content: t(`knowledge.${name}.content`) },
      })),
    },
  })
  return id
}

/** Creates the sample agent. It searches the sample knowledge base if there is one. Returns the agent's id. */
export async function makeSampleAgent(
  org_id: string,
  model_id: string,
  knowledgeBaseId: string | undefined,
): Promise<string> {
  const { id } = await api.request('POST /api/agents', {
    query: { org_id },
    body: {
      name: t('agent.name'),
      description: t('agent.description'),
      agent_type: 'chat',
      model_id,
      params: { system_prompt: t('agent.instructions') },
      knowledge_base_ids: knowledgeBaseId === undefined ? [] : [knowledgeBaseId],
    },
  })
  return id
}

export const removeSample = (kind: 'document' | 'agent', id: string): Promise<unknown> =>
  kind === 'document'
    ? api.request('DELETE /api/kb/delete', { query: { kb_id: id } })
    : api.request('DELETE /api/agents/delete', { query: { agent_id: id } })
