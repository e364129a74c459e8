import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, startConsoleStage } from '#tests/support/console-stage.ts'

/** How the console stays signed in: an access token that scripts can read, and a refresh token that they can't. */

describeInBrowser('a session of the console', () => {
  let stage: ConsoleStage
  beforeAll(async () => {
    stage = await startConsoleStage()
  }, 120_000)
  afterAll(() => stage?.stop())

  const signIn = async (page: Page, email: string, password: string) => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await atHome(page)
  }
  const atHome = (page: Page) => page.getByRole('heading', { name: /^Hello, / }).waitFor()
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  const stored = (page: Page) => page.evaluate<string>('JSON.stringify(localStorage) + document.cookie')
  /** Simulates that a quarter of an hour has passed. */
  const expire = (page: Page) =>
    page.evaluate(`{
      const session = JSON.parse(localStorage.getItem('parley.session'))
      localStorage.setItem('parley.session', JSON.stringify({ ...session, expiresAt: 0 }))
    }`)
  const tokenIn = (page: Page) =>
    page.evaluate<string>(`JSON.parse(localStorage.getItem('parley.session')).accessToken`)
  const isAlive = async (token: string) =>
    (await stage.server.call('GET', '/api/users/me', { token })).status === 200

  test('hides the refresh token from scripts, is refreshed by two tabs, and ends in all of them', async () => {
    const person = await stage.server.signUp()
    const page = await stage.open('/sign_in')
    await signIn(page, person.email, person.password)
    expect(await stored(page)).not.toContain('rt_')
    const other = await page.context().newPage()
    await other.goto('/')
    await atHome(other)
    await expire(page)
    await Promise.all([page.reload(), other.reload()])
    await Promise.all([atHome(page), atHome(other)])
    expect(await stored(page)).not.toContain('rt_')
    const token = await tokenIn(page)
    expect(await isAlive(token)).toBe(true)

    await signOut(page)
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(() => isAlive(token)).toBe(false)
    const refreshed = await page.evaluate<number>(
      `fetch('/api/auth/refresh', { method: 'POST' }).then(({ status }) => status)`,
    )
    expect(refreshed).toBe(401)
    await signIn(page, person.email, person.password)
  })

  test('survives a temporary failure to refresh it, and shows the failure', async () => {
    const person = await stage.server.signUp()
    const page = await stage.open('/sign_in')
    await signIn(page, person.email, person.password)
    const refresh = '**/api/auth/refresh'
    const unavailable = { detail: 'The database is away.', code: 'server.unavailable' }
    await page.route(refresh, (route) => route.fulfill({ status: 503, json: unavailable }))
    await expire(page)
    await page.reload()
    await page.getByText('The database is away.').first().waitFor()
    await page.unroute(refresh)
    await page.getByRole('button', { name: 'Retry' }).first().click()
    await atHome(page)
  })

  test('hides drafts from other users', async () => {
    const owner = await stage.server.signUp()
    const colleague = await colleaguesOf(stage.server, owner).join('member')
    const page = await stage.open('/sign_in')
    const draftOf = async ({ email, password }: Person) => {
      await page.goto('/sign_in')
      await signIn(page, email, password)
      await page.goto(`/chats?org_id=${owner.organizationId}`)
      const field = page.getByRole('textbox', { name: 'Message', exact: true })
      await field.waitFor()
      return field
    }
    await (await draftOf(owner)).fill('Between us')
    await signOut(page)
    expect(await (await draftOf(colleague)).inputValue()).toBe('')
    await signOut(page)
    expect(await (await draftOf(owner)).inputValue()).toBe('Between us')
  })

  test('says why it ended, and returns to the page after sign-in', async () => {
    const person = await stage.server.signUp()
    const { organizationId: org, email, password } = person
    const page = await stage.open('/sign_in')
    await signIn(page, email, password)
    const anew = 'another password'
    const elsewhere = async (method: string, path: string, body?: object) => {
      const { body: tokens } = await stage.server.call('POST', '/api/auth/login', {
        body: { email, password },
      })
      return stage.server.call(method, path, { token: tokens.access_token, ...(body && { body }) })
    }
    await page.goto(`/agents?org_id=${org}`)
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor()
    const ended = async (change: () => Promise<unknown>, reason: RegExp, secret: string) => {
      await change()
      await page.reload()
      await page.getByText(reason).waitFor()
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(secret)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor()
    }
    await ended(() => elsewhere('DELETE', '/api/auth/sessions'), /^This session was signed out/, password)
    await ended(
      () => elsewhere('PUT', '/api/users/me', { password: anew, current_password: password }),
      /^The password of your account was changed/,
      anew,
    )
    await page.context().clearCookies()
    await ended(() => expire(page), /^Your session expired/, anew)
    await signOut(page)
    expect(await page.getByText('session').count()).toBe(0)
  })

  test('ends on the server too when it was ended offline', async () => {
    const person = await stage.server.signUp()
    const page = await stage.open('/sign_in')
    await signIn(page, person.email, person.password)
    const token = await tokenIn(page)
    await page.context().setOffline(true)
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect.poll(() => page.evaluate(`localStorage.getItem('parley.session')`)).toBe(null)
    expect(await isAlive(token)).toBe(true)
    await page.context().setOffline(false)
    await expect.poll(() => isAlive(token)).toBe(false)
  })

  test('of an earlier version, with the refresh token in storage, is discarded', async () => {
    const { token, refreshToken } = await stage.server.signUp()
    const page = await stage.open('/sign_in')
    const old = { accessToken: token, refreshToken, expiresAt: Date.now() + 600_000 }
    await page.evaluate(`localStorage.setItem('parley.session', '${JSON.stringify(old)}')`)
    await page.goto('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await stored(page)).not.toContain('rt_')
  })
})
