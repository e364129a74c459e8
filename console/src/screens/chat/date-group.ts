import { formatMonth } from '../../ui/format.ts'

/** The groups of the newest chats. Older chats are grouped by month, such as `October 2026`. */
type DateGroup = 'today' | 'yesterday' | 'week' | { month: string }

const WEEK_DAYS = 7

/** Returns the group of a time, in the user's time zone. */
export function dateGroupOf(time: string, now = new Date()): DateGroup {
  const then = new Date(time)
  const daysAgo = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  if (then >= daysAgo(0)) return 'today'
  if (then >= daysAgo(1)) return 'yesterday'
  if (then >= daysAgo(WEEK_DAYS)) return 'week'
  return { month: formatMonth(then) }
}
