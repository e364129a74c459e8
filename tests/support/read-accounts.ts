import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, Client } from './client.ts'

/** A GET operation of openapi.json. */
interface Reading {
  path: string
  required: string[]
}

/** The status of a response, and its key values if it is JSON. */
export interface KeyAnswer {
  status: number
  values?: unknown
}

const OPENAPI = join(import.meta.dirname, '../../openapi.json')
/**
 * Operations that are not read. They need more than a session and ids, contact another server, follow a reply, show
 * the test's own sign-ins, or write to the audit log.
 */
const NOT_WALKED = new Set([
  ...[
    '/api/auth/oidc/start',
    '/api/auth/oidc/callback',
    '/api/mcp/callback',
    '/api/mcp/server_with_tools',
    '/api/installation/status',
  ],
  ...[
    '/api/org/get_leave_link',
    '/api/invitations/validate',
    '/api/agent_deploy/get_session',
    '/api/agent_deploy/stream',
  ],
  ...['/api/llm/connections/list_models', '/api/mcp/resources'],
  ...['/api/chat/stream', '/api/auth/sessions', '/api/org/export', '/api/users/me/export'],
])

/**
 * For each id parameter, the list operation that returns such ids. `key` is the id's field in a row, and `needs` are
 * the parameters that the list requires.
 */
const LISTS: Record<string, { path: string; key?: string; needs?: string[] }> = {
  org_id: { path: '/api/org/list' },
  model_id: { path: '/api/llm/list', needs: ['org_id'] },
  chat_id: { path: '/api/chat/list', needs: ['org_id'] },
  invitation_id: { path: '/api/invitations/list', needs: ['org_id'] },
  kb_id: { path: '/api/kb/list', needs: ['org_id'] },
  document_id: { path: '/api/kb/list_documents', key: 'documents', needs: ['kb_id'] },
  evaluation_id: { path: '/api/kb/evaluations/list', needs: ['kb_id'] },
  run_id: { path: '/api/kb/evaluations/list_runs', needs: ['kb_id', 'evaluation_id'] },
  tool_id: { path: '/api/tools/list_all' },
  server_id: { path: '/api/mcp/list_servers' },
  agent_id: { path: '/api/agents/list', needs: ['org_id'] },
  conversation_id: { path: '/api/conversation/list', needs: ['org_id'] },
  deployment_id: { path: '/api/agent_deploy/list', needs: ['org_id'] },
  instruction_id: { path: '/api/instructions/list', needs: ['org_id'] },
  webhook_id: { path: '/api/webhooks/list', needs: ['org_id'] },
}
/** Values of required parameters that aren't ids. */
const GIVEN: Record<string, string> = { q: 'shop', email: 'jonas@lighthouse.example' }

/** Returns all GET operations except NOT_WALKED. */
export function readOperations(): Reading[] {
  const { paths } = JSON.parse(readFileSync(OPENAPI, 'utf8'))
  return (
    Object.entries(paths as Record<string, { get?: { parameters?: { name: string; required?: boolean }[] } }>)
      // Paths with ids belong to the APIs for other clients, whose records are not part of the dumps.
      .filter(([path, { get }]) => get && !path.includes('{') && !NOT_WALKED.has(path))
      .map(([path, { get }]) => ({
        path,
        required: (get?.parameters ?? []).filter(({ required }) => required).map(({ name }) => name),
      }))
  )
}

/**
 * Calls every read operation as the holder of a token, with every id that the lists return. Returns the responses by
 * path and query. Omits ids of rows that were created after the dump. Throws if a required parameter has neither a
 * list nor a value.
 */
export async function readAccount(
  client: Client,
  token: string,
  dumpedAt: string,
): Promise<Record<string, KeyAnswer>> {
  const asked = new Map<string, Promise<Answer>>()
  const ask = (
    path: string,
    values: Values,
    names: readonly string[],
  ): { at: string; answer: Promise<Answer> } => {
    const query = new URLSearchParams(names.map((name): [string, string] => [name, values[name] ?? '']))
    const at = query.size > 0 ? `${path}?${query}` : path
    const answer = asked.get(at) ?? client.call('GET', at, { token })
    asked.set(at, answer)
    return { at, answer }
  }

  /** Returns every combination of values for the named parameters, added to `values`. */
  async function combine([name, ...others]: readonly string[], values: Values): Promise<Values[]> {
    if (name === undefined) return [values]
    const given = GIVEN[name]
    if (given !== undefined) return combine(others, { ...values, [name]: given })
    const { path, key = 'data', needs = [] } = listOf(name)
    const { status, body } = await ask(path, values, needs).answer
    const combined: Values[] = []
    for (const { id } of status === 200 ? body[key] : [])
      combined.push(...(await combine(others, { ...values, [name]: id })))
    return combined
  }

  const answers: Record<string, KeyAnswer> = {}
  for (const { path, required } of readOperations()) {
    const queries = await combine(withNeeds(required), {})
    await Promise.all(
      queries.map(async (values) => {
        const { at, answer } = ask(path, values, required)
        answers[at] = keyAnswerOf(await answer, Date.parse(dumpedAt))
      }),
    )
  }
  return answers
}

type Values = Record<string, string>

function listOf(name: string): { path: string; key?: string; needs?: string[] } {
  const list = LISTS[name]
  if (!list) throw new Error(`tests/support/read-accounts.ts has no list for the parameter ${name}`)
  return list
}

/** Sorts parameters so that each parameter follows the parameters that its list requires. */
const withNeeds = (names: readonly string[]): string[] => [
  ...new Set(
    names.flatMap((name) =>
      GIVEN[name] === undefined ? [...withNeeds(listOf(name).needs ?? []), name] : [name],
    ),
  ),
]

/**
 * Fields whose values must stay equal across versions. They identify records or contain amounts. Times, addresses and
 * cursors are excluded.
 */
const KEY_FIELDS = new Set([
  ...[
    'id',
    'name',
    'title',
    'email',
    'kind',
    'type',
    'action',
    'role',
    'status',
    'content',
    'question',
    'text',
  ],
  ...['code', 'document_name', 'number', 'amount', 'balance', 'credits', 'credits_per_month', 'total'],
])
/** Lists with one row per day. Their first day depends on the current date. */
const BY_DAY = new Set(['daily', 'rows'])

function keyAnswerOf({ status, body, headers }: Answer, dumpedMs: number): KeyAnswer {
  // For errors and for exports, which are files, only the status is compared.
  if (status !== 200 || !headers.get('content-type')?.includes('json')) return { status }
  return { status, values: keyValuesOf(body, dumpedMs) }
}

function keyValuesOf(value: unknown, dumpedMs: number): unknown {
  if (Array.isArray(value)) return value.map((one) => keyValuesOf(one, dumpedMs))
  if (typeof value !== 'object' || value === null) return value
  const isKey = (name: string, one: unknown): boolean =>
    typeof one === 'object' && one !== null
      ? !BY_DAY.has(name)
      : KEY_FIELDS.has(name) && !(name === 'id' && madeAt(String(one)) > dumpedMs)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => isKey(name, one))
      .map(([name, one]): [string, unknown] => [name, keyValuesOf(one, dumpedMs)])
      .filter(([, one]) => !isEmpty(one)),
  )
}

/** Returns the creation time of a UUIDv7 in milliseconds. Returns NaN for other ids. */
const madeAt = (id: string): number =>
  Number.parseInt(/^([\da-f]{8})-([\da-f]{4})-7/.exec(id)?.slice(1).join('') ?? '', 16)

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
