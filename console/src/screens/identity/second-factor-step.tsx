import { ParleyError } from '@parley/client'
import type { PasskeyOptions, SignedIn } from '@parley/client/schemas'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { hasPasskeys, signWithPasskey } from '../../ui/late-passkeys.ts'
import { Failure } from '../../ui/states.tsx'

const t = translator('identity')

/** The server's challenge for a second factor, with the methods that the user can choose from. */
interface SecondFactorDemand {
  challenge: string
  methods: ('totp' | 'passkey' | 'recovery_code')[]
  passkey_options: PasskeyOptions['options'] | undefined
}

/** Returns the second-factor challenge in an error response, or null if there is none. */
export function demandOf(error: Error | null): SecondFactorDemand | null {
  if (!(error instanceof ParleyError)) return null
  const { challenge, methods, passkey_options } = error.body as Partial<SecondFactorDemand>
  return challenge && methods ? { challenge, methods, passkey_options } : null
}

interface SecondFactorStepProps {
  demand: SecondFactorDemand
  onDone: (tokens: SignedIn) => void
  onBack: () => void
}

export function SecondFactorStep({ demand, onDone, onBack }: SecondFactorStepProps) {
  const { challenge, methods, passkey_options: options } = demand
  const mayUsePasskey = options !== undefined && hasPasskeys()
  const hasOther = mayUsePasskey || methods.includes('totp')
  const [isRecovery, setRecovery] = useState(!hasOther)
  const [text, setText] = useState('')
  const send = useChange('POST /api/auth/verify_second_factor', { onDone })
  const sign = useMutation({
    mutationFn: signWithPasskey,
    onSuccess: (passkey) => send.mutate({ body: { challenge, passkey, session: 'cookie' } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({
      body: { challenge, session: 'cookie', ...(isRecovery ? { recovery_code: text } : { code: text }) },
    })
    setText('')
  }
  const error = sign.error ?? send.error
  // After these errors, the challenge is no longer valid, and the user has to start again with the password.
  const isOver =
    error instanceof ParleyError && ['auth.challenge_gone', 'auth.wrong_passkey'].includes(error.code)
  return (
    <div className="flex flex-col gap-4">
      {mayUsePasskey && !isRecovery && !isOver && (
        <Button
          kind={methods.includes('totp') ? 'secondary' : 'primary'}
          icon={KeyRound}
          busy={sign.isPending}
          onClick={() => sign.mutate(options)}
        >
          {t('signIn.passkey')}
        </Button>
      )}
      {(isRecovery || methods.includes('totp')) && !isOver && (
        <form onSubmit={submit} className="flex flex-col gap-4">
          {isRecovery ? (
            <TextField
              key="recovery"
              label={t('secondFactor.recoveryCode')}
              hint={t('secondFactor.recoveryHint')}
              autoComplete="off"
              autoFocus
              required
              minLength={16}
              maxLength={40}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          ) : (
            <TextField
              key="code"
              label={t('secondFactor.code')}
              hint={t('secondFactor.codeHint')}
              autoComplete="one-time-code"
              inputMode="numeric"
              autoFocus
              required
              minLength={6}
              maxLength={10}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
          <Button type="submit" kind="primary" busy={send.isPending}>
            {t('continue')}
          </Button>
        </form>
      )}
      {error && <Failure error={error} />}
      <div className="flex flex-wrap justify-between gap-2 text-sm">
        {methods.includes('recovery_code') && hasOther && !isOver && (
          <button
            type="button"
            className="py-1 text-accent underline"
            onClick={() => {
              setRecovery(!isRecovery)
              setText('')
            }}
          >
            {isRecovery ? t('secondFactor.otherMethod') : t('secondFactor.useRecovery')}
          </button>
        )}
        <button type="button" className="py-1 text-accent underline" onClick={onBack}>
          {t('secondFactor.back')}
        </button>
      </div>
    </div>
  )
}
