import { Agent, request } from 'node:http'
import type { Sql } from 'postgres'
import type { Person } from '../../tests/support/client.ts'
import { question } from '../generated-knowledge.ts'

/* The measured requests. */

/** Depth of the page that is read by cursor, or of the last page if there are fewer. */
const DEEP_PAGE = 100

/** A filled server, and the records that requests name. */
export interface Stage {
  name: string
  address: string
  /** The name of its database. */
  database: string
  sql: Sql
  person: Person
  modelId: string
  smallChatId: string
  largeChatId: string
  smallKbId: string
  largeKbId: string
  /** Words of questions to knowledge bases. */
  words: string[]
  /** Cursors of deep pages by path. */
  cursors: Map<string, string>
}

export interface Reading {
  name: string
  /** True if the request reads all of its own data by design, so that only its database's other rows must not matter. */
  ofOwnSize?: boolean
  send: (stage: Stage) => Promise<unknown>
}

const LEDGER = '/api/billing/ledger?'
const CHATS = '/api/chat/list?'
const AUDIT = '/api/audit/list?'

const get = (name: string, path: (stage: Stage) => string, more: Partial<Reading> = {}): Reading => ({
  name,
  ...more,
  send: (stage) => send(stage, 'GET', inOrganization(stage, path(stage))),
})

const deep = (name: string, path: string): Reading =>
  get(name, ({ cursors }) => `${path}${cursors.has(path) ? `cursor=${cursors.get(path)}&` : ''}`)

const search = (name: string, kbOf: (stage: Stage) => string, more: Partial<Reading> = {}): Reading => ({
  name,
  ...more,
  send: (stage) =>
    send(stage, 'POST', `/api/kb/search?kb_id=${kbOf(stage)}`, { query: question(stage.words) }),
})

const message = (name: string, chatOf: (stage: Stage) => string): Reading => ({
  name,
  send: (stage) =>
    send(
      stage,
      'POST',
      inOrganization(stage, `/api/chat/send_message?model_id=${stage.modelId}&chat_id=${chatOf(stage)}&`),
      { content: 'Tell me about the sea.' },
    ),
})

export const READINGS: Reading[] = [
  get('List chats', () => CHATS),
  deep('List chats, page 100', CHATS),
  get('List archived chats', () => `${CHATS}status=ARCHIVED&`),
  get('Get a chat of 10 messages', ({ smallChatId }) => `/api/chat?chat_id=${smallChatId}&`),
  get('Get the largest chat', ({ largeChatId }) => `/api/chat?chat_id=${largeChatId}&`),
  message('Send a message, chat of 10', ({ smallChatId }) => smallChatId),
  message('Send a message, largest chat', ({ largeChatId }) => largeChatId),
  get('Search chats, frequent word', () => '/api/chat/search?q=the&'),
  get('Search chats, rare word', () => '/api/chat/search?q=%22topic77%22&'),
  search('Search a knowledge base of 10 chunks', ({ smallKbId }) => smallKbId),
  search('Search the largest knowledge base', ({ largeKbId }) => largeKbId, { ofOwnSize: true }),
  get(
    'List documents of the largest knowledge base',
    ({ largeKbId }) => `/api/kb/list_documents?kb_id=${largeKbId}&`,
  ),
  get('List knowledge bases', () => '/api/kb/list?'),
  get('List the ledger', () => LEDGER),
  deep('List the ledger, page 100', LEDGER),
  get('List credits in the ledger', () => `${LEDGER}kind=CREDIT&`),
  get('Usage report, 30 days by day', () => '/api/billing/usage?'),
  get('Usage report, by user', () => '/api/billing/usage?group_by=user&', { ofOwnSize: true }),
  get('List the audit log', () => AUDIT),
  deep('List the audit log, page 100', AUDIT),
  get('Audit log of one record', () => `${AUDIT}record_id=absent&`),
  get('Audit log of an old day', () => `${AUDIT}from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z&`),
  get('List members', () => '/api/users/list?', { ofOwnSize: true }),
  get('List roles', () => '/api/roles/list_roles?', { ofOwnSize: true }),
  get('List organizations', () => '/api/org/list?'),
  get('List invitations', () => '/api/invitations/list?'),
  get('Features and their use', () => '/api/org/features?', { ofOwnSize: true }),
  get('List MCP servers', () => '/api/mcp/list_servers?'),
  { name: 'Metrics', send: (stage) => send(stage, 'GET', '/metrics') },
]

/** Follows the cursors of deep pages. */
export async function findCursors(stage: Stage): Promise<void> {
  for (const path of [CHATS, LEDGER, AUDIT]) {
    let cursor = ''
    for (let page = 1; page < DEEP_PAGE; page++) {
      const at = cursor && `cursor=${cursor}&`
      const { pagination, data } = JSON.parse(await send(stage, 'GET', inOrganization(stage, path + at)))
      if (!pagination.has_more || data.length < 20) break
      cursor = pagination.next_cursor
      stage.cursors.set(path, cursor)
    }
  }
}

const inOrganization = ({ person }: Stage, path: string): string => {
  if (path.includes('/api/org/list?')) return path
  return path.includes('/api/kb/list_documents') ? path : `${path}org_id=${person.organizationId}`
}

/** Signs in again. Access tokens expire after 15 minutes, sooner than the fill and the measurement end. */
export async function renewToken(stage: Stage): Promise<void> {
  const { email, password } = stage.person
  const text = await send(stage, 'POST', '/api/auth/login', { email, password })
  stage.person = { ...stage.person, token: JSON.parse(text).access_token }
}

const agent = new Agent({ keepAlive: true })

/** Uses Node's HTTP client, because `fetch` adds about a millisecond in this process. */
export function send(
  { address, person }: Stage,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' }
    const sent = request(address + path, { method, agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () =>
        answer.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${path}: ${answer.statusCode} ${text}`)),
      )
    })
    sent.on('error', reject).end(body && JSON.stringify(body))
  })
}
