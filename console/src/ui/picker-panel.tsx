import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { classNames } from './class-names.ts'
import PopoverPanel from './popover-panel.tsx'

const t = translator('ui')

export interface Choice {
  id: string
  name: string
  note?: ReactNode
  group?: string
}

interface PickerPanelProps {
  trigger: ReactNode
  label: string
  choices: readonly Choice[]
  chosen: readonly string[]
  /** Called with the id of the choice that the user selected or cleared. */
  onToggle: (id: string, close: () => void) => void
  empty: string
}

/** The choices of a picker, with a field that searches them. */
export default function PickerPanel({ trigger, ...list }: PickerPanelProps) {
  return (
    <PopoverPanel trigger={trigger} label={list.label} className="z-50 w-72 overflow-hidden">
      {(close) => <PickerList {...list} onToggle={(id) => list.onToggle(id, close)} />}
    </PopoverPanel>
  )
}

interface PickerListProps extends Omit<PickerPanelProps, 'trigger' | 'onToggle'> {
  onToggle: (id: string) => void
}

function PickerList({ label, choices, chosen, onToggle, empty }: PickerListProps) {
  const groups = [...new Set(choices.map(({ group }) => group))]
  return (
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
                  onSelect={() => onToggle(id)}
                  className="flex cursor-pointer items-center gap-2 rounded-lg px-2.5 py-1.5 text-sm data-[selected=true]:bg-hover touch:min-h-10"
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
  )
}
