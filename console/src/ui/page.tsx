import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { translator } from '../messages/index.ts'
import { classNames } from './class-names.ts'
import { Outage } from './outage.tsx'
import { OutageReported } from './states.tsx'

const t = translator('ui')

interface PageProps {
  /** Null while the name of the page's record is loading. */
  title: string | null
  description?: ReactNode
  /** Buttons next to the title. */
  actions?: ReactNode
  /** A link to the parent page, shown above the title. */
  above?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** The layout of a page with its title. The title is also the title of the browser tab. */
export function Page({ title, description, actions, above, wide = false, children }: PageProps) {
  useTitle(title)
  return (
    <div
      className={classNames(
        'mx-auto flex w-full flex-col gap-6 px-4 py-6 sm:px-8',
        wide ? 'max-w-7xl' : 'max-w-5xl',
      )}
    >
      <header className="flex flex-col gap-1">
        {above}
        <div className="flex min-h-9 flex-wrap items-center justify-between gap-3 touch:min-h-10">
          {title === null ? (
            <h1 aria-label={t('loading')} className="skeleton h-8 w-56 rounded-lg bg-hover" />
          ) : (
            <h1 className="min-w-0 text-2xl font-semibold tracking-tight break-words">{title}</h1>
          )}
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {description && (
          <p className={classNames('max-w-2xl text-pretty text-muted', actions ? 'mt-1' : '')}>
            {description}
          </p>
        )}
      </header>
      <Outage />
      <OutageReported value={true}>{children}</OutageReported>
    </div>
  )
}

/** Sets the title of the browser tab. While the title is null, the previous one stays. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Parley`
  }, [title])
}

export function Section({
  title,
  description,
  actions,
  children,
}: {
  title: string
  description?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="flex flex-col gap-4 rounded-2xl border border-line bg-raised p-5">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 grow sm:basis-72">
          <h2 className="font-semibold">{title}</h2>
          {description && <p className="text-sm text-muted">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
