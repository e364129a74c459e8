import type { LedgerEntry } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ReceiptText } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { SelectField } from '../../ui/field.tsx'
import { formatCredits, formatNumber, formatTime } from '../../ui/format.ts'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { useMemberNames } from '../people/member-names.ts'
import type { ShowUsage } from './search-params.ts'
import { LEDGER_KINDS } from './search-params.ts'

const KINDS: Record<LedgerEntry['kind'], [text: string, tone: Tone]> = {
  DEBIT: ['Paid', 'neutral'],
  CREDIT: ['Credited', 'success'],
  HOLD: ['Held', 'accent'],
  RELEASE: ['Released', 'neutral'],
}

/** Each entry that has changed, or reserved of, the balance. */
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
          label="Kind"
          value={kind ?? ''}
          onChange={({ target }) => show({ kind: LEDGER_KINDS.find((one) => one === target.value) })}
        >
          <option value="">All</option>
          {LEDGER_KINDS.map((one) => (
            <option key={one} value={one}>
              {KINDS[one][0]}
            </option>
          ))}
        </SelectField>
      </div>
      <Loaded query={entries}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={ReceiptText} title="No entries">
              Credits that are granted, and what each reply cost, are listed here.
            </Empty>
          ) : (
            <>
              <Entries entries={list} />
              <More query={entries} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

const Entries = ({ entries }: { entries: LedgerEntry[] }) => (
  <Table
    label="Ledger"
    rows={entries}
    keyOf={({ id }) => id}
    columns={[
      { header: 'When', cell: ({ created_at }) => formatTime(created_at), wideOnly: true },
      { header: 'What', cell: (entry) => <What entry={entry} /> },
      { header: 'Credits', cell: ({ amount }) => signed(amount), numeric: true },
      {
        header: 'Balance',
        cell: (entry) => formatCredits(entry.balance_after),
        numeric: true,
        wideOnly: true,
      },
    ]}
  />
)

function What({ entry: { kind, amount, reason, usage, user_id, created_at } }: { entry: LedgerEntry }) {
  const { nameOf } = useMemberNames()
  const [text, tone] = kind === 'CREDIT' && amount < 0 ? (['Moved out', 'neutral'] as const) : KINDS[kind]
  const facts = [
    user_id && nameOf(user_id),
    usage && `${formatNumber(usage.input_tokens)} tokens in, ${formatNumber(usage.output_tokens)} out`,
    reason,
  ].filter(Boolean)
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={tone}>{text}</Badge>
      <span className="min-w-0 wrap-anywhere text-muted">{facts.join(' · ')}</span>
      <span className="w-full text-xs text-muted sm:hidden">{formatTime(created_at)}</span>
    </span>
  )
}

function signed(amount: number): string {
  if (amount === 0) return '–'
  return amount > 0 ? `+${formatCredits(amount)}` : `−${formatCredits(-amount)}`
}
