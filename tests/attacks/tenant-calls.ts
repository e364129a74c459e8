import { randomUUID } from 'node:crypto'
import { type Call, MATRIX } from '#tests/contract/access-matrix.ts'
import { type Operation, withValueAt } from './contract.ts'
import { findSlots, type Kind, type Slot } from './slots.ts'
import { fixtureOf, type Installation, type Records } from './tenant.ts'

/** Returns a valid call of the slot's operation, with `id` in the slot. */
export function callWith(installation: Installation, slot: Slot, records: Records, id: string): Call {
  const { query, ...call } = callOf(slot.operation, records, installation)
  // A request must not name two organizations, one in the query and one in the body.
  const { org_id: _named, ...others } = query ?? {}
  const isNamedInBody = slot.place === 'body.org_id'
  return put({ ...call, query: isNamedInBody ? others : (query ?? {}) }, slot.place, id)
}

/**
 * Replacements for calls of access-matrix.ts that would fail too early: a search that finds a passage, and a proof
 * that passes authentication.
 */
const BETTER: Record<string, Call> = {
  post_kb_search: { body: { query: 'note' } },
  post_auth_factors_remove: { body: { factor_id: '', proof: { password: 'correct horse battery' } } },
}

/** Returns the call of access-matrix.ts for an operation, with ids from `records` in all slots. */
export function callOf(operation: Operation, records: Records, installation: Installation): Call {
  const call = MATRIX[operation.id]?.[1](fixtureOf(records, installation)) ?? {}
  Object.assign(call, BETTER[operation.id])
  const { slots } = SLOTS
  return slots
    .filter((slot) => slot.operation.id === operation.id && has(call, slot.place))
    .reduce((made, { place, kind }) => put(made, place, records[kind] ?? ''), call)
}

export const SLOTS = findSlots()

export const has = ({ query, body }: Call, place: string): boolean => {
  const [where, name = ''] = place.split(/\.(.*)/)
  const values = where === 'query' ? query : (body as Record<string, unknown> | undefined)
  return values !== undefined && name in values
}

export const put = (call: Call, place: string, id: string): Call => {
  const [where, path = ''] = place.split(/\.(.*)/)
  if (where === 'query') return { ...call, query: { ...call.query, [path]: id } }
  return { ...call, body: withValueAt(call.body, path, id) }
}

export const randomId = (kind: Kind): string => {
  if (kind === 'delivery') return `msg_${randomUUID()}`
  return kind === 'agentName' || kind === 'modelName' ? `name ${randomUUID()}` : randomUUID()
}

/** Returns a random id for each kind of record. */
export const randomRecords = (): Records =>
  Object.fromEntries(SLOTS.slots.map(({ kind }) => [kind, randomId(kind)])) as Records
