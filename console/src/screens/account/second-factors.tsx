import type { SecondFactors as Factors, SecondFactor } from '@parley/client/schemas'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { createPasskey, hasPasskeys } from '../../api/passkeys.ts'
import { outdate, queryClient, read } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded, SkeletonList } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { AuthenticatorDialog } from './authenticator-dialog.tsx'
import { PasswordProof } from './password-proof.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

type Asked = 'passkey' | 'app' | 'codes' | SecondFactor

/** Passkeys, the authenticator app, and recovery codes. */
export function SecondFactors() {
  const factors = useQuery(read('GET /api/auth/factors', {}))
  const [asked, setAsked] = useState<Asked | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const close = () => setAsked(null)
  const done = (newCodes: string[] | null) => {
    setAsked(null)
    setCodes(newCodes)
    void outdate(queryClient, 'GET /api/auth/factors', 'GET /api/auth/sessions')
  }
  const hasApp = factors.data?.factors.some(({ type }) => type === 'totp') ?? true
  return (
    <Section
      title="Second factor"
      description="A second step after your password. A passkey also signs you in without one."
      actions={
        <>
          {hasPasskeys() && (
            <Button size="small" icon={KeyRound} onClick={() => setAsked('passkey')}>
              Add passkey
            </Button>
          )}
          {!hasApp && (
            <Button size="small" icon={Smartphone} onClick={() => setAsked('app')}>
              Set up authenticator app
            </Button>
          )}
        </>
      }
    >
      <Loaded query={factors} skeleton={<SkeletonList lines={2} />}>
        {(data) => <FactorList data={data} onRemove={setAsked} onRenew={() => setAsked('codes')} />}
      </Loaded>
      {asked === 'passkey' && <PasskeyDialog onClose={close} onDone={done} />}
      {asked === 'app' && <AuthenticatorDialog onClose={close} onDone={done} />}
      {asked === 'codes' && <RenewDialog onClose={close} onDone={done} />}
      {asked !== null && typeof asked === 'object' && (
        <RemoveDialog factor={asked} onClose={close} onDone={() => done(null)} />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Section>
  )
}

function FactorList({
  data,
  onRemove,
  onRenew,
}: {
  data: Factors
  onRemove: (factor: SecondFactor) => void
  onRenew: () => void
}) {
  if (data.factors.length === 0)
    return <p className="text-sm text-muted">You have none. Your password alone signs you in.</p>
  return (
    <>
      <ul aria-label="Second factors" className="flex flex-col divide-y divide-line">
        {data.factors.map((factor) => (
          <li key={factor.id} className="flex items-center gap-3 py-3 first:pt-0">
            {factor.type === 'totp' ? (
              <Smartphone aria-hidden size={20} className="shrink-0 text-muted" />
            ) : (
              <KeyRound aria-hidden size={20} className="shrink-0 text-muted" />
            )}
            <div className="min-w-0 grow">
              <p className="font-medium break-words">{factor.name}</p>
              <p className="text-sm text-muted">
                {factor.type === 'totp' ? 'Added' : 'Passkey, added'} <Ago time={factor.created_at} />
                {factor.last_used_at && (
                  <>
                    , last used <Ago time={factor.last_used_at} />
                  </>
                )}
              </p>
            </div>
            <Button size="small" aria-label={`Remove ${factor.name}`} onClick={() => onRemove(factor)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
        <span className="text-muted">Recovery codes left: {data.recovery_codes_left}</span>
        <Button size="small" onClick={onRenew}>
          Replace recovery codes
        </Button>
      </div>
    </>
  )
}

interface DialogProps {
  onClose: () => void
  onDone: (codes: string[] | null) => void
}

const proofOf = (password: string) => ({ password })

function PasskeyDialog({ onClose, onDone }: DialogProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const body = { proof: proofOf(password) }
      const { challenge, options } = await api.request('POST /api/auth/passkeys/options', { body })
      const response = await createPasskey(options)
      return api.request('POST /api/auth/passkeys/register', { body: { challenge, name, response } })
    },
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title="Add passkey"
      description="Your device or security key asks you to confirm it."
      action="Add passkey"
      busy={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate()}
    >
      <TextField
        label="Name"
        hint="Where you keep it, such as Laptop or Security key"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <PasswordProof value={password} onChange={setPassword} />
    </FormDialog>
  )
}

function RenewDialog({ onClose, onDone }: DialogProps) {
  const [password, setPassword] = useState('')
  const renew = useMutation({
    mutationFn: () => api.request('POST /api/auth/recovery_codes', { body: { proof: proofOf(password) } }),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title="Replace recovery codes"
      description="Your present codes stop working."
      action="Replace codes"
      busy={renew.isPending}
      error={renew.error}
      onSubmit={() => renew.mutate()}
    >
      <PasswordProof value={password} onChange={setPassword} />
    </FormDialog>
  )
}

function RemoveDialog({
  factor,
  onClose,
  onDone,
}: {
  factor: SecondFactor
  onClose: () => void
  onDone: () => void
}) {
  const [password, setPassword] = useState('')
  const remove = useMutation({
    mutationFn: () =>
      api.request('POST /api/auth/factors/remove', {
        body: { factor_id: factor.id, proof: proofOf(password) },
      }),
    onSuccess: onDone,
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={`Remove ${factor.name}?`}
      description="You can no longer sign in with it. If it is your last factor, your recovery codes are deleted too."
      action="Remove factor"
      danger
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
    >
      <PasswordProof value={password} onChange={setPassword} />
    </FormDialog>
  )
}
