import type en from '../../messages/en/audit.ts'
import { translator } from '../../messages/index.ts'

const t = translator('audit')

type Actions = Omit<typeof en.actions, 'other'>
export type RecordType = keyof Actions
/** A record type and a verb, such as `role.updated`. */
export type Action = { [Type in RecordType]: `${Type}.${(typeof VERBS)[Type][number]}` }[RecordType]

const MANAGED = ['created', 'updated', 'deleted'] as const

/** The verbs that the audit log records for each type of record. */
const VERBS = {
  member: ['added', 'role_changed', 'status_changed', 'second_factor_changed'],
  invitation: ['created', 'resent', 'accepted', 'revoked'],
  role: MANAGED,
  organization: [
    'created',
    'updated',
    'features_changed',
    'billing_changed',
    'credits_transferred',
    'ownership_transferred',
    'suspended',
    'suspension_lifted',
    'exported',
    'imported',
  ],
  api_key: MANAGED,
  budget: MANAGED,
  limit: MANAGED,
  model: MANAGED,
  model_connection: MANAGED,
  knowledge_base: MANAGED,
  kb_source: MANAGED,
  agent: MANAGED,
  deployment: MANAGED,
  tool: MANAGED,
  tool_category: MANAGED,
  webhook: MANAGED,
  mcp_instance: ['created', 'connected', 'updated', 'tools_changed', 'deleted'],
} as const satisfies { [Type in RecordType]: readonly (keyof Actions[Type])[] }

export const RECORD_TYPES = Object.keys(VERBS) as RecordType[]

export const ACTIONS = Object.entries(VERBS).flatMap(([type, verbs]) =>
  verbs.map((verb) => `${type}.${verb}` as Action),
)

/** Returns the action, or undefined if this version of the console does not know it. */
export const knownAction = (action: string): Action | undefined => ACTIONS.find((known) => known === action)

/** Returns an action in words: `Role: changed` for `role.updated`. */
export function actionText(action: Action): string {
  const [type, verb] = action.split('.') as [RecordType, keyof typeof en.verbs]
  return t('verbOf', { record: recordText(type), verb: t(`verbs.${verb}`) })
}

/** Returns the label of a record type: `API key` for `api_key`. */
export const recordText = (type: RecordType): string => t(`records.${type}`)
