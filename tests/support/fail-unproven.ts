import { afterEach, expect } from 'vitest'
import { takeFailures } from '../tenancy/prover.ts'

/** Fails a test if a tenant's statement isn't bound to the tenant, even if its request succeeded. */
afterEach(() => {
  expect(takeFailures()).toEqual([])
})
