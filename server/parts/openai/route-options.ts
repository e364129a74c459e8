import Type from 'typebox'
import { OpenQuery, OrgId } from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import { MODEL_FAILURES } from '../llm/index.ts'

/**
 * Accepts a user's access token, an API key, or a deployment's key. The organization is that of `org_id` or of the
 * key, or else the user's personal organization.
 */
export const access = { permission: 'chats:write', orgOf: 'query or personal', orDeployment: true } as const
export const query = OpenQuery({ org_id: Type.Optional(OrgId) })
/** Maximum size of a request body. Sufficient for a few images in base64. */
export const BODY_BYTES_MAX = 20 * 1024 * 1024
export const ERRORS = [
  'org.not_found',
  'deployment.not_api',
  'deployment.paused',
  'openai.model_not_found',
  'llm.inactive',
  'llm.not_configured',
  'llm.no_member',
  ...MODEL_FAILURES,
  'billing.insufficient_credits',
  ...LIMIT_ERRORS,
  'billing.key_budget_exceeded',
  'billing.member_budget_exceeded',
] as const
export const GENERATION_ERRORS = [
  ...ERRORS,
  'agent.inactive',
  'llm.cannot_chat',
  'llm.cannot_see',
  'openai.agent_has_tools',
  'openai.parameter_refused',
  'server.unavailable',
  'upload.not_found',
  'openai.only_agent',
  'deployment.daily_limit',
] as const

export const LIST_ERRORS = [
  'org.not_found',
  'deployment.not_api',
  'deployment.paused',
  'agent.inactive',
] as const
export const MODEL_ERRORS = [...LIST_ERRORS, 'openai.model_not_found'] as const
