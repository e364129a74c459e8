import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { suspend } from '#tests/support/suspension.ts'
import type { Fixture } from './access-matrix.ts'
import {
  callOf,
  FIXTURES_TIMEOUT_MS,
  IN_EVERY_ORGANIZATION,
  OPERATIONS,
  type Operation,
} from './cover-operations.ts'
import { EVERYTHING, gatherSociety, makeRecords, type Society } from './fixture.ts'

/** A suspended organization refuses its owner every change but these (docs/suspension.md). The last deletes it. */
const ALLOWED = [
  'post_chat_stop',
  'post_conversation_stop',
  'delete_api_keys_delete',
  'delete_users_remove',
  'delete_invitations_revoke',
  'delete_mcp_instance',
  'delete_org_delete',
]

let society: Society
let fixture: Fixture
beforeAll(async () => {
  society = await gatherSociety()
  fixture = await makeRecords(society, [...EVERYTHING, 'memberId'])
  await suspend(society.server, fixture.organizationId)
}, FIXTURES_TIMEOUT_MS)
afterAll(() => society.stop())

const send = ({ id, method, path }: Operation): Promise<Answer> => {
  const { query, body } = callOf(id)(fixture)
  return society.server.call(method, `${path}?${new URLSearchParams(query)}`, {
    token: society.people.O.token,
    ...(body !== undefined && { body }),
  })
}

test('a suspended organization allows requests that read, stop replies, revoke access or delete it', async () => {
  const inOne = OPERATIONS.filter(({ id, isScoped }) => isScoped && !IN_EVERY_ORGANIZATION.includes(id))
  const refused: string[] = []
  // The allowed changes come last, because they delete records that other operations name.
  const rank = ({ id }: Operation): number => ALLOWED.indexOf(id)
  for (const operation of inOne.toSorted((a, b) => rank(a) - rank(b))) {
    const { id } = operation
    const { status, text } = await send(operation)
    if (status === 403 && text.includes('This organization is suspended')) refused.push(id)
    // No reply is in progress, so there is none to stop.
    else if (ALLOWED.includes(id)) expect([id, status]).toEqual([id, id.endsWith('stop') ? 409 : 200])
  }
  const expected = inOne.filter(({ id, method }) => method !== 'GET' && !ALLOWED.includes(id))
  expect(refused.toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
})
