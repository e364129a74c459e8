import { classNames } from './class-names.ts'

interface TabsProps<Name extends string> {
  label: string
  /** Each with what it is called. */
  tabs: readonly (readonly [name: Name, text: string])[]
  value: Name
  /** Puts it in the URL, so that the view can be linked to. */
  onChange: (name: Name) => void
}

/** Views of one thing. What is chosen belongs in the URL. */
export function Tabs<Name extends string>({ label, tabs, value, onChange }: TabsProps<Name>) {
  return (
    <nav aria-label={label} className="-mb-2 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-current={name === value ? 'page' : undefined}
          onClick={() => onChange(name)}
          className={classNames(
            'border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap',
            name === value ? 'border-accent text-accent' : 'border-transparent text-muted hover:text-ink',
          )}
        >
          {text}
        </button>
      ))}
    </nav>
  )
}
