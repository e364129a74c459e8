import { expect, test } from 'vitest'
import { compareOperations, OPERATIONS, PUBLIC } from './compare-envelope.ts'
import { isChange } from './cover-operations.ts'

/*
 * Calls every operation of /api under /v1 with the same request: the response must be the same in the envelope,
 * and match /v1/openapi.json. Operations that change data run in two identical organizations, in
 * envelope-of-changes.
 */

compareOperations(OPERATIONS.filter((operation) => !isChange(operation)))

test('every public operation has a call here', () => {
  const ids = OPERATIONS.filter(({ isPublic }) => isPublic).map(({ id }) => id)
  expect(ids.sort()).toEqual(Object.keys(PUBLIC).sort())
})
