import { lazy, Suspense } from 'react'
import { loadChunk } from './chunks.ts'
import type { DialogPanelProps, DrawerPanelProps } from './dialog-panel.tsx'

const load = () => loadChunk(() => import('./dialog-panel.tsx'))
const DialogPanel = lazy(async () => ({ default: (await load()).DialogPanel }))
const DrawerPanel = lazy(async () => ({ default: (await load()).DrawerPanel }))

export interface DialogProps extends DialogPanelProps {
  open: boolean
}

/** A dialog, whose code loads when it first opens. */
export const Dialog = ({ open, ...panel }: DialogProps) =>
  open && (
    <Suspense fallback={null}>
      <DialogPanel {...panel} />
    </Suspense>
  )

/** A panel at the side of the page, whose code loads when it first opens. */
export const Drawer = ({ open, ...panel }: DrawerPanelProps & { open: boolean }) =>
  open && (
    <Suspense fallback={null}>
      <DrawerPanel {...panel} />
    </Suspense>
  )
