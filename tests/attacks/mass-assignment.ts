import { randomUUID } from 'node:crypto'
import { type Call, MATRIX } from '#tests/contract/access-matrix.ts'
import type { Answer } from '#tests/support/client.ts'
import { OPERATIONS, type Operation, placesIn, withValueAt } from './contract.ts'
import { openInstallation } from './installation.ts'
import { shuffled } from './random-choice.ts'
import type { Outcome, Row } from './row.ts'
import type { Stage } from './stage.ts'
import { makeTenant, type Tenant } from './tenant.ts'
import { callOf } from './tenant-calls.ts'
import { isValidBody } from './validate.ts'

/**
 * Adds fields that clients must not set to every query and to each level of every body. The server must reject each
 * field, and name it in the error.
 */
export const massAssignment: Row = {
  name: 'mass-assignment',
  cases: { full: Number.POSITIVE_INFINITY, commit: 500 },
  async run(stage, { seed, cases }) {
    const installation = await openInstallation(stage)
    try {
      const tenant = await makeTenant(stage, installation, `own${randomUUID().replaceAll('-', '')}`)
      const before = await balanceOf(stage, tenant)
      const attempts = OPERATIONS.flatMap((operation) => {
        const call = callOf(operation, tenant.records, installation)
        return [...attemptsOn(operation, call), ...attemptsOnQuery(operation, call)]
      })
      const chosen = shuffled(attempts, seed).slice(0, cases)
      const failures: string[] = []
      for (const attempt of chosen) failures.push(...(await tryAttempt(stage, tenant, attempt)))
      failures.push(...(await effectsOn(stage, tenant, before)))
      return { cases: chosen.length, failures }
    } finally {
      await installation.close()
    }
  },
  brokenBy: [
    {
      without: 'closed bodies',
      edits: [
        {
          file: 'server/platform/http/schemas.ts',
          text: 'Type.Object(properties, { ...options, additionalProperties: false })',
          replacement: 'Type.Object(properties, options)',
        },
      ],
    },
    {
      without: 'closed queries',
      edits: [
        {
          file: 'server/platform/http/register-routes.ts',
          text: 'querystring: query,',
          replacement: '...(route.query && { querystring: route.query }),',
        },
      ],
    },
  ],
}

/** Fields that clients must not set, with harmful values. */
const SMUGGLED: Record<string, unknown> = {
  id: randomUUID(),
  organization_id: randomUUID(),
  user_id: randomUUID(),
  created_by: randomUUID(),
  is_system_admin: true,
  is_system_role: true,
  role: 'owner',
  role_id: randomUUID(),
  hierarchy_level: 1_000,
  permissions: ['*:*'],
  balance: 1e12,
  credits: 1e12,
  status: 'ACTIVE',
  is_public: true,
  email_verified_at: '2020-01-01T00:00:00.000Z',
  password_hash: 'x',
  key_hash: 'x',
  api_key: 'smuggled',
  created_at: '2020-01-01T00:00:00.000Z',
  updated_at: '2020-01-01T00:00:00.000Z',
  deleted_at: null,
  organizationId: randomUUID(),
  userId: randomUUID(),
  isSystemAdmin: true,
  ['__proto__']: { is_system_admin: true },
  constructor: { prototype: { is_system_admin: true } },
  prototype: { is_system_admin: true },
}
/** Paths where extra fields are ignored, because OpenAI clients and providers' redirects send them. */
const MAY_IGNORE = /^\/(openai|anthropic)\/|\/callback$/

interface Attempt {
  operation: Operation
  what: string
  call: Call
  /** The field name that the error must contain. Null if another rule may reject the request first. */
  name: string | null
}

function attemptsOn(operation: Operation, call: Call): Attempt[] {
  const { body: schema, example } = operation
  if (schema === null) return []
  const names = Object.keys(SMUGGLED)
  const body = call.body ?? example ?? {}
  const levels = placesIn(schema).filter((place) => place.schema.additionalProperties === false)
  return levels.flatMap(({ path: level, schema: closed }) =>
    names
      .filter((name) => !(name in (closed.properties ?? {})))
      .map(
        (name): Attempt => ({
          operation,
          what: `${operation.id} ${level === '' ? '' : `${level}.`}${name}`,
          call: {
            ...call,
            body: withValueAt(body, level === '' ? name : `${level}.${name}`, SMUGGLED[name]),
          },
          name:
            level === '' && schema.maxProperties === undefined && isValidBody(operation, body) ? name : null,
        }),
      ),
  )
}

function attemptsOnQuery(operation: Operation, call: Call): Attempt[] {
  const known = operation.parameters.map(({ name }) => name)
  const smuggled = Object.entries(SMUGGLED).filter(
    ([name, value]) => typeof value !== 'object' && !known.includes(name),
  )
  const isComplete = operation.parameters.every(
    ({ name, in: place, required }) => place !== 'query' || !required || name in (call.query ?? {}),
  )
  const isValid = isComplete && (operation.body === null || isValidBody(operation, call.body))
  return smuggled.map(([name, value]) => ({
    operation,
    what: `${operation.id} ?${name}`,
    call: { ...call, query: { ...call.query, [name]: String(value) } },
    name: isValid ? name : null,
  }))
}

async function tryAttempt(stage: Stage, tenant: Tenant, { operation, what, call, name }: Attempt) {
  const answer = await send(stage, tenant, operation, call)
  const isRefused = [400, 422].includes(answer.status)
  const fault = `${what}: ${answer.status} ${answer.text.slice(0, 200)}`
  if (answer.status >= 500) return [fault]
  if (MAY_IGNORE.test(operation.path))
    return answer.text.includes('is_system_admin') && !isRefused ? [fault] : []
  if (answer.status < 300) return [fault]
  return isRefused && name !== null && !answer.text.includes(name) ? [fault] : []
}

const send = (stage: Stage, tenant: Tenant, operation: Operation, { query, body }: Call): Promise<Answer> => {
  const token = MATRIX[operation.id]?.[0] === 'S' ? stage.administrator : tenant.tokens.owner
  return stage.call(operation.method, `${operation.path}?${new URLSearchParams(query)}`, {
    ...(!operation.isPublic && { token }),
    ...(body !== undefined && { body }),
  })
}

const balanceOf = async (stage: Stage, { organizationId, tokens }: Tenant): Promise<number> =>
  (await stage.call('GET', `/api/billing/balance?org_id=${organizationId}`, { token: tokens.owner })).body
    .balance

/** Checks that no smuggled field has had an effect. */
async function effectsOn(stage: Stage, tenant: Tenant, balance: number): Promise<Outcome['failures']> {
  const { organizationId, tokens } = tenant
  const asSystem = await stage.call('PUT', `/api/org/features?org_id=${organizationId}`, {
    token: tokens.owner,
    body: { chat_uploads: 1_000 },
  })
  const after = await balanceOf(stage, tenant)
  const me = await stage.call('GET', '/api/users/me', { token: tokens.owner })
  return [
    ...(asSystem.status === 403 ? [] : [`the owner became system administrator: ${asSystem.status}`]),
    ...(after <= balance ? [] : [`the balance went from ${balance} to ${after}`]),
    ...(me.status === 200 ? [] : [`the owner is signed out: ${me.status}`]),
  ]
}
