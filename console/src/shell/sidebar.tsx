import { Link, useNavigate } from '@tanstack/react-router'
import {
  Building2,
  Check,
  ChevronsUpDown,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Search,
  Sun,
  User,
  UserCog,
} from 'lucide-react'
import { session } from '../api/session.ts'
import { translator } from '../messages/index.ts'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu.tsx'
import { chooseTheme, type Theme, useTheme } from '../ui/theme.ts'
import { openCommandPalette } from './command-palette.tsx'
import { useHere } from './organization.tsx'
import { ADMIN_PLACE, PLACES, type Place } from './places.ts'

const t = translator('shell')

const THEMES = [
  ['system', Monitor],
  ['light', Sun],
  ['dark', Moon],
] as const

const ROW = 'flex w-full items-center gap-2.5 rounded-lg px-2.5 text-left text-sm hover:bg-hover'

export function Sidebar({ onChosen }: { onChosen?: () => void }) {
  const { user, may } = useHere()
  return (
    <div className="flex h-full flex-col gap-2 p-3">
      <OrganizationSwitcher onChosen={onChosen} />
      <button type="button" onClick={openCommandPalette} className={`${ROW} h-8 text-muted`}>
        <Search aria-hidden size={16} />
        <span className="grow">{t('palette.button')}</span>
        <kbd className="rounded border border-line px-1.5 font-sans text-xs">{t('palette.keys')}</kbd>
      </button>
      <nav aria-label={t('navigation')} className="flex min-h-0 grow flex-col gap-2 overflow-y-auto">
        {PLACES.map(({ group, places }) => {
          const open = places.filter(({ permission }) => permission === undefined || may(permission))
          return (
            open.length > 0 && (
              <div key={group} className="flex flex-col gap-0.5">
                {group && <h2 className="px-2.5 text-xs font-medium text-muted">{t(`groups.${group}`)}</h2>}
                {open.map((place) => (
                  <PlaceLink key={place.to} place={place} onChosen={onChosen} />
                ))}
              </div>
            )
          )
        })}
        {user.is_system_admin && <PlaceLink place={ADMIN_PLACE} onChosen={onChosen} />}
      </nav>
      <Account onChosen={onChosen} />
    </div>
  )
}

const PlaceLink = ({ place, onChosen }: { place: Place; onChosen: (() => void) | undefined }) => (
  <Link
    to={place.to}
    onClick={onChosen}
    className={`${ROW} h-8 shrink-0 aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent`}
  >
    <place.icon aria-hidden size={16} className="shrink-0" />
    {t(`places.${place.name}`)}
  </Link>
)

function OrganizationSwitcher({ onChosen }: { onChosen: (() => void) | undefined }) {
  const { organization, organizations } = useHere()
  const navigate = useNavigate()
  const go = (to: string, org_id: string) => {
    onChosen?.()
    void navigate({ to, search: { org_id } })
  }
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={`${ROW} h-11`}>
          <span className="sr-only">{t('organizations.button')} </span>
          <span
            aria-hidden
            className="flex size-7 shrink-0 items-center justify-center rounded-lg bg-accent text-sm font-semibold text-on-accent"
          >
            {organization.name.slice(0, 1).toUpperCase()}
          </span>
          <span className="min-w-0 grow truncate font-medium">{organization.name}</span>
          <ChevronsUpDown aria-hidden size={15} className="shrink-0 text-muted" />
        </button>
      }
    >
      <MenuLabel>{t('organizations.title')}</MenuLabel>
      {organizations.map(({ id, name, is_personal }) => (
        <MenuItem
          key={id}
          icon={id === organization.id ? Check : is_personal ? User : Building2}
          onSelect={() => go('/', id)}
        >
          <span className="max-w-56 truncate">{name}</span>
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={Plus} onSelect={() => go('/organizations/new', organization.id)}>
        {t('organizations.create')}
      </MenuItem>
    </Menu>
  )
}

function Account({ onChosen }: { onChosen: (() => void) | undefined }) {
  const { user } = useHere()
  const navigate = useNavigate()
  const theme = useTheme()
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={`${ROW} h-11`}>
          <span className="sr-only">{t('account.button')} </span>
          <span
            aria-hidden
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-hover text-sm font-medium"
          >
            {user.full_name.slice(0, 1).toUpperCase()}
          </span>
          <span className="flex min-w-0 grow flex-col leading-tight">
            <span className="truncate font-medium">{user.full_name}</span>
            <span className="truncate text-xs text-muted">{user.email}</span>
          </span>
        </button>
      }
    >
      <MenuItem
        icon={UserCog}
        onSelect={() => {
          onChosen?.()
          void navigate({ to: '/account' })
        }}
      >
        {t('account.settings')}
      </MenuItem>
      <MenuLine />
      <MenuLabel>{t('theme.title')}</MenuLabel>
      {THEMES.map(([name, icon]) => (
        <ThemeItem key={name} name={name} icon={icon} isChosen={name === theme}>
          {t(`theme.${name}`)}
        </ThemeItem>
      ))}
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={() => session.signOut()}>
        {t('account.signOut')}
      </MenuItem>
    </Menu>
  )
}

const ThemeItem = ({
  name,
  icon,
  isChosen,
  children,
}: {
  name: Theme
  icon: typeof Sun
  isChosen: boolean
  children: string
}) => (
  <MenuItem icon={icon} onSelect={() => chooseTheme(name)}>
    <span className="grow">{children}</span>
    {isChosen && <Check aria-label={t('theme.selected')} size={15} />}
  </MenuItem>
)
