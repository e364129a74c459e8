import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../../ui/button.tsx'

interface PagerProps {
  /** From 1. */
  page: number
  pages: number
  onChange: (page: number) => void
}

/** Below a list that is asked for by the number of its page. */
export const Pager = ({ page, pages, onChange }: PagerProps) =>
  (pages > 1 || page > 1) && (
    <nav aria-label="Pages" className="flex items-center justify-center gap-3 text-sm">
      <Button size="small" icon={ChevronLeft} disabled={page <= 1} onClick={() => onChange(page - 1)}>
        Previous
      </Button>
      <span className="text-muted tabular-nums">
        Page {page} of {Math.max(pages, 1)}
      </span>
      <Button size="small" icon={ChevronRight} disabled={page >= pages} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </nav>
  )
