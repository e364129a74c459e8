import { Link, useLocation } from '@tanstack/react-router'
import { ChevronsUpDown, PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react'
import { lazy, type ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { Avatar } from '../ui/avatar.tsx'
import { loadChunk } from '../ui/chunks.ts'
import { classNames } from '../ui/class-names.ts'
import { Keys } from '../ui/keys.tsx'
import { LatePanel } from '../ui/late-panel.tsx'
import { useHere } from './organization.tsx'
import { showOverlay } from './overlay.ts'
import { ADMIN_PLACE, isInSettings, PLACES, type Place, settingsPlace, visibleGroups } from './places.ts'
import { rail } from './rail.ts'

const t = translator('shell')

const loadOrganizationMenu = () => import('./organization-menu.tsx')
const OrganizationMenu = lazy(() => loadChunk(loadOrganizationMenu))
const loadAccountMenu = () => import('./account-menu.tsx')
const AccountMenu = lazy(() => loadChunk(loadAccountMenu))

const ROW =
  'flex shrink-0 items-center gap-2.5 rounded-lg px-2.5 text-left text-sm hover:bg-hover touch:min-h-10'
const ACCOUNT_ROW =
  'flex h-11 min-w-0 grow items-center gap-2.5 rounded-lg px-2.5 text-left text-sm hover:bg-hover'

interface SidebarProps {
  /** Whether only icons are shown. Screen readers and tooltips still have the names. */
  isRail?: boolean
  /** Called when the user has chosen a page. */
  onChosen?: () => void
}

/** The navigation: what people use daily, what they build, and below it the settings and the administration. */
export function Sidebar({ isRail = false, onChosen }: SidebarProps) {
  const { user, may } = useHere()
  const settings = settingsPlace(may)
  const rowOf = (place: Place) => (
    <PlaceLink key={place.name} place={place} isRail={isRail} onChosen={onChosen} />
  )
  return (
    <div className="flex h-full flex-col gap-2 p-2.5">
      <OrganizationButton isRail={isRail} />
      <button
        type="button"
        title={isRail ? t('palette.title') : undefined}
        onClick={() => {
          onChosen?.()
          showOverlay('palette')
        }}
        className={`${ROW} h-8 text-muted`}
      >
        <Search aria-hidden size={16} className="shrink-0" />
        <Label isRail={isRail} className="grow">
          {t('palette.button')}
        </Label>
        {!isRail && (
          <span className="flex touch:hidden">
            <Keys keys="mod+k" />
          </span>
        )}
      </button>
      <nav aria-label={t('navigation')} className="flex min-h-0 grow flex-col gap-3 overflow-y-auto">
        {visibleGroups(PLACES, may).map(({ name, places }) => (
          <div key={name} className="flex flex-col gap-0.5">
            {name && (
              <h2 className={classNames('px-2.5 pb-0.5 text-xs font-medium text-muted', isRail && 'sr-only')}>
                {t(`groups.${name}`)}
              </h2>
            )}
            {places.map(rowOf)}
          </div>
        ))}
        <div className="mt-auto flex flex-col gap-0.5">
          {settings && rowOf(settings)}
          {user.is_system_admin && rowOf(ADMIN_PLACE)}
        </div>
      </nav>
      <div className={classNames('flex items-center gap-1', isRail && 'flex-col')}>
        <AccountButton isRail={isRail} />
        {!onChosen && <RailButton isRail={isRail} />}
      </div>
    </div>
  )
}

const Label = ({
  isRail,
  className,
  children,
}: {
  isRail: boolean
  className?: string
  children: ReactNode
}) => <span className={isRail ? 'sr-only' : classNames('min-w-0 truncate', className)}>{children}</span>

function PlaceLink({
  place: { to, name, icon: Icon },
  isRail,
  onChosen,
}: {
  place: Place
  isRail: boolean
  onChosen: (() => void) | undefined
}) {
  const { pathname } = useLocation()
  const isWithin = name === 'settings' && isInSettings(pathname)
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      onClick={onChosen}
      title={isRail ? t(`places.${name}`) : undefined}
      className={classNames(
        ROW,
        'h-8 aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent',
        isWithin && 'bg-accent-soft font-medium text-accent',
      )}
    >
      <Icon aria-hidden size={16} className="shrink-0" />
      <Label isRail={isRail}>{t(`places.${name}`)}</Label>
    </Link>
  )
}

function OrganizationButton({ isRail }: { isRail: boolean }) {
  const { organization } = useHere()
  const trigger = (
    <button
      type="button"
      title={isRail ? organization.name : undefined}
      className={classNames(ROW, 'h-10', isRail && 'justify-center px-0')}
    >
      <span className="sr-only">{t('organizations.button')} </span>
      <Avatar id={organization.id} name={organization.name} />
      <Label isRail={isRail} className="grow font-medium">
        {organization.name}
      </Label>
      {!isRail && <ChevronsUpDown aria-hidden size={15} className="shrink-0 text-muted" />}
    </button>
  )
  return (
    <LatePanel kind="menu" trigger={trigger} load={loadOrganizationMenu}>
      <OrganizationMenu trigger={trigger} />
    </LatePanel>
  )
}

function AccountButton({ isRail }: { isRail: boolean }) {
  const { user } = useHere()
  const trigger = (
    <button
      type="button"
      title={isRail ? user.full_name : undefined}
      className={isRail ? 'flex size-10 items-center justify-center rounded-lg hover:bg-hover' : ACCOUNT_ROW}
    >
      <span className="sr-only">{t('account.button')} </span>
      <Avatar id={user.id} name={user.full_name} shape="round" />
      <span className={isRail ? 'sr-only' : 'flex min-w-0 grow flex-col leading-tight'}>
        <span className="truncate font-medium">{user.full_name}</span>
        <span className="truncate text-xs text-muted">{user.email}</span>
      </span>
    </button>
  )
  return (
    <LatePanel kind="menu" trigger={trigger} load={loadAccountMenu}>
      <AccountMenu trigger={trigger} />
    </LatePanel>
  )
}

const RailButton = ({ isRail }: { isRail: boolean }) => {
  const Icon = isRail ? PanelLeftOpen : PanelLeftClose
  return (
    <button
      type="button"
      aria-label={t('rail.toggle')}
      aria-pressed={isRail}
      title={t('rail.hint')}
      onClick={rail.toggle}
      className="inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-ink touch:size-10"
    >
      <Icon aria-hidden size={16} />
    </button>
  )
}
