import { deploymentTables } from '#parts/agent-deploy/index.ts'
import { agentTables } from '#parts/agents/index.ts'
import { apiKeyTables } from '#parts/api-keys/index.ts'
import { billingTables } from '#parts/billing/index.ts'
import { chatTables } from '#parts/chat/index.ts'
import { conversationTables } from '#parts/conversation/index.ts'
import { instructionTables } from '#parts/instructions/index.ts'
import { invitationTables } from '#parts/invitations/index.ts'
import { kbTables } from '#parts/kb/index.ts'
import { modelTables } from '#parts/llm/index.ts'
import { mcpTables } from '#parts/mcp/index.ts'
import { openAiTables } from '#parts/openai/index.ts'
import { orgTables } from '#parts/org/index.ts'
import { roleTables } from '#parts/roles/index.ts'
import { toolTables } from '#parts/tools/index.ts'
import { webhookTables } from '#parts/webhooks/index.ts'
import { auditTables } from '#platform/audit/tables.ts'
import { ledgerTables } from '#platform/ledger/tables.ts'
import { storageTables } from '#platform/storage/tables.ts'
import type { OwnedTables } from '#platform/tables/owned-tables.ts'

/**
 * All tables that contain rows of organizations, in export order: a referenced table precedes the tables that
 * reference it.
 */
export const TABLES: OwnedTables = {
  ...orgTables,
  ...roleTables,
  ...invitationTables,
  ...modelTables,
  ...toolTables,
  ...kbTables,
  ...agentTables,
  ...deploymentTables,
  ...webhookTables,
  ...mcpTables,
  ...instructionTables,
  ...chatTables,
  ...conversationTables,
  ...openAiTables,
  ...storageTables,
  ...ledgerTables,
  ...auditTables,
  ...apiKeyTables,
  ...billingTables,
}
