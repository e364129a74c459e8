import { randomBytes } from 'node:crypto'
import { type Answer, type Client, type Person, parseEvents, type StreamEvent, textOf } from './client.ts'
import type { EmulatedProvider } from './provider/index.ts'
import { StreamReader } from './reader.ts'

export interface Deployment {
  id: string
  key: string
  agentId: string
  owner: Person
}

/** Creates an agent whose model is served by an emulated provider. */
export async function makeAgent(
  client: Client,
  person: Person,
  provider: Pick<EmulatedProvider, 'url'>,
  version = 'emu-n3',
  more: Record<string, unknown> = {},
): Promise<string> {
  const modelId = await client.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1` },
  })
  const answer = await client.call('POST', `/api/agents?org_id=${person.organizationId}`, {
    token: person.token,
    body: {
      name: crypto.randomUUID(),
      description: 'Answers questions',
      agent_type: 'chat',
      model_id: modelId,
      tools: [],
      params: { system_prompt: 'Be brief.' },
      is_public: false,
      ...more,
    },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.id
}

export const create = (
  client: Client,
  person: Person,
  agentId: string,
  fields: Record<string, unknown> = {},
): Promise<Answer> =>
  client.call('POST', `/api/agent_deploy/create?org_id=${person.organizationId}`, {
    token: person.token,
    body: { agent_id: agentId, name: 'Shop', description: '', deployment_type: 'api', config: {}, ...fields },
  })

export async function deploy(
  client: Client,
  provider: Pick<EmulatedProvider, 'url'>,
  fields: Record<string, unknown> = {},
  version?: string,
): Promise<Deployment> {
  const owner = await client.signUp()
  const agentId = await makeAgent(client, owner, provider, version)
  const { status, body, text } = await create(client, owner, agentId, fields)
  if (status !== 201) throw new Error(text)
  return { id: body.id, key: body.api_key, agentId, owner }
}

export const update = (client: Client, { id, owner }: Deployment, change: object): Promise<Answer> =>
  client.call('PUT', `/api/agent_deploy/update?deployment_id=${id}`, { token: owner.token, body: change })

export const newVisitorKey = (): string => randomBytes(32).toString('base64url')

export const askForToken = (
  client: Client,
  deploymentId: string,
  visitorKey = newVisitorKey(),
  headers: Record<string, string> = {},
): Promise<Answer> =>
  client.call('POST', `/api/agent_deploy/create_visitor?deployment_id=${deploymentId}`, {
    body: { visitor_key: visitorKey },
    headers,
  })

/** Returns the token of a new visitor. */
export async function visit(client: Client, { id }: Pick<Deployment, 'id'>): Promise<string> {
  const { status, body, text } = await askForToken(client, id)
  if (status !== 200) throw new Error(text)
  return body.token
}

interface Said extends Answer {
  sessionId: string
  messageId: string
  events: StreamEvent[]
  said: string
}

/**
 * Sends a message with a deployment's key or a visitor token. Reads the whole response, which is a stream or an
 * error.
 */
export async function talk(
  client: Client,
  token: string,
  body: Record<string, unknown>,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Said> {
  const answer = await client.call('POST', `/api/agent_deploy/chat${query}`, { token, body, headers })
  const events = answer.status === 200 ? parseEvents(answer.text) : []
  return {
    ...answer,
    sessionId: answer.headers.get('x-session-id') ?? '',
    messageId: answer.headers.get('x-message-id') ?? '',
    events,
    said: textOf(events),
  }
}

/** Sends a message as `talk` does, but returns the open stream. */
export const openTalk = (url: string, token: string, body: object): Promise<StreamReader> =>
  StreamReader.open(`${url}/api/agent_deploy/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export const sessionIdOf = ({ headers }: StreamReader): string => headers.get('x-session-id') ?? ''

export const resumeTalk = (
  url: string,
  token: string,
  sessionId: string,
  lastEventId?: string,
): Promise<StreamReader> =>
  StreamReader.open(`${url}/api/agent_deploy/stream?session_id=${sessionId}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })

export const readSession = (client: Client, token: string, sessionId: string): Promise<Answer> =>
  client.call('GET', `/api/agent_deploy/get_session?session_id=${sessionId}`, { token })
