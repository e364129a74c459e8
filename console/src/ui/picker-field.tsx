import type { ComponentProps } from 'react'
import { Field, type FieldProps } from './field.tsx'
import { Picker } from './picker.tsx'

type PickerFieldProps = FieldProps & Omit<ComponentProps<typeof Picker>, 'field' | 'trigger'>

/** A picker in a form, with a label above it, and a hint or an error below it. */
export const PickerField = ({ label, hint, error, ...rest }: PickerFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(tie) => <Picker label={label} field={tie} {...rest} />}
  </Field>
)
