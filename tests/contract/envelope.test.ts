import { expect, test } from 'vitest'
import { compareOperations, OPERATIONS, PUBLIC } from './compare-envelope.ts'
import { isChange } from './cover-operations.ts'

/*
 * Every operation under /api is asked under /v1 too, with the same: what comes is the same in the envelope, and is what
 * /v1/openapi.json says. An operation that changes anything is asked in two organizations that are alike,
 * in envelope-of-changes.
 */

compareOperations(OPERATIONS.filter((operation) => !isChange(operation)))

test('every public operation has its call here', () => {
  const ids = OPERATIONS.filter(({ isPublic }) => isPublic).map(({ id }) => id)
  expect(ids.sort()).toEqual(Object.keys(PUBLIC).sort())
})
