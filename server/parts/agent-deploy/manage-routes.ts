import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { described, idOf, Message, OrgId, PageQuery } from '#platform/http/schemas.ts'
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

/** Deployments of agents, their keys and what they use (spec, Agent deployments; contract, 4). */
export const manageRoutes = ({ events }: Services, chats: DeploymentChats): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/create',
    summary: 'Deploy an agent',
    description:
      'api: for programs, by the key; widget: a button on web pages that opens a chat; iframe: a chat as a part of a ' +
      'page. The key is shown this once and stored hashed. Every message is paid by this organization.',
    access: { permission: 'agent:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: schemas.NewDeployment,
    example: {
      agent_id: '019a0000-0000-7000-8000-000000000001',
      name: 'Shop',
      description: 'Answers questions about orders',
      deployment_type: 'widget',
      config: {
        theme: { primary_color: '#0b5fff', font_family: 'Open Sans, Arial' },
        branding: { logo_url: 'https://www.example.com/logo.png', company_name: 'Example' },
        widget_placement: 'bottom-right',
        welcome_message: 'Hello! What can I do for you?',
        allowed_origins: ['https://www.example.com'],
        daily_message_limit: 1000,
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
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
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
      'A config replaces the one before. While a deployment is paused its key and its visitors are answered with 403, and ' +
      'replies that are being written go on. Agent and type stay. Another status is told by the event deployment.status.',
    access: { permission: 'agent:write', orgOf: ofDeployment },
    query: OneDeployment,
    body: schemas.DeploymentChange,
    example: { status: 'paused' },
    effects: 'database',
    reply: [200, schemas.DeploymentView],
    errors: ['deployment.not_found', 'deployment.config_invalid'],
    handler: ({ scope, query, body }) => updateDeployment(events, scope, query.deployment_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/agent_deploy/delete',
    summary: 'Delete a deployment with its sessions and their messages, for good',
    description: 'Replies that are being written are stopped, and paid. What was used stays in the ledger.',
    access: { permission: 'agent:delete', orgOf: ofDeployment },
    query: OneDeployment,
    effects: 'outside',
    reply: [200, Message],
    errors: ['deployment.not_found'],
    async handler({ scope, query }) {
      await deleteDeployment(chats, scope, query.deployment_id)
      return { message: 'Deployment deleted' }
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/regenerate_key',
    summary: 'Give a deployment a new key',
    description: 'The key before stops working at once. Visitors of web pages notice nothing.',
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
    summary: 'Get what a deployment has used, day by day',
    description:
      'Days are those of UTC, both ends are included, and a day without use is there with zeros: 366 days at most, the ' +
      'last 30 where nothing is said. A reply counts on the day on which it ends.',
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
