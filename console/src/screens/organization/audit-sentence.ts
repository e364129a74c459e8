import type { AuditEntry } from '@parley/client/schemas'
import type { ReactNode } from 'react'
import { translator } from '../../messages/index.ts'
import { knownAction } from './audit-words.ts'

const t = translator('audit')

type Wrap = (text: ReactNode) => ReactNode

/** Returns what an entry records as a sentence. `actor` and `record` wrap the names of the person and the record. */
export function auditSentence(
  entry: AuditEntry,
  { actor, record }: { actor: Wrap; record: Wrap },
): ReactNode {
  const values = {
    name: entry.actor_name ?? t('unknownActor'),
    record: entry.record_name ?? t('noName'),
    actor,
    named: record,
    action: entry.action,
  }
  const renamed = renamedIn(entry)
  if (renamed) return t.rich(`actions.${renamed.type}.renamed`, { ...values, ...renamed })
  const action = knownAction(entry.action)
  return action ? t.rich(`actions.${action}`, values) : t.rich('actions.other', values)
}

/** Returns the sentence as plain text. */
export const auditText = (entry: AuditEntry): string =>
  [auditSentence(entry, { actor: (text) => text, record: (text) => text })].flat(3).join('')

const RENAMED = [
  'role',
  'organization',
  'api_key',
  'model',
  'model_connection',
  'knowledge_base',
  'agent',
  'deployment',
  'tool',
  'tool_category',
] as const

/** Returns the old and the new name if the entry records only a change of the name. Otherwise, returns undefined. */
function renamedIn({ record_type, action, before, after }: AuditEntry) {
  const type = RENAMED.find((one) => one === record_type)
  if (!type || action !== `${type}.updated` || Object.keys(after ?? {}).join() !== 'name') return undefined
  return { type, before: String(before?.['name']), record: String(after?.['name']) }
}
