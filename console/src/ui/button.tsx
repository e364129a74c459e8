import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

const KINDS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line-strong/40 bg-raised text-ink hover:bg-hover',
  ghost: 'text-ink hover:bg-hover',
  danger: 'bg-danger text-on-danger hover:opacity-90',
}

const SIZES = {
  small: 'h-8 gap-1.5 px-2.5 text-sm touch:h-10',
  medium: 'h-9 gap-2 px-3.5 touch:h-10',
}

interface ButtonProps extends ComponentProps<'button'> {
  kind?: keyof typeof KINDS
  size?: keyof typeof SIZES
  icon?: LucideIcon
  /** Whether the action is in progress. If so, the button is disabled and shows a spinner. */
  busy?: boolean
}

export function Button({
  kind = 'secondary',
  size = 'medium',
  icon: Icon,
  busy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const Shown = busy ? LoaderCircle : Icon
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classNames(buttonLook(kind, size), className)}
    >
      {Shown && <Shown aria-hidden size={16} className={classNames('shrink-0', busy && 'animate-spin')} />}
      {children}
    </button>
  )
}

/** Returns the classes of a link that looks like a button. */
export const buttonLook = (
  kind: keyof typeof KINDS = 'secondary',
  size: keyof typeof SIZES = 'medium',
): string =>
  classNames(
    'inline-flex shrink-0 items-center justify-center rounded-lg font-medium whitespace-nowrap transition-colors',
    'disabled:cursor-not-allowed disabled:opacity-50',
    KINDS[kind],
    SIZES[size],
  )

interface IconButtonProps extends ComponentProps<'button'> {
  icon: LucideIcon
  /** The accessible name, which also appears on hover. */
  label: string
  small?: boolean
}

export function IconButton({ icon: Icon, label, small = false, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded-lg text-muted transition-colors',
        'hover:bg-hover hover:text-ink disabled:cursor-not-allowed disabled:opacity-50',
        'aria-pressed:bg-accent-soft aria-pressed:text-accent',
        small ? 'size-7' : 'size-9',
        // Large enough for fingers.
        'touch:size-10',
        className,
      )}
    >
      <Icon aria-hidden size={small ? 15 : 18} />
    </button>
  )
}
