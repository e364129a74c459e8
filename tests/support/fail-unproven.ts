import { afterEach, expect } from 'vitest'
import { takeFailures } from '../tenancy/prover.ts'

/** Fails a test if a tenant's statement was not bound to the tenant, even if the request succeeded. */
afterEach(() => {
  expect(takeFailures()).toEqual([])
})
