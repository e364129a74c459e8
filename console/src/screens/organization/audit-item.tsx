import type { AuditEntry } from '@parley/client/schemas'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Ago } from '../../ui/time.tsx'
import { useMemberNames } from '../people/member-names.ts'
import { auditSentence } from './audit-sentence.ts'
import { type Difference, differencesOf } from './difference.ts'
import { useKeyNames } from './key-names.ts'
import type { ShowAudit } from './search-params.ts'

const t = translator('audit')

/** An entry as a sentence. The changed fields and the technical details are shown on demand. */
export function AuditItem({ entry, show }: { entry: AuditEntry; show: ShowAudit }) {
  const { keyNameOf } = useKeyNames()
  const [isOpen, setOpen] = useState(false)
  const keyName = keyNameOf(entry.api_key_id ?? '')
  const filter = (title: string, change: Parameters<ShowAudit>[0]) => (name: ReactNode) => (
    <button
      type="button"
      title={title}
      onClick={() => show(change)}
      className="text-left font-medium wrap-anywhere hover:underline"
    >
      {name}
    </button>
  )
  return (
    // Browsers lay out and paint only the entries near the visible part of the page, so a long list stays fast.
    <li className="px-4 py-1.5 text-sm [contain-intrinsic-size:auto_3rem] [content-visibility:auto]">
      <div className="flex items-start gap-x-4 sm:items-center">
        <div className="flex min-w-0 grow flex-col gap-x-4 py-1 sm:flex-row sm:items-center">
          <p className="min-w-0 grow break-words">
            {auditSentence(entry, {
              actor: filter(t('onlyActor'), { actor_id: entry.actor_id }),
              record: filter(t('onlyThis'), {
                record_type: entry.record_type,
                record_id: entry.record_id,
                action: undefined,
              }),
            })}
            {entry.api_key_id && (
              <>
                {' '}
                <Badge>{keyName === null ? t('unknownKey') : t('key', { name: keyName })}</Badge>
              </>
            )}
          </p>
          <span className="shrink-0 text-muted">
            <Ago time={entry.created_at} />
          </span>
        </div>
        <IconButton
          small
          icon={isOpen ? ChevronUp : ChevronDown}
          label={t('details')}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && <Details entry={entry} />}
    </li>
  )
}

const Details = ({ entry }: { entry: AuditEntry }) => (
  <div className="flex flex-col gap-2 pt-1 pb-2 text-muted">
    <Differences entry={entry} />
    <p className="flex flex-wrap gap-x-4 text-xs">
      <time dateTime={entry.created_at}>{formatTime(entry.created_at)}</time>
      <code className="font-mono">{entry.action}</code>
      <code className="font-mono break-all">{entry.record_id}</code>
      <span>{t('ip', { address: entry.ip_address })}</span>
    </p>
  </div>
)

function Differences({ entry }: { entry: AuditEntry }) {
  const { nameOf } = useMemberNames()
  const { keyNameOf } = useKeyNames()
  const named = (text: string | undefined) => text && (nameOf(text) ?? keyNameOf(text) ?? text)
  const differences = differencesOf(entry.before, entry.after)
  return (
    differences.length > 0 && (
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,auto)_1fr]">
        {differences.map(({ field, before, after }: Difference) => (
          <div key={field} className="contents">
            <dt>{fieldText(field)}</dt>
            <dd className="mb-1 flex min-w-0 flex-col items-start gap-1 sm:mb-0">
              {before !== undefined && <Side kind="del" text={named(before) ?? ''} />}
              {after !== undefined && <Side kind="ins" text={named(after) ?? ''} />}
            </dd>
          </div>
        ))}
      </dl>
    )
  )
}

/** Returns a field's label. Drops `_id`, because the value shown is the record's name if the name is known. */
const fieldText = (field: string): string => field.replace(/_id$/, '').replaceAll('_', ' ')

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
