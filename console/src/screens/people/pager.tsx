import { ChevronLeft, ChevronRight } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'

const t = translator('people')

interface PagerProps {
  /** The page number, starting at 1. */
  page: number
  pages: number
  onChange: (page: number) => void
}

/** Page navigation below a list. Renders nothing if there is only one page. */
export const Pager = ({ page, pages, onChange }: PagerProps) =>
  (pages > 1 || page > 1) && (
    <nav aria-label={t('pager.label')} className="flex items-center justify-center gap-3 text-sm">
      <Button size="small" icon={ChevronLeft} disabled={page <= 1} onClick={() => onChange(page - 1)}>
        {t('pager.previous')}
      </Button>
      <span className="text-muted tabular-nums">{t('pager.page', { page, pages: Math.max(pages, 1) })}</span>
      <Button size="small" icon={ChevronRight} disabled={page >= pages} onClick={() => onChange(page + 1)}>
        {t('pager.next')}
      </Button>
    </nav>
  )
