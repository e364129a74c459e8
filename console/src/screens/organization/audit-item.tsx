import type { AuditEntry } from '@parley/client/schemas'
import { type ReactNode, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { useMemberNames } from '../people/member-names.ts'
import { knownAction } from './audit-words.ts'
import { type Difference, differencesOf } from './difference.ts'
import { useKeyNames } from './key-names.ts'
import type { ShowAudit } from './search-params.ts'

const t = translator('audit')

export function AuditItem({ entry, show }: { entry: AuditEntry; show: ShowAudit }) {
  const { nameOf } = useMemberNames()
  const { keyNameOf } = useKeyNames()
  const named = (text: string | undefined) => text && (nameOf(text) ?? keyNameOf(text) ?? text)
  const action = knownAction(entry.action)
  const about = {
    name: nameOf(entry.actor_id) ?? t('unknownActor'),
    actor: (name: ReactNode) => (
      <button
        type="button"
        title={t('onlyActor')}
        onClick={() => show({ actor_id: entry.actor_id })}
        className="font-medium hover:underline"
      >
        {name}
      </button>
    ),
  }
  const keyName = keyNameOf(entry.api_key_id ?? '')
  const differences = differencesOf(entry.before, entry.after).map(({ field, before, after }) => ({
    field,
    before: named(before),
    after: named(after),
  }))
  return (
    <li className="flex flex-col gap-2 px-4 py-3.5 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 break-words">
          {action
            ? t.rich(`actions.${action}`, about)
            : t.rich('actions.other', { ...about, action: entry.action })}
          {entry.api_key_id && (
            <>
              {' '}
              <Badge>{keyName === null ? t('unknownKey') : t('key', { name: keyName })}</Badge>
            </>
          )}
        </p>
        <time dateTime={entry.created_at} className="text-muted">
          {formatTime(entry.created_at)}
        </time>
      </div>
      {differences.length > 0 && <Differences differences={differences} />}
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        <code className="font-mono">{entry.action}</code>
        <button
          type="button"
          title={t('onlyThis')}
          onClick={() =>
            show({ record_type: entry.record_type, record_id: entry.record_id, action: undefined })
          }
          className="break-all hover:underline"
        >
          {named(entry.record_id) ?? nameIn(entry) ?? entry.record_id}
        </button>
        <span>{t('ip', { address: entry.ip_address })}</span>
      </p>
    </li>
  )
}

const Differences = ({ differences }: { differences: Difference[] }) => (
  <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,auto)_1fr]">
    {differences.map(({ field, before, after }) => (
      <div key={field} className="contents">
        <dt className="text-muted">{fieldText(field)}</dt>
        <dd className="mb-1 flex min-w-0 flex-col items-start gap-1 sm:mb-0">
          {before !== undefined && <Side kind="del" text={before} />}
          {after !== undefined && <Side kind="ins" text={after} />}
        </dd>
      </div>
    ))}
  </dl>
)

/** Returns a field's label. Drops `_id`, because the value shown is the record's name if the name is known. */
const fieldText = (field: string): string => field.replace(/_id$/, '').replaceAll('_', ' ')

/** Returns the record's name if the entry contains it. */
function nameIn({ before, after }: AuditEntry): string | undefined {
  const name = after?.['name'] ?? before?.['name']
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Maximum length of a value that is shown in full. A longer value is truncated until the user expands it. */
const SHOWN_CHARACTERS = 300

function Side({ kind: Kind, text }: { kind: 'del' | 'ins'; text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > SHOWN_CHARACTERS
  return (
    <>
      <Kind
        className={`max-w-full rounded px-1.5 break-words whitespace-pre-wrap no-underline ${
          Kind === 'del' ? 'bg-danger-soft text-danger' : 'bg-success-soft text-success'
        }`}
      >
        <span aria-hidden>{Kind === 'del' ? '− ' : '+ '}</span>
        {isLong && !isWhole ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}
      </Kind>
      {isLong && (
        <Button kind="ghost" size="small" onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? 'showLess' : 'showAll')}
        </Button>
      )}
    </>
  )
}
