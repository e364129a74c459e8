import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { formatCredits, formatDay } from '../../ui/format.ts'
import { budgetState } from './budget-state.ts'

const t = translator('billing')

/** Warns users whose own budget is used up or nearly used up. */
export function OwnBudget() {
  const { organization, user } = useHere()
  const budgets = useQuery(
    read('GET /api/billing/budgets/list', { org_id: organization.id, user_id: user.id, limit: 1 }),
  )
  const budget = budgets.data?.data[0]
  if (!budget || budgetState(budget) === 'used') return null
  const isOver = budgetState(budget) === 'usedUp'
  const { credits_per_month: limit, spent, held, resets_at } = budget
  return (
    <p
      role="status"
      className={`flex items-start gap-2.5 rounded-2xl px-5 py-3.5 text-sm ${
        isOver ? 'bg-danger-soft text-danger' : 'bg-warning-soft text-warning'
      }`}
    >
      <TriangleAlert aria-hidden size={18} className="shrink-0" />
      {t(isOver ? 'budgets.yoursEnded' : 'budgets.yoursEnds', {
        count: limit,
        share: (spent + held) / limit,
        limit: formatCredits(limit),
        date: formatDay(resets_at),
      })}
    </p>
  )
}
