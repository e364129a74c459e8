import type { AuditEntry } from '@parley/client/schemas'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { useMemberNames } from '../people/member-names.ts'
import { actionText } from './audit-words.ts'
import { type Difference, differencesOf } from './difference.ts'
import { useKeyNames } from './key-names.ts'
import type { ShowAudit } from './search-params.ts'

/** Who did what, when, and what is different since. */
export function AuditItem({ entry, show }: { entry: AuditEntry; show: ShowAudit }) {
  const { nameOf } = useMemberNames()
  const { keyNameOf } = useKeyNames()
  const named = (text: string | undefined) => text && (nameOf(text) ?? keyNameOf(text) ?? text)
  const differences = differencesOf(entry.before, entry.after).map(({ field, before, after }) => ({
    field,
    before: named(before),
    after: named(after),
  }))
  return (
    <li className="flex flex-col gap-2 px-4 py-3.5 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 break-words">
          <button
            type="button"
            title="Only what this person did"
            onClick={() => show({ actor_id: entry.actor_id })}
            className="font-medium hover:underline"
          >
            {nameOf(entry.actor_id) ?? 'Somebody who is no member'}
          </button>{' '}
          {actionText(entry.action)}
          {entry.api_key_id && (
            <>
              {' '}
              <Badge>by API key {keyNameOf(entry.api_key_id) ?? ''}</Badge>
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
          title="Only this record"
          onClick={() =>
            show({ record_type: entry.record_type, record_id: entry.record_id, action: undefined })
          }
          className="break-all hover:underline"
        >
          {named(entry.record_id) ?? nameIn(entry) ?? entry.record_id}
        </button>
        <span>from {entry.ip_address}</span>
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

/** What an id stands for is named beside it, where it has a name. */
const fieldText = (field: string): string => field.replace(/_id$/, '').replaceAll('_', ' ')

/** What the record was called then. */
function nameIn({ before, after }: AuditEntry): string | undefined {
  const name = after?.['name'] ?? before?.['name']
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Of a long text so much is shown at first. */
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
          {isWhole ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  )
}
