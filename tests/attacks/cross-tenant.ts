import { randomUUID } from 'node:crypto'
import { type Call, MATRIX } from '#tests/contract/access-matrix.ts'
import type { Answer } from '#tests/support/client.ts'
import type { Operation } from './contract.ts'
import { tryChannels } from './cross-tenant-channels.ts'
import { openInstallation } from './installation.ts'
import { shuffled } from './random-choice.ts'
import type { Outcome, Row } from './row.ts'
import type { Kind, Slot } from './slots.ts'
import type { Stage } from './stage.ts'
import { type Insider, type Installation, makeTenant, type Records, type Tenant } from './tenant.ts'
import { callOf, callWith, has, put, randomId, randomRecords, SLOTS } from './tenant-calls.ts'

/*
 * Puts another tenant's id into every parameter that takes an id, as a caller in every role. The response must equal
 * the response for a random id. No response may contain the victim's data, and the victim's data must not change.
 */

type Attacker = Insider | 'nobody'
const ATTACKERS: readonly Attacker[] = [
  'owner',
  'admin',
  'member',
  'guest',
  'custom',
  'API key',
  'deployment',
  'visitor',
  'nobody',
]

/** The origin of the id in the slot. For `everything foreign`, all slots of the request contain the victim's ids. */
type Origin = 'foreign' | "a member's own" | 'deleted' | 'everything foreign'

interface Case {
  slot: Slot
  attacker: Attacker
  origin: Origin
}

/** Slots whose operation skips an unknown id, so it also succeeds for a random id. */
const SILENTLY_SKIPPED = [
  'post_chat_bulk_delete_sessions body.chat_ids[]', // returns the id in not_found
  'post_invitations_bulk_create body.invitations[].role_id', // reports an error for the item
  'get_audit_list query.actor_id', // the filter matches nothing
  'get_audit_list query.record_id',
  'get_billing_budgets_list query.user_id',
  'post_kb_search body.filter.document_id',
  'get_kb_get_document query.chunk_id', // the id selects the page
]
/** Slots that accept ids of other tenants by design. */
const OPEN_TO_ALL = [
  'post_agent_deploy_create_visitor query.deployment_id', // public pages contain the id
  'post_org_add_member body.user_id', // any user can be added and may leave
]
const AT_ONCE = 6

export const crossTenant: Row = {
  name: 'cross-tenant',
  cases: { full: Number.POSITIVE_INFINITY, commit: 300 },
  async run(stage, { seed, cases }) {
    const installation = await openInstallation(stage)
    try {
      return await attack(stage, installation, { seed, cases })
    } finally {
      await installation.close()
    }
  },
  brokenBy: [
    {
      without: "the user condition in a scope's statements",
      edits: [
        {
          file: 'server/platform/access/scoped-database.ts',
          text: 'table.userId && eq(table.userId, owner.userId), where)',
          replacement: 'where)',
        },
      ],
    },
    {
      without: 'the organization in the audience of an event',
      edits: [
        {
          file: 'server/platform/access/audience.ts',
          text: 'join roles_wanted w on w.organization_id = m.organization_id and w.role_id = m.role_id',
          replacement: 'join roles_wanted w on true',
        },
      ],
    },
    {
      without: 'the instance in the signature of a gateway URL',
      edits: [
        {
          file: 'server/parts/mcp/gateway.ts',
          text: '{instanceId}\\n$',
          replacement: '{expires}\\n$',
        },
      ],
    },
    {
      without: "the organization condition in a scope's statements",
      edits: [
        {
          file: 'server/platform/access/scoped-database.ts',
          text: 'and(eq(table.organizationId, owner.organizationId), table.userId && eq(table.userId, owner.userId), where)',
          replacement: 'and(where)',
        },
      ],
    },
  ],
}

async function attack(
  stage: Stage,
  installation: Installation,
  { seed, cases }: { seed: number; cases: number },
): Promise<Outcome> {
  const markers = [
    `leak${randomUUID().replaceAll('-', '')}`,
    `own${randomUUID().replaceAll('-', '')}`,
  ] as const
  const [victim, attacker] = await Promise.all(
    markers.map((marker) => makeTenant(stage, installation, marker)),
  )
  if (!victim || !attacker) throw new Error('there are no tenants')
  const before = await snapshot(stage, victim, installation)
  const { slots, unknown } = SLOTS
  const failures = unknown.map((place) => `${place} has no kind: add it to slots.ts`)
  const all = casesOf(slots, victim, attacker)
  const chosen = shuffled(all, seed).slice(0, cases)
  const deps = { stage, installation, victim, attacker, marker: markers[0], references: new Map() }
  const waiting = [...chosen]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) failures.push(...(await tryCase(deps, next)))
    }),
  )
  failures.push(...changesIn(before, await snapshot(stage, victim, installation)))
  const channels = await tryChannels(deps)
  failures.push(...channels.failures)
  let count = chosen.length + channels.cases
  if (chosen.length === all.length) {
    const controls = await tryOwn(deps, slots)
    failures.push(...controls.failures)
    count += controls.cases
  }
  return { cases: count, failures }
}

