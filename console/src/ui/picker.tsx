import { ChevronDown } from 'lucide-react'
import { lazy, type ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { loadChunk } from './chunks.ts'
import { LatePanel } from './late-panel.tsx'
import type { Choice } from './picker-panel.tsx'

const t = translator('ui')

const load = () => import('./picker-panel.tsx')
const PickerPanel = lazy(() => loadChunk(load))

interface PickerProps {
  /** The kind of items to choose from. Part of the button's accessible name. */
  label: string
  choices: readonly Choice[]
  chosen: readonly string[]
  /** Called with the ids of all chosen items. Without `several`, there is exactly one. */
  onChange: (chosen: string[]) => void
  several?: boolean
  /** The text of the button. By default, the names of the chosen items. */
  children?: ReactNode
  disabled?: boolean
  /** Shown if no choice matches the search. */
  empty?: string
}

export function Picker({
  label,
  choices,
  chosen,
  onChange,
  several = false,
  children,
  disabled = false,
  empty = t('noMatches'),
}: PickerProps) {
  const names = choices
    .filter(({ id }) => chosen.includes(id))
    .map(({ name }) => name)
    .join(', ')
  // The accessible name contains the button's visible text, so that voice control finds the button (WCAG 2.5.3).
  const seen = typeof children === 'string' ? children : ''
  const said = new Set([seen.startsWith(label) ? '' : label, seen, names])
  const toggle = (id: string, close: () => void) => {
    if (several) return onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
    onChange([id])
    close()
  }
  const trigger = (
    <button
      type="button"
      disabled={disabled}
      aria-label={[...said].filter(Boolean).join(': ')}
      className="inline-flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-lg border border-line bg-raised px-2.5 text-sm hover:bg-hover disabled:opacity-50 touch:h-10"
    >
      <span className="min-w-0 truncate">{children ?? (names || label)}</span>
      <ChevronDown aria-hidden size={14} className="shrink-0 text-muted" />
    </button>
  )
  return (
    <LatePanel kind="dialog" trigger={trigger} load={load}>
      <PickerPanel
        trigger={trigger}
        label={label}
        choices={choices}
        chosen={chosen}
        onToggle={toggle}
        empty={empty}
      />
    </LatePanel>
  )
}
