import { formatAgo, formatTime } from './format.ts'

/** How long ago; the time itself on hovering. */
export const Ago = ({ time }: { time: string }) => (
  <time dateTime={time} title={formatTime(time)} className="whitespace-nowrap">
    {formatAgo(time)}
  </time>
)
