import { randomUUID } from 'node:crypto'
import { MATRIX } from '#tests/contract/access-matrix.ts'
import { OPERATIONS, type Operation } from './contract.ts'
import { openInstallation } from './installation.ts'
import { faultsIn, type RawAnswer } from './judge-answer.ts'
import { createChoice } from './random-choice.ts'
import type { Row } from './row.ts'
import { type BadRequest, spoil } from './spoil.ts'
import type { Stage } from './stage.ts'
import { type Installation, makeTenant, type Tenant } from './tenant.ts'
import { callOf, randomRecords } from './tenant-calls.ts'

const AT_ONCE = 8
const TIMEOUT_MS = 60_000

/**
 * Generates requests from openapi.json and corrupts them: types, bounds, sizes, nesting, strings, JSON, headers and
 * cursors. No response may be 5xx or exceed a size limit, every response must match openapi.json, and the server must
 * keep running.
 */
export const badInput: Row = {
  name: 'bad-input',
  // Per commit, two test files with different seeds run 3,000 cases in total.
  cases: { full: 100_000, commit: 1_500 },
  async run(stage, { seed, cases }) {
    const installation = await openInstallation(stage)
    try {
      const tenant = await makeTenant(stage, installation, `own${randomUUID().replaceAll('-', '')}`)
      const failures: string[] = []
      let next = 0
      const work = async (): Promise<void> => {
        while (next < cases) failures.push(...(await tryOne({ stage, tenant, installation }, seed, next++)))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      const alive = await stage.call('GET', '/readyz')
      if (alive.status !== 200) failures.push(`the server is no longer ready: ${alive.text}`)
      return { cases, failures }
    } finally {
      await installation.close()
    }
  },
  brokenBy: [
    {
      without: 'the check for text that cannot be stored',
      edits: [
        {
          file: 'server/platform/http/json-body.ts',
          text: 'if (!isStorable(body)) throw',
          replacement: 'if (false) throw',
        },
      ],
    },
    {
      without: 'the format check of ids',
      edits: [
        {
          file: 'server/platform/http/validation.ts',
          text: "ajv.addFormat('uuid', UUID)",
          replacement: "ajv.addFormat('uuid', true)",
        },
      ],
    },
    {
      without: 'error sentences',
      edits: [
        {
          file: 'server/platform/http/send-error.ts',
          text: 'detail: error.message,',
          replacement: 'message: error.message,',
        },
      ],
    },
  ],
}

/**
 * Operations whose valid calls would delete records that other cases need. Their calls name records that don't exist.
 */
const HARMFUL = [
  'post_org_leave',
  'post_org_transfer_ownership',
  'delete_users_me',
  'delete_auth_sessions',
  'put_users_me',
  'put_org_update',
  'post_auth_totp_begin',
]
/**
 * Expensive operations: they run a sandbox, fetch a website or export everything. Only one in twenty of their cases
 * runs.
 */
const EXPENSIVE = ['post_tools', 'put_tools', 'post_tools_test_tool', 'get_org_export', 'get_users_me_export']
const EXPENSIVE_CHANCE = 0.05

interface Dependencies {
  stage: Stage
  tenant: Tenant
  installation: Installation
}

async function tryOne(
  { stage, tenant, installation }: Dependencies,
  seed: number,
  index: number,
): Promise<string[]> {
  const choice = createChoice(seed * 1_000_003 + index)
  let operation = choice.of(OPERATIONS)
  if (EXPENSIVE.includes(operation.id) && !choice.chance(EXPENSIVE_CHANCE)) operation = choice.of(CHEAP)
  const isKept = operation.method === 'DELETE' || HARMFUL.includes(operation.id)
  const records = isKept || choice.chance(0.2) ? randomRecords() : tenant.records
  const call = callOf(operation, records, installation)
  const request = spoil(choice, operation, { ...call, body: call.body ?? operation.example })
  const answer = await send(
    stage,
    tokenFor(stage, tenant, operation, choice.chance(0.05)),
    operation,
    request,
  )
  const title = `case ${index}: ${operation.method} ${request.path.slice(0, 120)} ${request.corruption}`
  return faultsIn(operation, request, answer).map((fault) => `${title}: ${fault}`)
}

const CHEAP = OPERATIONS.filter(({ id }) => !EXPENSIVE.includes(id))

function tokenFor(
  stage: Stage,
  tenant: Tenant,
  { id, isPublic, path }: Operation,
  isOdd: boolean,
): string | null {
  if (isOdd || isPublic) return isOdd ? 'odd \u00e9' : null
  if (MATRIX[id]?.[0] === 'S') return stage.administrator
  return path.startsWith('/api/agent_deploy/') && MATRIX[id]?.[0] === ''
    ? tenant.tokens.deployment
    : tenant.tokens.owner
}

async function send(
  { url }: Stage,
  token: string | null,
  { method }: Operation,
  { path, body, headers }: BadRequest,
): Promise<RawAnswer> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== null && method !== 'GET' && { body: body as string }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes }
  } catch (error) {
    return { status: 0, headers: new Headers(), bytes: Buffer.from(String((error as Error).cause ?? error)) }
  }
}
