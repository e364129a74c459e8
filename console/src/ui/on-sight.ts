import { type RefObject, useEffect, useRef } from 'react'

interface PagedQuery {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

/** Loads the next page of a list when the element of the returned ref comes near the visible area. */
export function useMoreOnSight(query: PagedQuery): RefObject<HTMLDivElement | null> {
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
  return place
}
