import type { ReactNode } from 'react'

interface StatsProps {
  label: string
  /** The label and value of each key figure, and an optional short explanation. */
  stats: readonly (readonly [name: string, value: ReactNode, note?: string])[]
}

export const Stats = ({ label, stats }: StatsProps) => (
  <dl
    aria-label={label}
    className="grid shrink-0 grid-cols-1 gap-px overflow-hidden rounded-2xl border border-line bg-line sm:auto-cols-fr sm:grid-flow-col"
  >
    {stats.map(([name, value, note]) => (
      <div
        key={name}
        className="flex items-baseline justify-between gap-4 bg-raised px-5 py-2.5 sm:flex-col sm:items-start sm:gap-0 sm:py-3.5"
      >
        <dt className="text-sm text-muted">{name}</dt>
        <dd className="font-semibold tabular-nums sm:text-xl">
          {value}
          {note && <span className="hidden text-xs font-normal text-muted sm:block">{note}</span>}
        </dd>
      </div>
    ))}
  </dl>
)
