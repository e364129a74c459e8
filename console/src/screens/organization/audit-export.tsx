import type { AuditEntry } from '@parley/client/schemas'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { api } from '../../api/client.ts'
import { saveFile } from '../../api/download.ts'
import type { Query } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { auditText } from './audit-sentence.ts'
import { differencesOf } from './difference.ts'
import { toCsv } from './to-csv.ts'

const t = translator('audit')

const PAGE = 100
/** Maximum number of exported entries. */
const ENTRIES_MAX = 10_000

type Filters = Omit<Query<'GET /api/audit/list'>, 'limit' | 'cursor'>

const FORMATS = {
  csv: { type: 'text/csv', write: (entries: AuditEntry[]) => toCsv(entries.map(rowOf)) },
  jsonl: {
    type: 'application/jsonl',
    write: (entries: AuditEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  },
}

/** Saves the entries that match the filters as a file. */
export function AuditExport({ filters }: { filters: Filters }) {
  const notify = useNotify()
  const exporting = useMutation({
    mutationFn: async (format: keyof typeof FORMATS) => {
      const { entries, isComplete } = await readEntries(filters)
      const { type, write } = FORMATS[format]
      saveFile(new Blob([write(entries)], { type }), `audit.${format}`)
      notify(t(isComplete ? 'exported' : 'exportedNewest', { count: entries.length }))
    },
    onError: notify,
  })
  return (
    <Menu
      trigger={
        <Button icon={Download} busy={exporting.isPending}>
          {t('export')}
        </Button>
      }
    >
      <MenuItem onSelect={() => exporting.mutate('csv')}>{t('exportCsv')}</MenuItem>
      <MenuItem onSelect={() => exporting.mutate('jsonl')}>{t('exportLines')}</MenuItem>
    </Menu>
  )
}

async function readEntries(filters: Filters): Promise<{ entries: AuditEntry[]; isComplete: boolean }> {
  const entries: AuditEntry[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { ...filters, limit: PAGE, ...(cursor !== undefined && { cursor }) }
    const { data, pagination } = await api.request('GET /api/audit/list', { query })
    entries.push(...data)
    cursor = pagination.next_cursor ?? undefined
    if (cursor === undefined || entries.length >= ENTRIES_MAX)
      return { entries, isComplete: cursor === undefined }
  }
}

const rowOf = (entry: AuditEntry) => ({
  time: entry.created_at,
  actor: entry.actor_name ?? entry.actor_id,
  sentence: auditText(entry),
  action: entry.action,
  record: entry.record_name ?? entry.record_id,
  changes: differencesOf(entry.before, entry.after)
    .map(({ field, before = '', after = '' }) => `${field}: ${before} → ${after}`)
    .join('\n'),
  ip_address: entry.ip_address,
  id: entry.id,
})
