import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { Switch } from './switch.tsx'

export interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  /** An error about the current value. Replaces the hint. */
  error?: string | null | undefined
}

const CONTROL = classNames(
  'w-full rounded-lg border border-line-strong/60 bg-raised px-3 text-ink',
  'aria-invalid:border-danger disabled:cursor-not-allowed disabled:opacity-60',
)

/** A control with a label above it, and a hint or an error below it. Screen readers read both with the control. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProps & { children: (tie: ReturnType<typeof tieOf>) => ReactNode }) {
  const id = useId()
  const tie = tieOf(id, hint, error)
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children(tie)}
      {hint && !error && <Hint id={id}>{hint}</Hint>}
      {error && (
        <p id={`${id}-error`} className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

/** Returns the attributes that associate a control with its hint or error. */
function tieOf(id: string, hint: ReactNode, error?: string | null) {
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined
  return { id, 'aria-invalid': error ? (true as const) : undefined, 'aria-describedby': described }
}

const Hint = ({ id, children }: { id: string; children: ReactNode }) => (
  <p id={`${id}-hint`} className="text-sm text-muted">
    {children}
  </p>
)

export const TextField = ({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & ComponentProps<'input'>) => (
  <Field label={label} hint={hint} error={error}>
    {(tie) => <input {...tie} {...rest} className={classNames(CONTROL, 'h-9 touch:h-10', className)} />}
  </Field>
)

export const TextAreaField = ({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & ComponentProps<'textarea'>) => (
  <Field label={label} hint={hint} error={error}>
    {(tie) => <textarea rows={4} {...tie} {...rest} className={classNames(CONTROL, 'py-2', className)} />}
  </Field>
)

/** A native select, which works with all keyboards and on phones. The children are `<option>` elements. */
export const SelectField = ({
  label,
  hint,
  error,
  className,
  children,
  ...rest
}: FieldProps & ComponentProps<'select'>) => (
  <Field label={label} hint={hint} error={error}>
    {(tie) => (
      <select {...tie} {...rest} className={classNames(CONTROL, 'h-9 touch:h-10', className)}>
        {children}
      </select>
    )}
  </Field>
)

interface SwitchFieldProps {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

export function SwitchField({ label, hint, checked, onChange, disabled = false }: SwitchFieldProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint && <Hint id={id}>{hint}</Hint>}
      </div>
      <Switch {...tieOf(id, hint)} checked={checked} onChange={onChange} disabled={disabled} />
    </div>
  )
}

export function CheckField({
  label,
  hint,
  ...rest
}: { label: ReactNode; hint?: ReactNode } & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <input
        {...tieOf(id, hint)}
        type="checkbox"
        {...rest}
        className="mt-1 size-4 shrink-0 accent-accent touch:mt-3"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm touch:inline-block touch:py-2.5">
          {label}
        </label>
        {hint && <Hint id={id}>{hint}</Hint>}
      </div>
    </div>
  )
}
