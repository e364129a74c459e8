import { appendFileSync, mkdirSync } from 'node:fs'
import type { ISql, Sql } from 'postgres'
import { type Tenant, UNWATCHED, watchTenants } from '#database/tenant-sql.ts'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { type OwnerParams, prove } from './prove.ts'
import { PROVEN_FOLDER } from './proven-folder.ts'

/*
 * Proves every tenant statement that tests run, while it runs. A statement that isn't bound to its tenant fails.
 * Each process records the templates that it has proven (docs/security.md).
 */

/** The internal state of a statement in postgres.js 3.4. */
interface Statement extends Promise<unknown> {
  handler(statement: Statement): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
  string?: string
  parameters?: unknown[]
}

/** A tenant's statement that may reach rows of another tenant. */
export class UnprovenStatement extends Error {}

const failures: string[] = []
let catalogue: Promise<Catalogue> | undefined
const templates = new Set<string>()
const results = new Map<string, string[]>()
const statements = new Map<string, OwnerParams>()

/** Proves all tenant statements of this process from now on. @param sql a database with the current schema */
export async function startProving(sql: Sql): Promise<void> {
  catalogue ??= readCatalogue(sql)
  const known = await catalogue
  watchTenants((of, tenant) => watched(of, tenant, known))
}

/** Returns and clears the failures since the last call. Each one fails a test. */
export const takeFailures = (): string[] => failures.splice(0)

/** Returns the statements that this process has checked, with the parameters that contain the tenant's ids. */
export const provenStatements = (): ReadonlyMap<string, OwnerParams> => statements

function watched<S extends ISql>(sql: S, tenant: Tenant, known: Catalogue): S {
  const follow = (made: unknown, template: unknown): unknown => {
    if (isTemplate(template)) note(template)
    if (made instanceof Promise && 'handler' in made) proveWhenSent(made as Statement, tenant, known)
    return made
  }
  const inside =
    (work: (tx: ISql) => unknown) =>
    (tx: ISql): unknown =>
      work(watched(tx, tenant, known))
  return new Proxy(sql, {
    apply: (make, self, args) => follow(Reflect.apply(make as never, self, args), args[0]),
    has: (from, name) => name === UNWATCHED || Reflect.has(from, name),
    get(from, name) {
      if (name === UNWATCHED) return from
      const value = Reflect.get(from as object, name)
      if (name === 'unsafe') return (...args: unknown[]) => follow(value(...args), null)
      if (name === 'begin' || name === 'savepoint')
        return (...args: unknown[]) =>
          value(...args.slice(0, -1), inside(args.at(-1) as (tx: ISql) => unknown))
      return value
    },
  })
}

/** The text and parameters are known once the statement is sent. Its result waits for the proof. */
function proveWhenSent(statement: Statement, tenant: Tenant, known: Catalogue): void {
  const { handler } = statement
  statement.handler = (sent) => {
    const { resolve } = sent
    sent.resolve = (result) => {
      const wrong = proveStatement(sent, tenant, known)
      if (wrong === null) return resolve(result)
      failures.push(wrong)
      sent.reject(new UnprovenStatement(wrong))
    }
    return handler(sent)
  }
}

function proveStatement(
  { string: text, parameters }: Statement,
  tenant: Tenant,
  known: Catalogue,
): string | null {
  if (text === undefined) return null
  const params: OwnerParams = { organization: new Set(), user: new Set() }
  for (const [index, value] of (parameters ?? []).entries()) {
    if (value === tenant.organizationId) (params.organization as Set<number>).add(index + 1)
    if (tenant.userId !== null && value === tenant.userId) (params.user as Set<number>).add(index + 1)
  }
  const key = `${text}\0${[...params.organization]}\0${[...params.user]}`
  let wrong = results.get(key)
  if (!wrong) {
    wrong = prove(text, params, known)
    results.set(key, wrong)
    statements.set(text, params)
  }
  return wrong.length === 0 ? null : `${wrong.join('; ')}:\n${text.trim()}`
}

const isTemplate = (value: unknown): value is TemplateStringsArray => Array.isArray(value) && 'raw' in value

/** Returns the name of a template for comparisons: its text, with a gap for each value. */
export const nameOfTemplate = (strings: readonly string[]): string => strings.join('\0')

function note(strings: TemplateStringsArray): void {
  const name = nameOfTemplate(strings)
  if (templates.has(name)) return
  templates.add(name)
  mkdirSync(PROVEN_FOLDER, { recursive: true })
  appendFileSync(`${PROVEN_FOLDER}/${process.pid}.jsonl`, `${JSON.stringify(name)}\n`)
}
