import { afterEach, expect } from 'vitest'
import { takeFailures } from '../tenancy/prover.ts'

/** A test fails if a statement that ran for a tenant is not bound to it, whatever became of its request. */
afterEach(() => {
  expect(takeFailures()).toEqual([])
})
