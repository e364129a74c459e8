import { Command } from 'cmdk'
import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { translator } from '../messages/index.ts'
import { classNames } from './class-names.ts'

const t = translator('ui')

export interface Choice {
  id: string
  name: string
  note?: ReactNode
  group?: string
}

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
  const [isOpen, setOpen] = useState(false)
  const names = choices
    .filter(({ id }) => chosen.includes(id))
    .map(({ name }) => name)
    .join(', ')
  // The accessible name contains the button's visible text, so that voice control finds the button (WCAG 2.5.3).
  const seen = typeof children === 'string' ? children : ''
  const said = new Set([seen.startsWith(label) ? '' : label, seen, names])
  const toggle = (id: string) => {
    if (several) return onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
    onChange([id])
    setOpen(false)
  }
  const groups = [...new Set(choices.map(({ group }) => group))]
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        disabled={disabled}
        aria-label={[...said].filter(Boolean).join(': ')}
        className="inline-flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-lg border border-line bg-raised px-2.5 text-sm hover:bg-hover disabled:opacity-50"
      >
        <span className="min-w-0 truncate">{children ?? (names || label)}</span>
        <ChevronDown aria-hidden size={14} className="shrink-0 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 w-72 overflow-hidden rounded-xl border border-line bg-raised shadow-lg"
        >
          <Command label={label} loop>
            <Command.Input
              placeholder={t('search')}
              className="h-10 w-full border-b border-line bg-transparent px-3 text-sm outline-none"
            />
            <Command.List className="max-h-72 overflow-y-auto p-1" label={label}>
              <Command.Empty className="px-3 py-6 text-center text-sm text-muted">{empty}</Command.Empty>
              {groups.map((group) => (
                <Command.Group
                  key={group ?? ''}
                  heading={group}
                  className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
                >
                  {choices
                    .filter((choice) => choice.group === group)
                    .map(({ id, name, note }) => (
                      <Command.Item
                        key={id}
                        value={`${name} ${id}`}
                        onSelect={() => toggle(id)}
                        className="flex cursor-pointer items-center gap-2 rounded-lg px-2.5 py-1.5 text-sm data-[selected=true]:bg-hover"
                      >
                        <Check
                          aria-hidden
                          size={15}
                          className={classNames('shrink-0 text-accent', !chosen.includes(id) && 'opacity-0')}
                        />
                        <span className="min-w-0 grow truncate">{name}</span>
                        {note && <span className="shrink-0 text-xs text-muted">{note}</span>}
                        {chosen.includes(id) && <span className="sr-only">{t('selected')}</span>}
                      </Command.Item>
                    ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
