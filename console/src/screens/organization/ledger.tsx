import type { LedgerEntry } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ReceiptText } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { SelectField } from '../../ui/field.tsx'
import { formatCredits, formatTime } from '../../ui/format.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { useMemberNames } from '../people/member-names.ts'
import type { ShowUsage } from './search-params.ts'
import { LEDGER_KINDS } from './search-params.ts'

const t = translator('billing')

const TONES: Record<LedgerEntry['kind'], Tone> = {
  DEBIT: 'neutral',
  CREDIT: 'success',
  HOLD: 'accent',
  RELEASE: 'neutral',
}

export function Ledger({ show }: { show: ShowUsage }) {
  const { organization } = useHere()
  const { kind } = useSearch({ from: '/app/usage' })
  const entries = useInfiniteQuery(
    readPages('GET /api/billing/ledger', { org_id: organization.id, kind, limit: 50 }),
  )
  return (
    <>
      <div className="w-52">
        <SelectField
          label={t('ledger.kind')}
          value={kind ?? ''}
          onChange={({ target }) => show({ kind: LEDGER_KINDS.find((one) => one === target.value) })}
        >
          <option value="">{t('ledger.all')}</option>
          {LEDGER_KINDS.map((one) => (
            <option key={one} value={one}>
              {t(`kind.${one}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <PagedList
        query={entries}
        skeleton={<TableSkeleton columns={4} />}
        empty={
          <Empty icon={ReceiptText} title={t('ledger.empty')}>
            {t('ledger.emptyHint')}
          </Empty>
        }
      >
        {(list) => <Entries entries={list} />}
      </PagedList>
    </>
  )
}

const Entries = ({ entries }: { entries: LedgerEntry[] }) => (
  <Table
    label={t('ledger.title')}
    rows={entries}
    keyOf={({ id }) => id}
    columns={[
      {
        header: t('ledger.date'),
        cell: ({ created_at }) => <span className="whitespace-nowrap">{formatTime(created_at)}</span>,
        wideOnly: true,
      },
      { header: t('ledger.entry'), cell: (entry) => <Entry entry={entry} /> },
      { header: t('ledger.credits'), cell: ({ amount }) => signed(amount), numeric: true },
      {
        header: t('ledger.balance'),
        cell: (entry) => formatCredits(entry.balance_after),
        numeric: true,
        wideOnly: true,
      },
    ]}
  />
)

function Entry({ entry: { kind, amount, reason, usage, user_id, created_at } }: { entry: LedgerEntry }) {
  const { nameOf } = useMemberNames()
  const isTransfer = kind === 'CREDIT' && amount < 0
  const facts = [
    user_id && nameOf(user_id),
    usage &&
      t('ledger.tokens', {
        input: usage.input_tokens,
        output: usage.output_tokens,
      }),
    reason !== null && reasonOf(reason),
  ].filter(Boolean)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={isTransfer ? 'neutral' : TONES[kind]}>{t(`kind.${isTransfer ? 'TRANSFER' : kind}`)}</Badge>
      <span className="min-w-0 wrap-anywhere text-muted">{facts.join(' · ')}</span>
      <span className="w-full text-xs text-muted sm:hidden">{formatTime(created_at)}</span>
    </span>
  )
}

/** Translates the reasons that the server sets. Reasons that an administrator entered stay as they are. */
function reasonOf(reason: string): string {
  if (reason === 'starting credits') return t('ledger.startingCredits')
  return reason === 'transfer' ? t('ledger.transfer') : reason
}

function signed(amount: number): string {
  if (amount === 0) return '–'
  return amount > 0 ? `+${formatCredits(amount)}` : `−${formatCredits(-amount)}`
}
