import type { Client } from './client.ts'
import { administratorToken } from './tenants.ts'

export const SUSPENSION_REASON = 'Invoice 2041 is unpaid.'

/** Suspends an organization as the system administrator. */
export const suspend = (server: Client, organizationId: string): Promise<void> =>
  administer(server, organizationId, 'suspend', { reason: SUSPENSION_REASON })

export const liftSuspension = (server: Client, organizationId: string): Promise<void> =>
  administer(server, organizationId, 'lift_suspension')

async function administer(
  server: Client,
  organizationId: string,
  action: string,
  body?: object,
): Promise<void> {
  const token = await administratorToken(server)
  const answer = await server.call('POST', `/api/org/${action}?org_id=${organizationId}`, { token, body })
  if (answer.status !== 200) throw new Error(answer.text)
}
