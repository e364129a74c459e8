import { OWNER, type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const mcpTables: OwnedTables = {
  mcp_instances: {
    resource: { kind: 'mcpInstance', notFound: 'mcp.instance_not_found' },
    // Audit entries omit the tools, because they may be long and are private to the connection's owner.
    audit: { type: 'mcp_instance', secrets: ['credentials', 'tools'] },
    export: {
      name: 'mcp_connections',
      columns: `${OWNER} name status ${TIMES}`,
      computed: { server: '(select name from mcp_servers where id = t.server_id)' },
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  mcp_attempts: {
    audit: { not: 'The resulting connection is audited.' },
    export: { not: 'An attempt lasts minutes.' },
    erasure: 'cascade',
  },
}
