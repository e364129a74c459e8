import { cloneElement, type ReactElement, type ReactNode, Suspense, useState } from 'react'

interface TriggerProps {
  'aria-haspopup'?: 'menu' | 'dialog'
  onClick?: () => void
  onFocus?: () => void
  onPointerEnter?: () => void
}

export type Trigger = ReactElement<TriggerProps>

interface LatePanelProps {
  /** The button that opens the panel. */
  trigger: Trigger
  kind: 'menu' | 'dialog'
  /** Loads the panel's code, before the user presses the button. */
  load: () => Promise<unknown>
  defaultOpen?: boolean
  /** The late panel with its trigger. It is open when it appears. */
  children: ReactNode
}

/** A button whose panel loads when the pointer or the focus reaches it, and appears when the user presses it. */
export function LatePanel({ trigger, kind, load, defaultOpen = false, children }: LatePanelProps) {
  const [isWanted, setWanted] = useState(defaultOpen)
  const prepare = () => void load().catch(() => {})
  const plain = cloneElement(trigger, {
    'aria-haspopup': kind,
    onClick: () => setWanted(true),
    onFocus: prepare,
    onPointerEnter: prepare,
  })
  return isWanted ? <Suspense fallback={plain}>{children}</Suspense> : plain
}
