import Type from 'typebox'
import { clearCookie } from '#platform/http/cookies.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import {
  EMAIL,
  EMAILED_TOKEN,
  INVITATION_TOKEN,
  PASSWORD,
  REFRESH_TOKEN,
} from '#platform/http/example-values.ts'
import { confirms, described, PageQuery, Uuid } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { factorRoutes } from './factor-routes.ts'
import { requestReset, resendVerification, resetPassword, verifyEmail } from './mailed-links-system.ts'
import { OidcSignIn } from './oidc-system.ts'
import {
  Credentials,
  ForgottenPassword,
  InvitedUser,
  JwksView,
  MagicLink,
  NewUser,
  OidcCode,
  OidcReturn,
  OneTimeToken,
  PasswordReset,
  RefreshToken,
  SessionPage,
  SignedIn,
  SignInMethods,
  TokenPairView,
} from './schemas.ts'
import { SessionCookie } from './session-cookie.ts'
import { endSession, listSessions, refreshSession, revokeSessions } from './sessions-system.ts'
import { acceptMagicLink, logIn, signUp, signUpInvited } from './sign-in-system.ts'

export const authRoutes = (
  services: Services,
  { config, database } = services,
  cookie = new SessionCookie(config),
): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/auth/methods',
    summary: 'List the sign-in methods',
    access: 'public',
    reply: [200, SignInMethods],
    errors: [],
    handler: async () => ({
      signup: services.config.signup,
      oidc: services.config.oidc !== null,
      email: services.config.smtpUrl !== null,
    }),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/signup',
    summary: 'Sign up',
    description: 'Creates the user and a personal organization with its built-in roles and starting credits.',
    access: 'public',
    body: NewUser,
    example: { email: EMAIL, password: PASSWORD, first_name: 'Ada', last_name: 'Moreno' },
    effects: 'outside',
    reply: [201, SignedIn],
    errors: ['auth.email_taken', 'auth.email_reserved', 'auth.signup_closed'],
    handler: ({ client, body }) => signUp(services, client, body),
    present: (answer, { body }) => cookie.conceal(answer, body.session === 'cookie'),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/login',
    summary: 'Sign in with email and password',
    description:
      'For an account with a second factor, returns 401 `auth.second_factor_needed` with `challenge`, `methods` ' +
      'and, for passkeys, `passkey_options`. Continue with POST /api/auth/verify_second_factor.',
    access: 'public',
    body: Credentials,
    example: { email: EMAIL, password: PASSWORD },
    effects: 'outside',
    reply: [200, SignedIn],
    errors: ['auth.invalid_credentials', 'auth.second_factor_needed', 'auth.too_many_attempts'],
    handler: ({ client, body }) => logIn(services, client, body),
    present: (answer, { body }) => cookie.conceal(answer, body.session === 'cookie'),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/refresh',
    summary: 'Exchange a refresh token for a new pair of tokens',
    description:
      'The previous token works for 10 more seconds. Later use ends the session, because the token may be ' +
      'stolen. Pages of this server whose refresh token is in the cookie send no body; the new token goes into ' +
      'the cookie. A 401 has `reason`: `expired`, `signed_out`, `password_changed`, `address_proven`, ' +
      '`factors_reset` or `token_reused`.',
    access: 'public',
    body: RefreshToken,
    example: { refresh_token: REFRESH_TOKEN },
    effects: 'database',
    reply: [200, TokenPairView],
    errors: ['auth.invalid_refresh_token', 'auth.cookie_origin'],
    cookie: cookie.name,
    handler: ({ client, body, headers, cookie: cookieToken }) =>
      refreshSession(services, client, cookie.tokenOf(body, headers, cookieToken)),
    present: (answer, { body }) => cookie.conceal(answer, body.refresh_token === undefined),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/logout',
    summary: 'Sign out',
    description:
      'Ends the session of the refresh token. Pages of this server whose refresh token is in the cookie send no ' +
      'body.',
    access: 'public',
    body: RefreshToken,
    example: { refresh_token: REFRESH_TOKEN },
    effects: 'database',
    reply: confirms('Signed out'),
    errors: ['auth.cookie_origin'],
    cookie: cookie.name,
    async handler({ body, headers, cookie: cookieToken }) {
      const token = cookie.tokenOf(body, headers, cookieToken)
      if (token !== null) await endSession(database, token)
    },
    present: (answer, { body }) => ({
      answer,
      headers: body.refresh_token === undefined ? cookie.clear() : {},
    }),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/auth/sessions',
    summary: 'List your sessions',
    access: 'session',
    query: Type.Object(PageQuery),
    reply: [200, SessionPage],
    errors: ['request.invalid_cursor'],
    handler: ({ caller, query }) => listSessions(database, caller, query),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/auth/sessions',
    summary: 'Revoke sessions',
    description: 'Revokes the given session, or all sessions except the current one.',
    access: 'session',
    query: Type.Object({
      session_id: Type.Optional(described(Uuid, 'ID of the session. Omit it to revoke all other sessions.')),
    }),
    effects: 'database',
    reply: confirms('Sessions ended: 2'),
    errors: ['auth.session_not_found'],
    async handler({ caller, query }) {
      const ended = await revokeSessions(database, caller, query.session_id)
      return { message: `Sessions ended: ${ended}` }
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/signup_invite',
    summary: 'Sign up with an invitation',
    description:
      'If the invited email address already has an account, send its password. That account joins, and its older ' +
      'sessions and API keys are revoked.',
    access: 'public',
    body: InvitedUser,
    example: { token: INVITATION_TOKEN, password: PASSWORD, first_name: 'Noah', last_name: 'Kim' },
    effects: 'outside',
    reply: [201, SignedIn],
    errors: [
      'auth.invalid_credentials',
      'auth.second_factor_needed',
      'auth.too_many_attempts',
      'auth.email_taken',
      'auth.email_reserved',
      'invitation.not_found',
      'invitation.gone',
      'invitation.role_gone',
      'invitation.sender_gone',
    ],
    handler: ({ client, body }) => signUpInvited(services, client, body),
    present: (answer, { body }) => cookie.conceal(answer, body.session === 'cookie'),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/magic_link/accept',
    summary: 'Accept an invitation by its emailed link and sign in',
    description:
      'The link proves the email address: the account keeps only the password given here, and its older sessions ' +
      'and API keys end.',
    access: 'public',
    body: MagicLink,
    example: { token: INVITATION_TOKEN },
    effects: 'outside',
    reply: [200, SignedIn],
    errors: [
      'auth.second_factor_needed',
      'invitation.not_found',
      'invitation.gone',
      'invitation.role_gone',
      'invitation.sender_gone',
    ],
    handler: ({ client, body }) => acceptMagicLink(services, client, body),
    present: (answer, { body }) => cookie.conceal(answer, body.session === 'cookie'),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/verify_email',
    summary: 'Confirm your email address',
    description: 'Requires the token that was sent to the email address of the signed-in account.',
    access: 'session',
    body: OneTimeToken,
    example: { token: EMAILED_TOKEN },
    effects: 'database',
    reply: confirms('Your email address is confirmed'),
    errors: ['auth.link_gone', 'auth.link_of_another'],
    async handler({ caller, body }) {
      await verifyEmail(services, caller, body.token)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/resend_verification',
    summary: 'Resend the verification email',
    access: 'session',
    effects: 'database',
    reply: confirms('If your address is not confirmed yet, a confirmation email is on its way'),
    errors: [],
    async handler({ caller }) {
      await resendVerification(services, caller.userId)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/forgot_password',
    summary: 'Send a password reset link',
    description:
      'The response does not reveal whether the email address is known. The link expires after one hour.',
    access: 'public',
    body: ForgottenPassword,
    example: { email: EMAIL },
    effects: 'database',
    reply: confirms('If this email address has an account, an email is on its way'),
    errors: [],
    async handler({ client, body }) {
      await requestReset(services, client.requestId, body.email)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/reset_password',
    summary: 'Reset a password with the emailed token',
    description: 'Ends all sessions of the user and deletes their API keys.',
    access: 'public',
    body: PasswordReset,
    example: { token: EMAILED_TOKEN, password: PASSWORD },
    effects: 'outside',
    reply: confirms('Your password was changed. Sign in with the new one.'),
    errors: ['auth.link_gone'],
    async handler({ client, body }) {
      await resetPassword(services, client, body)
    },
  }),
  ...oidcRoutes(services, cookie),
  ...factorRoutes(services, cookie),
  defineRoute({
    method: 'GET',
    url: '/.well-known/jwks.json',
    summary: 'Get the public keys of access tokens',
    access: 'public',
    reply: [200, JwksView],
    errors: ['request.method_not_allowed'],
    handler: async () => services.tokens.jwks,
  }),
]

/** Routes for signing in with the operator's OpenID provider. An extension of the spec. */
function oidcRoutes(services: Services, cookie: SessionCookie): Route[] {
  const oidc = new OidcSignIn(services)
  return [
    defineRoute({
      method: 'GET',
      url: '/api/auth/oidc/start',
      summary: 'Start signing in with the OpenID provider',
      description: 'For browsers: redirects to the provider, which redirects back to the console.',
      access: 'public',
      reply: { redirect: 'Redirect to the provider.' },
      errors: ['auth.oidc_off', 'auth.oidc_failed'],
      handler: () => oidc.begin(),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/auth/oidc/callback',
      summary: "Receive the OpenID provider's redirect",
      description:
        'For browsers that return from the provider. Requires the cookie of oidc/start. Redirects to the console with a ' +
        'single-use `code` for oidc/exchange, valid for one minute, or with an `error` in words.',
      access: 'public',
      query: OidcReturn,
      reply: { redirect: 'Redirect to `/oidc` of the console with `code` or `error`.' },
      errors: ['auth.oidc_off', 'auth.oidc_state'],
      cookie: oidc.cookie.name,
      handler: ({ client, query, cookie: browser }) => oidc.end(client, query, browser),
    }),
    defineRoute({
      method: 'POST',
      url: '/api/auth/oidc/exchange',
      summary: 'Exchange the sign-in code for tokens',
      description:
        'The code is single-use and expires after one minute. Requires the cookie that oidc/start set in this ' +
        'browser.',
      access: 'public',
      body: OidcCode,
      example: { code: EMAILED_TOKEN },
      effects: 'database',
      reply: [200, SignedIn],
      errors: ['auth.link_gone'],
      cookie: oidc.cookie.name,
      handler: ({ client, body, cookie: browser }) => oidc.exchange(client, body.code, browser),
      present(answer, { body }) {
        const concealed = cookie.conceal(answer, body.session === 'cookie')
        const cookies = concealed.headers['Set-Cookie'] ?? []
        return { ...concealed, headers: { 'Set-Cookie': [clearCookie(oidc.cookie), ...cookies] } }
      },
    }),
  ]
}
