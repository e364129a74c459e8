/** Records whose changes are in the audit, with what can be done to each beside the usual. */
const RECORDS: Record<string, readonly string[]> = {
  member: ['added', 'role_changed', 'status_changed'],
  invitation: ['created', 'resent', 'accepted', 'revoked'],
  role: ['created', 'updated', 'deleted'],
  organization: [
    'created',
    'updated',
    'features_changed',
    'billing_changed',
    'credits_transferred',
    'ownership_transferred',
    'exported',
    'imported',
  ],
  api_key: ['created', 'updated', 'deleted'],
  budget: ['created', 'updated', 'deleted'],
  model: ['created', 'updated', 'deleted'],
  knowledge_base: ['created', 'updated', 'deleted'],
  kb_source: ['created', 'updated', 'deleted'],
  agent: ['created', 'updated', 'deleted'],
  deployment: ['created', 'updated', 'deleted'],
  tool: ['created', 'updated', 'deleted'],
  tool_category: ['created', 'updated', 'deleted'],
  webhook: ['created', 'updated', 'deleted'],
  mcp_instance: ['created', 'connected', 'updated', 'tools_changed', 'deleted'],
}

export const RECORD_TYPES = Object.keys(RECORDS)

/** As `role.updated`. */
export const ACTIONS = Object.entries(RECORDS).flatMap(([type, verbs]) =>
  verbs.map((verb) => `${type}.${verb}`),
)

const WRITTEN_OTHERWISE: Record<string, string> = {
  api_key: 'API key',
  kb_source: 'source of knowledge',
  mcp_instance: 'connection',
}

/** What a record is called: `api_key` is `API key`. */
export const recordText = (type: string): string => WRITTEN_OTHERWISE[type] ?? type.replaceAll('_', ' ')

const VERBS_OTHERWISE: Record<string, string> = {
  'member.role_changed': 'gave another role to a member',
  'member.status_changed': 'changed the status of a member',
  'invitation.created': 'invited somebody',
  'invitation.resent': 'sent an invitation again',
  'organization.features_changed': 'changed what the organization may use',
  'organization.billing_changed': 'changed the warning of low credits',
  'organization.credits_transferred': 'transferred credits',
  'organization.ownership_transferred': 'handed the organization over',
  'mcp_instance.tools_changed': 'found other tools at a connection',
}

/** As `updated a role`, to be read after who did it. */
export function actionText(action: string): string {
  const [type = '', verb = ''] = action.split('.')
  const known = VERBS_OTHERWISE[action]
  if (known) return known
  const record = recordText(type)
  const article = type === 'organization' ? 'the' : /^[aeio]/i.test(record) ? 'an' : 'a'
  return `${verb.replaceAll('_', ' ')} ${article} ${record}`
}
