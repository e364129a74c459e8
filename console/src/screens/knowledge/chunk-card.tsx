import type { Chunk } from '@parley/client/schemas'
import { Pencil } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TextAreaField } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Failure } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('knowledge')

const CHARACTERS_MAX = 20_000

interface ChunkCardProps {
  kbId: string
  chunk: Chunk
  /** Whether a link points to this chunk. If so, the chunk is highlighted and scrolled into view. */
  isMarked: boolean
}

/** A ref callback that scrolls the card into view when it is mounted. */
const reveal = (card: HTMLElement | null): void => card?.scrollIntoView({ block: 'center' })

export function ChunkCard({ kbId, chunk, isMarked }: ChunkCardProps) {
  const { may } = useHere()
  const [isEditing, setEditing] = useState(false)
  return (
    <li
      ref={isMarked ? reveal : undefined}
      aria-current={isMarked || undefined}
      className={classNames(
        'flex flex-col gap-2 rounded-2xl border p-4',
        isMarked ? 'border-accent bg-accent-soft' : 'border-line bg-raised',
      )}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <span className="font-medium tabular-nums">{formatNumber(chunk.position + 1)}</span>
        {chunk.page !== null && <span>{t('chunk.page', { page: chunk.page })}</span>}
        <span>{t('chunk.tokens', { count: chunk.tokens })}</span>
        {chunk.is_edited && <Badge tone="warning">{t('chunk.edited')}</Badge>}
        {!chunk.is_enabled && <Badge>{t('chunk.excluded')}</Badge>}
        {may('kb:write') && (
          <div className="ml-auto flex items-center gap-2">
            <IconButton
              small
              icon={Pencil}
              label={t('chunk.edit', { number: chunk.position + 1 })}
              aria-pressed={isEditing}
              onClick={() => setEditing(!isEditing)}
            />
            <Enabled kbId={kbId} chunk={chunk} />
          </div>
        )}
      </div>
      {chunk.headings.length > 0 && (
        <p className="text-sm break-words text-muted">{chunk.headings.join(' › ')}</p>
      )}
      {isEditing ? (
        <Edit kbId={kbId} chunk={chunk} onEnd={() => setEditing(false)} />
      ) : (
        <p
          className={classNames('text-sm break-words whitespace-pre-wrap', !chunk.is_enabled && 'text-muted')}
        >
          {chunk.content}
        </p>
      )}
    </li>
  )
}

function Enabled({ kbId, chunk }: { kbId: string; chunk: Chunk }) {
  const notify = useNotify()
  const change = useChange('PUT /api/kb/update_chunk', { outdates: ['GET /api/kb/get_document'] })
  const shown = change.isPending ? change.variables.body?.is_enabled === true : chunk.is_enabled
  return (
    <Switch
      aria-label={t('chunk.enable', { number: chunk.position + 1 })}
      title={shown ? t('chunk.includedInSearch') : t('chunk.excludedFromSearch')}
      checked={shown}
      onChange={(is) =>
        change.mutate(
          { query: { kb_id: kbId, chunk_id: chunk.id }, body: { is_enabled: is } },
          { onError: notify },
        )
      }
    />
  )
}

function Edit({ kbId, chunk, onEnd }: { kbId: string; chunk: Chunk; onEnd: () => void }) {
  const notify = useNotify()
  const [content, setContent] = useState(chunk.content)
  const change = useChange('PUT /api/kb/update_chunk', {
    outdates: ['GET /api/kb/get_document'],
    onDone: () => {
      notify(t('chunk.saved'))
      onEnd()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ query: { kb_id: kbId, chunk_id: chunk.id }, body: { content } })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextAreaField
        label={t('chunk.text', { number: chunk.position + 1 })}
        hint={t('chunk.textHint')}
        rows={Math.min(20, Math.max(5, content.split('\n').length + 2))}
        required
        maxLength={CHARACTERS_MAX}
        value={content}
        onChange={({ target }) => setContent(target.value)}
      />
      {change.error && <Failure error={change.error} />}
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onEnd}>
          {t('chunk.cancel')}
        </Button>
        <Button type="submit" size="small" kind="primary" busy={change.isPending}>
          {t('chunk.save')}
        </Button>
      </div>
    </form>
  )
}
