import { formatAgo, formatTime } from './format.ts'

/** Shows a relative time. The exact time appears on hover. */
export const Ago = ({ time }: { time: string }) => (
  <time dateTime={time} title={formatTime(time)} className="whitespace-nowrap">
    {formatAgo(time)}
  </time>
)
