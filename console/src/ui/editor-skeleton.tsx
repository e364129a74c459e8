import { translator } from '../messages/index.ts'
import { Skeleton } from './states.tsx'

const t = translator('ui')

/** A placeholder for the page of a record that is loading: its settings, and a pane next to them on wide screens. */
export const EditorSkeleton = () => (
  <div
    role="status"
    aria-label={t('loading')}
    className="late grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_25rem]"
  >
    <div className="flex flex-col gap-6">
      <Fields count={2} />
      <Fields count={3} />
    </div>
    <div className="max-xl:hidden">
      <Fields count={4} />
    </div>
  </div>
)

/** The shape of a section (ui/page.tsx) with labelled fields. */
const Fields = ({ count }: { count: number }) => (
  <div className="flex flex-col gap-5 rounded-2xl border border-line bg-raised p-5">
    <Skeleton className="h-4 w-40" />
    {Array.from({ length: count }, (_, place) => place).map((place) => (
      <div key={place} className="flex flex-col gap-2">
        <Skeleton className="h-3 w-24" />
        <Skeleton className="h-9" />
      </div>
    ))}
  </div>
)
