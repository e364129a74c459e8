import { ChevronDown } from 'lucide-react'
import { type ComponentProps, lazy, type ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import type { Choice, ChoiceList } from './choices.ts'
import { loadChunk } from './chunks.ts'
import { classNames } from './class-names.ts'
import { LatePanel, type Trigger } from './late-panel.tsx'

const t = translator('ui')

const load = () => import('./picker-panel.tsx')
const PickerPanel = lazy(() => loadChunk(load))

interface PickerProps {
  /** The kind of items to choose from. Part of the button's accessible name. */
  label: string
  /** Choices that need no request. Shown before those of `lists`. */
  choices?: readonly Choice[]
  /** Lists of the server to choose from. */
  lists?: readonly ChoiceList[]
  chosen: readonly Choice[]
  /** Called with all chosen items. Without `several`, there is exactly one. */
  onChange: (chosen: Choice[]) => void
  several?: boolean
  /** The text of the button. By default, the names of the chosen items. */
  children?: ReactNode
  /** Replaces the button. */
  trigger?: Trigger
  /** Attributes of the button in a form, where the button is as wide as the other fields. */
  field?: ComponentProps<'button'>
  disabled?: boolean
  /** Shown if no choice matches the search. */
  empty?: string
}

const LOOK = 'h-8 max-w-full border-line px-2.5 text-sm'
const FIELD_LOOK = 'h-9 w-full border-line-strong/60 px-3 text-left aria-invalid:border-danger'

export function Picker({
  label,
  choices = [],
  lists = [],
  chosen,
  onChange,
  several = false,
  children,
  trigger,
  field,
  disabled = false,
  empty = t('noMatches'),
}: PickerProps) {
  const names = chosen.map(({ name }) => name).join(', ')
  // The accessible name contains the button's visible text, so that voice control finds the button (WCAG 2.5.3).
  const seen = typeof children === 'string' ? children : ''
  const said = new Set([seen.startsWith(label) ? '' : label, seen, names])
  const toggle = (choice: Choice, close: () => void) => {
    const others = chosen.filter(({ id }) => id !== choice.id)
    if (several) return onChange(others.length < chosen.length ? others : [...chosen, choice])
    onChange([choice])
    close()
  }
  const button = trigger ?? (
    <button
      type="button"
      {...field}
      disabled={disabled}
      aria-label={[...said].filter(Boolean).join(': ')}
      className={classNames(
        'inline-flex min-w-0 items-center gap-1.5 rounded-lg border bg-raised hover:bg-hover disabled:opacity-50 touch:h-10',
        field ? FIELD_LOOK : LOOK,
      )}
    >
      <span className="min-w-0 grow truncate">{children ?? (names || label)}</span>
      <ChevronDown aria-hidden size={14} className="shrink-0 text-muted" />
    </button>
  )
  return (
    <LatePanel kind="dialog" trigger={button} load={load}>
      <PickerPanel
        trigger={button}
        label={label}
        choices={choices}
        lists={lists}
        chosen={chosen}
        several={several}
        onToggle={toggle}
        empty={empty}
      />
    </LatePanel>
  )
}
