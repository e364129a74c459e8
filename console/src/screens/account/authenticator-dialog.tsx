import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import { api } from '../../api/client.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PasswordProof } from './password-proof.tsx'

interface DialogProps {
  onClose: () => void
  onDone: (codes: string[] | null) => void
}

/** Sets up an authenticator app in three steps: password, QR code, first code. */
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
        title="Set up authenticator app"
        description="An app on your phone that shows a new code every 30 seconds."
        action="Continue"
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
      title="Set up authenticator app"
      description="Scan the QR code with the app, then enter the code that it shows."
      action="Confirm code"
      busy={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.mutate()}
    >
      <QrCode text={url} />
      <div className="flex flex-col gap-1.5 text-sm">
        <span className="text-muted">Or enter this key in the app:</span>
        <span className="flex items-center gap-2">
          <code className="min-w-0 grow font-mono break-words">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} what="Copy the key" />
        </span>
      </div>
      <TextField
        label="Code"
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

/** Black on white in every theme, because cameras can't read it otherwise. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label="QR code for the authenticator app"
      viewBox={`0 0 ${size} ${size}`}
      className="size-48 self-center rounded-lg"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
