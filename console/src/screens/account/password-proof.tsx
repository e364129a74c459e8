import { TextField } from '../../ui/field.tsx'

/** Asks for the password, so that others at an unlocked screen can't change sign-in methods. */
export const PasswordProof = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <TextField
    label="Password"
    type="password"
    autoComplete="current-password"
    required
    maxLength={128}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
