import type { SignedIn } from '@parley/client/schemas'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { KeyRound, ShieldAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient, read, useChange } from '../../api/queries.ts'
import { session } from '../../api/session.ts'
import { translator } from '../../messages/index.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { hasPasskeys, signWithPasskey } from '../../ui/late-passkeys.ts'
import { Failure } from '../../ui/states.tsx'
import { useMailedToken } from './mailed-token.tsx'
import { Outcome, Outside } from './outside.tsx'
import { demandOf, SecondFactorStep } from './second-factor-step.tsx'

const t = translator('identity')

export function SignIn() {
  const { next } = useSearch({ from: '/sign_in' })
  // The token of an emailed link, if the user opened the link and has to sign in first.
  const token = useMailedToken()
  const enter = useEnter(next, token)
  const methods = useQuery(read('GET /api/auth/methods', {}))
  const login = useChange('POST /api/auth/login', { onDone: enter })
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    login.mutate({ body: { email, password, session: 'cookie' } })
  }
  const demand = demandOf(login.error)
  if (demand)
    return (
      <Outside title={t('secondFactor.title')}>
        <SecondFactorStep demand={demand} onDone={enter} onBack={login.reset} />
      </Outside>
    )
  return (
    <Outside
      title={t('signIn.title')}
      below={
        methods.data?.signup === 'open' && (
          <>
            {t('signIn.newHere')}{' '}
            <Link to="/sign_up" search={{ next }} className="font-medium text-accent underline">
              {t('signUp.title')}
            </Link>
          </>
        )
      }
    >
      <SessionEnded />
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t('email')}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <div className="flex flex-col gap-1.5">
          <TextField
            label={t('password')}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
          <Link to="/forgot_password" className="reach self-end text-sm text-accent underline">
            {t('signIn.forgot')}
          </Link>
        </div>
        {login.error && <Failure error={login.error} />}
        <Button type="submit" kind="primary" busy={login.isPending}>
          {t('signIn.submit')}
        </Button>
      </form>
      {hasPasskeys() && <PasskeyButton onDone={enter} />}
      {methods.data?.oidc && (
        <a href="/api/auth/oidc/start" onClick={() => keepNext(next)} className={buttonLook()}>
          {t('signIn.oidc')}
        </a>
      )}
    </Outside>
  )
}

/** Says why the server ended the session of this browser. */
function SessionEnded() {
  const reason = session.endReason()
  return reason && <Outcome icon={ShieldAlert}>{t(`ended.${reason}`)}</Outcome>
}

/** Signs in with a passkey alone, without an email address or password. */
function PasskeyButton({ onDone }: { onDone: (tokens: SignedIn) => void }) {
  const sign = useMutation({
    mutationFn: async () => {
      const { challenge, options } = await api.request('POST /api/auth/passkeys/begin_sign_in', {})
      const response = await signWithPasskey(options)
      return api.request('POST /api/auth/passkeys/sign_in', {
        body: { challenge, response, session: 'cookie' },
      })
    },
    onSuccess: onDone,
  })
  return (
    <>
      <Button icon={KeyRound} busy={sign.isPending} onClick={() => sign.mutate()}>
        {t('signIn.passkey')}
      </Button>
      {sign.error && <Failure error={sign.error} />}
    </>
  )
}

/**
 * Returns a function that stores the tokens of a new session and opens the page `destination`. The new session
 * replaces this browser's previous session. If `destination` is not a path within the console, opens the home page.
 */
export function useEnter(destination: string | undefined | (() => string | undefined), token?: string) {
  const navigate = useNavigate()
  const router = useRouter()
  return (tokens: Parameters<typeof session.signIn>[0]) => {
    session.signIn(tokens)
    queryClient.clear()
    const next = typeof destination === 'function' ? destination() : destination
    if (next?.startsWith('/') && !next.startsWith('//') && !next.includes('\\'))
      router.history.replace(next, token === undefined ? undefined : { token })
    else void navigate({ to: '/', replace: true })
  }
}

const NEXT = 'parley.next'

/** Stores the page to open after sign-in, while the browser visits the OpenID provider. */
function keepNext(next: string | undefined): void {
  if (next === undefined) sessionStorage.removeItem(NEXT)
  else sessionStorage.setItem(NEXT, next)
}

export function takeNext(): string | undefined {
  const next = sessionStorage.getItem(NEXT) ?? undefined
  sessionStorage.removeItem(NEXT)
  return next
}
