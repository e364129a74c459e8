import { translator } from '../../messages/index.ts'
import { TextField } from '../../ui/field.tsx'

const t = translator('identity')

interface NewPasswordFieldProps {
  label: string
  required?: boolean
  hint?: string
  value: string
  onChange: (password: string) => void
}

/** A field for a new password, with the same length limits as the server. */
export const NewPasswordField = ({ hint = t('passwordHint'), onChange, ...rest }: NewPasswordFieldProps) => (
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
