import { expect, test } from 'vitest'
import { MATRIX } from './access-matrix.ts'
import { coverOperations, isChange, OPERATIONS } from './cover-operations.ts'

/* No endpoint escapes: every operation of openapi.json that needs a token is tried here, or in coverage-of-changes. */

coverOperations(OPERATIONS.filter((operation) => !isChange(operation)))

test('there are operations, and each has its line in the matrix, and the other way round', () => {
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(MATRIX).sort())
})
