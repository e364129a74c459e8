import { createRoute, redirect } from '@tanstack/react-router'
import { session } from '../../api/session.ts'
import { rootRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The secret token of an emailed link. */
    token?: string
  }
}

/** Returns the search parameter with the page to open after sign-in. */
const nextOf = ({ next }: Record<string, unknown>): { next?: string } =>
  typeof next === 'string' ? { next } : {}

const tokenOf = ({ token }: Record<string, unknown>): { token?: string } =>
  typeof token === 'string' ? { token } : {}

/**
 * Moves the token from the URL to the state of the history entry before the page appears. Screenshots, copied URLs
 * and the browser history therefore don't contain the token. The token survives a page reload.
 */
const takeToken =
  (path: string) =>
  ({ search: { token } }: { search: { token?: string } }): void => {
    if (token !== undefined) throw redirect({ to: path, search: {}, state: { token }, replace: true })
  }

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign_in',
  validateSearch: nextOf,
  beforeLoad: () => {
    if (session.isSignedIn()) throw redirect({ to: '/' })
  },
  component: lateScreen(() => import('./sign-in.tsx'), 'SignIn', { text: 'first' }),
})

const signUp = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign_up',
  validateSearch: nextOf,
  component: lateScreen(() => import('./sign-up.tsx'), 'SignUp', { text: 'first' }),
})

const forgotPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot_password',
  component: lateScreen(() => import('./forgot-password.tsx'), 'ForgotPassword', { text: 'first' }),
})

const resetPassword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset_password',
  validateSearch: tokenOf,
  beforeLoad: takeToken('/reset_password'),
  component: lateScreen(() => import('./reset-password.tsx'), 'ResetPassword', { text: 'first' }),
})

const verifyEmail = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify_email',
  validateSearch: tokenOf,
  beforeLoad: takeToken('/verify_email'),
  component: lateScreen(() => import('./verify-email.tsx'), 'VerifyEmail', { text: 'first' }),
})

const invite = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invite',
  validateSearch: tokenOf,
  beforeLoad: takeToken('/invite'),
  component: lateScreen(() => import('./invite.tsx'), 'Invite', { text: 'first' }),
})

const magicLink = createRoute({
  getParentRoute: () => rootRoute,
  path: '/magic_link',
  validateSearch: tokenOf,
  beforeLoad: takeToken('/magic_link'),
  component: lateScreen(() => import('./magic-link.tsx'), 'MagicLink', { text: 'first' }),
})

const leave = createRoute({
  getParentRoute: () => rootRoute,
  path: '/leave',
  validateSearch: tokenOf,
  beforeLoad: takeToken('/leave'),
  component: lateScreen(() => import('./leave.tsx'), 'Leave', { text: 'first' }),
})

/** Maximum length of the error in the URL. Anyone can craft this URL. */
const REASON_CHARACTERS_MAX = 300

/** The server redirects to this route after sign-in with an OpenID provider, with a code or an error. */
const oidc = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oidc',
  validateSearch: ({ code, error }: Record<string, unknown>): { code?: string; error?: string } => ({
    ...(typeof code === 'string' && { code }),
    ...(typeof error === 'string' && { error: error.slice(0, REASON_CHARACTERS_MAX) }),
  }),
  beforeLoad: ({ search: { code } }) => {
    if (code !== undefined) throw redirect({ to: '/oidc', search: {}, state: { token: code }, replace: true })
  },
  component: lateScreen(() => import('./oidc.tsx'), 'Oidc', { text: 'first' }),
})

export const identityRoutes = [
  signIn,
  signUp,
  forgotPassword,
  resetPassword,
  verifyEmail,
  invite,
  magicLink,
  leave,
  oidc,
] as const
