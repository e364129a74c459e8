import { classNames } from './class-names.ts'

interface TabsProps<Name extends string> {
  label: string
  /** The name and label of each tab. */
  tabs: readonly (readonly [name: Name, text: string])[]
  value: Name
  /** Selects a tab. Store its name in the URL, so that users can link to the tab. */
  onChange: (name: Name) => void
  /** Whether to show smaller tabs, for tabs inside another tab. */
  minor?: boolean
}

const LOOKS = {
  major: {
    all: '-mb-2 border-b border-line',
    each: 'border-b-2 py-2 touch:min-h-10',
    chosen: 'border-accent text-accent',
    other: 'border-transparent text-muted hover:text-ink',
  },
  minor: {
    all: '',
    each: 'rounded-lg py-1.5 touch:min-h-10',
    chosen: 'bg-accent-soft text-accent',
    other: 'text-muted hover:bg-hover hover:text-ink',
  },
}

/** A row of tabs that switch between views of one resource. */
export function Tabs<Name extends string>({ label, tabs, value, onChange, minor = false }: TabsProps<Name>) {
  const look = LOOKS[minor ? 'minor' : 'major']
  return (
    <nav aria-label={label} className={classNames('flex gap-1 overflow-x-auto', look.all)}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          ref={name === value ? reveal : undefined}
          type="button"
          aria-current={name === value ? 'page' : undefined}
          onClick={() => onChange(name)}
          className={classNames(
            'px-3 text-sm font-medium whitespace-nowrap',
            look.each,
            name === value ? look.chosen : look.other,
          )}
        >
          {text}
        </button>
      ))}
    </nav>
  )
}

/** Scrolls the selected tab into view, because phones may not have room for all tabs. */
const reveal = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
