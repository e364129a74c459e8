import { TextField } from '../../ui/field.tsx'

interface NewPasswordFieldProps {
  label: string
  required?: boolean
  hint?: string
  value: string
  onChange: (password: string) => void
}

/** As the server takes it. */
export const NewPasswordField = ({
  hint = 'At least 8 characters',
  onChange,
  ...rest
}: NewPasswordFieldProps) => (
  <TextField
    {...rest}
    type="password"
    autoComplete="new-password"
    hint={hint}
    minLength={8}
    maxLength={128}
    onChange={({ target }) => onChange(target.value)}
  />
)
