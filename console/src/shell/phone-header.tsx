import { Link, useLocation } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { translator } from '../messages/index.ts'
import { Mark } from '../ui/brand.tsx'
import { IconButton } from '../ui/button.tsx'
import { loadChunk } from '../ui/chunks.ts'
import { showOverlay } from './overlay.ts'

const t = translator('shell')

const loadMenu = () => import('./phone-menu.tsx')
const PhoneMenu = lazy(() => loadChunk(loadMenu))
/** Matches the screens that show the button, as the class `lg:hidden` does. */
const NARROW = '(width < 64rem)'

/** The header of narrow screens. Chats have a header of their own, which contains the menu too. */
export function PhoneHeader() {
  const { pathname } = useLocation()
  if (pathname === '/chats' || pathname.startsWith('/chats/')) return null
  return (
    <div className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-1 lg:hidden">
      <MenuButton />
      <Link to="/" className="flex h-10 min-w-0 grow items-center gap-2 rounded-lg px-1 font-semibold">
        <Mark size={22} /> Parley
      </Link>
      <IconButton icon={Search} label={t('palette.title')} onClick={() => showOverlay('palette')} />
    </div>
  )
}

/** The button that opens the navigation on narrow screens. */
export function MenuButton() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    // The menu opens without a delay, and also offline.
    if (matchMedia(NARROW).matches) void loadMenu().catch(() => {})
  }, [])
  return (
    <>
      <IconButton
        icon={MenuIcon}
        label={t('menu')}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="lg:hidden"
      />
      {isOpen && (
        <Suspense fallback={null}>
          <PhoneMenu onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
