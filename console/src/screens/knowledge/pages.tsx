import { ChevronLeft, ChevronRight } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { IconButton } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'

const t = translator('knowledge')

interface PagesProps {
  of: 'chunks' | 'documents' | 'questions' | 'sources'
  page: number
  limit: number
  total: number
  onChange: (page: number) => void
}

/** Page navigation below a list. Hidden if there is only one page. */
export function Pages({ of, page, limit, total, onChange }: PagesProps) {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1 && page === 1) return null
  const from = Math.min((page - 1) * limit + 1, total)
  return (
    <nav
      aria-label={t(`pages.label.${of}`)}
      className="flex items-center justify-between gap-3 text-sm text-muted"
    >
      <span role="status">{t(`pages.range.${of}`, { from, to: Math.min(page * limit, total), total })}</span>
      <span className="flex items-center gap-1">
        <IconButton
          icon={ChevronLeft}
          label={t('pages.previous')}
          disabled={page <= 1}
          onClick={() => onChange(Math.min(page - 1, last))}
        />
        <span className="tabular-nums">
          {formatNumber(page)} / {formatNumber(last)}
        </span>
        <IconButton
          icon={ChevronRight}
          label={t('pages.next')}
          disabled={page >= last}
          onClick={() => onChange(page + 1)}
        />
      </span>
    </nav>
  )
}
