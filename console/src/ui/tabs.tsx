import { classNames } from './class-names.ts'

interface TabsProps<Name extends string> {
  label: string
  /** Each tab with its label. */
  tabs: readonly (readonly [name: Name, text: string])[]
  value: Name
  /** Stores the tab in the URL, so that views have links. */
  onChange: (name: Name) => void
  /** Smaller tabs, for use inside a view that has tabs. */
  minor?: boolean
}

const LOOKS = {
  major: {
    all: '-mb-2 border-b border-line',
    each: 'border-b-2 py-2',
    chosen: 'border-accent text-accent',
    other: 'border-transparent text-muted hover:text-ink',
  },
  minor: {
    all: '',
    each: 'rounded-lg py-1.5',
    chosen: 'bg-accent-soft text-accent',
    other: 'text-muted hover:bg-hover hover:text-ink',
  },
}

/** Views of one resource. The selected tab belongs in the URL. */
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

/** Scrolls the selected tab into view, since phones may not show all tabs. */
const reveal = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