export interface Dependencies {
  stage: Stage
  installation: Installation
  victim: Tenant
  attacker: Tenant
  /** A string that all texts of the victim contain. */
  marker: string
  /** The responses for random ids, by request. */
  references: Map<string, Promise<Answer>>
}

function casesOf(slots: readonly Slot[], victim: Tenant, attacker: Tenant): Case[] {
  return slots
    .filter(({ operation, place }) => !OPEN_TO_ALL.includes(`${operation.id} ${place}`))
    .flatMap((slot) => {
      const origins: [Origin, boolean][] = [
        ['foreign', victim.records[slot.kind] !== undefined],
        ["a member's own", slot.kind !== 'organization' && isPersonal(slot.kind, attacker)],
        ['deleted', attacker.deleted[slot.kind] !== undefined],
        ['everything foreign', true],
      ]
      return ATTACKERS.flatMap((who) =>
        origins
          .filter(([origin, exists]) => exists && !(origin === "a member's own" && who === 'member'))
          // Skips routes of OpenAI and Anthropic clients for a deployment's key. Such a key is bound to one agent, and the server ignores the
          // organization and the model in the request.
          .filter(() => !(who === 'deployment' && /^\/(openai|anthropic)\//.test(slot.operation.path)))
          .map(([origin]) => ({ slot, attacker: who, origin })),
      )
    })
}

/**
 * Returns whether records of this kind are visible only to their user. For such kinds, the member and the owner have
 * different records.
 */
const isPersonal = (kind: Kind, { records, membersOwn }: Tenant): boolean =>
  membersOwn[kind] !== undefined && membersOwn[kind] !== records[kind]

async function tryCase(deps: Dependencies, { slot, attacker: who, origin }: Case): Promise<string[]> {
  const { victim, attacker, marker } = deps
  const { operation, place, kind } = slot
  const sources: Record<Origin, Records> = {
    foreign: victim.records,
    'everything foreign': victim.records,
    "a member's own": attacker.membersOwn,
    deleted: attacker.deleted,
  }
  const id = sources[origin][kind] ?? ''
  const base = origin === 'everything foreign' ? victim : attacker
  const isForeign = base === victim
  const answer = await send(deps, operation, who, callWith(deps.installation, slot, base.records, id))
  const key = `${operation.id} ${place} ${kind} ${who} ${isForeign}`
  const reference =
    deps.references.get(key) ??
    send(
      deps,
      operation,
      who,
      callWith(deps.installation, slot, isForeign ? randomRecords() : base.records, randomId(kind)),
    )
  deps.references.set(key, reference)
  const expected = await reference
  const attempt = `${operation.id} ${place}=${kind} (${origin}) by ${who}`
  const failures: string[] = []
  if (answer.text.replaceAll(id, '').includes(marker))
    failures.push(`${attempt}: the response contains the victim's text`)
  if (answer.status >= 500) failures.push(`${attempt}: ${answer.status} ${answer.text.slice(0, 200)}`)
  const [actualShape, expectedShape] = [shapeOf(answer, id), shapeOf(expected, id)]
  // For records of the caller's own organization, the error may name the missing permission.
  const isPermissionError = !isForeign && origin !== 'foreign' && answer.text.includes('Missing permission')
  if (actualShape !== expectedShape && !isPermissionError)
    failures.push(`${attempt}: ${actualShape.slice(0, 160)} instead of ${expectedShape.slice(0, 160)}`)
  if (answer.status < 300 && !SILENTLY_SKIPPED.includes(`${operation.id} ${place}`))
    failures.push(`${attempt}: ${answer.status} ${answer.text.slice(0, 160)}`)
  return failures
}

/** Returns the status and the body without values that differ in each response. */
const shapeOf = ({ status, text }: Answer, id: string): string =>
  `${status} ${text
    .replaceAll(id, '(id)')
    .replaceAll(/(msg_|name )?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '(id)')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')}`

async function send(
  { stage, attacker }: Pick<Dependencies, 'stage' | 'attacker'>,
  operation: Operation,
  who: Attacker,
  { query, body }: Call,
): Promise<Answer> {
  // Sends the admin's requests under /v1, so that both URL prefixes are covered.
  const prefixed = who === 'admin' ? operation.path.replace('/api/', '/v1/') : operation.path
  const path = `${prefixed}?${new URLSearchParams(query)}`
  const token = who === 'nobody' ? undefined : attacker.tokens[who]
  if (!operation.takesFile)
    return stage.call(operation.method, path, {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
    })
  const form = new FormData()
  form.set('file', new Blob(['a note'], { type: 'text/plain' }), 'note.txt')
  const response = await fetch(stage.url + path, {
    method: operation.method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: form,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: undefined }
}

/** Operations to call last, because they delete records that the other calls need. */
const LAST = ['delete_kb_delete', 'delete_conversation_delete', 'delete_org_delete']
/**
 * Operations that must not be called as the owner. They would end the session, membership or account that the other
 * calls need.
 */
const NOT_OWN = ['delete_users_me', 'post_org_leave', 'post_org_transfer_ownership']

/**
 * Slots whose response is the same for an own id and a random id. Some are filters that match nothing in the owner's
 * small tenant. The others select the only page of a document.
 */
const SAME_EITHER_WAY = ['query.record_id', 'query.chunk_id']

/**
 * Repeats the calls with the owner's own ids, whose responses must differ from the responses for random ids.
 * Otherwise, the cases would prove nothing.
 */
async function tryOwn(deps: Dependencies, slots: readonly Slot[]): Promise<Outcome> {
  const failures: string[] = []
  const order = (operation: Operation): number =>
    ['GET', 'POST', 'PUT', 'DELETE'].indexOf(operation.method) + 10 * LAST.indexOf(operation.id)
  const own = slots
    .filter(({ operation }) => !operation.isPublic && !NOT_OWN.includes(operation.id))
    .sort((a, b) => order(a.operation) - order(b.operation))
  let cases = 0
  for (const operation of new Set(own.map((slot) => slot.operation))) {
    const ofOperation = own.filter(
      (slot) => slot.operation === operation && !SAME_EITHER_WAY.includes(slot.place),
    )
    const { attacker, installation } = deps
    const call = callOf(operation, attacker.records, installation)
    const inCall = ofOperation.filter(({ place }) => has(call, place))
    const optional = operation.method === 'DELETE' ? [] : ofOperation.filter(({ place }) => !has(call, place))
    const who =
      operation.path.startsWith('/api/agent_deploy/') && MATRIX[operation.id]?.[0] === ''
        ? 'deployment'
        : 'owner'
    const compare = async (answer: Answer, slot: Slot): Promise<void> => {
      const reference = await deps.references.get(`${operation.id} ${slot.place} ${slot.kind} ${who} false`)
      cases += 1
      if (reference && shapeOf(answer, '-') === shapeOf(reference, '-'))
        failures.push(
          `${operation.id} ${slot.place}: an own id gets the response of a random one, ${answer.status}`,
        )
    }
    if (inCall.length > 0) {
      const answer = await send(deps, operation, who, call)
      for (const slot of inCall) await compare(answer, slot)
    }
    for (const slot of optional)
      await compare(
        await send(deps, operation, who, put(call, slot.place, attacker.records[slot.kind] ?? '')),
        slot,
      )
  }
  return { cases, failures }
}

/** Exports, which are files, and a list that changes continuously. */
const NOT_COMPARED = ['get_org_export', 'get_chat_export', 'get_webhooks_deliveries']

/**
 * Returns all responses that the victim's owner can read, by operation. Omits fields that change when they are read.
 */
async function snapshot(
  stage: Stage,
  victim: Tenant,
  installation: Installation,
): Promise<Map<string, string>> {
  const seen = new Map<string, string>()
  for (const operation of new Set(SLOTS.slots.map((slot) => slot.operation))) {
    if (operation.method !== 'GET' || NOT_COMPARED.includes(operation.id)) continue
    const call = callOf(operation, victim.records, installation)
    const answer = await send({ stage, attacker: victim }, operation, 'owner', call)
    seen.set(operation.id, withoutTimes(answer.text))
  }
  return seen
}

const withoutTimes = (text: string): string =>
  text
    .replaceAll(/"(last_used_at|expires_at|request_id)":"[^"]*"/g, '')
    .replaceAll(/(expires|signature)=[\w-]+/g, '')
    // A 404 names the address that was looked for, which is a random one.
    .replaceAll(/[0-9a-f-]{36}@example\.com/g, '')

const changesIn = (before: Map<string, string>, after: Map<string, string>): string[] =>
  [...before]
    .filter(([id, text]) => after.get(id) !== text)
    .map(
      ([id, text]) =>
        `${id}: the victim reads ${after.get(id)?.slice(0, 300)} instead of ${text.slice(0, 300)}`,
    )
