import type { OpenDatabase } from '#database/connect.ts'
import { sessionRetention } from '#parts/auth/index.ts'
import { replyKeyRetention } from '#parts/chat/index.ts'
import { invitationRetention } from '#parts/invitations/index.ts'
import { recordRetention } from '#parts/mcp-server/index.ts'
import { responseRetention } from '#parts/openai/index.ts'
import { deliveryRetention } from '#parts/webhooks/index.ts'
import { auditRetention } from '#platform/audit/audit.ts'
import { requestRetention } from '#platform/idempotency/stored-requests.ts'
import type { Services } from '#platform/services.ts'
import { Retention } from '#platform/sweeps/retention.ts'

/**
 * Returns the deletion of old operational records of all parts. pg-boss deletes finished jobs (platform/jobs). Messages
 * and the ledger are never deleted for their age.
 */
export function createRetention({ config: { retentionDays }, database, pacer, log }: Services): Retention {
  const rules = [
    ...sessionRetention,
    ...requestRetention,
    ...replyKeyRetention,
    ...recordRetention,
    ...responseRetention,
    ...invitationRetention(retentionDays.invitations),
    ...deliveryRetention(retentionDays.deliveries),
    ...auditRetention(retentionDays.audit),
  ]
  return new Retention((database as OpenDatabase).sql, rules, { pacer, log })
}
