import type { Budget } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus, Trash2, Wallet } from 'lucide-react'
import { useState } from 'react'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Bar } from '../../ui/bar.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { formatCredits, formatDay } from '../../ui/format.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { RowsSkeleton } from '../../ui/table.tsx'
import { useNotify } from '../../ui/toast.tsx'
import { BudgetDialog } from './budget-dialog.tsx'
import { budgetState } from './budget-state.ts'
import { useSubjectName } from './subject-name.ts'

const t = translator('billing')

export function Budgets() {
  const { organization, may } = useHere()
  const [edited, setEdited] = useState<Budget | 'new'>()
  const budgets = useInfiniteQuery(
    readPages('GET /api/billing/budgets/list', { org_id: organization.id, limit: 50 }),
  )
  const add = may('organization:admin') && (
    <Button kind="primary" icon={Plus} onClick={() => setEdited('new')}>
      {t('budgets.add')}
    </Button>
  )
  return (
    <>
      {budgets.data?.length !== 0 && <div className="flex justify-end empty:hidden">{add}</div>}
      <PagedList
        query={budgets}
        skeleton={<RowsSkeleton />}
        empty={
          <Empty icon={Wallet} title={t('budgets.empty')} action={add}>
            {t('budgets.emptyHint')}
          </Empty>
        }
      >
        {(list) => (
          <ul
            aria-label={t('budgets.title')}
            className="divide-y divide-line rounded-2xl border border-line bg-raised"
          >
            {list.map((budget) => (
              <BudgetItem key={budget.id} budget={budget} onEdit={() => setEdited(budget)} />
            ))}
          </ul>
        )}
      </PagedList>
      {edited && (
        <BudgetDialog budget={edited === 'new' ? null : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

const LOOKS = {
  used: { className: 'text-muted', tone: 'accent' },
  nearlyUsedUp: { className: 'text-warning', tone: 'accent' },
  usedUp: { className: 'text-danger', tone: 'danger' },
} as const

function BudgetItem({ budget, onEdit }: { budget: Budget; onEdit: () => void }) {
  const { organization, may } = useHere()
  const name = useSubjectName()(budget)
  const confirm = useConfirm()
  const notify = useNotify()
  const removal = useChange('DELETE /api/billing/budgets/delete', {
    outdates: ['GET /api/billing/budgets/list'],
    onDone: () => notify(t('budgets.removed', { name })),
  })
  const remove = async () => {
    const isSure = await confirm({
      title: t('budgets.removeTitle', { name }),
      consequence: t('budgets.removeConsequence', { name }),
      action: t('budgets.removeAction'),
    })
    if (isSure)
      removal.mutate({ query: { org_id: organization.id, budget_id: budget.id } }, { onError: notify })
  }
  const taken = budget.spent + budget.held
  const state = budgetState(budget)
  return (
    <li aria-label={name} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5">
      <div className="flex min-w-0 grow basis-64 flex-col gap-1.5">
        <span className="flex flex-wrap justify-between gap-x-4 text-sm">
          <span className="font-medium">{name}</span>
          <span className={LOOKS[state].className}>
            {t(`budgets.${state}`, {
              used: formatCredits(taken),
              count: budget.credits_per_month,
              limit: formatCredits(budget.credits_per_month),
            })}
          </span>
        </span>
        <Bar
          share={budget.credits_per_month === 0 ? 1 : taken / budget.credits_per_month}
          tone={LOOKS[state].tone}
        />
        <span className="text-xs text-muted">
          {t('budgets.resets', { date: formatDay(budget.resets_at) })}
        </span>
      </div>
      {may('organization:admin') && (
        <span className="flex items-center gap-1">
          <Button size="small" onClick={onEdit}>
            {t('budgets.edit')}
          </Button>
          <IconButton
            small
            icon={Trash2}
            label={t('budgets.remove', { name })}
            onClick={() => void remove()}
          />
        </span>
      )}
    </li>
  )
}
