import { ChevronLeft, ChevronRight } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'

interface PagesProps {
  /** What is on them, as "documents". */
  what: string
  page: number
  limit: number
  total: number
  onChange: (page: number) => void
}

/** Below a list whose pages have numbers. Nothing where all is on one. */
export function Pages({ what, page, limit, total, onChange }: PagesProps) {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1 && page === 1) return null
  const from = Math.min((page - 1) * limit + 1, total)
  return (
    <nav
      aria-label={`Pages of ${what}`}
      className="flex items-center justify-between gap-3 text-sm text-muted"
    >
      <span role="status">
        {formatNumber(from)} to {formatNumber(Math.min(page * limit, total))} of {formatNumber(total)} {what}
      </span>
      <span className="flex items-center gap-1">
        <IconButton
          icon={ChevronLeft}
          label="Previous page"
          disabled={page <= 1}
          onClick={() => onChange(Math.min(page - 1, last))}
        />
        <span className="tabular-nums">
          {page} / {last}
        </span>
        <IconButton
          icon={ChevronRight}
          label="Next page"
          disabled={page >= last}
          onClick={() => onChange(page + 1)}
        />
      </span>
    </nav>
  )
}
