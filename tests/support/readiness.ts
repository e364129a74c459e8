import { expect } from 'vitest'
import type { Client } from './client.ts'

/** Waits until /readyz returns this status. The server caches its readiness for up to a second. */
export const expectReadiness = (server: Client, status: 200 | 503): Promise<void> =>
  expect.poll(async () => (await server.call('GET', '/readyz')).status).toBe(status)
