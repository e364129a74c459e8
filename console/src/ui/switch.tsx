import type { ComponentProps } from 'react'

interface SwitchProps extends Omit<ComponentProps<'button'>, 'onChange'> {
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A switch. Give it an accessible name. The pointer may miss it by 8 px, so that fingers find it. */
export const Switch = ({ checked, onChange, ...rest }: SwitchProps) => (
  <button
    type="button"
    role="switch"
    {...rest}
    aria-checked={checked}
    onClick={() => onChange(!checked)}
    className="group relative h-6 w-10 shrink-0 rounded-full bg-line-strong transition-colors before:absolute before:-inset-2 aria-checked:bg-accent disabled:opacity-50"
  >
    <span className="block size-5 translate-x-0.5 rounded-full bg-canvas transition-transform group-aria-checked:translate-x-[1.125rem]" />
  </button>
)
