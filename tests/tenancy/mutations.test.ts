import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemSql } from '#database/system-sql.ts'
import { callOf, FIXTURES_TIMEOUT_MS, OPERATIONS } from '../contract/cover-operations.ts'
import { EVERYTHING, gatherSociety, makeFixture, type Society } from '../contract/fixture.ts'
import { type Catalogue, readCatalogue, type Table } from './catalogue.ts'
import { type OwnerParams, proveParsed } from './prove.ts'
import { provenStatements } from './prover.ts'
import { readStatement } from './read-query.ts'
import { type Node, parseStatement, textOf } from './statement.ts'

/**
 * Removes one tenant condition at a time from the server's real statements on one table. Nothing else binds these
 * statements to the tenant, so the prover must refuse each mutation.
 */

const MUTATIONS_MIN = 40

interface Mutation {
  text: string
  statement: Node
  params: OwnerParams
  dropped: number
}

let society: Society
let catalogue: Catalogue
beforeAll(async () => {
  society = await gatherSociety()
  catalogue = await readCatalogue(systemSql(society.server.server.services.database))
  await sendEverything()
}, FIXTURES_TIMEOUT_MS)
afterAll(() => society.stop())

/** Calls every operation once in an organization with a record of each kind, to collect statements on most tables. */
async function sendEverything(): Promise<void> {
  const { fixture, tokens } = await makeFixture(society, EVERYTHING)
  const inOrder = OPERATIONS.toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))
  for (const { id, method, path } of inOrder) {
    const { query, body } = callOf(id)(fixture)
    await society.server.call(method, `${path}?${new URLSearchParams(query)}`, {
      token: tokens.O,
      ...(body !== undefined && { body }),
    })
  }
}

const ORDER = ['GET', 'POST', 'PUT', 'DELETE']

test('refuses a statement without one of its tenant conditions', () => {
  const all = [...provenStatements()].flatMap(([text, params]) => mutationsOf(text, params))
  expect(all.length).toBeGreaterThan(MUTATIONS_MIN)
  const taken = all.filter(({ statement, params }) => proveParsed(statement, params, catalogue).length === 0)
  expect(taken.map(({ text, dropped }) => [text, dropped])).toEqual([])
})

function mutationsOf(text: string, params: OwnerParams): Mutation[] {
  const [statement] = parseStatement(text)
  const { relations } = readStatement(statement, catalogue)
  const table = catalogue.get(relations[0]?.table ?? '')
  if (relations.length !== 1 || !table) return []
  return tenantConditions(statement, table).flatMap((dropped) => {
    const changed = structuredClone(statement)
    return drop(changed, dropped) ? [{ text, statement: changed, params, dropped }] : []
  })
}

/** Returns the locations of all conditions that compare an owner column with a parameter. */
function tenantConditions(node: Node, table: Table): number[] {
  if (node === null || typeof node !== 'object') return []
  const { lexpr, rexpr, location } = node.A_Expr ?? {}
  const column = textOf(lexpr?.ColumnRef?.fields.at(-1))
  const isOwner = rexpr?.ParamRef && (column === table.organization || column === table.user)
  const inside = Object.values(node).flatMap((child) => tenantConditions(child, table))
  return isOwner ? [location, ...inside] : inside
}

/**
 * Removes the condition at a location from its AND, or removes the WHERE if it is the only one. Returns whether it
 * was found.
 */
function drop(node: Node, location: number): boolean {
  if (node === null || typeof node !== 'object') return false
  const isIt = (one: Node): boolean => one?.A_Expr?.location === location
  if (isIt(node.whereClause)) return delete node.whereClause
  const { boolop, args } = node.BoolExpr ?? {}
  if (boolop === 'AND_EXPR' && args.some(isIt)) {
    node.BoolExpr.args = args.filter((arg: Node) => !isIt(arg))
    return true
  }
  return Object.values(node).some((child) => drop(child, location))
}
