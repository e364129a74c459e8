import { classNames } from './class-names.ts'

interface TabsProps<Name extends string> {
  label: string
  /** Each with what it is called. */
  tabs: readonly (readonly [name: Name, text: string])[]
  value: Name
  /** Puts it in the URL, so that the view can be linked to. */
  onChange: (name: Name) => void
  /** It stands within a view that has such tabs, and must not look like them. */
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

/** Views of one thing. What is chosen belongs in the URL. */
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

/** On a phone what is chosen may be beside the screen. */
const reveal = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
