import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { Message } from '#platform/http/schemas.ts'
import type { Rooms } from '#platform/rooms.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import { Credentials, JwksView, NewUser, RefreshToken, SignedIn, TokenPairView } from './schemas.ts'
import { endSession, forgetExpired, refreshSession } from './sessions.ts'
import { logIn, signUp } from './sign-in.ts'

export { ensureAdministrator, setAdministrator } from './administrator.ts'

const SWEEP_MS = 3_600_000

/** From time to time forgets what has expired. Answers how to end that. */
export const startAuthSweep = ({ database, log }: Rooms): (() => void) =>
  repeat(SWEEP_MS, () => forgetExpired(database.sql), { log, message: 'the sweep of sessions failed' })

/** Who somebody is, and how he proves it (contract, 2). */
export const authRoutes = (rooms: Rooms): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/auth/signup',
    summary: 'Sign up',
    description: 'Makes the user and a personal organization with its system roles and starting credits.',
    access: 'public',
    body: NewUser,
    example: {
      email: 'ada@example.com',
      password: 'correct horse',
      first_name: 'Ada',
      last_name: 'Lovelace',
    },
    reply: [201, SignedIn],
    errors: ['auth.email_taken', 'auth.signup_closed'],
    handler: ({ body }) => signUp(rooms, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/login',
    summary: 'Sign in with email and password',
    access: 'public',
    body: Credentials,
    example: { email: 'ada@example.com', password: 'correct horse' },
    reply: [200, SignedIn],
    errors: ['auth.invalid_credentials', 'auth.too_many_attempts'],
    handler: ({ body }) => logIn(rooms, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/refresh',
    summary: 'Exchange a refresh token for a new pair of tokens',
    description:
      'The token before goes on for 10 seconds; its use after that ends the session, because somebody has stolen it.',
    access: 'public',
    body: RefreshToken,
    example: { refresh_token: 'rt_…' },
    reply: [200, TokenPairView],
    errors: ['auth.invalid_refresh_token'],
    handler: ({ body }) =>
      refreshSession({ sql: rooms.database.sql, tokens: rooms.tokens }, body.refresh_token),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/logout',
    summary: 'Sign out: end the session of a refresh token',
    access: 'public',
    body: RefreshToken,
    example: { refresh_token: 'rt_…' },
    reply: [200, Message],
    errors: [],
    async handler({ body }) {
      await endSession(rooms.database.sql, body.refresh_token)
      return { message: 'Signed out' }
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/.well-known/jwks.json',
    summary: 'Get the public keys of the access tokens',
    access: 'public',
    reply: [200, JwksView],
    errors: ['request.method_not_allowed'],
    handler: async () => rooms.tokens.jwks,
  }),
]
