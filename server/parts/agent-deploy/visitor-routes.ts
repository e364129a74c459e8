import Type from 'typebox'
import { idempotencyKeyOf } from '#platform/http/answer-once.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { Body, confirms, described, Enum, idOf, Uuid } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { ANSWER_ERRORS, type DeploymentChats, MessageContent, ReplyEvent } from '../chat/index.ts'
import { admitVisitor } from './admit-visitor.ts'
import type { FindPublicDeployment } from './public-deployments-system.ts'
import { SessionView, VisitorKey, VisitorPass, viewSession } from './schemas.ts'

const OneSession = Type.Object({ session_id: idOf('the session') })
const Events = Type.Optional(
  Enum(['all'], { description: '`all` also sends named events; to visitors, only `finish` and `failure`.' }),
)

interface Dependencies {
  services: Services
  chats: DeploymentChats
  findPublicDeployment: FindPublicDeployment
}

/** Routes for the holder of a deployment's key and for its visitors. */
export const visitorRoutes = ({ services, chats, findPublicDeployment }: Dependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/create_visitor',
    summary: 'Get a token for a visitor of a page',
    description:
      'For deployments of type widget or iframe. Refuses pages whose origin is neither this server nor in ' +
      '`allowed_origins`.',
    access: 'public',
    query: Type.Object({ deployment_id: idOf('the deployment') }),
    body: VisitorKey,
    example: { visitor_key: 'nY4q0tJmWc7rVx2Lk9sZb5Hf8Dg3Pu6Ea1TiQoRwXyM' },
    effects: 'database',
    reply: [200, VisitorPass],
    errors: [
      'deployment.not_found',
      'deployment.paused',
      'deployment.suspended',
      'deployment.origin_not_allowed',
    ],
    handler: ({ query, body, headers }) =>
      admitVisitor(
        { config: services.config, tokens: services.tokens, findPublicDeployment },
        {
          deploymentId: query.deployment_id,
          visitorKey: body.visitor_key,
          origin: headers.origin,
          host: headers.host,
        },
      ),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/chat',
    summary: 'Send a message to a deployed agent and stream the reply',
    description:
      'Without `session_id`, starts a session, named in the header X-Session-Id. Visitors reach their own ' +
      'sessions, the key all sessions. The reply continues if the connection is lost: resume it with GET ' +
      '/api/agent_deploy/stream. A repeat with the same Idempotency-Key within 24 hours returns the same reply, ' +
      'without charge, and does not count towards the limit.',
    access: 'deployment',
    query: Type.Object({ events: Events }),
    body: Body({
      content: MessageContent,
      session_id: Type.Optional(described(Uuid, 'ID of the session. Omit it to start a session.')),
    }),
    example: { content: HOURS },
    effects: 'reply',
    reply: {
      events: ReplyEvent,
      description: 'The reply, streamed. X-Chat-Id equals X-Session-Id.',
      headers: ['X-Session-Id', 'X-Chat-Id', 'X-Message-Id'],
    },
    errors: [...ACCESS_ERRORS, ...ANSWER_ERRORS, 'deployment.daily_limit'],
    handler: ({ deployment, query, body, headers }) =>
      chats.send(deployment, {
        content: body.content,
        sessionId: body.session_id,
        named: query.events === 'all',
        idempotencyKey: idempotencyKeyOf(headers),
      }),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agent_deploy/get_session',
    summary: 'Get the newest messages of a session',
    access: 'deployment',
    query: OneSession,
    reply: [200, SessionView],
    errors: [...ACCESS_ERRORS, 'chat.not_found'],
    handler: async ({ deployment, query }) =>
      viewSession(query.session_id, await chats.session(deployment, query.session_id)),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agent_deploy/stream',
    summary: 'Follow or resume the newest reply of a session',
    description:
      'With Last-Event-ID, sends the missed events and then live ones, each exactly once. Returns 204 if the ' +
      'last event was already delivered.',
    access: 'deployment',
    query: Type.Object({ ...OneSession.properties, events: Events }),
    headers: { 'Last-Event-ID': 'ID of the last event received.' },
    reply: {
      events: ReplyEvent,
      description: 'The rest of the reply.',
      mayBeEmpty: true,
      headers: ['X-Session-Id', 'X-Chat-Id', 'X-Message-Id'],
    },
    errors: [...ACCESS_ERRORS, 'chat.not_found', 'chat.message_not_found', 'chat.elsewhere'],
    handler: ({ deployment, query, headers }) =>
      chats.stream(deployment, {
        sessionId: query.session_id,
        lastEventId: headers['last-event-id'] as string | undefined,
        named: query.events === 'all',
      }),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/agent_deploy/stop',
    summary: 'Stop the current reply of a session',
    description: 'The text so far is kept and charged.',
    access: 'deployment',
    query: OneSession,
    effects: 'outside',
    reply: confirms('The reply was stopped'),
    errors: [...ACCESS_ERRORS, 'chat.not_found', 'chat.not_streaming'],
    handler: ({ deployment, query }) => chats.stop(deployment, query.session_id),
  }),
]

const ACCESS_ERRORS = ['access.no_deployment', 'deployment.paused'] as const
