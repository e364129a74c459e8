import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'

/*
 * No endpoint escapes: every operation of openapi.json that needs a token is called without one (401), by a member
 * who lacks the permission (403), and by a stranger with the owner's ids, who must get exactly the answer that an id
 * gets that does not exist (404).
 */

interface Fixture {
  organizationId: string
  chatId: string
  modelId: string
  instructionId: string
}
type Call = { query?: Record<string, string>; body?: unknown }

/** A valid call of every operation, by its id, on the owner's records. */
const CALLS: Record<string, (owner: Fixture) => Call> = {
  post_llm_add: ({ organizationId }) => ({
    query: { org_id: organizationId },
    body: { name: 'x', provider: 'demo', version: 'parley-demo' },
  }),
  get_llm_list: inOrganization,
  put_llm_update: ({ modelId }) => ({ query: { model_id: modelId }, body: { name: 'y' } }),
  delete_llm_delete: ({ modelId }) => ({ query: { model_id: modelId } }),
  post_llm_test: ({ modelId }) => ({ query: { model_id: modelId } }),
  put_llm_update_environment_model: ({ modelId }) => ({ query: { model_id: modelId }, body: {} }),
  post_chat: (owner) => ({ ...inOrganization(owner), body: {} }),
  get_chat: oneChat,
  get_chat_list: inOrganization,
  put_chat: (owner) => ({ ...oneChat(owner), body: { title: 'x' } }),
  delete_chat_delete_session: ({ chatId }) => ({ query: { session_id: chatId } }),
  post_chat_bulk_delete_sessions: ({ chatId }) => ({ body: { chat_ids: [chatId] } }),
  post_chat_send_message: (owner) => ({
    query: { org_id: owner.organizationId, model_id: owner.modelId, chat_id: owner.chatId },
    body: { content: 'Hi' },
  }),
  post_chat_stop: oneChat,
  get_chat_stream: oneChat,
  post_instructions_create: (owner) => ({ ...inOrganization(owner), body: { name: 'x', content: 'y' } }),
  get_instructions_list: inOrganization,
  get_instructions_get: oneInstruction,
  put_instructions_update: (owner) => ({ ...oneInstruction(owner), body: { name: 'z' } }),
  delete_instructions_delete: oneInstruction,
  get_billing_balance: inOrganization,
  get_billing_ledger: inOrganization,
  post_billing_credits: ({ organizationId }) => ({
    body: { organization_id: organizationId, amount: 1, reason: 'x' },
  }),
}

/** Operations on whatever is the caller's own: nobody lacks a permission there, and a foreign id is just not found. */
const PER_CALLER = ['post_chat_bulk_delete_sessions']

function inOrganization({ organizationId }: Fixture): Call {
  return { query: { org_id: organizationId } }
}
function oneChat({ organizationId, chatId }: Fixture): Call {
  return { query: { org_id: organizationId, chat_id: chatId } }
}
function oneInstruction({ instructionId }: Fixture): Call {
  return { query: { instruction_id: instructionId } }
}

interface Operation {
  id: string
  method: string
  path: string
  isSystem: boolean
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
const operations: Operation[] = Object.entries<Record<string, never>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries<{ operationId: string; security: unknown[]; description: string }>(methods)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isSystem: operation.description.includes('system administrator'),
      })),
)

let server: TestServer
let owner: Fixture & { person: Person }
let stranger: Person
let powerless: Person

beforeAll(async () => {
  server = await startTestServer()
  const person = await server.signUp()
  const organization = `org_id=${person.organizationId}`
  const make = async (path: string, body: unknown) =>
    (await server.call('POST', path, { token: person.token, body })).body.id
  owner = {
    person,
    organizationId: person.organizationId,
    modelId: await server.addModel(person, { provider: 'demo', version: 'parley-demo' }),
    chatId: await make(`/api/chat?${organization}`, {}),
    instructionId: await make(`/api/instructions/create?${organization}`, { name: 'n', content: 'c' }),
  }
  stranger = await server.signUp()
  powerless = await addPowerlessMember(server, person.organizationId)
})
afterAll(() => server.stop())

const send = (operation: Operation, call: Call, token?: string) =>
  server.call(operation.method, `${operation.path}?${new URLSearchParams(call.query)}`, {
    ...(token !== undefined && { token }),
    ...(call.body !== undefined && { body: call.body }),
  })

test('there are operations, and each is known here', () => {
  expect(operations.length).toBeGreaterThan(15)
  expect(operations.filter(({ id }) => !(id in CALLS)).map(({ id }) => id)).toEqual([])
})

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const call = (fixture: Fixture): Call => CALLS[id]?.(fixture) ?? {}

  test('401 without a token, and with a wrong one', async () => {
    expect((await send(operation, call(owner))).status).toBe(401)
    expect((await send(operation, call(owner), 'not.a.token')).status).toBe(401)
    const [head, payload, signature = ''] = owner.person.token.split('.')
    const forged = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    expect((await send(operation, call(owner), forged)).status).toBe(401)
  })

  test('a member without the permission is refused', async () => {
    const answer = await send(operation, call(owner), powerless.token)
    if (PER_CALLER.includes(id)) expect(answer.body.not_found).toEqual([owner.chatId])
    else expect(answer.status).toBe(403)
  })

  test('a foreign id is answered like one that does not exist', async () => {
    const answer = await send(operation, call(owner), stranger.token)
    if (PER_CALLER.includes(id)) return expect(answer.body.not_found).toEqual([owner.chatId])
    if (operation.isSystem) return expect(answer.status).toBe(403)
    const nothing = '00000000-0000-4000-8000-000000000000'
    const unknown = await send(
      operation,
      call({ organizationId: nothing, chatId: nothing, modelId: nothing, instructionId: nothing }),
      stranger.token,
    )
    expect(answer.status).toBe(404)
    expect({ ...answer.body, request_id: null }).toEqual({ ...unknown.body, request_id: null })
  })
})

test('the owner of an organization does not see the chats of its members', async () => {
  const member = await addPowerlessMember(server, owner.organizationId, ['chats:*'])
  const chat = await server.call('POST', `/api/chat?org_id=${owner.organizationId}`, {
    token: member.token,
    body: {},
  })
  expect(chat.status).toBe(201)
  const query = `org_id=${owner.organizationId}&chat_id=${chat.body.id}`
  const seen = await server.call('GET', `/api/chat?${query}`, { token: owner.person.token })
  expect([seen.status, seen.body.detail]).toEqual([404, 'Chat session not found'])
})
