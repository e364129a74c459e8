import { expect } from 'vitest'
import type { Client } from './client.ts'

/** Waits until /readyz answers with this status: a result is up to a second old. */
export const expectReadiness = (server: Client, status: 200 | 503): Promise<void> =>
  expect.poll(async () => (await server.call('GET', '/readyz')).status).toBe(status)
