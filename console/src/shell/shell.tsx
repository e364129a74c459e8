import type { Organization } from '@parley/client/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { covers } from '../api/covers.ts'
import { useLiveUpdates } from '../api/live.ts'
import { useIsSignedIn } from '../api/session.ts'
import { translator } from '../messages/index.ts'
import { storeLanguage } from '../messages/languages.ts'
import { Button } from '../ui/button.tsx'
import { loadChunk } from '../ui/chunks.ts'
import { classNames } from '../ui/class-names.ts'
import { signOut } from '../ui/deletions.ts'
import { Failure } from '../ui/states.tsx'
import { useAccountLanguage } from './account-language.ts'
import { showFrame } from './frame.ts'
import { HereContext, useHere } from './organization.tsx'
import { Overlays } from './overlays.tsx'
import { OWN_ORGANIZATIONS, OWN_USER } from './own.ts'
import { PhoneHeader } from './phone-header.tsx'
import { rail } from './rail.ts'
import { SecondFactorGate } from './second-factor-gate.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { Sidebar } from './sidebar.tsx'

const t = translator('shell')

const NoMember = lazy(() => loadChunk(() => import('./no-member.tsx')))
const NewMembership = lazy(() => loadChunk(() => import('./new-membership.tsx')))
const SuspensionNotice = lazy(() => loadChunk(() => import('./suspension-notice.tsx')))

const LAST = 'parley.organization'
/** The minimum role level for inviting users: the level of admins. */
const INVITER_LEVEL_MIN = 80

/** The layout of every page for signed-in users. Loads the user and the organization, and shows the navigation. */
export function Shell() {
  const navigate = useNavigate()
  const isSignedIn = useIsSignedIn()
  const { org_id } = useSearch({ from: '/app' })
  const user = useQuery(OWN_USER)
  const organizations = useInfiniteQuery(OWN_ORGANIZATIONS)
  useLiveUpdates()
  useAccountLanguage(user.data?.language)
  const [opened, setOpened] = useState<string>()

  const chosen = choose(organizations.data, org_id)
  useEffect(() => {
    if (isSignedIn) return
    storeLanguage(null)
    void navigate({ to: '/sign_in', search: { next: location.pathname + location.search } })
  }, [isSignedIn, navigate])
  useEffect(() => {
    if (!chosen?.is_opened) return
    localStorage.setItem(LAST, chosen.id)
    if (org_id === undefined)
      void navigate({ to: '.', search: (search) => ({ ...search, org_id: chosen.id }), replace: true })
  }, [chosen, org_id, navigate])

  if (!user.data || !organizations.data) {
    const error = user.error ?? organizations.error
    return error ? (
      <Alone>
        <Failure error={error} onRetry={() => void Promise.all([user.refetch(), organizations.refetch()])} />
        <Button onClick={() => void signOut()}>{t('account.signOut')}</Button>
      </Alone>
    ) : (
      <Waiting />
    )
  }
  if (!chosen)
    return (
      <Alone>
        <Suspense fallback={<Waiting />}>
          <NoMember other={organizations.data[0]} />
        </Suspense>
      </Alone>
    )
  if (!chosen.is_opened && opened !== chosen.id)
    return (
      <Alone>
        <Suspense fallback={<Waiting />}>
          <NewMembership organization={chosen} onOpen={() => setOpened(chosen.id)} />
        </Suspense>
      </Alone>
    )
  const { permissions, level } = chosen.user_role
  const may = (permission: string) => covers(permissions, permission)
  const here = {
    user: user.data,
    organization: chosen,
    organizations: organizations.data,
    may,
    mayInvite: may('users:write') && level >= INVITER_LEVEL_MIN,
  }
  return (
    <HereContext value={here}>
      <Frame />
    </HereContext>
  )
}

/**
 * Returns the organization that the URL names. If the URL names none, returns the last used organization, or else the
 * personal organization.
 */
function choose(all: Organization[] | undefined, id: string | undefined): Organization | undefined {
  if (id !== undefined) return all?.find((one) => one.id === id)
  const last = localStorage.getItem(LAST)
  return all?.find((one) => one.id === last) ?? all?.find((one) => one.is_personal) ?? all?.[0]
}

function Frame() {
  const { organization } = useHere()
  const isRail = rail.useIsOn()
  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-lg focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        {t('skip')}
      </a>
      <aside
        className={classNames(
          'hidden shrink-0 border-r border-line bg-surface lg:block',
          isRail ? 'w-[3.75rem]' : 'w-60',
        )}
      >
        <Sidebar isRail={isRail} />
      </aside>
      <div className="flex min-w-0 grow flex-col">
        <PhoneHeader />
        {organization.suspension && (
          <Suspense>
            <SuspensionNotice reason={organization.suspension.reason} />
          </Suspense>
        )}
        <main id="main" tabIndex={-1} className="min-h-0 grow overflow-y-auto outline-none">
          <SecondFactorGate>
            <SettingsFrame>
              <Outlet />
            </SettingsFrame>
          </SecondFactorGate>
        </main>
      </div>
      <Overlays />
    </div>
  )
}

const Alone = ({ children }: { children: React.ReactNode }) => (
  <main className="mx-auto flex max-w-lg flex-col items-start gap-4 p-6 pt-24">{children}</main>
)

/** Leaves the page to its frame, and announces to screen readers that it loads. */
function Waiting() {
  useLayoutEffect(showFrame, [])
  return <p role="status" aria-label={t('loading')} />
}
