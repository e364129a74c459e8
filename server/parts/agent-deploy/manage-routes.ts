import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { AGENT } from '#platform/http/example-values.ts'
import { confirms, described, idOf, OrgId, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import type { DeploymentChats } from '../chat/index.ts'
import {
  createDeployment,
  deleteDeployment,
  getDeployment,
  listDeployments,
  regenerateKey,
  updateDeployment,
} from './manage-deployments.ts'
import { readUsage } from './read-usage.ts'
import * as schemas from './schemas.ts'

const OneDeployment = Type.Object({ deployment_id: idOf('the deployment') })
const ofDeployment = { deployment: 'deployment_id' } as const
const Day = Type.String({ maxLength: 10, description: 'UTC day, such as `2026-01-31`.' })

/** Routes that manage agents' deployments, their keys and their usage. */
export const manageRoutes = ({ events }: Services, chats: DeploymentChats): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/create',
    summary: 'Deploy an agent',
    description:
      'Type `api` is for programs, which authenticate with the key; `widget` adds a chat button to web pages; ' +
      '`iframe` embeds a chat in a page. The key is returned once and stored hashed. Each message is charged to ' +
      'this organization.',
    access: { permission: 'agent:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: schemas.NewDeployment,
    example: {
      agent_id: AGENT,
      name: 'Website',
      description: 'The chat on our website.',
      deployment_type: 'widget',
      config: {
        theme: { primary_color: '#2f6f4f', font_family: 'Inter, Arial' },
        branding: { logo_url: 'https://www.fernhill.example/logo.svg', company_name: 'Fernhill Coffee' },
        widget_placement: 'bottom-right',
        welcome_message: 'Hello! How can we help?',
        allowed_origins: ['https://www.fernhill.example'],
        daily_message_limit: 200,
      },
    },
    effects: 'database',
    reply: [201, schemas.DeploymentWithKey],
    errors: ['org.not_found', 'agent.not_found', 'deployment.config_invalid'],
    handler: ({ scope, body }) => createDeployment(scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agent_deploy/list',
    summary: 'List deployments, newest first',
    access: { permission: 'agent:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...searchedIn('the name or description'), ...PageQuery }),
    reply: [200, schemas.DeploymentPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listDeployments(scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agent_deploy/get',
    summary: 'Get a deployment',
    access: { permission: 'agent:read', orgOf: ofDeployment },
    query: OneDeployment,
    reply: [200, schemas.DeploymentView],
    errors: ['deployment.not_found'],
    handler: ({ scope, query }) => getDeployment(scope, query.deployment_id),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/agent_deploy/update',
    summary: 'Change, pause or resume a deployment',
    description:
      'Omitted fields stay unchanged, also those of `config`; null removes one. While a deployment is paused, its key and visitors get 403, and ' +
      'replies in progress continue. Agent and type cannot change. A change of status sends the event ' +
      'deployment.status.',
    access: { permission: 'agent:write', orgOf: ofDeployment },
    query: OneDeployment,
    body: schemas.DeploymentChange,
    example: { status: 'active' },
    effects: 'database',
    current: ({ scope, query }) => getDeployment(scope, query.deployment_id),
    reply: [200, schemas.DeploymentView],
    errors: ['deployment.not_found', 'deployment.config_invalid'],
    handler: ({ scope, query, body }) => updateDeployment(events, scope, query.deployment_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/agent_deploy/delete',
    summary: 'Permanently delete a deployment with its sessions and messages',
    description: 'Replies in progress stop and are charged. The ledger keeps the usage.',
    access: { permission: 'agent:delete', orgOf: ofDeployment },
    query: OneDeployment,
    effects: 'outside',
    reply: confirms('Deployment deleted'),
    errors: ['deployment.not_found'],
    async handler({ scope, query }) {
      await deleteDeployment(chats, scope, query.deployment_id)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/regenerate_key',
    summary: "Replace a deployment's key",
    description: 'The previous key stops working immediately. Visitors of web pages are not affected.',
    access: { permission: 'agent:write', orgOf: ofDeployment },
    query: OneDeployment,
    effects: 'database',
    reply: [200, schemas.DeploymentWithKey],
    errors: ['deployment.not_found'],
    handler: ({ scope, query }) => regenerateKey(scope, query.deployment_id),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agent_deploy/usage',
    summary: "Get a deployment's usage per day",
    description:
      'Days are in UTC and inclusive, at most 366, by default the last 30. Days without usage have zeros. A ' +
      'reply counts on the day on which it ends.',
    access: { permission: 'agent:read', orgOf: ofDeployment },
    query: Type.Object({
      ...OneDeployment.properties,
      from: Type.Optional(described(Day, 'First UTC day, such as `2026-01-31`.')),
      to: Type.Optional(described(Day, 'Last UTC day, inclusive.')),
    }),
    reply: [200, schemas.UsageView],
    errors: ['deployment.not_found'],
    handler: ({ scope, query }) => readUsage(scope, query),
  }),
]
