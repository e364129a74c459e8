import { MAKER, type OwnedTables, ROWS_WITH_TEXT, TIMES } from '#platform/tables/owned-tables.ts'

export const agentTables: OwnedTables = {
  agents: {
    resource: { kind: 'agent', notFound: 'agent.not_found', mayBePublic: true },
    audit: { type: 'agent', secrets: [] },
    export: {
      name: 'agents',
      columns: `${MAKER} name description agent_type model_id params is_public is_active ${TIMES}`,
      computed: {
        tool_ids: `(select coalesce(json_agg(tool_id order by position), '[]') from agent_tools where agent_id = t.id)`,
        knowledge_base_ids: `(select coalesce(json_agg(kb_id order by position), '[]') from agent_knowledge_bases
          where agent_id = t.id)`,
      },
      rowsMax: ROWS_WITH_TEXT,
    },
    erasure: 'cascade',
  },
  agent_tools: { audit: { entries: 'agent.*' }, export: { within: 'agents' }, erasure: 'cascade' },
  agent_knowledge_bases: { audit: { entries: 'agent.*' }, export: { within: 'agents' }, erasure: 'cascade' },
  agent_mcp_instances: {
    audit: { entries: 'agent.*' },
    export: { not: 'A connection is an account at a server. Connect again after an import.' },
    erasure: 'cascade',
  },
}
