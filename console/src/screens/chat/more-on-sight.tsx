import { useEffect, useRef } from 'react'
import { More } from '../../ui/states.tsx'

type Paged = Parameters<typeof More>[0]['query']

/** A button that loads the next page. The page also loads when the button scrolls near the visible area. */
export function MoreOnSight({ query }: { query: Paged }) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(query)
  latest.current = query
  const { hasNextPage, isFetchingNextPage } = query
  useEffect(() => {
    const element = place.current
    if (!element || !hasNextPage || isFetchingNextPage) return
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && void latest.current.fetchNextPage(),
      { rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [hasNextPage, isFetchingNextPage])
  return (
    <div ref={place}>
      <More query={query} />
    </div>
  )
}
