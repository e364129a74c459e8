import type { AuditEntry } from '@parley/client/schemas'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { AuditItem } from './audit-item.tsx'
import type { ShowAudit } from './search-params.ts'

const t = translator('audit')

const ITEM_PIXELS = 48

/** Renders only the entries near the visible part of the page, so that thousands of entries stay fast. */
export function AuditList({ entries, show }: { entries: readonly AuditEntry[]; show: ShowAudit }) {
  const list = useRef<HTMLUListElement>(null)
  const [page, setPage] = useState<HTMLElement | null>(null)
  useLayoutEffect(() => setPage(list.current?.closest('main') ?? null), [])
  const items = useVirtualizer({
    count: entries.length,
    getScrollElement: () => page,
    scrollMargin: page && list.current ? topWithin(page, list.current) : 0,
    estimateSize: () => ITEM_PIXELS,
    getItemKey: (index) => entries[index]?.id ?? index,
    overscan: 10,
  })
  return (
    <ul
      ref={list}
      aria-label={t('entries')}
      className="relative overflow-hidden rounded-2xl border border-line bg-raised"
      style={{ height: items.getTotalSize() }}
    >
      {items.getVirtualItems().map(({ key, index, start }) => {
        const entry = entries[index]
        return (
          entry && (
            <li
              key={key}
              ref={items.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0 border-b border-line last:border-b-0 px-4 py-1.5 text-sm"
              style={{ transform: `translateY(${start - items.options.scrollMargin}px)` }}
            >
              <AuditItem entry={entry} show={show} />
            </li>
          )
        )
      })}
    </ul>
  )
}

/** Returns the distance of an element from the top of the content that `page` scrolls. */
const topWithin = (page: HTMLElement, element: HTMLElement): number =>
  element.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop
