import { useMoreOnSight } from '../../ui/on-sight.ts'
import { More } from '../../ui/states.tsx'

/** A button that loads the next page. The page also loads when the button scrolls near the visible area. */
export const MoreOnSight = ({ query }: Parameters<typeof More>[0]) => (
  <div ref={useMoreOnSight(query)}>
    <More query={query} />
  </div>
)
