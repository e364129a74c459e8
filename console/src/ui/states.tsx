import { ParleyError } from '@parley/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert, type LucideIcon } from 'lucide-react'
import { createContext, type ReactNode, use } from 'react'
import { isOutage } from '../api/queries.ts'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { errorText } from './error-text.ts'
import { Illustration } from './illustration.tsx'

const t = translator('ui')

/** A placeholder for content that is loading. Appears only if loading takes noticeable time. */
export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={classNames('skeleton rounded-lg bg-hover', className)} />
)

export const SkeletonList = ({ lines = 5 }: { lines?: number }) => (
  <div role="status" aria-label={t('loading')} className="flex flex-col gap-3">
    {Array.from({ length: lines }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all lines are the same
      <Skeleton key={line} className="h-14" />
    ))}
  </div>
)

interface EmptyProps {
  icon: LucideIcon
  title: string
  /** Explains which items will appear here. */
  children?: ReactNode
  action?: ReactNode
}

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-2xl border border-dashed border-line px-6 py-10 text-center">
      <Illustration icon={Icon} />
      <h2 className="font-semibold">{title}</h2>
      {children && <div className="max-w-md text-sm text-muted">{children}</div>}
      {action}
    </div>
  )
}

interface FailureProps {
  error: Error
  onRetry?: () => void
  /** Whether the retry is in progress. */
  busy?: boolean
}

export function Failure({ error, onRetry, busy = false }: FailureProps) {
  const requestId = error instanceof ParleyError ? error.requestId : null
  const isFinal = error instanceof ParleyError && FINAL_STATUSES.includes(error.status)
  return (
    <div role="alert" className="flex flex-col items-start gap-3 rounded-2xl bg-danger-soft px-5 py-4">
      <p className="flex items-start gap-2.5 text-danger">
        <CircleAlert aria-hidden size={18} className="mt-0.5 shrink-0" />
        <span className="min-w-0 break-words">{errorText(error)}</span>
      </p>
      {requestId && error instanceof ParleyError && error.status >= 500 && (
        <p className="text-sm text-muted">{t('requestId', { id: requestId })}</p>
      )}
      {onRetry && !isFinal && (
        <Button size="small" busy={busy} onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  )
}

/** The same request fails again: the user lacks a permission, or the record does not exist. */
const FINAL_STATUSES = [403, 404]

/** Whether the page around reports outages (ui/outage.tsx), so that its parts do not repeat the report. */
export const OutageReported = createContext(false)

type FailedQuery = Pick<UseQueryResult, 'error' | 'refetch'>

/** A query's error, unless it is an outage that the page reports. */
export function QueryFailure({ query: { error, refetch } }: { query: FailedQuery }) {
  const isReported = use(OutageReported) && isOutage(error)
  return error && !isReported && <Failure error={error} onRetry={() => void refetch()} />
}

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** Shown while the query loads. By default, placeholder lines of a list. */
  skeleton?: ReactNode
  children: (data: Data) => ReactNode
}

/**
 * Renders a query's data. While there is no data, shows a placeholder or the query's error. During an outage that the
 * page reports, the placeholder stays, but does not pretend that something is loading.
 */
export function Loaded<Data>({ query, skeleton = <SkeletonList />, children }: LoadedProps<Data>) {
  const isReported = use(OutageReported) && isOutage(query.error)
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error && !isReported) return <QueryFailure query={query} />
  return (
    <div
      aria-hidden={isReported || undefined}
      className={classNames('contents', isReported && '**:animate-none')}
    >
      {skeleton}
    </div>
  )
}

interface MoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
}

export const More = ({ query }: MoreProps) =>
  query.hasNextPage && (
    <div className="flex justify-center py-3">
      <Button size="small" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t('showMore')}
      </Button>
    </div>
  )
