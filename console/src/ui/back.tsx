import { createLink } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ComponentProps } from 'react'

/** A link to the parent page, shown above the title. */
export const Back = createLink(({ children, ...more }: ComponentProps<'a'>) => (
  <a {...more} className="reach flex w-fit max-w-full items-center gap-1 text-sm text-muted hover:text-ink">
    <ArrowLeft aria-hidden size={14} className="shrink-0" />
    <span className="min-w-0 truncate">{children}</span>
  </a>
))
