import { expect, test } from 'vitest'
import { MATRIX } from './access-matrix.ts'
import { coverOperations, isChange, OPERATIONS } from './cover-operations.ts'

/* Every operation of openapi.json that needs a token is tested here or in coverage-of-changes. */

coverOperations(OPERATIONS.filter((operation) => !isChange(operation)))

test('the operations and the lines of the matrix match', () => {
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(MATRIX).sort())
})
