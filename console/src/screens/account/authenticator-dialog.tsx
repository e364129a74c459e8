import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PasswordProof } from './password-proof.tsx'

const t = translator('account')

interface DialogProps {
  onClose: () => void
  onDone: (codes: string[] | null) => void
}

/** A dialog that sets up an authenticator app in three steps: password, QR code, first code. */
export function AuthenticatorDialog({ onClose, onDone }: DialogProps) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const begin = useMutation({
    mutationFn: () => api.request('POST /api/auth/totp/begin', { body: { proof: { password } } }),
  })
  const confirm = useMutation({
    mutationFn: () => api.request('POST /api/auth/totp/confirm', { body: { code } }),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
    onError: () => setCode(''),
  })
  if (!begin.data)
    return (
      <FormDialog
        open
        onClose={onClose}
        title={t('factors.setUpApp')}
        description={t('app.description')}
        action={t('app.continue')}
        busy={begin.isPending}
        error={begin.error}
        onSubmit={() => begin.mutate()}
      >
        <PasswordProof value={password} onChange={setPassword} />
      </FormDialog>
    )
  const { secret, otpauth_url: url } = begin.data
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('factors.setUpApp')}
      description={t('app.scan')}
      action={t('app.confirm')}
      busy={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.mutate()}
    >
      <QrCode text={url} />
      <div className="flex flex-col gap-1.5 text-sm">
        <span className="text-muted">{t('app.key')}</span>
        <span className="flex items-center gap-2">
          <code className="min-w-0 grow font-mono break-words">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} what={t('app.copyKey')} />
        </span>
      </div>
      <TextField
        label={t('app.code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        required
        minLength={6}
        maxLength={10}
        value={code}
        onChange={({ target }) => setCode(target.value)}
      />
    </FormDialog>
  )
}

/** A QR code in black on white, also in the dark theme, because many cameras cannot read inverted codes. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label={t('app.qrCode')}
      viewBox={`0 0 ${size} ${size}`}
      className="size-48 self-center rounded-lg"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
