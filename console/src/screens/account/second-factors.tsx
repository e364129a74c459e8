import type { SecondFactors as Factors, SecondFactor } from '@parley/client/schemas'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { outdate, queryClient, read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { createPasskey, hasPasskeys } from '../../ui/late-passkeys.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded, SkeletonList } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { AuthenticatorDialog } from './authenticator-dialog.tsx'
import { PasswordProof } from './password-proof.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

const t = translator('account')

/** The name that the server gives to an authenticator app. */
const DEFAULT_APP_NAME = 'Authenticator app'

const nameOf = ({ type, name }: SecondFactor): string =>
  type === 'totp' && name === DEFAULT_APP_NAME ? t('factors.appName') : name

type Asked = 'passkey' | 'app' | 'codes' | SecondFactor

export function SecondFactors() {
  const factors = useQuery(read('GET /api/auth/factors/list', {}))
  const [asked, setAsked] = useState<Asked | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const close = () => setAsked(null)
  const done = (newCodes: string[] | null) => {
    setAsked(null)
    setCodes(newCodes)
    void outdate(queryClient, 'GET /api/auth/factors/list', 'GET /api/auth/sessions')
  }
  const hasApp = factors.data?.factors.some(({ type }) => type === 'totp') ?? true
  return (
    <Section
      title={t('factors.title')}
      description={t('factors.description')}
      actions={
        <>
          {hasPasskeys() && (
            <Button size="small" icon={KeyRound} onClick={() => setAsked('passkey')}>
              {t('factors.addPasskey')}
            </Button>
          )}
          {!hasApp && (
            <Button size="small" icon={Smartphone} onClick={() => setAsked('app')}>
              {t('factors.setUpApp')}
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
  if (data.factors.length === 0) return <p className="text-sm text-muted">{t('factors.none')}</p>
  return (
    <>
      <ul aria-label={t('factors.list')} className="flex flex-col divide-y divide-line">
        {data.factors.map((factor) => (
          <li key={factor.id} className="flex items-center gap-3 py-3 first:pt-0">
            {factor.type === 'totp' ? (
              <Smartphone aria-hidden size={20} className="shrink-0 text-muted" />
            ) : (
              <KeyRound aria-hidden size={20} className="shrink-0 text-muted" />
            )}
            <div className="min-w-0 grow">
              <p className="font-medium break-words">{nameOf(factor)}</p>
              <p className="text-sm text-muted">
                {t.rich(factor.type === 'totp' ? 'factors.app' : 'factors.passkey', {
                  ago: () => <Ago time={factor.created_at} />,
                })}
                {factor.last_used_at !== null && <LastUsed time={factor.last_used_at} />}
              </p>
            </div>
            <Button
              size="small"
              aria-label={t('factors.removeNamed', { name: nameOf(factor) })}
              onClick={() => onRemove(factor)}
            >
              {t('factors.remove')}
            </Button>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
        <span className="text-muted">{t('factors.codesLeft', { count: data.recovery_codes_left })}</span>
        <Button size="small" onClick={onRenew}>
          {t('codes.regenerate')}
        </Button>
      </div>
    </>
  )
}

const LastUsed = ({ time }: { time: string }) => (
  <> · {t.rich('factors.used', { ago: () => <Ago time={time} /> })}</>
)

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
      const { challenge, options } = await api.request('POST /api/auth/passkeys/begin', { body })
      const response = await createPasskey(options)
      return api.request('POST /api/auth/passkeys/register', { body: { challenge, name, response } })
    },
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('factors.addPasskey')}
      description={t('passkey.description')}
      action={t('factors.addPasskey')}
      busy={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate()}
    >
      <TextField
        label={t('passkey.name')}
        hint={t('passkey.nameHint')}
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
    mutationFn: () =>
      api.request('POST /api/auth/recovery_codes/renew', { body: { proof: proofOf(password) } }),
    onSuccess: ({ recovery_codes }) => onDone(recovery_codes),
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={t('codes.regenerate')}
      description={t('codes.consequence')}
      action={t('codes.action')}
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
      title={t('factors.removeTitle', { name: nameOf(factor) })}
      description={t('factors.removeConsequence')}
      action={t('factors.removeAction')}
      danger
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
    >
      <PasswordProof value={password} onChange={setPassword} />
    </FormDialog>
  )
}
