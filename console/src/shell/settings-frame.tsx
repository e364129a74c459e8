import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { useHere } from './organization.tsx'
import { isInSettings, type Place, SETTINGS, visibleGroups } from './places.ts'

const t = translator('shell')

/** Shows the navigation of the settings area next to its pages, or above them on narrow screens. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  if (!isInSettings(pathname)) return children
  return (
    <div className="flex min-h-full flex-col xl:flex-row">
      <SettingsNavigation />
      <div className="min-w-0 grow">{children}</div>
    </div>
  )
}

function SettingsNavigation() {
  const { may } = useHere()
  return (
    <nav
      aria-label={t('places.settings')}
      className="flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-canvas px-3 py-1.5 max-xl:sticky max-xl:top-0 max-xl:z-10 xl:w-48 xl:flex-col xl:gap-4 xl:border-r xl:border-b-0 xl:px-3 xl:py-6"
    >
      {visibleGroups(SETTINGS, may).map(({ name, places }) => (
        <div key={name} className="flex gap-1 xl:flex-col xl:gap-0.5">
          {name && (
            <h2 className="hidden px-2.5 pb-1 text-xs font-medium text-muted xl:block">
              {t(`groups.${name}`)}
            </h2>
          )}
          {places.map((place) => (
            <SettingsLink key={place.to} place={place} />
          ))}
        </div>
      ))}
    </nav>
  )
}

function SettingsLink({ place: { to, name } }: { place: Place }) {
  const { pathname } = useLocation()
  const isOpen = pathname === to || pathname.startsWith(`${to}/`)
  return (
    <Link
      to={to}
      ref={isOpen ? reveal : undefined}
      className="flex h-8 shrink-0 items-center rounded-lg px-2.5 text-sm whitespace-nowrap text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent touch:h-10"
    >
      {t(`places.${name}`)}
    </Link>
  )
}

/** Scrolls the open page's link into view, because phones may not have room for all links. */
const reveal = (link: HTMLElement | null): void =>
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
