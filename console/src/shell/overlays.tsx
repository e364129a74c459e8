import { lazy, Suspense, useEffect } from 'react'
import { loadChunk } from '../ui/chunks.ts'
import { showOverlay, useOverlay } from './overlay.ts'
import { useShortcuts } from './shortcuts.ts'

const loadPalette = () => import('./palette.tsx')
const Palette = lazy(() => loadChunk(loadPalette))
/** The panels load this long after the page, so that they open also when the browser is offline later. */
const PANELS_AFTER_MS = 10_000
const ShortcutSheet = lazy(() => loadChunk(() => import('./shortcut-sheet.tsx')))

/** The command palette and the list of shortcuts, which load on first use. */
export function Overlays() {
  const shown = useOverlay()
  useShortcuts()
  useEffect(() => {
    // Ctrl and Cmd precede the palette's shortcut.
    const prepare = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') void loadPalette().catch(() => {})
    }
    window.addEventListener('keydown', prepare, { passive: true })
    return () => window.removeEventListener('keydown', prepare)
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => void import('../ui/dialog-panel.tsx').catch(() => {}), PANELS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const close = () => showOverlay(null)
  return (
    <Suspense fallback={null}>
      {shown === 'palette' && <Palette onClose={close} />}
      {shown === 'shortcuts' && <ShortcutSheet onClose={close} />}
    </Suspense>
  )
}
