import { MAKER, type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const deploymentTables: OwnedTables = {
  agent_deployments: {
    resource: { kind: 'deployment', notFound: 'deployment.not_found' },
    audit: { type: 'deployment', secrets: ['key_hash'] },
    export: {
      name: 'deployments',
      columns: `${MAKER} agent_id name description deployment_type config status visitor_user_id ${TIMES}`,
    },
    erasure: 'cascade',
  },
}
