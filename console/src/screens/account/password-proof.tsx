import { translator } from '../../messages/index.ts'
import { TextField } from '../../ui/field.tsx'

const t = translator('account')

/** Asks for the password again, so that someone else at an unlocked screen cannot change the sign-in methods. */
export const PasswordProof = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <TextField
    label={t('password.proof')}
    type="password"
    autoComplete="current-password"
    required
    maxLength={128}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
