import { formatAgo, formatTime } from './format.ts'

/** A relative time, with the exact time on hover. */
export const Ago = ({ time }: { time: string }) => (
  <time dateTime={time} title={formatTime(time)} className="whitespace-nowrap">
    {formatAgo(time)}
  </time>
)
