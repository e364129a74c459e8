import type { ISql, Sql } from 'postgres'
import { newId } from '#database/new-id.ts'
import { isUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Rooms } from '#platform/rooms.ts'
import { createOrganization } from '../org/index.ts'
import { forgetAttempts, slowDownAttempt } from './login-attempts.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import type { Credentials, NewUser, SignedIn, UserView } from './schemas.ts'
import { startSession } from './sessions.ts'

/** Makes a user with a personal organization, and signs in. Throws auth.signup_closed, auth.email_taken. */
export async function signUp(rooms: Rooms, input: NewUser): Promise<SignedIn> {
  const { config, database, tokens } = rooms
  if (config.signup !== 'open') throw fail('auth.signup_closed')
  const passwordHash = await hashPassword(input.password)
  try {
    return await database.sql.begin(async (tx) => {
      const user = await createUser(tx, { ...input, passwordHash, startingCredits: config.startingCredits })
      return { user: await readUser(tx, user.id), ...(await startSession({ sql: tx, tokens }, user)) }
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('auth.email_taken', {}, { cause: error })
    throw error
  }
}

/** Signs in with email and password. Throws auth.invalid_credentials, and takes the same time whichever is wrong. */
export async function logIn({ database: { sql }, tokens }: Rooms, input: Credentials): Promise<SignedIn> {
  const email = normalizeEmail(input.email)
  await slowDownAttempt(sql, email)
  const [user] = await sql<{ id: string; email: string; password_hash: string }[]>`
    select id, email, password_hash from users where email = ${email}`
  const right = await verifyPassword(input.password, user?.password_hash)
  if (!user || !right) throw fail('auth.invalid_credentials')
  await forgetAttempts(sql, email)
  return { user: await readUser(sql, user.id), ...(await startSession({ sql, tokens }, user)) }
}

export interface NewUserRow {
  email: string
  first_name: string
  last_name: string
  passwordHash: string
  startingCredits: number
  isSystemAdmin?: boolean
}

/** A user and the personal organization that every user gets, inside the caller's transaction. */
export async function createUser(
  tx: Parameters<Parameters<Sql['begin']>[1]>[0],
  input: NewUserRow,
): Promise<{ id: string; email: string }> {
  const user = { id: newId(), email: normalizeEmail(input.email) }
  await tx`
    insert into users (id, email, password_hash, first_name, last_name, is_system_admin)
    values (${user.id}, ${user.email}, ${input.passwordHash}, ${input.first_name}, ${input.last_name},
      ${input.isSystemAdmin ?? false})`
  await createOrganization(tx, {
    name: `${input.first_name} ${input.last_name}`.trim(),
    ownerId: user.id,
    personal: true,
    startingCredits: input.startingCredits,
  })
  return user
}

export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** A user with the organizations that he is an active member of (spec, User). */
export async function readUser(sql: ISql, userId: string): Promise<UserView> {
  const [user] = await sql<UserRow[]>`
    select u.id, u.email, u.first_name, u.last_name, u.created_at,
      coalesce(json_agg(json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'role_id', r.id,
        'role_name', r.name) order by o.id) filter (where o.id is not null), '[]') as organizations
    from users u
    left join memberships m on m.user_id = u.id and m.status = 'active'
    left join organizations o on o.id = m.organization_id
    left join roles r on r.id = m.role_id
    where u.id = ${userId} group by u.id`
  if (!user) throw fail('auth.invalid_token')
  return {
    ...user,
    full_name: `${user.first_name} ${user.last_name}`.trim(),
    created_at: new Date(user.created_at).toISOString(),
  }
}

type UserRow = Omit<UserView, 'full_name'>
