import { expect, test } from 'vitest'
import { covers, SYSTEM_ROLES } from '#platform/access/permissions.ts'
import { CUSTOM_ROLE, KEY_PERMISSIONS, MATRIX, PEOPLE, type Somebody } from './access-matrix.ts'
import { coverOperations, isOfOne, OPERATIONS, type Operation } from './cover-operations.ts'

/*
 * The callers of each operation. One operation of each kind of declaration is tried as every caller of the matrix, and every
 * other one as the least privileged caller that it admits, and as a stranger or the most privileged caller that it refuses.
 * The gate tries all callers of all operations (coverage.test.ts).
 */

/** Returns the permission that an operation declares, and the callers that the matrix admits. */
const declarationOf = ({ id, permission }: Operation): string => `${permission} ${MATRIX[id]?.[0]}`
const firstOfKind = new Map(OPERATIONS.toReversed().map((one) => [declarationOf(one), one]))

/** Ordered from the most to the least privileged. */
const PRIVILEGES: readonly Somebody[] = PEOPLE

function callersOf(operation: Operation): Somebody[] {
  const [allowed = ''] = MATRIX[operation.id] ?? []
  if (firstOfKind.get(declarationOf(operation)) === operation) return [...PRIVILEGES]
  const admitted = PRIVILEGES.findLast((one) => allowed.includes(one))
  // If it belongs to one organization, coverOperations calls it as a stranger.
  const refused = isOfOne(operation) ? undefined : PRIVILEGES.find((one) => !allowed.includes(one))
  return [admitted, refused].filter((one) => one !== undefined)
}

coverOperations(OPERATIONS, callersOf)

test('the operations and the lines of the matrix match', () => {
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(MATRIX).sort())
})

const permissionsOf = (name: string): string[] =>
  SYSTEM_ROLES.find((role) => role.name === name)?.permissions ?? []
const GRANTED: Partial<Record<Somebody, readonly string[]>> = {
  O: permissionsOf('owner'),
  A: permissionsOf('admin'),
  M: permissionsOf('member'),
  G: permissionsOf('guest'),
  C: CUSTOM_ROLE.permissions,
  K: KEY_PERMISSIONS,
}

const FOR_OWNERS = /^post_org_transfer_ownership$|^put_users_update$/
/** The system administrator reads what only they change. */
const ALSO_SYSTEM = ['get_org_features']
const FROM_LEVEL_80 = /^\w+_invitations_|^post_users_invite$/

test.each(OPERATIONS.filter(isOfOne).map((one) => [one.id, one] as const))(
  '%s admits in the matrix exactly the callers who hold its permission',
  (id, { permission = '' }) => {
    const holders = PRIVILEGES.filter((one) => covers(GRANTED[one] ?? [], permission))
    const reach = FOR_OWNERS.test(id) ? 'O' : FROM_LEVEL_80.test(id) ? 'OA' : PRIVILEGES.join('')
    const admitted = holders.filter((one) => reach.includes(one)).join('')
    expect(MATRIX[id]?.[0]).toBe(ALSO_SYSTEM.includes(id) ? `${admitted}S` : admitted)
  },
)
